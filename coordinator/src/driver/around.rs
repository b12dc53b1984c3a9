//! What streams of boards need to know, from scheduler and ledger.

use queens::split::Work;
use scheduler::{Moment, RunId, Scheduler, WorkerId, WorkerState};

use crate::{ledger::Ledger, listing::Surroundings};

pub(super) struct Around<'a> {
    pub(super) scheduler: &'a Scheduler,
    pub(super) ledger: &'a dyn Ledger,
    pub(super) now: Moment,
}

impl Surroundings for Around<'_> {
    fn prefix(&self, run: RunId, job: u64) -> Vec<u8> {
        match self.scheduler.plan(run).and_then(|plan| plan.job(job)).map(|job| job.work) {
            Some(Work::Complete(queens)) => queens.iter().map(|queen| queen.column).collect(),
            _ => Vec::new(),
        }
    }

    fn recorded(&self, run: RunId, job: u64) -> Option<u64> {
        // A ledger that cannot be read now is read later.
        let first = self.ledger.results(run, job, 1).ok()?.pop()?;
        (first.index == job).then_some(first.count)
    }

    fn workers(&self) -> Vec<(WorkerId, u32)> {
        let workers = self.scheduler.workers(self.now).into_iter();
        let active = workers.filter(|worker| worker.state == WorkerState::Active);
        active.map(|worker| (worker.worker, worker.who.threads)).collect()
    }
}
