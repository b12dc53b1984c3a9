//! Waiting longer and longer between attempts, each time for a random part of the wait.

use std::time::Duration;

use crate::random;

/// The waits between attempts to reach a coordinator that is gone.
#[derive(Debug)]
pub(crate) struct Backoff {
    most: Duration,
}

impl Backoff {
    const FIRST: Duration = Duration::from_millis(100);
    const LAST: Duration = Duration::from_secs(5);

    /// Returns waits that begin anew.
    pub(crate) fn new() -> Self {
        Self { most: Self::FIRST }
    }

    /// Waits before the next attempt: at most 0.1 s the first time, twice that the next, and never more than 5 s.
    pub(crate) async fn wait(&mut self) {
        let wait = random::part_of(self.most);
        self.most = Self::LAST.min(self.most * 2);
        tokio::time::sleep(wait).await;
    }
}
