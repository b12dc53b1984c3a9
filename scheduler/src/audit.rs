//! Which finished jobs are computed a second time, and by whom.
//!
//! Jobs are drawn by a hash of the run's seed and the job's index, so that the choice survives a restart without being
//! stored and no worker can foresee it. Added to them are the results of workers that turned out wrong. A run is not done
//! before all of these have passed.
//!
//! A second computation is worth most if nothing is shared with the first. So an audit goes to a worker of another kernel
//! family while there is one that takes jobs, else to any other worker. (When a run has nothing else left to lend, it goes
//! to any other worker at once, lest it wait for a busy one.) A worker that has been alone for a while audits itself: that
//! still finds what a flipped bit did, but it does not count any more should the worker turn out wrong.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    id::{RunId, WorkerId},
    map::NumberMap,
    ranks::Ranks,
    supply::Holder,
    worker::{Asker, Family},
};

/// Who computed a result first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Author {
    pub(crate) worker: WorkerId,
    pub(crate) family: Family,
}

/// A second computation that is under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Check {
    pub(crate) author: Author,
    pub(crate) holder: Holder,
}

/// The audits of one run. Jobs are named by rank; `index` is only what the choice is drawn from.
#[derive(Debug)]
pub(crate) struct Audits {
    run: RunId,
    share: f64,
    seed: u64,
    /// Jobs that two workers agreed on.
    passed: Ranks,
    /// Jobs that one worker computed twice.
    own: Ranks,
    /// Audits that are wanted beside those that were drawn.
    asked: Ranks,
    /// Who computed the result that is recorded now, where that has changed.
    moved: NumberMap<Author>,
    wanted: u64,
    done: u64,
    waiting: BTreeMap<Family, BTreeMap<WorkerId, BTreeSet<u64>>>,
    lent: NumberMap<Check>,
}

impl Audits {
    /// Returns the audits of a run without results.
    pub(crate) fn new(run: RunId, share: f64, seed: u64) -> Self {
        Self {
            run,
            share,
            seed,
            passed: Ranks::default(),
            own: Ranks::default(),
            asked: Ranks::default(),
            moved: NumberMap::default(),
            wanted: 0,
            done: 0,
            waiting: BTreeMap::new(),
            lent: NumberMap::default(),
        }
    }

    /// Returns how many were wanted so far.
    pub(crate) fn wanted(&self) -> u64 {
        self.wanted
    }

    /// Returns how many of those have passed.
    pub(crate) fn done(&self) -> u64 {
        self.done
    }

