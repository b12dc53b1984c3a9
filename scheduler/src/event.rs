//! The durable facts. Everything that must survive a crash is one of these; the ledger stores them, and applying all of
//! them in order to an empty scheduler gives back the truth.
//!
//! Two liberties for a ledger that keeps the kinds of event in tables instead of one log: events about different runs may
//! change places, and the results of a run that is over may be left out. For one open run the order must be: created;
//! results; checks and audits; alarms as they were raised and settled; opened; states as they changed. A result is always
//! the one that was first added, also if an alarm was settled otherwise later.

use std::{sync::Arc, time::Duration};

use crate::{
    id::{JobId, RunId, WorkerId},
    plan::RunPlan,
    problem::Answer,
};

/// A durable fact.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A worker process was seen for the first time.
    WorkerRegistered {
        /// Its number from now on.
        worker: WorkerId,
        /// Who it said it is.
        who: NewWorker,
    },
    /// A worker was wrong: nothing is lent to it any more, and its results are checked.
    WorkerQuarantined {
        /// The worker.
        worker: WorkerId,
        /// What it did, as a sentence.
        reason: String,
    },
    /// A run was created. It is running.
    RunCreated {
        /// Its number from now on.
        run: RunId,
        /// The caller's name for the request, or empty.
        request_id: String,
        /// The problem and how it is split; [`RunPlan::problem`] and [`RunPlan::parts`] are what a ledger needs to store
        /// for [`RunPlan::restore`].
        plan: Arc<RunPlan>,
        /// The share of jobs to be computed a second time, 0 to 1.
        audit_share: f64,
        /// From which those jobs are drawn; below 2^63.
        audit_seed: u64,
        /// When it was created: milliseconds since 1970, only carried.
        at_ms: u64,
    },
    /// A run was paused.
    RunPaused {
        /// The run.
        run: RunId,
        /// For how long it had been running.
        ran: Duration,
    },
    /// A paused run goes on.
    RunResumed {
        /// The run.
        run: RunId,
        /// For how long it had been running.
        ran: Duration,
    },
    /// A run was ended by a caller.
    RunCancelled {
        /// The run.
        run: RunId,
        /// For how long it had been running.
        ran: Duration,
        /// The number of its jobs that had a result.
        jobs_done: u64,
        /// What their results summed to, in the last part of the plan.
        tally: u128,
    },
    /// A run was ended because it cannot be finished.
    RunFailed {
        /// The run.
        run: RunId,
        /// Why, as a sentence.
        reason: String,
        /// For how long it had been running.
        ran: Duration,
        /// The number of its jobs that had a result.
        jobs_done: u64,
        /// What their results summed to, in the last part of the plan.
        tally: u128,
    },
    /// A run has its answer.
    RunDone {
        /// The run.
        run: RunId,
        /// What it came to.
        answer: Answer,
        /// For how long it had been running.
        ran: Duration,
    },
    /// Jobs of the run whose rank is below this one may have been lent. Only the largest mark of a run matters.
    Opened {
        /// The run.
        run: RunId,
        /// The mark, as a rank of the lending order.
        below_rank: u64,
        /// For how long it had been running.
        ran: Duration,
    },
    /// The first result of a job. It is in the tally from now on.
    ResultAdded {
        /// The job.
        job: JobId,
        /// What it came to.
        count: u64,
        /// How many boards of the whole problem each of them stands for.
        weight: u32,
        /// Who computed it.
        worker: WorkerId,
        /// How long one of the worker's threads took.
        elapsed: Duration,
    },
    /// Another worker computed the job as well, unasked, and came to the same.
    CheckPassed {
        /// The job.
        job: JobId,
        /// The second worker.
        worker: WorkerId,
    },
    /// The job was computed a second time, by another algorithm, and came to the same.
    AuditPassed {
        /// The job.
        job: JobId,
        /// Who computed it the second time; the same as the first time if no other was there.
        worker: WorkerId,
    },
    /// A worker's result differs from what is in the tally.
    AlarmRaised {
        /// The job.
        job: JobId,
        /// Who computed what is in the tally.
        recorded_worker: WorkerId,
        /// What is in the tally.
        recorded_count: u64,
        /// Who differs.
        worker: WorkerId,
        /// What it came to.
        count: u64,
        /// Whether it was computed as an audit.
        audit: bool,
    },
    /// An alarm was settled, and the tally corrected if need be. From now on `count` by `worker` is what is recorded for
    /// the job. There need not have been an [`Event::AlarmRaised`]: against a worker in quarantine no third opinion is
    /// asked for.
    AlarmSettled {
        /// The job.
        job: JobId,
        /// What was in the tally.
        was: u64,
        /// What is right.
        count: u64,
        /// How many boards of the whole problem each of them stands for.
        weight: u32,
        /// Who computed it so.
        worker: WorkerId,
        /// Whether it computed it as an audit.
        audit: bool,
    },
}

/// Who a worker says it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NewWorker {
    /// Random bytes, drawn once for each process, by which it is known again after a reconnect.
    pub instance: [u8; 16],
    /// A name for people.
    pub name: String,
    /// The machine it runs on.
    pub host: String,
    /// The kernel it counts with. Audits go to another kernel family where there is one; the family is the text before
    /// the first `-`.
    pub kernel: String,
    /// The version of its program.
    pub version: String,
    /// The number of its slots, at least 1.
    pub threads: u32,
}
