//! What the driver measures while it works, for monitoring: distributions that no view can show afterwards. Cheap to
//! clone; all clones measure the same.

use std::time::Duration;

use prometheus_client::{
    metrics::histogram::{Histogram, exponential_buckets},
    registry::{Registry, Unit},
};

/// Measures what happens in the driver.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    job: Histogram,
    lease: Histogram,
    commit: Histogram,
    events: Histogram,
}

impl Default for Meter {
    fn default() -> Self {
        Self {
            // From a millisecond to more than an hour in steps of four.
            job: Histogram::new(exponential_buckets(0.001, 4.0, 12)),
            lease: Histogram::new(exponential_buckets(0.001, 4.0, 12)),
            commit: Histogram::new(exponential_buckets(0.0001, 4.0, 9)),
            events: Histogram::new(exponential_buckets(1.0, 4.0, 8)),
        }
    }
}

impl Meter {
    /// Notes how long a job took on its thread, and for how long it was lent, if that is known.
    pub(crate) fn result(&self, elapsed: Duration, lent: Option<Duration>) {
        self.job.observe(elapsed.as_secs_f64());
        if let Some(lent) = lent {
            self.lease.observe(lent.as_secs_f64());
        }
    }

    /// Notes a commit of so many events.
    pub(crate) fn commit(&self, events: usize, took: Duration) {
        self.events.observe(events as f64);
        self.commit.observe(took.as_secs_f64());
    }

    /// Puts what was measured where it can be read.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let mut seconds = |name: &str, help: &str, histogram: &Histogram| {
            registry.register_with_unit(name, help, Unit::Seconds, histogram.clone());
        };
        seconds("job", "Time that a job took on one thread of its worker", &self.job);
        seconds("lease", "Time from the lending of a job to its result", &self.lease);
        seconds("ledger_commit", "Time that a commit to the ledger took", &self.commit);
        registry.register("ledger_commit_events", "Events in one commit to the ledger", self.events.clone());
    }
}
