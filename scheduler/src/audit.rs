//! Which finished jobs are computed once more, and by whom.
//!
//! Jobs are drawn by a hash of the run's seed and the job's index, so that the choice survives a restart without being
//! stored and no worker can foresee it. A job that was drawn is owed two computations by workers in good standing that
//! come to the same, one of them an audit; any other job one. So when a worker turns out wrong, everything is looked at again that it computed
//! or confirmed (see [`Support`](crate::Support)), and what is short of that is owed more. A run is not done before
//! nothing is owed.
//!
//! A second computation is worth most if nothing is shared with the first. So an audit is computed by another algorithm: a
//! wrong kernel is wrong in the same way on every machine. It goes to a worker of another kernel family while there is one
//! that takes jobs, else to any other worker. (When a run has nothing else left to lend, it goes to any other worker at
//! once, lest it wait for a busy one.) A worker that has been alone for a while audits itself, which does not count any more
//! should the worker turn out wrong. That two workers happened to compute the same in the usual way does not make an
//! audit.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    alarm::Claim,
    id::{RunId, WorkerId},
    map::NumberMap,
    supply::Holder,
    worker::{Asker, Family},
};

/// Who computed a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Author {
    pub(crate) worker: WorkerId,
    pub(crate) family: Family,
}

/// The computations of one job by workers in good standing that came to what is recorded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standing {
    computations: u64,
    has_audit: bool,
}

impl Standing {
    /// Sums up claims that agree. The coordinator's word is enough for anything.
    pub(crate) fn of(claims: impl IntoIterator<Item = Claim>) -> Self {
        claims.into_iter().fold(Self::default(), |standing, claim| {
            let is_final = claim.worker == WorkerId::COORDINATOR;
            let more = if is_final { u64::MAX } else { 1 };
            Self {
                computations: standing.computations.saturating_add(more),
                has_audit: standing.has_audit || claim.audit || is_final,
            }
        })
    }
}

/// What is still owed to one job.
#[derive(Clone, Copy, Debug)]
struct Owed {
    computations: u64,
    /// Who computed last, so that another does it now.
    author: Author,
}

/// The audits of one run. Jobs are named by rank; `index` is only what the choice is drawn from.
#[derive(Debug)]
pub(crate) struct Audits {
    run: RunId,
    share: f64,
    seed: u64,
    wanted: u64,
    owed: NumberMap<Owed>,
    waiting: BTreeMap<Family, BTreeMap<WorkerId, BTreeSet<u64>>>,
    /// Who computes a job once more at this moment.
    lent: NumberMap<Holder>,
}

impl Audits {
    /// Returns the audits of a run without results.
    pub(crate) fn new(run: RunId, share: f64, seed: u64) -> Self {
        Self {
            run,
            share,
            seed,
            wanted: 0,
            owed: NumberMap::default(),
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
        self.wanted - self.owed.len() as u64
    }

    /// Tells whether an audit might be lent now.
    pub(crate) fn has_some(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(crate) fn lent(&self) -> &NumberMap<Holder> {
        &self.lent
    }

    /// Tells whether the job is to be computed once more.
    pub(crate) fn is_open(&self, rank: u64) -> bool {
        self.owed.contains_key(&rank)
    }

    /// Returns how many computations that agree, by workers in good standing, the job needs.
    fn needed(&self, index: u64) -> u64 {
        1 + u64::from(is_drawn(self.share, self.seed, self.run, index))
    }

    /// Returns how many more computations the job needs, with these by workers in good standing.
    pub(crate) fn owed(&self, index: u64, standing: Standing) -> u64 {
        let missing = self.needed(index).saturating_sub(standing.computations);
        let by_both = self.needed(index) < 2 || standing.has_audit;
        missing.max(u64::from(!by_both))
    }

    /// Notes a first result.
    pub(crate) fn note_result(&mut self, rank: u64, index: u64, author: Author) {
        self.owe(rank, self.needed(index) - 1, author);
    }

    /// Wants so many more computations of a job by others than `author`. What is owed already is not made less.
    pub(crate) fn owe(&mut self, rank: u64, computations: u64, author: Author) {
        let before = self.owed.get(&rank).map_or(0, |owed| owed.computations);
        if computations > before {
            self.wanted += u64::from(before == 0);
            self.owed.insert(rank, Owed { computations, author });
            self.wait(rank);
        }
    }

    /// Notes that `author` came to the same in the usual way. That counts, unless the audit of a drawn job is all that is
    /// owed still. Returns who is at it.
    pub(crate) fn note_check(&mut self, rank: u64, index: u64, author: Author) -> Option<Holder> {
        let owed = self.owed.get(&rank).map_or(0, |owed| owed.computations);
        if owed < self.needed(index) { None } else { self.pass(rank, author) }
    }

    /// Notes that `author` computed the job once more and came to the same. Returns who is at it.
    pub(crate) fn pass(&mut self, rank: u64, author: Author) -> Option<Holder> {
        let holder = self.take_lent(rank);
        if let Some(owed) = self.owed.get_mut(&rank) {
            *owed = Owed { computations: owed.computations - 1, author };
            if owed.computations == 0 {
                self.owed.remove(&rank);
            }
        }
        self.wait(rank);
        holder
    }

    /// Notes what an alarm was settled to: from now on so many more computations are owed. Returns who was at it.
    pub(crate) fn settle(&mut self, rank: u64, computations: u64, author: Author) -> Option<Holder> {
        let holder = self.take_lent(rank);
        let was_open = self.owed.remove(&rank).is_some();
        self.wanted -= u64::from(was_open && computations > 0);
        self.owe(rank, computations, author);
        holder
    }

    /// Takes the job out of the audits that are under way, since it became an alarm, and returns who is at it.
    pub(crate) fn take_lent(&mut self, rank: u64) -> Option<Holder> {
        self.lent.remove(&rank)
    }

    /// Takes out the next audit for this worker. `last`: it would have nothing else to do. `skip` tells which jobs became
    /// alarms.
    pub(crate) fn take(&mut self, asker: &Asker<'_>, last: bool, skip: impl Fn(u64) -> bool) -> Option<u64> {
        loop {
            let author = self.next_author(asker, last)?;
            let rank = self.take_of(author)?;
            if self.is_due(rank, author) && !skip(rank) {
                return Some(rank);
            }
        }
    }

    /// Tells whether what waits is still to be done: much may have happened in the meantime.
    fn is_due(&self, rank: u64, author: Author) -> bool {
        let is_owed = self.owed.get(&rank).is_some_and(|owed| owed.author == author);
        is_owed && !self.lent.contains_key(&rank)
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
    pub(crate) fn lend(&mut self, rank: u64, holder: Holder) {
        self.lent.insert(rank, holder);
    }

    /// Takes an audit out of a worker's hands; it waits for another. Returns whether it was in them.
    pub(crate) fn release(&mut self, rank: u64, number: u64) -> bool {
        let is_held = self.lent.get(&rank).is_some_and(|holder| holder.number == number);
        if is_held {
            self.lent.remove(&rank);
            self.wait(rank);
        }
        is_held
    }

    /// Lets what is owed to a job wait for another worker than the last.
    fn wait(&mut self, rank: u64) {
        if let Some(Owed { author, .. }) = self.owed.get(&rank) {
            let workers = self.waiting.entry(author.family).or_default();
            workers.entry(author.worker).or_default().insert(rank);
        }
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
