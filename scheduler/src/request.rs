//! What callers ask of the scheduler, and why it may say no.

use std::sync::Arc;

use crate::{
    event::Event,
    id::{JobId, RunId, WorkerId},
    plan::RunPlan,
};

/// A request to create a run.
#[derive(Clone, Debug)]
pub struct NewRun {
    /// The problem and how to split it; see [`RunPlan::choose`].
    pub plan: Arc<RunPlan>,
    /// The caller's name for the request, at most 64 bytes: with one that was used before for the same problem, the run
    /// of that time is returned. Empty: a new run in any case.
    pub request_id: String,
    /// The share of jobs to be computed a second time: 0 to 1.
    pub audit_share: f64,
    /// The time of day in milliseconds since 1970, only carried.
    pub at_ms: u64,
}

/// A job that a worker says it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HeldJob {
    /// The job.
    pub job: JobId,
    /// Whether it was lent as an audit.
    pub audit: bool,
}

/// What became of a request to create a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Created {
    /// The run is new; the event makes it so.
    New(RunId, Event),
    /// The request had been made before.
    Existing(RunId),
}

/// Why a run cannot be created.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CreateError {
    /// The request id was used for something else.
    #[error(
        "the request id {request_id:?} was used for run {run}, which is another problem; choose another request id"
    )]
    OtherProblem {
        /// The request id.
        request_id: String,
        /// The run that was created with it.
        run: RunId,
    },
    /// The request id is too long.
    #[error("a request id has at most 64 bytes, and this one has {0}; choose a shorter one")]
    LongRequestId(usize),
    /// The share is not one.
    #[error("the share of jobs to audit must be from 0 to 1, and {0} is not")]
    AuditShare(f64),
    /// There are too many runs already.
    #[error("{0} runs are running or paused, and more are not allowed; wait for one to end or cancel one")]
    TooManyRuns(usize),
}

/// Why a run cannot be paused, resumed or cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The run does not exist.
    #[error("there is no run {0}; list the runs to see which there are")]
    NoSuchRun(RunId),
    /// The run has ended.
    #[error("run {0} is over; create a new one")]
    Over(RunId),
}

/// The worker does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no worker {0} with a session; list the workers to see which there are")]
pub struct NoSuchWorker(pub WorkerId);

/// What became of a worker's registration.
#[derive(Clone, Debug, PartialEq)]
pub enum Registered {
    /// The worker is new; the event makes it known.
    New(WorkerId, Event),
    /// The worker was known.
    Known(WorkerId),
}

/// Why a worker is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The worker was wrong before.
    #[error("worker {worker} is in quarantine: {reason}; check its machine and start it anew")]
    Quarantined {
        /// Its number.
        worker: WorkerId,
        /// What it did.
        reason: String,
    },
    /// The worker has no slot.
    #[error("a worker needs at least one thread")]
    NoThreads,
}
