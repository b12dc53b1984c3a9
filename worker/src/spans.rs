//! Spans of leases and jobs, for whoever traces a worker.
//!
//! A job may take 25 microseconds, so where nobody listens no span is made and nothing is allocated. They have targets of
//! their own, `nqueens::lease` and `nqueens::job`, so that they can be asked for alone.
//! Their numbers are signed, since OpenTelemetry has no others.

use std::sync::Arc;

use nqueens_proto::v1;
use tracing::{Level, Span, debug_span, span_enabled};

use crate::job::JobId;

/// The span of a lease, from when the worker got it until it has computed or given up the last of its jobs. Each of those
/// keeps a clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeaseSpan(Option<Arc<Lease>>);

#[derive(Debug)]
struct Lease {
    worker_id: u64,
    span: Span,
}

impl LeaseSpan {
    /// Begins the span of a lease that worker `worker_id` got; nothing if nobody listens.
    pub(crate) fn begin(worker_id: u64, lease: &v1::Lease) -> Self {
        let wanted = span_enabled!(target: "nqueens::lease", Level::DEBUG)
            || span_enabled!(target: "nqueens::job", Level::DEBUG);
        Self(wanted.then(|| {
            let span = debug_span!(
                target: "nqueens::lease", parent: None, "lease", run = lease.run_id.cast_signed(),
                worker = worker_id.cast_signed(), jobs = lease.jobs.len().cast_signed(),
                first_job = lease.jobs.first().map(|job| job.index.cast_signed()),
            );
            Arc::new(Lease { worker_id, span })
        }))
    }

    /// Returns the span of one of its jobs, which begins now and ends when it is dropped.
    pub(crate) fn job(&self, id: JobId) -> Span {
        self.0.as_ref().map_or_else(Span::none, |lease| {
            debug_span!(
                target: "nqueens::job", parent: &lease.span, "job", run = id.run_id.cast_signed(),
                job = id.index.cast_signed(), worker = lease.worker_id.cast_signed(),
            )
        })
    }
}
