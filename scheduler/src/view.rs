//! What people and programs get to see: plain values, computed on demand.

use std::{sync::Arc, time::Duration};

use crate::{
    event::NewWorker,
    id::{RunId, WorkerId},
    plan::RunPlan,
    problem::{Answer, Problem},
    time::Moment,
};

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunState {
    /// Its jobs are being lent.
    Running,
    /// Its jobs are kept back until it is resumed.
    Paused,
    /// It has its answer.
    Done,
    /// It was ended by a caller.
    Cancelled,
    /// It cannot be finished.
    Failed,
}

impl RunState {
    /// Tells whether the run has ended, in one way or another.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled | Self::Failed)
    }
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunView {
    /// Its number.
    pub run: RunId,
    /// The caller's name for the request, or empty.
    pub request_id: String,
    /// What is asked.
    pub problem: Problem,
    /// How it is split.
    pub plan: Arc<RunPlan>,
    /// Its state.
    pub state: RunState,
    /// Why it failed, else empty.
    pub reason: String,
    /// What it came to, once it is done.
    pub answer: Option<Answer>,
    /// When it was created: milliseconds since 1970, as given.
    pub at_ms: u64,
    /// The share of jobs to be computed a second time.
    pub audit_share: f64,
    /// How far it is.
    pub progress: Progress,
}

/// How far a run is. No field is ever negative, infinite or not a number.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Progress {
    /// The number of jobs.
    pub jobs: u64,
    /// Jobs that have a result.
    pub jobs_done: u64,
    /// Jobs without a result that are lent now.
    pub jobs_leased: u64,
    /// The share of the work that is done, 0 to 1. Jobs are lent in an order that makes what is done an even sample of
    /// the whole tree, so this is the share of jobs.
    pub share: f64,
    /// Solutions found so far; for a count the sum of weight x result.
    pub tally: u128,
    /// Jobs finished a second, over about the last half minute.
    pub jobs_per_second: f64,
    /// Solutions found a second, over about the last half minute.
    pub solutions_per_second: f64,
    /// Threads at work on this run, measured: seconds of job time that were reported per second.
    pub threads_busy: f64,
    /// The mean time of a job so far, in seconds of one thread; 0 before the first result.
    pub job_mean_s: f64,
    /// The time left, unless that is unknown: before the first signs of speed, while paused, without workers.
    pub time_left: Option<TimeLeft>,
    /// Jobs that were lent again after a lease was lost or to overtake a straggler.
    pub jobs_lent_again: u64,
    /// Results that another worker computed unasked a second time and that agreed.
    pub free_checks: u64,
    /// Jobs for which two results differed.
    pub alarms: u64,
    /// Those of them that are not settled yet. The run is not done before they are.
    pub alarms_open: u64,
    /// Finished jobs that are to be computed a second time, so far.
    pub audits_wanted: u64,
    /// Those of them for which that has been done. The run is not done before they all are.
    pub audits_done: u64,
    /// Connected workers that hold jobs of this run.
    pub workers: u32,
    /// For how long the run has been running: pauses and the coordinator's absence left out.
    pub ran: Duration,
}

/// A time left, in seconds, with the interval in which the truth lies about nineteen times in twenty if the workers stay
/// as they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeLeft {
    /// The best guess.
    pub expected_s: f64,
    /// The lower end of the interval; at least 0.
    pub low_s: f64,
    /// The upper end of the interval.
    pub high_s: f64,
}

/// The state of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkerState {
    /// It has a session and takes jobs.
    Active,
    /// It has a session and takes no more jobs.
    Draining,
    /// Its session was lost, or nothing was heard for a lease period; its jobs stay lent until the lease expires.
    Lost,
    /// It is gone and holds nothing.
    Gone,
    /// It was wrong and gets nothing any more.
    Quarantined,
}

/// One worker.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkerView {
    /// Its number.
    pub worker: WorkerId,
    /// Who it said it is.
    pub who: NewWorker,
    /// Its state.
    pub state: WorkerState,
    /// Jobs lent to it now.
    pub jobs_held: u64,
    /// Results that it was the first to deliver, as far as they were applied: a ledger may leave out those of runs that
    /// were over at the last start.
    pub jobs_done: u64,
    /// Checks and audits that it passed.
    pub checks: u64,
    /// Results a second that it delivered lately.
    pub jobs_per_second: f64,
    /// When it last began a session with this process; none if it has not.
    pub joined: Option<Moment>,
    /// When it was last heard; none if not by this process.
    pub heard: Option<Moment>,
    /// Why it is in quarantine, else empty.
    pub reason: String,
}

/// A slice of a run's search tree: neighbouring jobs of its main part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The index of its first job.
    pub first: u64,
    /// The number of its jobs.
    pub jobs: u64,
    /// Jobs that were looked at: all of them, or an even sample of a large slice.
    pub seen: u64,
    /// Those of them that have a result.
    pub done: u64,
    /// Those of them that are lent now.
    pub leased: u64,
}
