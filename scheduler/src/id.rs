//! The names of things. Each kind of id is its own type, so that a job's index cannot be passed for a worker's number.

use std::fmt;

/// The number of a run, from 1 in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub u64);

/// The number of a worker process, from 1 in the order of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub u64);

impl WorkerId {
    /// The coordinator itself, which may compute a job to settle a dispute that no worker can settle; see
    /// [`Scheduler::disputes`](crate::Scheduler::disputes). What it reports is believed.
    pub const COORDINATOR: Self = Self(0);
}

/// One job of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId {
    /// The run that the job belongs to.
    pub run: RunId,
    /// Its place in the run, from 0, counted through the parts of the run's plan.
    pub index: u64,
}

impl JobId {
    /// Returns the job at `index` of `run`.
    pub const fn new(run: RunId, index: u64) -> Self {
        Self { run, index }
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.run, self.index)
    }
}
