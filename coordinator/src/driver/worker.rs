//! What workers say in their sessions, and what they are told.

use queens::split::Job;
use scheduler::{Command, JobId, JobResult, Refused, Report, RunId, WorkerId};
use tracing::{debug, info, warn};

use super::{Around, Driver, FromWorker, Refusal, SessionId, ToWorker, Verdict};
use crate::listing::Outbox;

/// The most jobs in one message.
const JOBS_A_MESSAGE: usize = 2048;

impl Driver {
    /// Takes what a worker said. A session that is over says nothing any more: results that were on their way come again
    /// in the next one.
    pub(super) fn take_report(&mut self, session: SessionId, report: FromWorker) {
        let Some(worker) = self.sessions.worker(session) else { return };
        let now = self.now();
        self.scheduler.heard(worker, now);
        let taken = match report {
            FromWorker::Heartbeat => Ok(()),
            FromWorker::Capacity(jobs) => Ok(self.scheduler.set_capacity(worker, jobs, now)),
            FromWorker::HandBack(jobs) => Ok(self.take_back(worker, &jobs)),
            FromWorker::Failure { job, reason } => Ok(self.take_failure(worker, job, &reason)),
            FromWorker::Results { batch, results } => self.take_results(session, worker, batch, &results),
            FromWorker::Boards { listing, boards, last } => {
                let around = Around { scheduler: &self.scheduler, ledger: &*self.ledger, now };
                self.listings.accept(worker, listing, boards, last, &around).map_err(Refusal::from)
            }
            FromWorker::Nonsense(reason) => Err(Refusal::Nonsense(reason)),
            FromWorker::End { orderly } => Ok(self.end_session(session, orderly)),
        };
        if let Err(refusal) = taken {
            self.dismiss(session, refusal);
        }
    }

    fn take_back(&mut self, worker: WorkerId, jobs: &[JobId]) {
        self.scheduler.hand_back(worker, jobs);
        jobs.iter().for_each(|&job| self.leases.give_back(worker, job));
    }

    /// Decides on each result; they become true, and are acknowledged, with the next commit.
    fn take_results(
        &mut self,
        session: SessionId,
        worker: WorkerId,
        batch: u64,
        results: &[JobResult],
    ) -> Result<(), Refusal> {
        for result in results {
            self.meter.result(result.elapsed, self.scheduler.lent_for(result.job, worker, self.now()));
            if self.batch.has(result.job) {
                self.commit();
                // One batch cannot hold two decisions about a job. The worker comes back and delivers again.
                self.refuse_if_stuck()?;
            }
            self.take_result(worker, result)?;
            self.leases.deliver(worker, result.job);
        }
        self.batch.acknowledgements.push((session, batch));
        Ok(())
    }

    fn take_result(&mut self, worker: WorkerId, result: &JobResult) -> Result<(), Refusal> {
        let recorded = if self.scheduler.has_result(result.job) {
            let recorded = self.ledger.recorded(result.job, worker);
            recorded.map_err(|error| Refusal::Ledger(error.to_string()))?
        } else {
            None
        };
        match self.scheduler.report(worker, result, recorded.as_ref())? {
            Report::Add(event) => self.batch.add(result.job, event),
            Report::Again | Report::NotWanted => {}
            second @ (Report::Check(_) | Report::Audit(_) | Report::Alarm(_) | Report::Settle(_)) => {
                if let Report::Alarm(event) | Report::Settle(event) = &second {
                    warn!(%worker, job = %result.job, ?event, "results differ");
                }
                // What is decided next may depend on it.
                second.event().into_iter().for_each(|event| self.batch.add(result.job, event));
                self.commit();
            }
        }
        Ok(())
    }

    /// Has a job computed here about which results differ and which no worker can settle.
    pub(super) fn take_up_dispute(&mut self) {
        if !self.referee.is_free() {
            return;
        }
        let Some(&job) = self.scheduler.disputes(self.now()).first() else { return };
        let Some(plan) = self.scheduler.plan(job.run) else { return };
        let size = plan.problem().size;
        if let Some(disputed) = plan.job(job.index) {
            self.referee.compute(job, size, disputed.work);
        }
    }

    /// Decides by what the coordinator itself computed.
    pub(super) fn take_verdict(&mut self, verdict: Option<Verdict>) {
        self.referee.rest();
        let Some(Verdict { job, count, elapsed }) = verdict else { return };
        let result = JobResult { job, count, elapsed, audit: true };
        if let Err(refusal) = self.take_result(WorkerId::COORDINATOR, &result) {
            warn!(%job, "the dispute stays open: {refusal}");
        }
    }

