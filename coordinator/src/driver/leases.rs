//! Spans of leases, for whoever traces the coordinator: each from when jobs were lent to a worker until each of them has a
//! result or is lent to that worker no more.
//!
//! Results and jobs that are handed back end their part at once. Everything else that takes a job from a worker, such as a
//! lease that expires, is found by asking the scheduler once a second. Where nobody listens nothing is kept.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use queens::split::Job;
use scheduler::{JobId, RunId, Scheduler, WorkerId};
use tokio::time::Instant;
use tracing::{Span, debug_span, field::Empty};

/// How often the scheduler is asked what is lent still.
const INTERVAL: Duration = Duration::from_secs(1);

/// One lease; its span ends when no job refers to it any more.
struct Lease {
    span: Span,
    results: AtomicU64,
}

/// The leases that have spans, by the jobs that are lent.
#[derive(Default)]
pub(super) struct Leases {
    of_job: HashMap<(WorkerId, JobId), Arc<Lease>>,
    look_at: Option<Instant>,
}

impl Leases {
    /// Begins the span of a lease, if anybody listens.
    pub(super) fn begin(&mut self, worker: WorkerId, run: RunId, jobs: &[Job]) {
        // OpenTelemetry has signed numbers only; others would become text there.
        let span = debug_span!(
            target: "nqueens::lease", parent: None, "lease", run = run.0.cast_signed(),
            worker = worker.0.cast_signed(), jobs = jobs.len().cast_signed(),
            first_job = jobs.first().map(|job| job.index.cast_signed()), results = Empty,
        );
        if span.is_disabled() {
            return;
        }
        let lease = Arc::new(Lease { span, results: AtomicU64::new(0) });
        let lent = |job: &Job| ((worker, JobId::new(run, job.index)), Arc::clone(&lease));
        self.of_job.extend(jobs.iter().map(lent));
    }

    /// Notes that a worker delivered the result of a job.
    pub(super) fn deliver(&mut self, worker: WorkerId, job: JobId) {
        if let Some(lease) = self.end(worker, job) {
            lease.results.fetch_add(1, Relaxed);
        }
    }

    /// Notes that a worker gave a job back.
    pub(super) fn give_back(&mut self, worker: WorkerId, job: JobId) {
        self.end(worker, job);
    }

    fn end(&mut self, worker: WorkerId, job: JobId) -> Option<Arc<Lease>> {
        if self.of_job.is_empty() { None } else { self.of_job.remove(&(worker, job)) }
    }

    /// Ends what the scheduler has taken from workers, if it is time to look.
    pub(super) fn look(&mut self, scheduler: &Scheduler, now: Instant) {
        if self.of_job.is_empty() {
            self.look_at = None;
        } else if now >= *self.look_at.get_or_insert(now + INTERVAL) {
            self.look_at = Some(now + INTERVAL);
            self.of_job.retain(|&(worker, job), _| scheduler.holds(worker, job));
        }
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.of_job.is_empty()
    }

    /// Returns when it is time to look again.
    pub(super) fn next_wake(&self) -> Option<Instant> {
        self.look_at
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.span.record("results", self.results.load(Relaxed).cast_signed());
    }
}
