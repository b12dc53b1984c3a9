//! Workers come, speak, and go. None of this is durable: a job's result is the same whoever computes it, so to lose track of
//! who holds what costs time and nothing else.
//!
//! ```text
//!            join                    drain
//!   (none) ───────► active ───────────────────────► draining
//!                    │  ▲                                │
//!     nothing heard  │  │ heard                          │
//!     for lease_ttl  ▼  │                                ▼
//!                   silent          leave(gone) ─────► gone, holds nothing
//!                                                        ▲
//!   leave(lost): stays as it is until the lease expires ─┘
//! ```

use std::collections::BTreeSet;

use crate::{
    alarm::Claim,
    audit::Standing,
    command::Command,
    event::Event,
    id::{JobId, RunId, WorkerId},
    request::{HeldJob, NoSuchWorker},
    scheduler::Scheduler,
    supply::Reclaim,
    support::Support,
    time::Moment,
    view::RunState,
    worker::{Held, Session},
};

/// The most bytes of a reason that a worker gives.
const MAX_REASON: usize = 1024;

impl Scheduler {
    /// Begins a session. `held` is what the worker says it holds from an earlier one: waiting, begun, or finished and not
    /// acknowledged. Those that are still wanted are lent to it again (what it does not name is lent to others). Returns
    /// those that are not wanted at all, to be revoked with `stop`. Those that another worker has by now are revoked
    /// without `stop` by the next [`Scheduler::dispatch`].
    pub fn join(&mut self, worker: WorkerId, held: &[HeldJob], now: Moment) -> Vec<JobId> {
        if self.worker(worker).is_none() || self.is_quarantined(worker) {
            return held.iter().map(|held| held.job).collect();
        }
        self.begin(worker, now);
        self.forget_unnamed(worker, held);
        let (audits, jobs): (Vec<HeldJob>, Vec<HeldJob>) = held.iter().copied().partition(|held| held.audit);
        let jobs = jobs.into_iter().map(|held| held.job);
        let mut unwanted: Vec<JobId> = jobs.filter(|&job| !self.reclaim(worker, job, now)).collect();
        // Whoever audits a job after a restart is asked anew.
        let audits = audits.into_iter().map(|held| held.job);
        unwanted.extend(audits.filter(|&job| self.number(worker, job).is_none()));
        self.recount(worker, now);
        unwanted
    }

    /// Begins the session proper. What the worker held in the last one stays, and so does what is known of its speed.
    fn begin(&mut self, worker: WorkerId, now: Moment) {
        let Some(known) = self.worker_mut(worker) else { return };
        let session = known.session.get_or_insert_with(|| Session::new(now));
        session.connected = true;
        session.draining = false;
        session.silent = false;
        session.capacity = 0;
        session.rests_until = None;
        session.joined = now;
        session.heard = now;
        session.lost.clear();
        self.count_at_work_everywhere(worker, now);
        self.watch(worker, now.plus(self.settings.lease_ttl));
    }

    /// Takes back what the worker should hold but does not name: a lease that never reached it. It may name the job itself
    /// while the lease of its audit was lost.
    fn forget_unnamed(&mut self, worker: WorkerId, named: &[HeldJob]) {
        let named: BTreeSet<HeldJob> = named.iter().copied().collect();
        let Some(session) = self.session_mut(worker) else { return };
        let held: Vec<(u64, Held)> = session.held.iter().map(|(&number, &held)| (number, held)).collect();
        for (number, held) in held {
            if !named.contains(&HeldJob { job: self.job(held), audit: held.audit }) {
                self.take_back(worker, number);
            }
        }
    }

    /// Lends a job to the worker again that says it holds it. Returns false if the job is not wanted.
    fn reclaim(&mut self, worker: WorkerId, job: JobId, now: Moment) -> bool {
        if self.number(worker, job).is_some() {
            return true;
        }
        let Some((run, _)) = self.open_run(job.run).filter(|(run, _)| job.index < run.plan.jobs()) else {
            return false;
        };
        let (rank, is_paused) = (run.order.rank(job.index), run.state == RunState::Paused);
        let is_full = self.session_mut(worker).is_none_or(|session| session.held.len() >= MAX_RECLAIMED);
        let holder = self.hold(worker, job.run, rank, false, now);
        let outcome = match self.open_mut(job.run) {
            Some(open) if !is_full => open.supply.reclaim(rank, holder),
            _ => Reclaim::NotWanted,
        };
        if outcome != Reclaim::Lent {
            self.unhold(holder);
        }
        if outcome == Reclaim::Elsewhere || (outcome == Reclaim::Lent && is_paused) {
            self.recall(job.run, vec![(rank, holder)]);
        }
        outcome != Reclaim::NotWanted
    }

    /// Notes how many jobs the worker will hold at most. 0: it takes no more.
    pub fn set_capacity(&mut self, worker: WorkerId, jobs: u32, now: Moment) {
        if let Some(session) = self.session_mut(worker) {
            session.capacity = jobs;
            self.recount(worker, now);
        }
    }

    /// Notes a sign of life, which renews the lease of all that the worker holds.
    pub fn heard(&mut self, worker: WorkerId, now: Moment) {
        let Some(session) = self.session_mut(worker).filter(|session| session.connected) else { return };
        session.heard = session.heard.max(now);
        if session.silent {
            self.speaks_again(worker, now);
        }
    }