    fn take_failure(&mut self, worker: WorkerId, job: JobId, reason: &str) {
        warn!(%worker, %job, reason, "job failed");
        self.leases.give_back(worker, job);
        let now = self.now();
        if let Some(event) = self.scheduler.fail(worker, job, reason, now) {
            self.batch.add(job, event);
            self.commit();
        }
    }

    /// Ends a session that broke the rules, with a status that says how.
    fn dismiss(&mut self, session: SessionId, refusal: Refusal) {
        let worker = self.sessions.worker(session);
        warn!(worker = worker.map(|worker| worker.0), "session ended: {refusal}");
        self.sessions.tell(session, ToWorker::Refused(refusal));
        self.end_session(session, false);
    }

    /// Ends a session. `orderly`: the worker ended its stream. If it still holds jobs it may come back for them, so they
    /// stay lent to it until the lease expires.
    pub(super) fn end_session(&mut self, session: SessionId, orderly: bool) {
        let Some(worker) = self.sessions.end(session) else { return };
        self.listings.forget_worker(worker);
        let now = self.now();
        let holds_nothing = self.scheduler.worker_view(worker, now).is_none_or(|view| view.jobs_held == 0);
        self.scheduler.leave(worker, now, orderly && holds_nothing);
        info!(%worker, orderly, "worker left");
    }

    /// Tells workers what the scheduler wants of them.
    pub(super) fn dispatch(&mut self) {
        let mut commands = std::mem::take(&mut self.commands);
        self.scheduler.dispatch(self.now(), &mut commands);
        for command in commands.drain(..) {
            self.carry_out(command);
        }
        self.commands = commands;
    }

    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Lease { worker, run, jobs, audit } => self.lease(worker, run, jobs, audit),
            Command::Revoke { worker, jobs, stop } => self.revoke(worker, &jobs, stop),
            Command::Drain { worker } => self.tell(worker, ToWorker::Drain),
            Command::Dismiss { worker, reason } => {
                if let Some(session) = self.sessions.session_of(worker) {
                    self.dismiss(session, Refusal::Worker(Refused::Quarantined { worker, reason }));
                }
            }
        }
    }

    fn lease(&mut self, worker: WorkerId, run: RunId, mut jobs: Vec<Job>, audit: bool) {
        let Some(size) = self.scheduler.plan(run).map(|plan| plan.problem().size) else { return };
        debug!(%worker, %run, jobs = jobs.len(), audit, "jobs lent");
        self.leases.begin(worker, run, &jobs);
        while !jobs.is_empty() {
            let rest = jobs.split_off(jobs.len().min(JOBS_A_MESSAGE));
            self.tell(worker, ToWorker::Lease { run, size, jobs, audit });
            jobs = rest;
        }
    }

    /// Tells a worker that it should not compute these jobs; those of one run in one message.
    pub(super) fn revoke(&mut self, worker: WorkerId, jobs: &[JobId], stop: bool) {
        for of_run in jobs.chunk_by(|a, b| a.run == b.run) {
            for part in of_run.chunks(JOBS_A_MESSAGE) {
                let indices = part.iter().map(|job| job.index).collect();
                self.tell(worker, ToWorker::Revoke { run: part[0].run, indices, stop });
            }
        }
    }

    /// Tells a worker something. One that does not read loses its session.
    fn tell(&mut self, worker: WorkerId, message: ToWorker) {
        let Some(session) = self.sessions.session_of(worker) else { return };
        if !self.sessions.tell(session, message) {
            self.dismiss(session, Refusal::NotReading);
        }
    }

    /// Moves the streams of boards on.
    pub(super) fn advance_listings(&mut self) {
        if self.listings.is_empty() {
            return;
        }
        let mut outbox = Outbox::new();
        let around = Around { scheduler: &self.scheduler, ledger: &*self.ledger, now: self.now() };
        self.listings.advance(&around, &mut outbox);
        self.send(outbox);
    }

    /// Tells all workers that the coordinator stops, and ends their sessions.
    pub(super) fn tell_all_to_wait(&mut self) {
        for session in self.sessions.all() {
            let reason = "the coordinator is stopping".to_owned();
            self.sessions.tell(session, ToWorker::Shutdown { reason });
            self.sessions.end(session);
        }
    }

    /// Cuts the streams of boards of a run that has ended without an answer.
    pub(super) fn cut_listings(&mut self, run: RunId) {
        let mut outbox = Outbox::new();
        self.listings.close_run(run, &mut outbox);
        self.send(outbox);
    }

    fn send(&mut self, outbox: Outbox) {
        for (worker, instruction) in outbox {
            self.tell(worker, ToWorker::Listing(instruction));
        }
    }
}
