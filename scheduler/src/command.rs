//! What workers are to be told.

use queens::split::Job;

use crate::id::{JobId, RunId, WorkerId};

/// A message for one worker. Commands are not durable: one that gets lost costs a lease period, and never a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// These jobs are lent to the worker. Their indices count through the whole run. Some may be ones that it holds still,
    /// if its lease had expired in between; it should take them once.
    Lease {
        /// The worker.
        worker: WorkerId,
        /// The run that all of the jobs belong to.
        run: RunId,
        /// The jobs.
        jobs: Vec<Job>,
        /// Whether they are to be computed by another algorithm than usual.
        audit: bool,
    },
    /// The worker should not compute these jobs, all of one run. It hands back those that it has not begun.
    Revoke {
        /// The worker.
        worker: WorkerId,
        /// The jobs.
        jobs: Vec<JobId>,
        /// Whether it should also abandon those that it has begun; then it need not hand back anything.
        stop: bool,
    },
    /// The worker should take no more, finish or hand back what it holds, and leave.
    Drain {
        /// The worker.
        worker: WorkerId,
    },
    /// The worker was put in quarantine: its session must be ended with this reason.
    Dismiss {
        /// The worker.
        worker: WorkerId,
        /// Why, as a sentence.
        reason: String,
    },
}
