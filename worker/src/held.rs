//! What the worker holds: jobs without an outcome, and outcomes that the coordinator has not got.
//!
//! It outlives every session, so an outage of the coordinator loses nothing:
//!
//! ```text
//! lent -> jobs -> finished -> batches -> acknowledged: forgotten
//!           |         (sent again in each new session until then)
//!           +---> failures, handed back: forgotten once said, since they carry no work
//! ```

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    time::Duration,
};

use crate::job::{JobId, Outcome, Setback};

/// The most results in one batch.
const BATCH: usize = 4096;

/// The result of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finished {
    pub(crate) id: JobId,
    pub(crate) count: u64,
    pub(crate) elapsed: Duration,
}

/// A job that could not be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(crate) id: JobId,
    pub(crate) reason: String,
}

/// What becomes of the outcome of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Wanted,
    Unwanted,
}

#[derive(Debug, Default)]
pub(crate) struct Held {
    // The ledger that the coordinator keeps; 0 before the first session.
    ledger_id: u64,
    // On the desk or with a slot.
    jobs: HashMap<JobId, Fate>,
    unwanted: usize,
    finished: VecDeque<Finished>,
    batches: BTreeMap<u64, Vec<Finished>>,
    // Batches that this session has not sent yet.
    unsent: VecDeque<u64>,
    batched: usize,
    last_batch: u64,
    failures: VecDeque<Failed>,
    handed_back: Vec<JobId>,
    mean_elapsed: Option<Duration>,
}

impl Held {
    /// Begins to hold a job, which it does not hold yet.
    pub(crate) fn lend(&mut self, id: JobId) {
        self.jobs.insert(id, Fate::Wanted);
    }

    /// Tells whether a job is being computed already, so that it must not be computed a second time. If what it comes
    /// to was to be dropped, it is not any more.
    pub(crate) fn lend_again(&mut self, id: JobId) -> bool {
        let Some(fate) = self.jobs.get_mut(&id) else { return false };
        if *fate == Fate::Unwanted {
            self.unwanted -= 1;
            *fate = Fate::Wanted;
        }
        true
    }

    /// Takes in what came from a slot.
    pub(crate) fn finish(&mut self, outcome: Outcome) {
        match self.jobs.remove(&outcome.id) {
            Some(Fate::Wanted) => {
                if outcome.count != Err(Setback::Interrupted) {
                    self.learn(outcome.elapsed);
                }
                self.keep(outcome);
            }
            Some(Fate::Unwanted) => self.unwanted -= 1,
            None => {}
        }
    }

    fn keep(&mut self, Outcome { id, count, elapsed }: Outcome) {
        match count {
            Ok(count) => self.finished.push_back(Finished { id, count, elapsed }),
            Err(Setback::Failed(reason)) => self.failures.push_back(Failed { id, reason }),
            // It was lent again after the slot was told to leave it.
            Err(Setback::Interrupted) => self.handed_back.push(id),
        }
    }

    fn learn(&mut self, elapsed: Duration) {
        let mean = self.mean_elapsed.unwrap_or(elapsed);
        self.mean_elapsed = Some(mean.mul_f64(0.9) + elapsed.mul_f64(0.1));
    }

    /// Holds that a job cannot be computed, although it never came to a slot.
    pub(crate) fn fail(&mut self, id: JobId, reason: String) {
        self.failures.push_back(Failed { id, reason });
    }

    /// Gives up jobs that no slot has begun: the coordinator is to be told.
    pub(crate) fn hand_back(&mut self, ids: Vec<JobId>) {
        self.forget_waiting(&ids);
        self.handed_back.extend(ids);
    }

    /// Gives up jobs that no slot has begun, without a word.
    pub(crate) fn forget_waiting(&mut self, ids: &[JobId]) {
        for id in ids {
            if self.jobs.remove(id) == Some(Fate::Unwanted) {
                self.unwanted -= 1;
            }
        }
    }

    /// Gives up jobs that a slot has begun or finished: what they come to is dropped, unless it was sent already.
    pub(crate) fn abandon(&mut self, ids: &HashSet<JobId>) {
        for id in ids {
            if let Some(fate @ Fate::Wanted) = self.jobs.get_mut(id) {
                *fate = Fate::Unwanted;
                self.unwanted += 1;
            }
        }
        self.finished.retain(|finished| !ids.contains(&finished.id));
        self.failures.retain(|failed| !ids.contains(&failed.id));
    }

    /// Gives up everything that has no outcome: the coordinator is to be told. `waiting` are those no slot has begun.
    pub(crate) fn hand_back_all(&mut self, waiting: Vec<JobId>) {
        self.hand_back(waiting);
        let begun: HashSet<_> = self.wanted().collect();
        for id in &begun {
            self.jobs.insert(*id, Fate::Unwanted);
        }
        self.unwanted = self.jobs.len();
        let mut begun: Vec<_> = begun.into_iter().collect();
        begun.sort_unstable();
        self.handed_back.extend(begun);
    }

