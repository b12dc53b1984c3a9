//! Results become events. A job's result is a fixed number, whoever computes it and whenever: so the first result is added
//! to the tally, an equal one is a check, and a different one an alarm.

use std::time::Duration;

use crate::{
    alarm::{Alarm, Claim},
    event::Event,
    id::{JobId, WorkerId},
    report::{BadResult, JobResult, Recorded, Report},
    run::{Open, Run},
    scheduler::Scheduler,
};

/// Longer than this no thread has been at one job; what workers say is cut to it, so that no sum of times can overflow.
const MAX_ELAPSED: Duration = Duration::from_secs(10 * 365 * 86_400);

impl Scheduler {
    /// Tells whether the job has a result, so that [`Scheduler::report`] must be told what the ledger holds about it.
    /// Cheap; false for jobs that do not exist and for runs that are over.
    pub fn has_result(&self, job: JobId) -> bool {
        let open = self.open_run(job.run).filter(|(run, _)| job.index < run.plan.jobs());
        open.is_some_and(|(run, open)| open.supply.is_done(run.order.rank(job.index)))
    }

    /// Decides about a result. `recorded` is what the ledger holds about the job; it is only looked at (and then needed)
    /// if [`Scheduler::has_result`]. Whether the job is lent to the worker now does not matter: a late result is welcome. A
    /// job that cannot have been lent to anybody has none.
    pub fn report(
        &self,
        worker: WorkerId,
        result: &JobResult,
        recorded: Option<&Recorded>,
    ) -> Result<Report, BadResult> {
        let job = result.job;
        let run = self.runs.get(&job.run).ok_or(BadResult::NoSuchRun(job))?;
        let jobs = run.plan.jobs();
        if job.index >= jobs {
            return Err(BadResult::NoSuchJob { job, jobs });
        }
        if worker != WorkerId::COORDINATOR && self.worker(worker).is_none() {
            return Err(BadResult::NoSuchWorker(worker));
        }
        let Some(open) = run.open.as_deref().filter(|_| !self.is_quarantined(worker)) else {
            return Ok(Report::NotWanted);
        };
        let rank = run.order.rank(job.index);
        if !open.supply.is_done(rank) {
            if open.supply.is_fresh(rank) {
                return Err(BadResult::NeverLent(job));
            }
            return Ok(first(run, open, rank, worker, result));
        }
        let recorded = recorded.ok_or(BadResult::NotInLedger(job))?;
        Ok(self.another(
            run,
            open,
            rank,
            Claim { worker, count: result.count, audit: result.audit },
            recorded,
        ))
    }

    /// Decides about a result of a job that has one.
    fn another(&self, run: &Run, open: &Open, rank: u64, claim: Claim, recorded: &Recorded) -> Report {
        let job = JobId::new(run.id, run.order.index(rank));
        if let Some(alarm) = open.alarms.get(&rank) {
            return self.in_doubt(run, rank, alarm, claim, recorded);
        }
        if claim.count != recorded.count {
            return self.differs(run, rank, &[], claim, recorded);
        }
        let lent = open.audits.lent().get(&rank);
        let is_asked = claim.audit && lent.is_some_and(|holder| holder.worker == claim.worker);
        let is_other = claim.worker != recorded.worker && !recorded.repeated;
        let worker = claim.worker;
        if is_asked || (claim.audit && is_other && open.audits.is_open(rank)) {
            return Report::Audit(Event::AuditPassed { job, worker });
        }
        if is_other { Report::Check(Event::CheckPassed { job, worker }) } else { Report::Again }
    }

    /// Decides about a result of a job for which results differ. Everyone is heard once, and again only if asked to.
    fn in_doubt(&self, run: &Run, rank: u64, alarm: &Alarm, claim: Claim, recorded: &Recorded) -> Report {
        let is_asked = alarm.holder.is_some_and(|holder| holder.worker == claim.worker);
        if alarm.has_claim(claim.worker) && !is_asked {
            return Report::Again;
        }
        self.differs(run, rank, &alarm.claims, claim, recorded)
    }

    /// Decides about one more claim when there are different ones.
    fn differs(&self, run: &Run, rank: u64, before: &[Claim], claim: Claim, recorded: &Recorded) -> Report {
        let first = Claim { worker: recorded.worker, count: recorded.count, audit: false };
        let mut claims = if before.is_empty() { vec![first] } else { before.to_vec() };
        claims.push(claim);
        match Alarm::verdict(&claims, |worker| self.is_quarantined(worker)) {
            Some(right) => Report::Settle(settle(run, rank, recorded.count, right)),
            None => Report::Alarm(Event::AlarmRaised {
                job: JobId::new(run.id, run.order.index(rank)),
                recorded_worker: recorded.worker,
                recorded_count: recorded.count,
                worker: claim.worker,
                count: claim.count,
                audit: claim.audit,
            }),
        }
    }
}

/// Returns the event that settles an alarm in favour of a claim.
pub(super) fn settle(run: &Run, rank: u64, was: u64, right: Claim) -> Event {
    let index = run.order.index(rank);
    let (job, weight) = (JobId::new(run.id, index), run.plan.weight(index));
    Event::AlarmSettled { job, was, count: right.count, weight, worker: right.worker, audit: right.audit }
}

/// Decides about the first result of a job.
fn first(run: &Run, open: &Open, rank: u64, worker: WorkerId, result: &JobResult) -> Report {
    let weight = open.supply.lent().get(&rank).map_or(0, |lent| lent.weight);
    let weight = if weight > 0 { weight } else { run.plan.weight(result.job.index) };
    let elapsed = result.elapsed.min(MAX_ELAPSED);
    Report::Add(Event::ResultAdded { job: result.job, count: result.count, weight, worker, elapsed })
}
