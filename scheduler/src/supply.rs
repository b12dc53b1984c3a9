//! Which jobs of a run are done, lent, or to be lent next. Jobs are named by their rank (see `order`).
//!
//! ```text
//!             ┌────────── release ───────────┐
//!             ▼                              │
//!   fresh ─► (mark) ─► lent ─► done      returned ─► lent
//!                       ▲
//!   kept ── grace ends ─┘
//! ```
//!
//! *Fresh* ranks were never lent. They are lent in order and never at or beyond the *mark*, which is durable. So after a
//! restart it is known which jobs may be in some worker's hands: those below the mark without a result. They are *kept*
//! for a lease period, in which workers come back and name what they hold; those above the mark are lent at once.
//! *Returned* ranks were lent and came back without a result; they go first.
//!
//! Memory is taken by what is lent, returned, or done out of order, and by nothing else.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use crate::{id::WorkerId, map::NumberMap, ranks::Ranks, time::Moment, worker::Asker};

/// A job in the hands of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holder {
    pub(crate) worker: WorkerId,
    /// The lending, counted over the whole scheduler: what is lent again has another number.
    pub(crate) number: u64,
    pub(crate) since: Moment,
}

/// A job without a result that is lent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lent {
    /// The job's weight, or 0 if it was not looked up.
    pub(crate) weight: u32,
    pub(crate) holder: Holder,
}

/// The supply of jobs of one run.
#[derive(Debug)]
pub(crate) struct Supply {
    jobs: u64,
    done: Ranks,
    lent: NumberMap<Lent>,
    /// Who holds a lent job as well, to overtake a straggler. There are few of them.
    second: NumberMap<Holder>,
    returned: BTreeSet<u64>,
    kept: Range<u64>,
    /// Whether the kept ranks must wait still.
    grace: bool,
    fresh: u64,
    mark: u64,
    /// Fresh jobs that were asked for in vain, since the mark was reached.
    shortfall: u64,
    /// Who failed at a job without a result.
    failed: BTreeMap<u64, Vec<WorkerId>>,
}

/// How many returned jobs are looked at for one that a worker did not fail at.
const LOOK_AT: usize = 64;

impl Supply {
    /// Returns the supply of a run of which nothing was lent.
    pub(crate) fn new(jobs: u64) -> Self {
        Self {
            jobs,
            done: Ranks::default(),
            lent: NumberMap::default(),
            second: NumberMap::default(),
            returned: BTreeSet::new(),
            kept: 0..0,
            grace: false,
            fresh: 0,
            mark: 0,
            shortfall: 0,
            failed: BTreeMap::new(),
        }
    }

    pub(crate) fn done(&self) -> u64 {
        self.done.len()
    }

    pub(crate) fn is_done(&self, rank: u64) -> bool {
        self.done.contains(rank)
    }

    /// Tells whether the job was never lent, not even before a restart.
    pub(crate) fn is_fresh(&self, rank: u64) -> bool {
        rank >= self.fresh
    }

    pub(crate) fn lent(&self) -> &NumberMap<Lent> {
        &self.lent
    }

    /// Returns the one or two workers that hold this job.
    pub(crate) fn holders(&self, rank: u64) -> impl Iterator<Item = Holder> {
        let second = if self.second.is_empty() { None } else { self.second.get(&rank) };
        self.lent.get(&rank).map(|lent| lent.holder).into_iter().chain(second.copied())
    }

