//! Requests become events. Nothing has changed until an event was made durable and applied.

use crate::{
    event::{Event, NewWorker},
    id::{JobId, RunId, WorkerId},
    request::{CreateError, Created, NewRun, Refused, Registered, RunError},
    run::{Open, Run},
    scheduler::{Scheduler, judge::settle},
    time::Moment,
    view::RunState,
};

/// The most bytes of a request id.
const MAX_REQUEST_ID: usize = 64;

impl Scheduler {
    /// Decides on a request to create a run.
    pub fn create(&self, new: NewRun) -> Result<Created, CreateError> {
        if new.request_id.len() > MAX_REQUEST_ID {
            return Err(CreateError::LongRequestId(new.request_id.len()));
        }
        if !(0.0..=1.0).contains(&new.audit_share) {
            return Err(CreateError::AuditShare(new.audit_share));
        }
        if let Some(&run) = self.requests.get(&new.request_id) {
            return self.created_before(new, run);
        }
        if self.open.len() >= self.settings.max_open_runs {
            return Err(CreateError::TooManyRuns(self.open.len()));
        }
        let run = RunId(self.runs.last_key_value().map_or(0, |(run, _)| run.0) + 1);
        Ok(Created::New(
            run,
            Event::RunCreated {
                run,
                request_id: new.request_id,
                plan: new.plan,
                audit_share: new.audit_share,
                audit_seed: self.settings.seed >> 1,
                at_ms: new.at_ms,
            },
        ))
    }

    fn created_before(&self, new: NewRun, run: RunId) -> Result<Created, CreateError> {
        match self.plan(run) {
            Some(plan) if plan.problem() == new.plan.problem() => Ok(Created::Existing(run)),
            _ => Err(CreateError::OtherProblem { request_id: new.request_id, run }),
        }
    }

    /// Decides to pause a run. No event: it is paused already.
    pub fn pause(&self, run: RunId, now: Moment) -> Result<Option<Event>, RunError> {
        let found = self.still_open(run)?;
        let ran = found.ran(now);
        Ok((found.state == RunState::Running).then_some(Event::RunPaused { run, ran }))
    }

    /// Decides to go on with a paused run. No event: it is running already.
    pub fn resume(&self, run: RunId, now: Moment) -> Result<Option<Event>, RunError> {
        let found = self.still_open(run)?;
        let ran = found.ran(now);
        Ok((found.state == RunState::Paused).then_some(Event::RunResumed { run, ran }))
    }

    /// Decides to end a run. No event: it is cancelled already.
    pub fn cancel(&self, run: RunId, now: Moment) -> Result<Option<Event>, RunError> {
        if self.runs.get(&run).is_some_and(|run| run.state == RunState::Cancelled) {
            return Ok(None);
        }
        let found = self.still_open(run)?;
        let end = found.end_now();
        let (ran, jobs_done, tally) = (found.ran(now), end.jobs_done, end.tally);
        Ok(Some(Event::RunCancelled { run, ran, jobs_done, tally }))
    }

    fn still_open(&self, run: RunId) -> Result<&Run, RunError> {
        let found = self.runs.get(&run).ok_or(RunError::NoSuchRun(run))?;
        if found.state.is_over() { Err(RunError::Over(run)) } else { Ok(found) }
    }

    /// Decides which number a worker has. A session begins with [`Scheduler::join`], once the event is applied.
    pub fn register(&self, who: NewWorker) -> Result<Registered, Refused> {
        if who.threads == 0 {
            return Err(Refused::NoThreads);
        }
        let Some(&worker) = self.instances.get(&who.instance) else {
            let worker = WorkerId(self.workers.len() as u64 + 1);
            return Ok(Registered::New(worker, Event::WorkerRegistered { worker, who }));
        };
        match self.worker(worker).and_then(|known| known.quarantine.clone()) {
            Some(reason) => Err(Refused::Quarantined { worker, reason }),
            None => Ok(Registered::Known(worker)),
        }
    }

