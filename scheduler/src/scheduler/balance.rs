//! The end of a run, when some workers have nothing left to do and others hold a queue.
//!
//! First, jobs that wait at busy workers are taken back, so many that all would end together; the workers hand back those
//! that they have not begun, and the idle get them. When nothing waits anywhere, the job that has been out longest is lent
//! a second time: its worker may be slow, or dead and not yet known to be. The first result counts.
//!
//! This looks at all workers and at all that is lent, so it is done a few times a second at most, and only while somebody
//! is idle.

use std::time::Duration;

use crate::{
    id::{RunId, WorkerId},
    scheduler::{Scheduler, dispatch::send},
    supply::Holder,
    time::Moment,
    view::RunState,
};

/// A queue that is worked off within this time (in seconds) is not worth a message.
const SHORT_S: f64 = 0.01;

/// A second computation may take so many times as long as a job, and a lease period more.
const PATIENCE: f64 = 1000.0;

impl Scheduler {
    /// Sets the time of the next look, if somebody is idle and somebody is not.
    pub(super) fn plan_balance(&mut self, now: Moment) {
        let lent =
            |run: &RunId| self.open_run(*run).is_some_and(|(_, open)| open.all_holders().next().is_some());
        let is_needed = self.has_news || self.open.iter().any(lent);
        if self.idle.is_empty() || !is_needed {
            self.balance_at = None;
        } else if self.balance_at.is_none() {
            self.balance_at = Some(now.plus(self.interval()));
        }
    }

    /// Returns the time to the next look: an eighth of a job, at least a hundredth of a second, and more with many workers.
    /// After looks in vain it doubles, up to a second.
    fn interval(&self) -> Duration {
        let jobs = self.open.iter().filter_map(|&run| self.open_run(run)).map(|(_, open)| open.job_s());
        let eighth_s = jobs.fold(f64::INFINITY, f64::min) / 8.0;
        let interval_s = (eighth_s.max(0.01) * f64::from(1 << self.vain_looks.min(10))).min(1.0);
        Duration::from_secs_f64(interval_s) + Duration::from_micros(10) * self.company.active.len() as u32
    }

    /// Takes back what waits, or else lends stragglers again.
    pub(super) fn balance(&mut self, now: Moment) {
        self.balance_at = None;
        self.has_news = true;
        let idle = self.idle_slots();
        let is_vain = idle.is_empty()
            || (self.take_waiting(&idle) == 0
                && self.lend_stragglers(idle, now) == 0
                && self.take_old_checks(now) == 0);
        self.vain_looks = if is_vain { self.vain_looks + 1 } else { 0 };
    }

    /// Returns the workers that have a slot without a job, and how many of those.
    fn idle_slots(&self) -> Vec<(WorkerId, u32)> {
        let free = |worker: WorkerId| {
            let known = self.worker(worker)?;
            let held = known.session.as_ref()?.held.len();
            Some(known.who.threads.saturating_sub(held.try_into().unwrap_or(u32::MAX)))
        };
        let free = self.idle.iter().filter_map(|&worker| Some((worker, free(worker)?)));
        free.filter(|&(_, slots)| slots > 0).collect()
    }

    /// Asks workers that hold more than their part to hand back jobs that wait. Returns how many.
    fn take_waiting(&mut self, idle: &[(WorkerId, u32)]) -> usize {
        let mut busy: Vec<(WorkerId, f64)> = Vec::new();
        let (mut total_s, mut slots) = (0.0, 0.0);
        for place in 1..=self.workers.len() as u64 {
            let worker = WorkerId(place);
            let Some(known) = self.worker(worker).filter(|_| self.is_connected(worker)) else { continue };
            let held_s = self.held_s(worker);
            total_s += held_s;
            slots += f64::from(known.who.threads);
            if held_s > SHORT_S * f64::from(known.who.threads) {
                busy.push((worker, held_s));
            }
        }
        let level_s = total_s / slots;
        let free = idle.iter().map(|&(_, slots)| f64::from(slots)).sum::<f64>();
        let mut needed_s = free * level_s;
        let mut recalled = 0;
        for (worker, held_s) in busy {
            let threads = self.worker(worker).map_or(1, |known| known.who.threads);
            let excess_s = (held_s - level_s * f64::from(threads)).min(needed_s);
            let (jobs, taken_s) = self.recall_from(worker, threads, excess_s);
            needed_s -= taken_s;
            recalled += jobs;
        }
        recalled
    }

