//! The JSON of the API. It has the names of the gRPC messages and of the program's `--json`. Numbers of jobs and solutions
//! are decimal strings, since JavaScript and its like lose integers above 2^53.

use std::time::{Duration, SystemTime};

use serde::Serialize;

use super::words;
use crate::driver::{ClusterView, WorkerSeen};

/// A run.
#[derive(Debug, Serialize)]
pub(super) struct Run<'a> {
    run_id: u64,
    n: u32,
    goal: &'static str,
    state: &'static str,
    reason: &'a str,
    plan: Vec<Part>,
    progress: Progress,
    answer: Option<Answer>,
    create_time: String,
    request_id: &'a str,
}

#[derive(Debug, Serialize)]
struct Part {
    kind: &'static str,
    depth: u32,
    jobs: String,
}

#[derive(Debug, Serialize)]
struct Progress {
    jobs: String,
    jobs_done: String,
    jobs_leased: String,
    share: f64,
    tally: String,
    jobs_per_second: f64,
    solutions_per_second: f64,
    threads_busy: f64,
    time_left: Option<TimeLeft>,
    jobs_lent_again: String,
    free_checks: String,
    alarms: String,
    alarms_open: String,
    audits_wanted: String,
    audits_done: String,
    workers: u32,
    seconds_running: f64,
}

#[derive(Debug, Serialize)]
struct TimeLeft {
    expected_s: f64,
    low_s: f64,
    high_s: f64,
}

#[derive(Debug, Serialize)]
struct Answer {
    total: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fundamental: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    half_turn: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quarter_turn: Option<String>,
}

/// Runs, the newest first.
#[derive(Debug, Serialize)]
pub(super) struct Runs<'a> {
    pub(super) runs: Vec<Run<'a>>,
    /// Empty on the last page.
    pub(super) next_page_token: String,
}

/// A slice of a run's search tree.
#[derive(Debug, Serialize)]
pub(super) struct Slice {
    first: String,
    jobs: String,
    share_done: f64,
    share_leased: f64,
}

/// The slices of a run.
#[derive(Debug, Serialize)]
pub(super) struct Map {
    pub(super) slices: Vec<Slice>,
}

/// A worker.
#[derive(Debug, Serialize)]
pub(super) struct Worker<'a> {
    worker_id: u64,
    name: &'a str,
    host: &'a str,
    kernel: &'a str,
    version: &'a str,
    threads: u32,
    state: &'static str,
    reason: &'a str,
    jobs_held: String,
    jobs_done: String,
    checks: String,
    jobs_per_second: f64,
    join_time: Option<String>,
    seconds_silent: Option<f64>,
}

/// The workers.
#[derive(Debug, Serialize)]
pub(super) struct Workers<'a> {
    pub(super) workers: Vec<Worker<'a>>,
}

/// The coordinator and the size of its cluster.
#[derive(Debug, Serialize)]
pub(super) struct Cluster {
    version: &'static str,
    protocol: u32,
    workers: u32,
    threads: u32,
    open_runs: u32,
    start_time: String,
}

/// Everything at once, as the events of the cluster carry it.
#[derive(Debug, Serialize)]
pub(super) struct Overview<'a> {
    pub(super) cluster: Cluster,
    pub(super) runs: Vec<Run<'a>>,
    pub(super) workers: Vec<Worker<'a>>,
}

impl<'a> From<&'a scheduler::RunView> for Run<'a> {
    fn from(view: &'a scheduler::RunView) -> Self {
        let part = |part: scheduler::PartSpec| Part {
            kind: words::kind(part.kind),
            depth: part.depth,
            jobs: part.jobs.to_string(),
        };
        Self {
            run_id: view.run.0,
            n: view.problem.size.get(),
            goal: words::goal(view.problem.goal),
            state: words::run_state(view.state),
            reason: &view.reason,
            plan: view.plan.parts().map(part).collect(),
            progress: Progress::from(&view.progress),
            answer: view.answer.map(Answer::from),
            create_time: time(SystemTime::UNIX_EPOCH + Duration::from_millis(view.at_ms)),
            request_id: &view.request_id,
        }
    }
}

impl From<&scheduler::Progress> for Progress {
    fn from(progress: &scheduler::Progress) -> Self {
        let left = |left: scheduler::TimeLeft| TimeLeft {
            expected_s: left.expected_s,
            low_s: left.low_s,
            high_s: left.high_s,
        };
        Self {
            jobs: progress.jobs.to_string(),
            jobs_done: progress.jobs_done.to_string(),
            jobs_leased: progress.jobs_leased.to_string(),
            share: progress.share,
            tally: progress.tally.to_string(),
            jobs_per_second: progress.jobs_per_second,
            solutions_per_second: progress.solutions_per_second,
            threads_busy: progress.threads_busy,
            time_left: progress.time_left.map(left),
            jobs_lent_again: progress.jobs_lent_again.to_string(),
            free_checks: progress.free_checks.to_string(),
            alarms: progress.alarms.to_string(),
            alarms_open: progress.alarms_open.to_string(),
            audits_wanted: progress.audits_wanted.to_string(),
            audits_done: progress.audits_done.to_string(),
            workers: progress.workers,
            seconds_running: progress.ran.as_secs_f64(),
        }
    }
}

impl From<scheduler::Answer> for Answer {
    fn from(answer: scheduler::Answer) -> Self {
        let total = answer.total().to_string();
        match answer {
            scheduler::Answer::Boards { .. } => {
                Self { total, fundamental: None, half_turn: None, quarter_turn: None }
            }
            scheduler::Answer::Count { fundamental, half_turn, quarter_turn, .. } => Self {
                total,
                fundamental: Some(fundamental.to_string()),
                half_turn: Some(half_turn.to_string()),
                quarter_turn: Some(quarter_turn.to_string()),
            },
        }
    }
}

impl From<&scheduler::Slice> for Slice {
    fn from(slice: &scheduler::Slice) -> Self {
        let share = |jobs: u64| jobs as f64 / slice.seen.max(1) as f64;
        Self {
            first: slice.first.to_string(),
            jobs: slice.jobs.to_string(),
            share_done: share(slice.done),
            share_leased: share(slice.leased),
        }
    }
}

impl<'a> From<&'a WorkerSeen> for Worker<'a> {
    fn from(WorkerSeen { view, joined_ago, heard_ago }: &'a WorkerSeen) -> Self {
        Self {
            worker_id: view.worker.0,
            name: &view.who.name,
            host: &view.who.host,
            kernel: &view.who.kernel,
            version: &view.who.version,
            threads: view.who.threads,
            state: words::worker_state(view.state),
            reason: &view.reason,
            jobs_held: view.jobs_held.to_string(),
            jobs_done: view.jobs_done.to_string(),
            checks: view.checks.to_string(),
            jobs_per_second: view.jobs_per_second,
            join_time: joined_ago.and_then(|ago| SystemTime::now().checked_sub(ago)).map(time),
            seconds_silent: heard_ago.map(|ago| ago.as_secs_f64()),
        }
    }
}

impl From<&ClusterView> for Cluster {
    fn from(view: &ClusterView) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            protocol: nqueens_proto::PROTOCOL,
            workers: view.workers,
            threads: view.threads,
            open_runs: view.open_runs,
            start_time: time(view.started),
        }
    }
}

/// Writes a time of day as RFC 3339 has it, to the second.
pub(super) fn time(time: SystemTime) -> String {
    let mut time = prost_types::Timestamp::from(time);
    time.nanos = 0;
    time.to_string()
}