    /// Returns the next thing that the scheduler itself wants made durable: a quarantine, an alarm that settles itself, a
    /// run that is done or cannot be finished, the mark below which jobs may be lent.
    pub fn due(&self, now: Moment) -> Option<Event> {
        self.due_quarantine().or_else(|| self.open.iter().find_map(|run| self.due_run(&self.runs[run], now)))
    }

    fn due_quarantine(&self) -> Option<Event> {
        let (&worker, reason) = self.accused.first_key_value()?;
        Some(Event::WorkerQuarantined { worker, reason: reason.clone() })
    }

    fn due_run(&self, run: &Run, now: Moment) -> Option<Event> {
        let open = run.open.as_deref()?;
        if let Some(reason) = &open.broken {
            return Some(run.failed(reason.clone(), now));
        }
        if let Some((&rank, &claim)) = open.settled.first_key_value() {
            let was = open.alarms.get(&rank).and_then(|alarm| alarm.claims.first())?.count;
            return Some(settle(run, rank, was, claim));
        }
        if self.unchecked.is_empty() && open.is_complete(run.plan.jobs()) {
            return Some(run.over(open, now));
        }
        self.due_mark(run, open, now)
    }

    fn due_mark(&self, run: &Run, open: &Open, now: Moment) -> Option<Event> {
        let is_wanted = run.state == RunState::Running && !self.company.active.is_empty();
        let below_rank = is_wanted.then(|| open.supply.next_mark()).flatten()?;
        Some(Event::Opened { run: run.id, below_rank, ran: run.ran(now) })
    }

    /// Returns a worker in quarantine whose work is to be checked, so that the caller looks up in the ledger what it computed
    /// or confirmed for open runs and passes that to [`Scheduler::recheck`]. Until then no run is done.
    pub fn recheck_wanted(&self) -> Option<WorkerId> {
        self.unchecked.first().copied()
    }

    /// Returns jobs whose alarm no worker can settle, since too few are there, and has not for a while. The coordinator
    /// may compute them itself and report the result as [`WorkerId::COORDINATOR`]; else they wait for another worker.
    pub fn disputes(&self, now: Moment) -> Vec<JobId> {
        self.open.iter().flat_map(|&run| self.disputes_of(run, now)).collect()
    }

    fn disputes_of(&self, run: RunId, now: Moment) -> Vec<JobId> {
        let Some((run, open)) = self.open_run(run) else { return Vec::new() };
        let waiting = open.unlent.iter().filter_map(|rank| Some((*rank, open.alarms.get(rank)?)));
        let stuck = waiting.filter(|(_, alarm)| {
            let parties =
                alarm.claims.iter().map(|claim| claim.worker).collect::<std::collections::BTreeSet<_>>();
            let active = parties.into_iter().filter(|&party| self.is_active(party)).count();
            alarm.since.plus(self.settings.alone_after) <= now && active >= self.company.active.len()
        });
        stuck.map(|(rank, _)| JobId::new(run.id, run.order.index(rank))).collect()
    }

    pub(super) fn is_active(&self, worker: WorkerId) -> bool {
        let session = self.worker(worker).and_then(|worker| worker.session.as_ref());
        session.is_some_and(|session| session.is_counted)
    }
}

impl Run {
    /// Returns the event by which the run fails.
    pub(crate) fn failed(&self, reason: String, now: Moment) -> Event {
        let end = self.end_now();
        let (ran, jobs_done, tally) = (self.ran(now), end.jobs_done, end.tally);
        Event::RunFailed { run: self.id, reason, ran, jobs_done, tally }
    }

    /// Returns the event by which a run ends whose jobs are all done.
    fn over(&self, open: &Open, now: Moment) -> Event {
        match self.conclude(open) {
            Ok(answer) => Event::RunDone { run: self.id, answer, ran: self.ran(now) },
            Err(reason) => self.failed(reason, now),
        }
    }
}