    /// Tells whether an audit might be lent now.
    pub(crate) fn has_some(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(crate) fn lent(&self) -> &NumberMap<Check> {
        &self.lent
    }

    /// Tells whether the job is to be computed a second time and was not yet.
    pub(crate) fn is_open(&self, rank: u64, index: u64) -> bool {
        self.is_wanted(rank, index) && !self.is_closed(rank)
    }

    fn is_closed(&self, rank: u64) -> bool {
        self.passed.contains(rank) || (self.own.contains(rank) && !self.asked.contains(rank))
    }

    fn is_wanted(&self, rank: u64, index: u64) -> bool {
        is_drawn(self.share, self.seed, self.run, index) || self.asked.contains(rank)
    }

    /// Notes a first result. `other`: another worker computes the same at this moment; if an audit is wanted, that is it,
    /// and true is returned.
    pub(crate) fn note_result(
        &mut self,
        rank: u64,
        index: u64,
        author: Author,
        other: Option<Holder>,
    ) -> bool {
        if !self.is_wanted(rank, index) {
            return false;
        }
        self.wanted += 1;
        match other.filter(|holder| holder.worker != author.worker) {
            Some(holder) => {
                self.lend(rank, author, holder);
                true
            }
            None => {
                self.wait(rank, author);
                false
            }
        }
    }

    /// Wants an audit of a job because its author is in doubt. Nothing changes if two workers agreed on it or are to.
    pub(crate) fn ask(&mut self, rank: u64, index: u64, author: Author) {
        if !self.is_open(rank, index) && !self.passed.contains(rank) {
            self.asked.insert(rank);
            self.wanted += 1;
            self.wait(rank, author);
        }
    }

    /// Notes that a job was computed a second time, by its author itself or (not `own`) by another, and returns who is
    /// still at it.
    pub(crate) fn pass(&mut self, rank: u64, index: u64, own: bool) -> Option<Holder> {
        self.done += u64::from(self.is_open(rank, index));
        if own && !self.asked.contains(rank) {
            self.own.insert(rank);
        } else {
            self.passed.insert(rank);
        }
        self.moved.remove(&rank);
        self.take_lent(rank)
    }

    /// Notes that a result was replaced by another worker's, which nobody has confirmed: if an audit is wanted, that is the
    /// one to be audited. Returns who was at it.
    pub(crate) fn replace(&mut self, rank: u64, index: u64, author: Author) -> Option<Holder> {
        let holder = self.take_lent(rank);
        if self.is_open(rank, index) {
            self.moved.insert(rank, author);
            self.wait(rank, author);
        }
        holder
    }

    /// Takes the job out of the audits that are under way, since it became an alarm, and returns who is at it.
    pub(crate) fn take_lent(&mut self, rank: u64) -> Option<Holder> {
        self.lent.remove(&rank).map(|check| check.holder)
    }

    /// Takes out the next audit for this worker. `last`: it would have nothing else to do. `skip` tells which jobs became
    /// alarms.
    pub(crate) fn take(
        &mut self,
        asker: &Asker<'_>,
        last: bool,
        skip: impl Fn(u64) -> bool,
    ) -> Option<(u64, Author)> {
        loop {
            let author = self.next_author(asker, last)?;
            let rank = self.take_of(author)?;
            if self.is_due(rank, author) && !skip(rank) {
                return Some((rank, author));
            }
        }
    }

    /// Tells whether what waits is still to be done: much may have happened in the meantime.
    fn is_due(&self, rank: u64, author: Author) -> bool {
        let is_author = self.moved.get(&rank).is_none_or(|moved| moved.worker == author.worker);
        is_author && !self.is_closed(rank) && !self.lent.contains_key(&rank)
    }

    /// Returns somebody whose results this worker may audit.
    fn next_author(&self, asker: &Asker<'_>, last: bool) -> Option<Author> {
        let families = self.waiting.iter().filter(|&(&family, _)| asker.may_audit_family(family, last));
        let mut authors = families.flat_map(|(&family, workers)| {
            let workers = workers.keys().take(2);
            workers.map(move |&worker| Author { worker, family })
        });
        authors.find(|author| author.worker != asker.worker || asker.may_audit_itself)
    }

    fn take_of(&mut self, author: Author) -> Option<u64> {
        let workers = self.waiting.get_mut(&author.family)?;
        let ranks = workers.get_mut(&author.worker)?;
        let rank = ranks.pop_first();
        if ranks.is_empty() {
            workers.remove(&author.worker);
        }
        if workers.is_empty() {
            self.waiting.remove(&author.family);
        }
        rank
    }

    /// Lends an audit that was taken out.
    pub(crate) fn lend(&mut self, rank: u64, author: Author, holder: Holder) {
        self.lent.insert(rank, Check { author, holder });
    }

    /// Takes an audit out of a worker's hands; it waits for another. Returns whether it was in them.
    pub(crate) fn release(&mut self, rank: u64, number: u64) -> bool {
        let is_held = self.lent.get(&rank).is_some_and(|check| check.holder.number == number);
        if is_held && let Some(check) = self.lent.remove(&rank) {
            self.wait(rank, check.author);
        }
        is_held
    }

    fn wait(&mut self, rank: u64, author: Author) {
        self.waiting.entry(author.family).or_default().entry(author.worker).or_default().insert(rank);
    }
}

/// Tells whether this job is in the sample.
fn is_drawn(share: f64, seed: u64, run: RunId, index: u64) -> bool {
    if share <= 0.0 {
        return false;
    }
    let hash = mix(mix(seed ^ mix(run.0)) ^ index);
    let drawn = (hash >> 11) as f64 / (1_u64 << 53) as f64;
    drawn < share
}

/// The finishing function of the splitmix64 generator (Steele, Lea, Flood 2014).
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_drawn_is_the_share_asked_for() {
        for share in [0.0, 0.01, 0.3, 1.0] {
            let drawn = (0..100_000).filter(|&index| is_drawn(share, 7, RunId(1), index)).count();
            assert!((drawn as f64 / 100_000.0 - share).abs() < 0.005, "{drawn} for {share}");
        }
    }

    #[test]
    fn another_seed_or_run_draws_other_jobs() {
        let draw = |seed, run| (0..1000).filter(move |&index| is_drawn(0.1, seed, RunId(run), index));
        assert!(draw(1, 1).eq(draw(1, 1)));
        assert!(draw(1, 1).ne(draw(2, 1)) && draw(1, 1).ne(draw(1, 2)));
    }
}
