//! What an operator may choose about the scheduler's behaviour. None of it changes any answer.

use std::time::Duration;

/// The scheduler's settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Without a sign of life for this long, a worker's jobs are lent to others. It is also how long jobs that may have
    /// been lent before a restart are kept for the workers that had them.
    pub lease_ttl: Duration,
    /// How much work a worker should hold for each of its slots, at the rate that it has shown.
    pub lease_target: Duration,
    /// The most jobs lent to one worker at one time.
    pub max_held: u32,
    /// The most jobs lent to all workers together, about: each lent job takes a hundred bytes of memory. Two jobs for each
    /// slot are lent in any case.
    pub max_leased: u64,
    /// After this many failed attempts at one job the run fails.
    pub failures_limit: u32,
    /// After this long without company, a worker may audit its own results, and a dispute that no worker can settle goes
    /// to the coordinator.
    pub alone_after: Duration,
    /// The most runs that may be running or paused at one time.
    pub max_open_runs: usize,
    /// From which the jobs to be audited are drawn. Each run keeps the seed that it was created with.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lease_ttl: Duration::from_secs(30),
            lease_target: Duration::from_secs(4),
            max_held: 65_536,
            max_leased: 1_000_000,
            failures_limit: 3,
            alone_after: Duration::from_secs(60),
            max_open_runs: 1000,
            seed: 0,
        }
    }
}
