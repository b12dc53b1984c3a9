//! What workers are to be told. Only workers that have fallen below half of what they held are looked at, and those that
//! want jobs and found none when something new has turned up; so a call costs nothing when nothing has changed, however
//! many workers there are.

use std::sync::Arc;

use queens::split::Job;

use crate::{
    command::Command,
    id::{RunId, WorkerId},
    lease::{Ask, first_limit},
    plan::RunPlan,
    run::{Open, Taken},
    scheduler::Scheduler,
    time::Moment,
    view::RunState,
    worker::{Asker, Family},
};

/// The most jobs in one command, so that messages stay small.
const MAX_LEASE: usize = 4096;

/// How many idle workers are looked at in vain before the rest must wait for the next call.
const MAX_MISSES: usize = 64;

impl Scheduler {
    /// Appends what workers are to be told now. Cheap when nothing has changed.
    pub fn dispatch(&mut self, now: Moment, out: &mut Vec<Command>) {
        self.latest = self.latest.max(now);
        out.append(&mut self.outbox);
        self.serve_idle(now, out);
        self.serve_hungry(now, out);
        self.plan_balance(now);
    }

    fn serve_hungry(&mut self, now: Moment, out: &mut Vec<Command>) {
        for _ in 0..self.hungry.len() {
            let Some(worker) = self.hungry.pop_front() else { return };
            if let Some(session) = self.session_mut(worker) {
                session.is_hungry = false;
                self.serve(worker, now, out);
            }
        }
    }

    /// Serves the idle, if there is news, in turn.
    fn serve_idle(&mut self, now: Moment, out: &mut Vec<Command>) {
        if !std::mem::take(&mut self.has_news) {
            return;
        }
        let mut misses = 0;
        for _ in 0..self.idle.len() {
            if misses == MAX_MISSES {
                self.has_news = true;
                return;
            }
            let Some(worker) = self.next_idle().filter(|_| !self.lenders().is_empty()) else { return };
            self.looked_at = worker;
            misses += usize::from(!self.serve(worker, now, out));
        }
    }

    fn next_idle(&self) -> Option<WorkerId> {
        let after = WorkerId(self.looked_at.0 + 1);
        self.idle.range(after..).next().or_else(|| self.idle.first()).copied()
    }

    /// Returns the runs that have jobs to lend, or would have if their mark moved; those with the least work lent first, so
    /// that runs share the workers evenly.
    fn lenders(&self) -> Vec<RunId> {
        let running = self.open.iter().filter_map(|&run| self.open_run(run));
        let running = running.filter(|(run, _)| run.state == RunState::Running);
        let lending = running.filter(|(_, open)| open.has_some() || open.supply.is_dry());
        let mut lenders: Vec<(f64, RunId)> = lending.map(|(run, open)| (open.lent_s(), run.id)).collect();
        lenders.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        lenders.into_iter().map(|(_, run)| run).collect()
    }

    /// Lends jobs to one worker, and tells whether there were any.
    fn serve(&mut self, worker: WorkerId, now: Moment, out: &mut Vec<Command>) -> bool {
        let Some((slots, family)) = self.counted(worker) else { return false };
        self.forget_ended(worker);
        let lenders = self.lenders();
        let (mut wanted, mut lent) = (0, 0);
        for (place, &run) in lenders.iter().enumerate() {
            let ask = self.ask(worker, run, lenders.len() - place);
            let size = ask.map_or(0, |ask| ask.size());
            wanted += size;
            lent += self.lend(worker, family, run, size, now, out);
        }
        let Some(session) = self.session_mut(worker) else { return false };
        session.full = session.held.len();
        let is_low = session.held.len() < (2 * slots as usize).min(session.capacity as usize);
        if is_low || lent < wanted {
            if self.idle.insert(worker) {
                self.vain_looks = 0;
            }
        } else {
            self.idle.remove(&worker);
        }
        lent > 0
    }

    /// Returns the slots and the kernel family of a worker that takes jobs.
    fn counted(&self, worker: WorkerId) -> Option<(u32, Family)> {
        let known = self.worker(worker)?;
        known.session.as_ref().filter(|session| session.is_counted)?;
        Some((known.who.threads, known.family))
    }

    fn forget_ended(&mut self, worker: WorkerId) {
        let Self { workers, open, .. } = self;
        let known = worker.0.checked_sub(1).and_then(|place| workers.get_mut(place as usize));
        if let Some(session) = known.and_then(|known| known.session.as_mut()) {
            session.shares.retain(|share| share.held > 0 || open.contains(&share.run));
        }
    }