    /// Returns all who hold something, with its rank.
    pub(crate) fn all_holders(&self) -> impl Iterator<Item = (u64, Holder)> + '_ {
        let first = self.lent.iter().map(|(&rank, lent)| (rank, lent.holder));
        first.chain(self.second.iter().map(|(&rank, &holder)| (rank, holder)))
    }

    /// Returns the jobs that only one worker holds.
    pub(crate) fn held_once(&self) -> impl Iterator<Item = (u64, Holder)> + '_ {
        let once = self.lent.iter().filter(|(rank, _)| !self.second.contains_key(rank));
        once.map(|(&rank, lent)| (rank, lent.holder))
    }

    /// Returns the number of jobs that are neither done nor lent.
    pub(crate) fn left(&self) -> u64 {
        self.jobs - self.done.len() - self.lent.len() as u64
    }

    /// Tells whether a job might be lent now.
    pub(crate) fn has_some(&self) -> bool {
        !self.returned.is_empty() || (!self.grace && !self.kept.is_empty()) || self.fresh < self.mark
    }

    /// Tells whether there are fresh jobs, but none below the mark.
    pub(crate) fn is_dry(&self) -> bool {
        self.fresh >= self.mark && self.mark < self.jobs
    }

    /// Begins the period of grace after a restart: what may have been lent before is kept back.
    pub(crate) fn keep_back(&mut self) {
        self.kept = 0..self.mark;
        self.fresh = self.mark;
        self.grace = true;
    }

    /// Ends the period of grace. The kept ranks are gone through from now on, and those among them that were returned in
    /// the meantime with them.
    pub(crate) fn end_grace(&mut self) {
        self.grace = false;
        let kept = self.kept.clone();
        self.returned.retain(|rank| !kept.contains(rank));
    }

    /// Takes out the next job to be lent to the worker. The caller lends it.
    pub(crate) fn take(&mut self, asker: &Asker<'_>) -> Option<u64> {
        self.take_returned(asker).or_else(|| self.take_kept()).or_else(|| self.take_fresh())
    }

    /// A worker that failed at a job does not get it again while there is one that did not.
    fn take_returned(&mut self, asker: &Asker<'_>) -> Option<u64> {
        let is_for_others =
            |rank: &u64| self.failed.get(rank).is_some_and(|failed| asker.should_leave(failed));
        let mut some = self.returned.iter().take(LOOK_AT);
        let rank = *some.find(|rank| !is_for_others(rank))?;
        self.returned.remove(&rank);
        Some(rank)
    }

    fn take_kept(&mut self) -> Option<u64> {
        while !self.grace && !self.kept.is_empty() {
            let rank = self.done.next_missing(self.kept.start).min(self.kept.end);
            self.kept.start = (rank + 1).min(self.kept.end);
            if rank < self.kept.end && !self.lent.contains_key(&rank) {
                return Some(rank);
            }
        }
        None
    }

    fn take_fresh(&mut self) -> Option<u64> {
        let rank = self.done.next_missing(self.fresh);
        if rank >= self.mark {
            self.fresh = self.mark;
            return None;
        }
        self.fresh = rank + 1;
        Some(rank)
    }

    /// Lends a job that was taken out.
    pub(crate) fn lend(&mut self, rank: u64, weight: u32, holder: Holder) {
        self.lent.insert(rank, Lent { weight, holder });
    }

    /// Lends a job that is lent already to a second worker.
    pub(crate) fn lend_again(&mut self, rank: u64, holder: Holder) {
        if self.lent.contains_key(&rank) {
            self.second.entry(rank).or_insert(holder);
        }
    }

    /// Lends a job to a worker that says it holds it since before a restart, unless that cannot be or another has it.
    pub(crate) fn reclaim(&mut self, rank: u64, holder: Holder) -> Reclaim {
        if rank >= self.mark || self.is_done(rank) {
            return Reclaim::NotWanted;
        }
        if self.lent.contains_key(&rank) {
            return Reclaim::Elsewhere;
        }
        self.returned.remove(&rank);
        self.lend(rank, 0, holder);
        Reclaim::Lent
    }

    /// Takes a lent job out of a worker's hands. It is returned unless another worker holds it too.
    pub(crate) fn release(&mut self, rank: u64, number: u64) {
        if self.second.get(&rank).is_some_and(|second| second.number == number) {
            self.second.remove(&rank);
            return;
        }
        let Some(lent) = self.lent.get_mut(&rank).filter(|lent| lent.holder.number == number) else { return };
        if let Some(second) = self.second.remove(&rank) {
            lent.holder = second;
            return;
        }
        self.lent.remove(&rank);
        if self.grace || !self.kept.contains(&rank) {
            self.returned.insert(rank);
        }
    }

    /// Marks a job as done, whoever held it. Returns none if it was done before, else who held it.
    pub(crate) fn finish(&mut self, rank: u64) -> Option<[Option<Holder>; 2]> {
        if !self.done.insert(rank) {
            return None;
        }
        if !self.returned.is_empty() {
            self.returned.remove(&rank);
        }
        if !self.failed.is_empty() {
            self.failed.remove(&rank);
        }
        let second = if self.second.is_empty() { None } else { self.second.remove(&rank) };
        Some([self.lent.remove(&rank).map(|lent| lent.holder), second])
    }

    /// Notes a failed attempt and returns how many there were.
    pub(crate) fn note_failure(&mut self, rank: u64, worker: WorkerId) -> usize {
        let workers = self.failed.entry(rank).or_default();
        workers.push(worker);
        workers.len()
    }

    /// Notes that fresh jobs were asked for in vain.
    pub(crate) fn note_shortfall(&mut self, jobs: u64) {
        self.shortfall = self.shortfall.saturating_add(jobs);
    }

    /// Moves the mark; it never moves back.
    pub(crate) fn open(&mut self, below: u64) {
        self.mark = self.mark.max(below.min(self.jobs));
        self.shortfall = 0;
    }

    /// Returns where the mark should be, if it should move: when jobs were asked for in vain, or soon would be. A step is as
    /// large as what is in flight, so that after a restart not much more than that is kept back.
    pub(crate) fn next_mark(&self) -> Option<u64> {
        let step = (2 * self.lent.len() as u64).max(64);
        let soon = self.fresh > 0 && self.mark.saturating_sub(self.fresh) < step / 4;
        let wanted = self.mark < self.jobs && (self.shortfall > 0 || soon);
        wanted.then(|| self.jobs.min(self.mark + step.max(self.shortfall)))
    }

    /// Checks that every job is in exactly one place, by looking at each; for tests.
    #[cfg(test)]
    pub(crate) fn check(&self) {
        for rank in 0..self.jobs {
            let lent = self.lent.contains_key(&rank);
            let returned = self.returned.contains(&rank);
            let free = !self.is_done(rank) && !lent && !returned;
            let kept = free && self.kept.contains(&rank);
            let fresh = free && rank >= self.fresh;
            let places = [self.is_done(rank), lent, returned, kept, fresh];
            assert_eq!(places.into_iter().filter(|&is| is).count(), 1, "rank {rank}: {places:?} in {self:?}");
        }
        assert!(self.second.keys().all(|rank| self.lent.contains_key(rank)));
        assert!(self.fresh <= self.mark && self.kept.end <= self.mark && self.mark <= self.jobs);
        assert!(self.lent.keys().chain(&self.returned).all(|&rank| rank < self.mark));
    }
}

/// What became of a job that a worker says it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reclaim {
    /// It is lent to it again.
    Lent,
    /// Another worker has it.
    Elsewhere,
    /// It is done, or cannot have been lent.
    NotWanted,
}
