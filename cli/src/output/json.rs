//! The JSON that `--json` prints. It has the names of the gRPC messages. Numbers of jobs and solutions are decimal
//! strings, since JavaScript and its like lose integers above 2^53.

use nqueens_proto::v1;
use serde::Serialize;

use super::words;
use crate::verify;

/// What `count` prints. The order of the fields is part of the format.
#[derive(Debug, Serialize)]
pub(crate) struct Count {
    pub(crate) n: u32,
    pub(crate) total: String,
    pub(crate) fundamental: String,
    pub(crate) half_turn: String,
    pub(crate) quarter_turn: String,
    pub(crate) jobs: String,
    pub(crate) kernel: String,
    pub(crate) threads: u64,
    pub(crate) elapsed_s: f64,
}

/// What `bench` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Bench {
    pub(crate) n: u32,
    pub(crate) cpu: String,
    pub(crate) rows: Vec<BenchRow>,
}

/// What `bench --algorithm` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Compared {
    pub(crate) n: u32,
    pub(crate) cpu: String,
    pub(crate) kernel: &'static str,
    pub(crate) sample: u32,
    pub(crate) algorithms: Vec<ComparedAlgorithm>,
    /// Columns over cross.
    pub(crate) ratio: Option<f64>,
}

/// What a solution of the whole board costs.
#[derive(Debug, Serialize)]
pub(crate) struct ComparedAlgorithm {
    pub(crate) name: &'static str,
    pub(crate) jobs: String,
    pub(crate) ns_per_solution: Range,
}

/// One algorithm in `bench`.
#[derive(Debug, Serialize)]
pub(crate) struct BenchRow {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) n: u32,
    pub(crate) solutions: String,
    pub(crate) elapsed_s: f64,
    pub(crate) ns_per_solution: Option<f64>,
    pub(crate) speedup: Option<f64>,
}

/// What `plan` prints. Times are seconds.
#[derive(Debug, Serialize)]
pub(crate) struct Plan {
    pub(crate) n: u32,
    pub(crate) kernel: &'static str,
    /// What a coordinator would choose, or what was asked for. Numbers of jobs and times below are for it.
    pub(crate) algorithm: &'static str,
    pub(crate) algorithms: Vec<PlanAlgorithm>,
    pub(crate) presets: String,
    pub(crate) depths: Vec<PlanDepth>,
    pub(crate) depth: u32,
    pub(crate) jobs: String,
    pub(crate) jobs_measured: String,
    pub(crate) complete: bool,
    pub(crate) job_mean_s: f64,
    pub(crate) job_p99_s: f64,
    pub(crate) core_s: Range,
    pub(crate) workers: u32,
    pub(crate) threads: u64,
    pub(crate) wall_s: Range,
    pub(crate) ledger_bytes: String,
    pub(crate) solutions: Range,
}

/// What a count costs by one algorithm.
#[derive(Debug, Serialize)]
pub(crate) struct PlanAlgorithm {
    pub(crate) name: &'static str,
    pub(crate) jobs: String,
    pub(crate) job_mean_s: f64,
    pub(crate) core_s: Range,
    /// The board whose jobs were run.
    pub(crate) measured_n: u32,
    pub(crate) thread_bytes: String,
}

/// A depth at which a count could be split.
#[derive(Debug, Serialize)]
pub(crate) struct PlanDepth {
    pub(crate) depth: u32,
    pub(crate) jobs: String,
    pub(crate) job_s: f64,
}

/// A number that is not known exactly, with its interval of 95 %.
#[derive(Debug, Serialize)]
pub(crate) struct Range {
    pub(crate) expected: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// What `verify` has proved.
#[derive(Debug, Serialize)]
pub(crate) struct Verified {
    n: u32,
    total: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fundamental: Option<String>,
    jobs: String,
    jobs_sampled: String,
}

impl From<&verify::Verified> for Verified {
    fn from(verified: &verify::Verified) -> Self {
        Self {
            n: verified.size.get(),
            total: verified.answer.total.to_string(),
            fundamental: verified.answer.symmetric.map(|symmetric| symmetric.fundamental.to_string()),
            jobs: verified.jobs.to_string(),
            jobs_sampled: verified.sampled.to_string(),
        }
    }
}

/// A run.
#[derive(Debug, Serialize)]
pub(crate) struct Run<'a> {
    run_id: u64,
    n: u32,
    goal: &'static str,
    state: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    plan: Vec<Part>,
    progress: Option<Progress<'a>>,
    answer: Option<Answer<'a>>,
    create_time: Option<String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    request_id: &'a str,
}