    /// Returns what the size of a lease depends on.
    fn ask(&mut self, worker: WorkerId, run: RunId, lenders: usize) -> Option<Ask> {
        let held_s = self.held_s(worker);
        let job_s = self.job_s(worker, run);
        let left = self.open_run(run)?.1.left();
        let (max_held, max_leased, all_slots) =
            (self.settings.max_held, self.settings.max_leased, self.company.slots);
        let target_s = self.settings.lease_target.as_secs_f64();
        let known = self.worker_mut(worker)?;
        let slots = u64::from(known.who.threads);
        let session = known.session.as_mut()?;
        let part = (max_leased / all_slots.max(1)).max(2).saturating_mul(slots);
        let capacity = u64::from(session.capacity.min(max_held)).min(part);
        let held = session.held.len() as u64;
        let share = session.share(run);
        share.limit = share.limit.max(first_limit(slots, job_s).try_into().unwrap_or(u32::MAX));
        Some(Ask {
            slots,
            all_slots,
            capacity,
            held,
            held_s,
            run_held: share.held.into(),
            limit: share.limit.into(),
            job_s,
            left,
            runs: lenders as u64,
            target_s,
        })
    }

    /// Returns how many seconds a job of the run takes on this worker, as far as is known.
    pub(super) fn job_s(&self, worker: WorkerId, run: RunId) -> f64 {
        let session = self.worker(worker).and_then(|worker| worker.session.as_ref());
        let share = session.and_then(|session| session.shares.iter().find(|share| share.run == run));
        match share.filter(|share| share.results > 0) {
            Some(share) => share.mean_s.max(1e-6),
            None => self.open_run(run).map_or(1.0, |(_, open)| open.job_s()),
        }
    }

    /// Returns how many seconds of one thread the worker holds.
    pub(super) fn held_s(&self, worker: WorkerId) -> f64 {
        let session = self.worker(worker).and_then(|worker| worker.session.as_ref());
        let shares = session.into_iter().flat_map(|session| &session.shares);
        shares.map(|share| f64::from(share.held) * self.job_s(worker, share.run)).sum()
    }

    /// Lends up to `wanted` jobs of a run and returns how many it were.
    fn lend(
        &mut self,
        worker: WorkerId,
        family: Family,
        run: RunId,
        wanted: u64,
        now: Moment,
        out: &mut Vec<Command>,
    ) -> u64 {
        let taken = self.take(worker, family, run, wanted, now);
        let Some(plan) = self.plan(run).filter(|_| !taken.is_empty()).map(Arc::clone) else { return 0 };
        let jobs = list(&plan, &taken);
        for (job, &(_, rank, how)) in jobs.iter().zip(&taken) {
            let holder = self.hold(worker, run, rank, how.is_audit(), now);
            if let Some(open) = self.open_mut(run) {
                open.lend(rank, how, job.weight, holder);
            }
        }
        if let Some(session) = self.session_mut(worker) {
            let share = session.share(run);
            share.limit = share.limit.saturating_mul(2);
        }
        let (audits, usual): (Vec<_>, Vec<_>) =
            jobs.into_iter().zip(&taken).partition(|(_, (_, _, how))| how.is_audit());
        for (lent, audit) in [(usual, false), (audits, true)] {
            send(worker, run, lent.into_iter().map(|(job, _)| job).collect(), audit, out);
        }
        taken.len() as u64
    }

    /// Takes out up to `wanted` jobs of a run for a worker: the index of each, its rank, and how it came.
    fn take(
        &mut self,
        worker: WorkerId,
        family: Family,
        run: RunId,
        wanted: u64,
        now: Moment,
    ) -> Vec<(u64, u64, Taken)> {
        let may_audit_itself = self.is_long_alone(now);
        let asker = Asker { worker, family, company: &self.company, may_audit_itself };
        let Some(run) = self.runs.get_mut(&run) else { return Vec::new() };
        let Some(open) = &mut run.open else { return Vec::new() };
        let order = run.order;
        let taken = std::iter::from_fn(|| open.take(&asker));
        let taken: Vec<_> =
            taken.take(wanted as usize).map(|(rank, how)| (order.index(rank), rank, how)).collect();
        if (taken.len() as u64) < wanted && open.supply.is_dry() {
            open.supply.note_shortfall(wanted - taken.len() as u64);
        }
        taken
    }
}

impl Open {
    /// Returns the number of jobs still to be lent: without a result, or to be computed again.
    fn left(&self) -> u64 {
        let audits =
            self.audits.wanted().saturating_sub(self.audits.done() + self.audits.lent().len() as u64);
        self.supply.left() + audits
    }
}

/// Lists the jobs that were taken out. Neighbours are listed in one go, which is much cheaper than one by one.
fn list(plan: &RunPlan, taken: &[(u64, u64, Taken)]) -> Vec<Job> {
    let mut jobs = Vec::with_capacity(taken.len());
    for neighbours in taken.chunk_by(|a, b| a.0 + 1 == b.0) {
        jobs.extend(plan.jobs_from(neighbours[0].0).take(neighbours.len()));
    }
    debug_assert_eq!(jobs.len(), taken.len());
    jobs
}

/// Appends the commands that lend these jobs.
pub(super) fn send(worker: WorkerId, run: RunId, mut jobs: Vec<Job>, audit: bool, out: &mut Vec<Command>) {
    while jobs.len() > MAX_LEASE {
        let rest = jobs.split_off(MAX_LEASE);
        out.push(Command::Lease { worker, run, jobs, audit });
        jobs = rest;
    }
    if !jobs.is_empty() {
        out.push(Command::Lease { worker, run, jobs, audit });
    }
}