    fn wanted(&self) -> impl Iterator<Item = JobId> {
        self.jobs.iter().filter(|(_, fate)| **fate == Fate::Wanted).map(|(&id, _)| id)
    }

    /// Returns the ledger that everything here belongs to; 0 before the first session.
    pub(crate) fn ledger_id(&self) -> u64 {
        self.ledger_id
    }

    /// Forgets everything that belongs to another ledger than this one: the same numbers mean other jobs there. The slots
    /// may still be at some of it, and what comes of that is dropped. `waiting` are the jobs that no slot has begun.
    pub(crate) fn change_ledger(&mut self, ledger_id: u64, waiting: &[JobId]) {
        self.ledger_id = ledger_id;
        self.forget_waiting(waiting);
        self.jobs.values_mut().for_each(|fate| *fate = Fate::Unwanted);
        self.unwanted = self.jobs.len();
        self.finished.clear();
        self.batches.clear();
        self.batched = 0;
        self.unsent.clear();
        self.failures.clear();
        self.handed_back.clear();
    }

    /// Makes everything ready to be sent in a new session.
    pub(crate) fn begin_session(&mut self) {
        self.unsent = self.batches.keys().copied().collect();
    }

    /// Returns the next batch to be sent.
    pub(crate) fn next_batch(&mut self) -> Option<(u64, &[Finished])> {
        let batch = self.unsent.pop_front().or_else(|| self.make_batch())?;
        self.batches.get(&batch).map(|results| (batch, results.as_slice()))
    }

    fn make_batch(&mut self) -> Option<u64> {
        if self.finished.is_empty() {
            return None;
        }
        let results: Vec<_> = self.finished.drain(..BATCH.min(self.finished.len())).collect();
        self.last_batch += 1;
        self.batched += results.len();
        self.batches.insert(self.last_batch, results);
        Some(self.last_batch)
    }

    /// Tells whether there is a batch to be sent.
    pub(crate) fn has_batch(&self) -> bool {
        !self.unsent.is_empty() || !self.finished.is_empty()
    }

    /// Forgets a batch that the coordinator has.
    pub(crate) fn acknowledge(&mut self, batch: u64) {
        if let Some(results) = self.batches.remove(&batch) {
            self.batched -= results.len();
            self.unsent.retain(|&unsent| unsent != batch);
        }
    }

    /// Returns the next failure to be told.
    pub(crate) fn next_failure(&mut self) -> Option<Failed> {
        self.failures.pop_front()
    }

    /// Tells whether there is a failure to be told.
    pub(crate) fn has_failure(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Returns the jobs given up since the last call.
    pub(crate) fn take_handed_back(&mut self) -> Vec<JobId> {
        std::mem::take(&mut self.handed_back)
    }

    /// Tells whether there are jobs given up that the coordinator has not been told.
    pub(crate) fn has_handed_back(&self) -> bool {
        !self.handed_back.is_empty()
    }

    /// Returns every job that the coordinator may think of as lent to this worker, in order.
    pub(crate) fn names(&self) -> Vec<JobId> {
        let batched = self.batches.values().flatten().map(|result| result.id);
        let finished = self.finished.iter().map(|result| result.id);
        let failed = self.failures.iter().map(|failed| failed.id);
        let handed_back = self.handed_back.iter().copied();
        let mut names: Vec<_> =
            self.wanted().chain(batched).chain(finished).chain(failed).chain(handed_back).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns the number of jobs on the desk or with a slot.
    pub(crate) fn jobs(&self) -> usize {
        self.jobs.len()
    }

    /// Returns how many of those have an outcome that will be dropped.
    pub(crate) fn unwanted(&self) -> usize {
        self.unwanted
    }

    /// Returns the number of everything that takes memory here.
    pub(crate) fn len(&self) -> usize {
        self.jobs.len() + self.undelivered() + self.failures.len() + self.handed_back.len()
    }

    /// Returns the number of results that the coordinator has not acknowledged.
    pub(crate) fn undelivered(&self) -> usize {
        self.finished.len() + self.batched
    }

    /// Tells whether nothing is left to compute, to say, or to be acknowledged.
    pub(crate) fn is_done(&self) -> bool {
        self.len() == self.unwanted
    }

    /// Returns how many jobs `slots` slots can likely finish within `time`, by the jobs they finished lately.
    pub(crate) fn jobs_within(&self, time: Duration, slots: usize) -> usize {
        let each = |mean: Duration| time.as_nanos() / mean.as_nanos().max(1);
        let jobs = self.mean_elapsed.map_or(0, each).saturating_mul(slots as u128);
        usize::try_from(jobs).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests;