    /// Asks one worker to hand back about `excess_s` seconds of the work that waits, the latest first.
    fn recall_from(&mut self, worker: WorkerId, slots: u32, excess_s: f64) -> (usize, f64) {
        let Some(session) = self.worker(worker).and_then(|known| known.session.as_ref()) else {
            return (0, 0.0);
        };
        let mut taken_s = 0.0;
        let mut jobs: Vec<(RunId, u64, Holder)> = Vec::new();
        for (number, held) in session.waiting(slots).filter(|(_, held)| !held.recalled) {
            let job_s = self.job_s(worker, held.run);
            if taken_s + job_s / 2.0 > excess_s {
                break;
            }
            taken_s += job_s;
            jobs.push((held.run, held.rank, Holder { worker, number, since: Moment::default() }));
        }
        let count = jobs.len();
        for (run, rank, holder) in jobs {
            self.recall(run, vec![(rank, holder)]);
        }
        (count, taken_s)
    }

    /// Lends jobs that have been out longer than a job takes to idle workers as well, the oldest first. Returns how many.
    fn lend_stragglers(&mut self, mut idle: Vec<(WorkerId, u32)>, now: Moment) -> usize {
        let mut lent = 0;
        for (_, run, rank, holder) in self.stragglers(now) {
            let Some(place) = idle.iter().position(|&(worker, _)| worker != holder) else { continue };
            let worker = idle[place].0;
            self.lend_again(worker, run, rank, now);
            lent += 1;
            idle[place].1 -= 1;
            if idle[place].1 == 0 {
                idle.swap_remove(place);
            }
            if idle.is_empty() {
                break;
            }
        }
        lent
    }

    /// Returns since when the worker may have been at the job: since it was lent, or since the last result if that is later.
    fn begun(&self, holder: Holder) -> Moment {
        let session = self.worker(holder.worker).and_then(|known| known.session.as_ref());
        session.map_or(holder.since, |session| session.delivered.max(holder.since))
    }

    fn stragglers(&self, now: Moment) -> Vec<(Moment, RunId, u64, WorkerId)> {
        let mut stragglers = Vec::new();
        let running = self.open.iter().filter_map(|&run| self.open_run(run));
        for (run, open) in running.filter(|(run, _)| run.state == RunState::Running) {
            let patience = Duration::from_secs_f64((open.job_s() + SHORT_S).min(1e9));
            let old = open.supply.held_once().filter(|(_, holder)| now.since(self.begun(*holder)) > patience);
            stragglers.extend(old.map(|(rank, holder)| (holder.since, run.id, rank, holder.worker)));
        }
        stragglers.sort_unstable();
        stragglers
    }

    fn lend_again(&mut self, worker: WorkerId, run: RunId, rank: u64, now: Moment) {
        let Some((job, plan)) = self.runs.get(&run).map(|run| (run.order.index(rank), &run.plan)) else {
            return;
        };
        let Some(job) = plan.job(job) else { return };
        let holder = self.hold(worker, run, rank, false, now);
        if let Some(open) = self.open_mut(run) {
            open.supply.lend_again(rank, holder);
        }
        self.note_lent_again(run, 1);
        send(worker, run, vec![job], false, &mut self.outbox);
    }

    /// Takes back second computations that have been out for very long, so that another worker can do them: a worker that
    /// gives signs of life but no results must not hold up the end. (An audit takes longer than its job, by a factor that
    /// depends on the machine.) Returns how many.
    fn take_old_checks(&mut self, now: Moment) -> usize {
        let mut old = Vec::new();
        for (run, open) in self.open.iter().filter_map(|&run| self.open_run(run)) {
            let patience =
                self.settings.lease_ttl + Duration::from_secs_f64((PATIENCE * open.job_s()).min(1e9));
            let checks = open.all_holders().filter(|&(rank, _)| open.supply.is_done(rank));
            let late = checks.filter(|(_, holder)| now.since(holder.since) > patience);
            old.extend(late.map(|(rank, holder)| (run.id, rank, holder)));
        }
        for &(run, rank, holder) in &old {
            self.take_back(holder.worker, holder.number);
            self.revoke([(holder.worker, run, rank)], true);
        }
        old.len()
    }
}
