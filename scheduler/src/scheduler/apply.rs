//! Events become truth. Nothing else changes it, so that recovery, which applies the events of the ledger once more, comes
//! to the same. (Sessions and leases follow along where there are any; on recovery there are none.)

use std::{sync::Arc, time::Duration};

use crate::{
    alarm::{Alarm, Claim},
    audit::Author,
    command::Command,
    event::{Event, NewWorker},
    id::{JobId, RunId, WorkerId},
    plan::RunPlan,
    problem::Answer,
    progress::{Clock, Window},
    run::{End, Open, Run},
    scheduler::Scheduler,
    supply::Holder,
    time::Moment,
    view::RunState,
    worker::{Family, Worker, family_name},
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
            Event::CheckPassed { job, worker } => {
                self.note_free_check(job.run);
                self.passed(*job, *worker, false);
            }
            Event::AuditPassed { job, worker, own } => self.passed(*job, *worker, *own),
            Event::AlarmRaised { job, recorded_worker, recorded_count, worker, count } => {
                let recorded = Claim { worker: *recorded_worker, count: *recorded_count };
                self.raised(*job, recorded, Claim { worker: *worker, count: *count }, now);
            }
            Event::AlarmSettled { job, was, count, weight, worker } => {
                self.settled(*job, *was, *weight, Claim { worker: *worker, count: *count });
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

    fn verdict(&self, alarm: &Alarm) -> Option<Claim> {
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
            open.window = Window::new(now);
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

/// Results.
impl Scheduler {
    fn added(
        &mut self,
        job: JobId,
        count: u64,
        weight: u32,
        worker: WorkerId,
        elapsed: Duration,
        now: Moment,
    ) {
        if self.has_result(job) {
            return;
        }
        let family = self.note_result(job.run, worker, elapsed, now);
        let Some((run, rank)) = open_at(self.runs.get_mut(&job.run), job.index) else { return };
        let (plan, Some(open)) = (&run.plan, &mut run.open) else { return };
        let (true, lent) = open.supply.finish(rank) else { return };
        let part = plan.part(job.index).unwrap_or(0);
        open.add(part, count, weight, 0);
        if part + 1 == open.sums.len() {
            let cost_s = elapsed.as_secs_f64();
            open.cost.add(cost_s);
            open.window.add(now, count as f64 * f64::from(weight), cost_s);
        }
        let mut others = lent.iter().flat_map(|lent| lent.holders()).filter(|holder| holder.worker != worker);
        let (other, another) = (others.next(), others.next());
        let own = lent.iter().flat_map(|lent| lent.holders()).find(|holder| holder.worker == worker);
        let author = Author { worker, family };
        let goes_on = open.audits.note_result(rank, job.index, author, other);
        self.has_news |= open.audits.has_some();
        own.into_iter().for_each(|holder| self.unhold(holder));
        let ended = other.filter(|_| !goes_on).into_iter().chain(another);
        if lent.is_some() {
            self.stop(job.run, ended.map(|holder| (rank, holder)));
        }
    }

    /// Notes a result with its worker, and returns the kernel family that it came from.
    fn note_result(&mut self, run: RunId, worker: WorkerId, elapsed: Duration, now: Moment) -> Family {
        let Some(known) = self.worker_mut(worker) else { return Family(0) };
        known.jobs_done += 1;
        if let Some(session) = &mut known.session {
            session.note_result(run, elapsed.as_secs_f64(), now);
        }
        known.family
    }

    fn note_free_check(&mut self, run: RunId) {
        if let Some(run) = self.runs.get_mut(&run) {
            run.free_checks += 1;
        }
    }

    fn passed(&mut self, job: JobId, worker: WorkerId, own: bool) {
        if let Some(known) = self.worker_mut(worker) {
            known.checks += 1;
        }
        let Some((run, rank)) = open_at(self.runs.get_mut(&job.run), job.index) else { return };
        let Some(open) = &mut run.open else { return };
        let at_it = open.audits.pass(rank, job.index, own);
        self.release_check(job.run, rank, worker, at_it);
    }

    /// Lets go of whoever was computing a job a second time: the reporting worker has done so, another need not any more.
    fn release_check(&mut self, run: RunId, rank: u64, worker: WorkerId, at_it: Option<Holder>) {
        match at_it {
            Some(holder) if holder.worker == worker => self.unhold(holder),
            Some(holder) => self.stop(run, [(rank, holder)]),
            None => {}
        }
    }

    fn raised(&mut self, job: JobId, recorded: Claim, claim: Claim, now: Moment) {
        let Some(run) = self.runs.get_mut(&job.run) else { return };
        let is_known =
            run.open.as_ref().is_some_and(|open| open.alarms.contains_key(&run.order.rank(job.index)));
        run.alarms += u64::from(!is_known);
        let Some((run, rank)) = open_at(Some(run), job.index) else { return };
        let Some(open) = &mut run.open else { return };
        let holder = open.audits.take_lent(rank);
        let alarm = open.alarms.entry(rank).or_insert(Alarm { claims: vec![recorded], holder, since: now });
        alarm.claims.push(claim);
        let own = alarm.holder.filter(|holder| holder.worker == claim.worker);
        if own.is_some() {
            alarm.holder = None;
        }
        if alarm.holder.is_none() {
            open.unlent.insert(rank);
        }
        self.has_news = true;
        own.into_iter().for_each(|holder| self.unhold(holder));
        self.reconsider(job.run, rank);
    }

    fn reconsider(&mut self, run: RunId, rank: u64) {
        let alarm = self.open_run(run).and_then(|(_, open)| open.alarms.get(&rank));
        let verdict = alarm.and_then(|alarm| self.verdict(alarm));
        if let (Some(claim), Some(open)) = (verdict, self.open_mut(run)) {
            open.settled.insert(rank, claim);
        }
    }

    fn settled(&mut self, job: JobId, was: u64, weight: u32, right: Claim) {
        let family = self.worker(right.worker).map_or(Family(0), |worker| worker.family);
        let Some((run, rank)) = open_at(self.runs.get_mut(&job.run), job.index) else { return };
        let (part, Some(open)) = (run.plan.part(job.index).unwrap_or(0), &mut run.open) else { return };
        open.add(part, right.count, weight, was);
        let alarm = open.close_alarm(rank);
        run.alarms += u64::from(alarm.is_none());
        let third = alarm.as_ref().and_then(|alarm| alarm.holder);
        let claims = alarm.map(|alarm| alarm.claims).unwrap_or_default();
        let at_it = if right.is_confirmed(&claims) {
            open.audits.pass(rank, job.index, false)
        } else {
            open.audits.replace(rank, job.index, Author { worker: right.worker, family })
        };
        self.has_news = true;
        self.release_check(job.run, rank, right.worker, at_it.or(third));
        claims
            .into_iter()
            .filter(|claim| claim.count != right.count)
            .for_each(|claim| self.accuse(job, claim, right));
    }

    fn accuse(&mut self, job: JobId, wrong: Claim, right: Claim) {
        if wrong.worker == WorkerId::COORDINATOR || self.is_quarantined(wrong.worker) {
            return;
        }
        let (index, run) = (job.index, job.run);
        let reason = format!(
            "it counted {} for job {index} of run {run}, where {} is right",
            wrong.count, right.count
        );
        self.accused.entry(wrong.worker).or_insert(reason);
    }
}

/// Returns an open run and the rank of its job at `index`, if both exist.
fn open_at(run: Option<&mut Run>, index: u64) -> Option<(&mut Run, u64)> {
    let run = run.filter(|run| run.open.is_some() && index < run.plan.jobs())?;
    let rank = run.order.rank(index);
    Some((run, rank))
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
