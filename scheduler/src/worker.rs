//! What is known about a worker: who it is (durable), and its session (not durable), with what it holds and how fast it is.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    event::NewWorker,
    id::{RunId, WorkerId},
    progress::Window,
    time::Moment,
};

/// A kernel family, numbered as they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Family(pub(crate) usize);

/// One worker process.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) who: NewWorker,
    pub(crate) family: Family,
    /// Why it is in quarantine, if it is.
    pub(crate) quarantine: Option<String>,
    pub(crate) jobs_done: u64,
    pub(crate) checks: u64,
    pub(crate) session: Option<Session>,
}

/// The present session of a worker, or the last one.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) connected: bool,
    pub(crate) draining: bool,
    /// Nothing was heard for a lease period: what it held was lent to others.
    pub(crate) silent: bool,
    pub(crate) capacity: u32,
    pub(crate) joined: Moment,
    pub(crate) heard: Moment,
    /// When it last delivered a result.
    pub(crate) delivered: Moment,
    /// Until then nothing is lent to it, since it failed at one job after another.
    pub(crate) rests_until: Option<Moment>,
    pub(crate) failures: u32,
    /// By the number of the lending, so the oldest first.
    pub(crate) held: BTreeMap<u64, Held>,
    /// What it held after the last lease. At half of that it gets the next one.
    pub(crate) full: usize,
    pub(crate) shares: Vec<Share>,
    /// What it held when it fell silent; it is told when it is heard again.
    pub(crate) lost: Vec<(RunId, u64)>,
    pub(crate) window: Window,
    /// Whether it is counted in [`Company`], and whether it waits in the queue for jobs.
    pub(crate) is_counted: bool,
    pub(crate) is_hungry: bool,
    /// Whether it has an entry among the deadlines.
    pub(crate) is_watched: bool,
}

/// One job that a worker holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) run: RunId,
    pub(crate) rank: u64,
    pub(crate) audit: bool,
    /// Whether it was asked to hand it back.
    pub(crate) recalled: bool,
}

/// One run as a worker sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub(crate) run: RunId,
    pub(crate) held: u32,
    pub(crate) is_at_work: bool,
    /// What it took for a job lately, in seconds; 0 if it has delivered none.
    pub(crate) mean_s: f64,
    pub(crate) results: u32,
    /// No more jobs than this are lent to it; grows with each lease.
    pub(crate) limit: u32,
}

impl Session {
    /// Returns a session that begins now.
    pub(crate) fn new(now: Moment) -> Self {
        Self {
            connected: true,
            draining: false,
            silent: false,
            capacity: 0,
            joined: now,
            heard: now,
            delivered: now,
            rests_until: None,
            failures: 0,
            held: BTreeMap::new(),
            full: 0,
            shares: Vec::new(),
            lost: Vec::new(),
            window: Window::new(now, 0.0),
            is_counted: false,
            is_hungry: false,
            is_watched: false,
        }
    }

    /// Tells whether jobs may be lent in this session.
    pub(crate) fn takes_jobs(&self) -> bool {
        self.connected && !self.draining && !self.silent && self.capacity > 0 && self.rests_until.is_none()
    }

    /// Returns the worker's share in the run, which is made if there was none.
    pub(crate) fn share(&mut self, run: RunId) -> &mut Share {
        let place = self.shares.iter().position(|share| share.run == run).unwrap_or_else(|| {
            self.shares.push(Share { run, held: 0, is_at_work: false, mean_s: 0.0, results: 0, limit: 0 });
            self.shares.len() - 1
        });
        &mut self.shares[place]
    }

    /// Notes a result that took this long.
    pub(crate) fn note_result(&mut self, run: RunId, elapsed_s: f64, now: Moment) {
        self.failures = 0;
        self.delivered = now;
        self.window.add(now, 0, 0.0, elapsed_s);
        let share = self.share(run);
        share.results = share.results.saturating_add(1);
        let weight = (1.0 / f64::from(share.results)).max(0.05);
        share.mean_s += (elapsed_s - share.mean_s) * weight;
    }

    /// Tells whether it holds so little that it should get more: half of what it had, or less than three jobs for two
    /// slots, so that a thread that ends its job finds the next one waiting.
    pub(crate) fn is_low(&self, slots: u32) -> bool {
        let slots = slots as usize;
        self.held.len() <= (self.full / 2).max(slots + slots / 2)
    }
}

/// The workers that take jobs now, counted.
#[derive(Debug, Default)]
pub(crate) struct Company {
    pub(crate) active: BTreeSet<WorkerId>,
    pub(crate) slots: u64,
    pub(crate) by_family: Vec<u32>,
    /// Since when there has been exactly one of them.
    pub(crate) alone_since: Option<Moment>,
}

impl Company {
    /// Counts a worker in or out.
    pub(crate) fn count(&mut self, worker: WorkerId, family: Family, slots: u32, is_in: bool, now: Moment) {
        if self.by_family.len() <= family.0 {
            self.by_family.resize(family.0 + 1, 0);
        }
        let of_family = &mut self.by_family[family.0];
        if is_in {
            *of_family += 1;
            self.active.insert(worker);
            self.slots += u64::from(slots);
        } else {
            *of_family -= 1;
            self.active.remove(&worker);
            self.slots -= u64::from(slots);
        }
        self.alone_since = (self.active.len() == 1).then(|| self.alone_since.unwrap_or(now));
    }

    fn of_family(&self, family: Family) -> u32 {
        self.by_family.get(family.0).copied().unwrap_or(0)
    }
}

/// A worker that asks for jobs, and what matters for which ones it gets.
#[derive(Debug)]
pub(crate) struct Asker<'a> {
    pub(crate) worker: WorkerId,
    pub(crate) family: Family,
    pub(crate) company: &'a Company,
    pub(crate) may_audit_itself: bool,
}

impl Asker<'_> {
    /// Tells whether it should leave a job to others: it failed at it, and a worker is there that did not.
    pub(crate) fn should_leave(&self, failed: &[WorkerId]) -> bool {
        failed.contains(&self.worker) && self.company.active.iter().any(|worker| !failed.contains(worker))
    }

    /// Tells whether it may check results of this kernel family: its own only if no worker of another one takes jobs, or
    /// if it would have nothing else to do.
    pub(crate) fn may_audit_family(&self, family: Family, last: bool) -> bool {
        self.family != family || last || self.company.of_family(family) as usize == self.company.active.len()
    }
}

/// Returns the text that names a kernel's family: what stands before the first `-`.
pub(crate) fn family_name(kernel: &str) -> &str {
    kernel.split('-').next().unwrap_or(kernel)
}