#[derive(Debug, Serialize)]
struct Part {
    kind: &'static str,
    depth: u32,
    jobs: String,
}

#[derive(Debug, Serialize)]
struct Progress<'a> {
    jobs: String,
    jobs_done: String,
    jobs_leased: String,
    share: f64,
    tally: &'a str,
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
struct Answer<'a> {
    total: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    fundamental: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    half_turn: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    quarter_turn: &'a str,
}

/// A worker.
#[derive(Debug, Serialize)]
pub(crate) struct Worker<'a> {
    worker_id: u64,
    name: &'a str,
    host: &'a str,
    kernel: &'a str,
    version: &'a str,
    threads: u32,
    state: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    jobs_held: String,
    jobs_done: String,
    checks: String,
    jobs_per_second: f64,
    join_time: Option<String>,
    seconds_silent: Option<f64>,
}

impl<'a> From<&'a v1::Run> for Run<'a> {
    fn from(run: &'a v1::Run) -> Self {
        Self {
            run_id: run.run_id,
            n: run.n,
            goal: words::goal(run.goal()),
            state: words::run_state(run.state()),
            reason: &run.reason,
            plan: run.plan.iter().map(Part::from).collect(),
            progress: run.progress.as_ref().map(Progress::from),
            answer: run.answer.as_ref().map(Answer::from),
            create_time: run.create_time.map(|time| time.to_string()),
            request_id: &run.request_id,
        }
    }
}

impl From<&v1::PlanPart> for Part {
    fn from(part: &v1::PlanPart) -> Self {
        Self { kind: words::plan_kind(part.kind()), depth: part.depth, jobs: part.jobs.to_string() }
    }
}

impl<'a> From<&'a v1::Progress> for Progress<'a> {
    fn from(progress: &'a v1::Progress) -> Self {
        Self {
            jobs: progress.jobs.to_string(),
            jobs_done: progress.jobs_done.to_string(),
            jobs_leased: progress.jobs_leased.to_string(),
            share: progress.share,
            tally: &progress.tally,
            jobs_per_second: progress.jobs_per_second,
            solutions_per_second: progress.solutions_per_second,
            threads_busy: progress.threads_busy,
            time_left: progress.time_left.map(TimeLeft::from),
            jobs_lent_again: progress.jobs_lent_again.to_string(),
            free_checks: progress.free_checks.to_string(),
            alarms: progress.alarms.to_string(),
            alarms_open: progress.alarms_open.to_string(),
            audits_wanted: progress.audits_wanted.to_string(),
            audits_done: progress.audits_done.to_string(),
            workers: progress.workers,
            seconds_running: progress.seconds_running,
        }
    }
}

impl From<v1::TimeLeft> for TimeLeft {
    fn from(v1::TimeLeft { expected_s, low_s, high_s }: v1::TimeLeft) -> Self {
        Self { expected_s, low_s, high_s }
    }
}

impl<'a> From<&'a v1::Answer> for Answer<'a> {
    fn from(answer: &'a v1::Answer) -> Self {
        Self {
            total: &answer.total,
            fundamental: &answer.fundamental,
            half_turn: &answer.half_turn,
            quarter_turn: &answer.quarter_turn,
        }
    }
}

impl<'a> From<&'a v1::Worker> for Worker<'a> {
    fn from(worker: &'a v1::Worker) -> Self {
        Self {
            worker_id: worker.worker_id,
            name: &worker.name,
            host: &worker.host,
            kernel: &worker.kernel,
            version: &worker.version,
            threads: worker.threads,
            state: words::worker_state(worker.state()),
            reason: &worker.reason,
            jobs_held: worker.jobs_held.to_string(),
            jobs_done: worker.jobs_done.to_string(),
            checks: worker.checks.to_string(),
            jobs_per_second: worker.jobs_per_second,
            join_time: worker.join_time.map(|time| time.to_string()),
            seconds_silent: worker.seconds_silent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_strings_and_absent_times_are_null() {
        let run = v1::Run {
            run_id: 7,
            n: 8,
            goal: v1::Goal::Boards.into(),
            state: v1::RunState::Done.into(),
            answer: Some(v1::Answer { total: "92".into(), ..Default::default() }),
            ..Default::default()
        };
        let json = serde_json::to_string(&Run::from(&run)).unwrap();
        assert_eq!(
            json,
            r#"{"run_id":7,"n":8,"goal":"boards","state":"done","plan":[],"progress":null,"answer":{"total":"92"},"create_time":null}"#
        );
    }
}
