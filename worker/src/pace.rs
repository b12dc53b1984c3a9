//! How many jobs a kernel thread takes from the desk at one time.
//!
//! Jobs last from microseconds to minutes. One lock of the desk for each job of 20 microseconds would make many threads
//! queue for it; a large batch of long jobs would keep them from other threads and from being handed back. So a batch
//! is sized to about half a millisecond of work, learnt from the batch before, and starts with one job in each run.

use std::time::Duration;

const TARGET: Duration = Duration::from_micros(500);
const MOST: usize = 128;

#[derive(Debug, Default)]
pub(crate) struct Pace {
    run_id: u64,
    jobs: usize,
}

impl Pace {
    /// Returns how many jobs of this run to take at most.
    pub(crate) fn jobs(&self, run_id: u64) -> usize {
        if self.run_id == run_id { self.jobs.max(1) } else { 1 }
    }

    /// Learns that a batch of `jobs` took this long.
    pub(crate) fn learn(&mut self, run_id: u64, jobs: usize, took: Duration) {
        let fitting = TARGET.as_nanos() * jobs as u128 / took.as_nanos().max(1);
        self.jobs = usize::try_from(fitting).unwrap_or(MOST).min(jobs * 2).clamp(1, MOST);
        self.run_id = run_id;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_grows_to_half_a_millisecond_of_work() {
        let mut pace = Pace::default();
        for _ in 0..10 {
            let jobs = pace.jobs(1);
            pace.learn(1, jobs, Duration::from_micros(20) * jobs as u32);
        }
        assert_eq!(pace.jobs(1), 25);
        assert_eq!(pace.jobs(2), 1, "another run may have longer jobs");
        pace.learn(1, 25, Duration::from_secs(1));
        assert_eq!(pace.jobs(1), 1);
        pace.learn(1, 1, Duration::ZERO);
        assert_eq!(pace.jobs(1), 2, "it only doubles");
    }
}
