//! The clock of a drain: when it began, until when jobs may finish, until when results may be delivered.

use std::time::Duration;

use tokio::time::Instant;

/// For results of jobs that finish at the very end of the grace time.
const DELIVERY: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Drain {
    grace: Duration,
    begun: Option<Instant>,
}

impl Drain {
    pub(crate) fn new(grace: Duration) -> Self {
        Self { grace, begun: None }
    }

    pub(crate) fn begin(&mut self) {
        self.begun.get_or_insert_with(Instant::now);
    }

    pub(crate) fn is_on(&self) -> bool {
        self.begun.is_some()
    }

    pub(crate) fn grace(&self) -> Duration {
        self.grace
    }

    /// Returns when the grace time ends, if a drain has begun.
    pub(crate) fn finish_by(&self) -> Option<Instant> {
        self.begun.map(|begun| begun + self.grace)
    }

    /// Waits until the grace time has ended; for ever without a drain.
    pub(crate) async fn finished(&self) {
        sleep_until(self.finish_by()).await;
    }

    /// Waits until it is time to leave with whatever has not been delivered.
    pub(crate) async fn overdue(&self) {
        sleep_until(self.finish_by().map(|end| end + DELIVERY)).await;
    }
}

async fn sleep_until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