    /// Goes on with a worker whose lease had expired: what it lost has gone to others, so it should not begin with it.
    fn speaks_again(&mut self, worker: WorkerId, now: Moment) {
        let Some(session) = self.session_mut(worker) else { return };
        session.silent = false;
        let lost = std::mem::take(&mut session.lost);
        self.revoke(lost.into_iter().map(|(run, rank)| (worker, run, rank)), false);
        self.watch(worker, now.plus(self.settings.lease_ttl));
        self.recount(worker, now);
    }

    /// Makes sure that the worker is looked at again at `deadline`, or before.
    pub(super) fn watch(&mut self, worker: WorkerId, deadline: Moment) {
        let Some(session) = self.session_mut(worker) else { return };
        if !std::mem::replace(&mut session.is_watched, true) {
            self.deadlines.insert((deadline, worker));
        }
    }

    /// Takes back jobs that the worker has not begun or not finished.
    pub fn hand_back(&mut self, worker: WorkerId, jobs: &[JobId]) {
        for &job in jobs {
            if let Some(number) = self.number(worker, job) {
                self.take_back(worker, number);
            }
        }
    }

    /// Notes that the worker could not compute a job. The job is lent again, to another worker where there is one; at the
    /// limit the run fails: that is the event. Nothing is noted about a job that the worker does not hold.
    pub fn fail(&mut self, worker: WorkerId, job: JobId, reason: &str, now: Moment) -> Option<Event> {
        let number = self.number(worker, job)?;
        let rank = self.take_back(worker, number)?.rank;
        self.rest_if_useless(worker, now);
        let limit = self.settings.failures_limit.max(1) as usize;
        let failures = self.open_mut(job.run)?.supply.note_failure(rank, worker);
        let reason = &reason[..reason.floor_char_boundary(MAX_REASON)];
        let text = || {
            format!("job {} failed {failures} times, the last time on worker {worker}: {reason}", job.index)
        };
        (failures >= limit).then(|| self.runs[&job.run].failed(text(), now))
    }

    /// A worker that fails at one job after another gets nothing for a while, lest it run through all of them.
    fn rest_if_useless(&mut self, worker: WorkerId, now: Moment) {
        let (limit, until) = (self.settings.failures_limit, now.plus(self.settings.lease_ttl));
        let Some(session) = self.session_mut(worker) else { return };
        session.failures += 1;
        if session.failures >= limit && session.rests_until.is_none() {
            session.failures = 0;
            session.rests_until = Some(until);
            self.resting.insert((until, worker));
            self.recount(worker, now);
        }
    }

    /// Ends a session. `gone`: the worker left in good order and holds nothing. Else the connection was lost, and its
    /// jobs stay lent until the lease expires.
    pub fn leave(&mut self, worker: WorkerId, now: Moment, gone: bool) {
        let Some(session) = self.session_mut(worker) else { return };
        session.connected = false;
        session.heard = session.heard.max(now);
        self.count_at_work_everywhere(worker, now);
        self.recount(worker, now);
        if gone {
            self.take_back_all(worker);
        }
    }

    /// Asks a worker to take no more and leave; [`Command::Drain`] tells it so.
    pub fn drain(&mut self, worker: WorkerId) -> Result<(), NoSuchWorker> {
        if !self.is_connected(worker) {
            return Err(NoSuchWorker(worker));
        }
        if let Some(session) = self.session_mut(worker) {
            session.draining = true;
        }
        self.outbox.push(Command::Drain { worker });
        self.recount(worker, self.latest);
        Ok(())
    }

    /// Takes what the ledger knows about the jobs that a worker in quarantine computed or confirmed, so that what stands on
    /// its word alone is computed again; see [`Scheduler::recheck_wanted`]. Jobs of runs that are over do no harm.
    pub fn recheck(&mut self, worker: WorkerId, supports: impl IntoIterator<Item = Support>) {
        self.unchecked.remove(&worker);
        for support in supports {
            self.recheck_job(&support);
        }
        self.has_news = true;
    }

    fn recheck_job(&mut self, support: &Support) {
        let standing: Vec<Claim> =
            support.claims().filter(|claim| !self.is_quarantined(claim.worker)).collect();
        let author = standing.first().map_or(support.recorded_worker(), |claim| claim.worker);
        let author = self.author(author);
        let job = support.job();
        let Some(run) = self.runs.get_mut(&job.run).filter(|run| job.index < run.plan.jobs()) else { return };
        let rank = run.order.rank(job.index);
        let Some(open) = &mut run.open else { return };
        if open.supply.is_done(rank) && !open.alarms.contains_key(&rank) {
            let owed = open.audits.owed(job.index, Standing::of(standing));
            open.audits.owe(rank, owed, author);
        }
    }

    pub(super) fn note_lent_again(&mut self, run: RunId, jobs: u64) {
        if let Some(run) = self.runs.get_mut(&run) {
            run.lent_again += jobs;
        }
    }

    fn job(&self, held: Held) -> JobId {
        let index = self.runs.get(&held.run).map_or(u64::MAX, |run| run.order.index(held.rank));
        JobId::new(held.run, index)
    }
}

/// The most jobs that a worker gets back by naming them.
const MAX_RECLAIMED: usize = 1 << 17;
