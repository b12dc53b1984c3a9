//! Events become truth. Nothing else changes it, so that recovery, which applies the events of the ledger once more, comes
//! to the same. (Sessions and leases follow along where there are any; on recovery there are none.)

use std::{sync::Arc, time::Duration};

use crate::{
    alarm::{Alarm, Claim},
    command::Command,
    event::{Event, NewWorker},
    id::{RunId, WorkerId},
    plan::RunPlan,
    problem::Answer,
    progress::{Clock, Window},
    run::{End, Open, Run},
    scheduler::Scheduler,
    supply::Holder,
    time::Moment,
    view::RunState,
    worker::{Worker, family_name},
};

impl Scheduler {
    /// Makes a durable event true. This is the only place where that happens. An event that changes nothing any more (a
    /// second first result, say) is ignored. `now` only serves clocks and rates; on recovery it is the time of start.
    pub fn apply(&mut self, event: &Event, now: Moment) {
        match event {
            Event::WorkerRegistered { worker, who } => self.add_worker(*worker, who),
            Event::WorkerQuarantined { worker, reason } => self.quarantine(*worker, reason, now),
            Event::RunCreated { run, request_id, plan, audit_share, audit_seed, at_ms } => {
                let open = Open::new(*run, plan, *audit_share, *audit_seed, now);
                self.add_run(new_run(*run, request_id, plan, *audit_share, *at_ms, open, now));
            }
            Event::RunPaused { run, ran } => self.paused(*run, *ran),
            Event::RunResumed { run, ran } => self.resumed(*run, *ran, now),
            Event::RunCancelled { run, ran, jobs_done, tally } => {
                self.end(*run, RunState::Cancelled, *ran, (*jobs_done, *tally));
            }
            Event::RunFailed { run, reason, ran, jobs_done, tally } => {
                self.end(*run, RunState::Failed, *ran, (*jobs_done, *tally));
                self.explain(*run, reason);
            }
            Event::RunDone { run, answer, ran } => self.done(*run, *answer, *ran),
            Event::Opened { run, below_rank, ran } => self.opened(*run, *below_rank, *ran, now),
            Event::ResultAdded { job, count, weight, worker, elapsed } => {
                self.added(*job, *count, *weight, *worker, *elapsed, now);
            }
            Event::CheckPassed { job, worker } => self.checked(*job, *worker),
            Event::AuditPassed { job, worker } => self.passed(*job, *worker),
            Event::AlarmRaised { job, recorded_worker, recorded_count, worker, count, audit } => {
                let recorded = Claim { worker: *recorded_worker, count: *recorded_count, audit: false };
                self.raised(*job, recorded, Claim { worker: *worker, count: *count, audit: *audit }, now);
            }
            Event::AlarmSettled { job, was, count, weight, worker, audit } => {
                let right = Claim { worker: *worker, count: *count, audit: *audit };
                self.settled(*job, *was, *weight, right);
            }
        }
    }

    /// Ends recovery: all events of the ledger were applied. A lease period of grace begins, in which jobs that may have
    /// been lent before are kept for the workers that had them.
    pub fn recovered(&mut self, now: Moment) {
        for run in self.open.clone() {
            if let Some(Run { plan, open: Some(open), .. }) = self.runs.get_mut(&run) {
                open.supply.keep_back();
                if let Err(error) = plan.check() {
                    open.broken = Some(error.to_string());
                }
            }
        }
        self.grace_until = Some(now.plus(self.settings.lease_ttl));
    }
}

/// Workers.
impl Scheduler {
    fn add_worker(&mut self, worker: WorkerId, who: &NewWorker) {
        if worker.0 != self.workers.len() as u64 + 1 {
            return;
        }
        let family = self.family(family_name(&who.kernel));
        self.instances.insert(who.instance, worker);
        self.workers.push(Worker {
            who: who.clone(),
            family,
            quarantine: None,
            jobs_done: 0,
            checks: 0,
            session: None,
        });
    }

    fn quarantine(&mut self, worker: WorkerId, reason: &str, now: Moment) {
        self.accused.remove(&worker);
        let Some(known) = self.worker_mut(worker).filter(|worker| worker.quarantine.is_none()) else {
            return;
        };
        known.quarantine = Some(reason.to_owned());
        self.unchecked.insert(worker);
        if self.is_connected(worker) {
            self.outbox.push(Command::Dismiss { worker, reason: reason.to_owned() });
        }
        self.take_back_all(worker);
        self.recount(worker, now);
        self.reconsider_alarms();
    }

