//! A job as the worker sees it, and what it came to.

use std::time::Duration;

use queens::{Size, split::Work};
use tracing::Span;

use crate::spans::LeaseSpan;

/// The name of a job: a ledger, a run in it, and the job's place in the run. Numbers of runs mean something within one
/// ledger only, so the same numbers under another coordinator are another job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId {
    /// The coordinator's ledger.
    pub ledger_id: u64,
    /// The run.
    pub run_id: u64,
    /// The job's index in the run, from 0.
    pub index: u64,
    /// Whether it is to be computed by another algorithm than the usual one. A job and its audit are two jobs here.
    pub audit: bool,
}

/// A job that was lent to this worker.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its name.
    pub id: JobId,
    /// The size of the board.
    pub size: Size,
    /// What is to be computed.
    pub work: Work,
    pub(crate) lease: LeaseSpan,
}

impl Job {
    /// Begins the span in which the job is computed.
    pub(crate) fn span(&self) -> Span {
        self.lease.job(self.id)
    }
}

/// Why a job that was begun has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Setback {
    /// It could not be computed; one sentence says why.
    Failed(String),
    /// The slot was told to leave it.
    Interrupted,
}

/// What a slot made of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) id: JobId,
    /// The job's result, or why it has none.
    pub(crate) count: Result<u64, Setback>,
    /// Time of one slot.
    pub(crate) elapsed: Duration,
}
