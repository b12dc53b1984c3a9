//! What workers say about jobs, and what the scheduler makes of it.

use std::time::Duration;

use crate::{
    event::Event,
    id::{JobId, WorkerId},
};

/// What one job came to, as a worker reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobResult {
    /// The job.
    pub job: JobId,
    /// What it came to.
    pub count: u64,
    /// How long one thread took.
    pub elapsed: Duration,
    /// Whether it was computed by another algorithm than usual; see [`Command::Lease`](crate::Command::Lease).
    pub audit: bool,
}

/// What the ledger holds about a job that has a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The count that is in the tally: of [`Event::AlarmSettled`] if there is one, else of [`Event::ResultAdded`].
    pub count: u64,
    /// Who computed that.
    pub worker: WorkerId,
    /// Whether the ledger holds a check or an audit of this job by the worker that now reports.
    pub repeated: bool,
}

/// What to do about a reported result. Where there is an event, it must be durable and applied before the next result is
/// reported to the scheduler (or at least applied; then no answer may leave before all of it is durable).
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// The first result of this job.
    Add(Event),
    /// Another worker had come to the same.
    Check(Event),
    /// The second computation that an audit asked for came to the same.
    Audit(Event),
    /// It differs from what is recorded.
    Alarm(Event),
    /// It settles an alarm.
    Settle(Event),
    /// The same worker delivers the same again: acknowledge it and forget it.
    Again,
    /// The run is over, or the worker is in quarantine: acknowledge it and forget it.
    NotWanted,
}

impl Report {
    /// Returns the event to be made durable and applied, if there is one.
    pub fn event(self) -> Option<Event> {
        match self {
            Self::Add(event)
            | Self::Check(event)
            | Self::Audit(event)
            | Self::Alarm(event)
            | Self::Settle(event) => Some(event),
            Self::Again | Self::NotWanted => None,
        }
    }
}

/// Why a result cannot be taken at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadResult {
    /// The run does not exist.
    #[error("there is no run {}; report results only for jobs that were lent", .0.run)]
    NoSuchRun(JobId),
    /// The index is out of range.
    #[error("run {} has {jobs} jobs, so there is none with index {}; report results only for jobs that were lent", .job.run, .job.index)]
    NoSuchJob {
        /// The job that was named.
        job: JobId,
        /// The number of jobs of its run.
        jobs: u64,
    },
    /// Nobody can have been asked for it.
    #[error("job {0} was never lent to a worker; report results only for jobs that were lent")]
    NeverLent(JobId),
    /// The worker was never registered.
    #[error("there is no worker {0}; begin a session with a hello before reporting results")]
    NoSuchWorker(WorkerId),
    /// The job has a result, but the caller did not say what the ledger holds about it.
    #[error("job {0} has a result, but the ledger does not hold it; verify the ledger before going on")]
    NotInLedger(JobId),
}
