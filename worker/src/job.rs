//! A job as the worker sees it, and what it came to.

use std::time::Duration;

use queens::{Size, split::Work};

/// The name of a job: a run of the coordinator, and the job's place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId {
    /// The run.
    pub run_id: u64,
    /// The job's index in the run, from 0.
    pub index: u64,
}

/// A job that was lent to this worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its name.
    pub id: JobId,
    /// The size of the board.
    pub size: Size,
    /// What is to be computed.
    pub work: Work,
}

/// What a slot made of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) id: JobId,
    /// The job's result, or one sentence that says why it has none.
    pub(crate) count: Result<u64, String>,
    /// Time of one slot.
    pub(crate) elapsed: Duration,
}