    /// Looks at all alarms again, after a party to some of them has lost its vote.
    fn reconsider_alarms(&mut self) {
        for run in self.open.clone() {
            let Some((_, open)) = self.open_run(run) else { continue };
            let settled: Vec<(u64, Claim)> =
                open.alarms.iter().filter_map(|(&rank, alarm)| Some((rank, self.verdict(alarm)?))).collect();
            if let Some(open) = self.open_mut(run) {
                open.settled.extend(settled);
            }
        }
    }

    pub(super) fn verdict(&self, alarm: &Alarm) -> Option<Claim> {
        Alarm::verdict(&alarm.claims, |worker| self.is_quarantined(worker))
    }
}

/// Runs.
impl Scheduler {
    fn add_run(&mut self, run: Run) {
        if self.runs.contains_key(&run.id) {
            return;
        }
        if !run.request_id.is_empty() {
            self.requests.insert(run.request_id.clone(), run.id);
        }
        self.open.insert(run.id);
        self.runs.insert(run.id, run);
        self.has_news = true;
    }

    fn paused(&mut self, run: RunId, ran: Duration) {
        let Some(found) = self.runs.get_mut(&run).filter(|run| !run.state.is_over()) else { return };
        found.state = RunState::Paused;
        found.clock = Clock::stopped(ran);
        let held: Vec<(u64, Holder)> = found.open.iter().flat_map(|open| open.all_holders()).collect();
        self.recall(run, held);
    }

    /// Asks workers to hand back what they have not begun.
    pub(super) fn recall(&mut self, run: RunId, held: Vec<(u64, Holder)>) {
        for (_, holder) in &held {
            let session = self.session_mut(holder.worker);
            if let Some(held) = session.and_then(|session| session.held.get_mut(&holder.number)) {
                held.recalled = true;
            }
        }
        self.revoke(held.into_iter().map(|(rank, holder)| (holder.worker, run, rank)), false);
    }

    fn resumed(&mut self, run: RunId, ran: Duration, now: Moment) {
        let Some(found) = self.runs.get_mut(&run).filter(|run| !run.state.is_over()) else { return };
        found.state = RunState::Running;
        found.clock = Clock::running(ran, now);
        if let Some(open) = &mut found.open {
            open.window = Window::new(now, open.job_s());
        }
        self.has_news = true;
    }

    fn done(&mut self, run: RunId, answer: Answer, ran: Duration) {
        let Some(found) = self.runs.get_mut(&run).filter(|run| !run.state.is_over()) else { return };
        found.answer = Some(answer);
        let jobs = found.plan.jobs();
        self.end(run, RunState::Done, ran, (jobs, answer.total()));
    }

    /// Ends a run: its memory goes, and nobody needs to work for it any more.
    fn end(&mut self, run: RunId, state: RunState, ran: Duration, (jobs_done, tally): (u64, u128)) {
        let Some(found) = self.runs.get_mut(&run).filter(|run| !run.state.is_over()) else { return };
        found.end = End { jobs_done, tally, ..found.end_now() };
        found.state = state;
        found.clock = Clock::stopped(ran);
        found.plan = Arc::new(found.plan.folded());
        let open = found.open.take();
        self.open.remove(&run);
        let held: Vec<(u64, Holder)> = open.iter().flat_map(|open| open.all_holders()).collect();
        self.stop(run, held);
    }

    fn explain(&mut self, run: RunId, reason: &str) {
        if let Some(run) = self.runs.get_mut(&run).filter(|run| run.state == RunState::Failed) {
            run.reason = reason.to_owned();
        }
    }

    fn opened(&mut self, run: RunId, below_rank: u64, ran: Duration, now: Moment) {
        let Some(run) = self.runs.get_mut(&run) else { return };
        let Some(open) = &mut run.open else { return };
        open.supply.open(below_rank);
        if run.state == RunState::Running && ran > run.clock.ran(now) {
            run.clock = Clock::running(ran, now);
        }
        self.has_news = true;
    }
}

fn new_run(
    id: RunId,
    request_id: &str,
    plan: &Arc<RunPlan>,
    audit_share: f64,
    at_ms: u64,
    open: Open,
    now: Moment,
) -> Run {
    Run {
        id,
        request_id: request_id.to_owned(),
        plan: Arc::clone(plan),
        order: plan.order(),
        state: RunState::Running,
        reason: String::new(),
        answer: None,
        at_ms,
        audit_share,
        clock: Clock::running(Duration::ZERO, now),
        free_checks: 0,
        alarms: 0,
        lent_again: 0,
        end: End::default(),
        open: Some(Box::new(open)),
    }
}
