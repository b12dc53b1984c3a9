//! The scheduler's words as messages, and requests as the scheduler's words.

use std::time::{Duration, SystemTime};

use nqueens_proto::{Invalid, v1};
use queens::{
    Size,
    split::{Kind, Work},
};
use scheduler::{Algorithm, Answer, Goal, Problem, Progress, RunState, RunView, WorkerState};
use tonic::Status;

use crate::{choose::Wanted, driver::WorkerSeen, ledger::RecordedResult};

/// Turns what is wrong with a message into a status.
pub(super) fn invalid(invalid: Invalid) -> Status {
    Status::invalid_argument(invalid.to_string())
}

/// Reads what is asked in a request to create a run.
pub(super) fn wanted(request: &v1::CreateRunRequest) -> Result<Wanted, Status> {
    let algorithm = match v1::Algorithm::try_from(request.algorithm) {
        Ok(v1::Algorithm::Unspecified) => None,
        Ok(v1::Algorithm::Cross) => Some(Algorithm::Cross),
        Ok(v1::Algorithm::Columns) => Some(Algorithm::Columns),
        Err(_) => {
            return Err(Status::invalid_argument(
                "algorithm must be ALGORITHM_CROSS or ALGORITHM_COLUMNS, or left out",
            ));
        }
    };
    Ok(Wanted { problem: problem(request)?, algorithm, depth: request.depth, full_audit: request.full_audit })
}

fn problem(request: &v1::CreateRunRequest) -> Result<Problem, Status> {
    let size = Size::new(request.n.into()).map_err(|error| invalid(error.into()))?;
    let goal = match request.goal() {
        v1::Goal::Count => Goal::Count,
        v1::Goal::Boards => Goal::Boards,
        v1::Goal::Unspecified => {
            return Err(Status::invalid_argument("goal must be GOAL_COUNT or GOAL_BOARDS"));
        }
    };
    Ok(Problem { size, goal })
}

/// Writes a run.
pub(super) fn run(view: &RunView) -> v1::Run {
    v1::Run {
        run_id: view.run.0,
        n: view.problem.size.get(),
        goal: goal(view.problem.goal).into(),
        state: run_state(view.state).into(),
        reason: view.reason.clone(),
        plan: view
            .plan
            .parts()
            .map(|part| v1::PlanPart {
                kind: v1::PlanKind::from(part.kind).into(),
                depth: part.depth,
                jobs: part.jobs,
            })
            .collect(),
        progress: Some(progress(&view.progress)),
        answer: view.answer.map(answer),
        create_time: Some((SystemTime::UNIX_EPOCH + Duration::from_millis(view.at_ms)).into()),
        request_id: view.request_id.clone(),
    }
}

fn goal(goal: Goal) -> v1::Goal {
    match goal {
        Goal::Count => v1::Goal::Count,
        Goal::Boards => v1::Goal::Boards,
    }
}

fn run_state(state: RunState) -> v1::RunState {
    match state {
        RunState::Running => v1::RunState::Running,
        RunState::Paused => v1::RunState::Paused,
        RunState::Done => v1::RunState::Done,
        RunState::Cancelled => v1::RunState::Cancelled,
        RunState::Failed => v1::RunState::Failed,
    }
}

fn progress(progress: &Progress) -> v1::Progress {
    v1::Progress {
        jobs: progress.jobs,
        jobs_done: progress.jobs_done,
        jobs_leased: progress.jobs_leased,
        share: progress.share,
        tally: progress.tally.to_string(),
        jobs_per_second: progress.jobs_per_second,
        solutions_per_second: progress.solutions_per_second,
        threads_busy: progress.threads_busy,
        time_left: progress.time_left.map(|left| v1::TimeLeft {
            expected_s: left.expected_s,
            low_s: left.low_s,
            high_s: left.high_s,
        }),
        jobs_lent_again: progress.jobs_lent_again,
        free_checks: progress.free_checks,
        alarms: progress.alarms,
        alarms_open: progress.alarms_open,
        audits_wanted: progress.audits_wanted,
        audits_done: progress.audits_done,
        workers: progress.workers,
        seconds_running: progress.ran.as_secs_f64(),
    }
}

fn answer(answer: Answer) -> v1::Answer {
    match answer {
        Answer::Boards { total } => v1::Answer { total: total.to_string(), ..v1::Answer::default() },
        Answer::Count { total, fundamental, half_turn, quarter_turn } => v1::Answer {
            total: total.to_string(),
            fundamental: fundamental.to_string(),
            half_turn: half_turn.to_string(),
            quarter_turn: quarter_turn.to_string(),
        },
    }
}

/// Writes a worker.
pub(super) fn worker(seen: WorkerSeen) -> v1::Worker {
    let WorkerSeen { view, joined_ago, heard_ago } = seen;
    v1::Worker {
        worker_id: view.worker.0,
        name: view.who.name,
        host: view.who.host,
        kernel: view.who.kernel,
        version: view.who.version,
        threads: view.who.threads,
        state: worker_state(view.state).into(),
        reason: view.reason,
        jobs_held: view.jobs_held,
        jobs_done: view.jobs_done,
        checks: view.checks,
        jobs_per_second: view.jobs_per_second,
        join_time: joined_ago.and_then(|ago| SystemTime::now().checked_sub(ago)).map(Into::into),
        seconds_silent: heard_ago.map(|ago| ago.as_secs_f64()),
    }
}

fn worker_state(state: WorkerState) -> v1::WorkerState {
    match state {
        WorkerState::Active => v1::WorkerState::Active,
        WorkerState::Draining => v1::WorkerState::Draining,
        WorkerState::Lost => v1::WorkerState::Lost,
        WorkerState::Gone => v1::WorkerState::Gone,
        WorkerState::Quarantined => v1::WorkerState::Quarantined,
    }
}

/// Writes a line of the ledger; kind and work come from the plan, the rest from the ledger.
pub(super) fn recorded(size: Size, kind: Kind, work: &Work, result: RecordedResult) -> v1::RecordedResult {
    v1::RecordedResult {
        index: result.index,
        kind: v1::PlanKind::from(kind).into(),
        prefix: Some(v1::Prefix::of(size, work.queens())),
        weight: result.weight,
        count: result.count,
        worker_id: result.worker.0,
        elapsed_us: u64::try_from(result.elapsed.as_micros()).unwrap_or(u64::MAX),
        column_set: work.column_set().map(Into::into),
    }
}
