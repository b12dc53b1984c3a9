//! Who stands behind what is recorded for a job.

use crate::{
    alarm::Claim,
    event::Event,
    id::{JobId, WorkerId},
};

/// All that the ledger knows about who computed one job, and to what.
#[derive(Clone, Debug)]
pub struct Support {
    job: JobId,
    recorded: Claim,
    claims: Vec<Claim>,
}

impl Support {
    /// Begins with the job's first result.
    pub fn new(job: JobId, worker: WorkerId, count: u64) -> Self {
        let recorded = Claim { worker, count, audit: false };
        Self { job, recorded, claims: vec![recorded] }
    }

    /// Hears of a check, an audit or an alarm of this job, in the order of the ledger. Other events mean nothing.
    pub fn hear(&mut self, event: &Event) {
        match *event {
            Event::CheckPassed { worker, .. } => {
                self.claims.push(Claim { worker, audit: false, ..self.recorded });
            }
            Event::AuditPassed { worker, .. } => {
                self.claims.push(Claim { worker, audit: true, ..self.recorded });
            }
            Event::AlarmRaised { worker, count, audit, .. } => {
                self.claims.push(Claim { worker, count, audit });
            }
            Event::AlarmSettled { worker, count, audit, .. } => {
                self.recorded = Claim { worker, count, audit };
                if !self.claims.contains(&self.recorded) {
                    self.claims.push(self.recorded);
                }
            }
            _ => {}
        }
    }

    /// Returns the job.
    pub fn job(&self) -> JobId {
        self.job
    }

    /// Returns who is recorded as the one who computed what is in the tally.
    pub fn recorded_worker(&self) -> WorkerId {
        self.recorded.worker
    }

    /// Returns who computed the job and came to what is in the tally, once for each time.
    pub fn workers(&self) -> impl Iterator<Item = WorkerId> {
        self.claims().map(|claim| claim.worker)
    }

    /// Returns the claims that agree with what is in the tally.
    pub(crate) fn claims(&self) -> impl Iterator<Item = Claim> {
        self.claims.iter().copied().filter(|claim| claim.count == self.recorded.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::RunId;

    const JOB: JobId = JobId { run: RunId(1), index: 3 };

    fn after(events: &[Event]) -> (u64, Vec<u64>) {
        let mut support = Support::new(JOB, WorkerId(1), 5);
        events.iter().for_each(|event| support.hear(event));
        (support.recorded_worker().0, support.workers().map(|worker| worker.0).collect())
    }

    fn alarm(worker: u64, count: u64) -> Event {
        let (recorded_worker, recorded_count) = (WorkerId(1), 5);
        Event::AlarmRaised {
            job: JOB,
            recorded_worker,
            recorded_count,
            worker: WorkerId(worker),
            count,
            audit: false,
        }
    }

    fn settled(worker: u64, count: u64) -> Event {
        Event::AlarmSettled { job: JOB, was: 5, count, weight: 1, worker: WorkerId(worker), audit: false }
    }

    #[test]
    fn checks_and_audits_stand_behind_the_first_result() {
        let check = Event::CheckPassed { job: JOB, worker: WorkerId(2) };
        let audit = Event::AuditPassed { job: JOB, worker: WorkerId(1) };
        assert_eq!(after(&[]), (1, vec![1]));
        assert_eq!(after(&[check, audit]), (1, vec![1, 2, 1]));
    }

    #[test]
    fn who_was_overruled_stands_behind_nothing() {
        assert_eq!(after(&[alarm(2, 7)]), (1, vec![1]));
        assert_eq!(after(&[alarm(2, 7), settled(3, 7)]), (3, vec![2, 3]));
        assert_eq!(after(&[alarm(2, 7), settled(1, 5)]), (1, vec![1]));
        let audit = Event::AuditPassed { job: JOB, worker: WorkerId(4) };
        assert_eq!(after(&[alarm(2, 7), settled(3, 7), audit]), (3, vec![2, 3, 4]));
    }
}
