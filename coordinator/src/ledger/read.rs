//! Rows as events.

use std::{sync::Arc, time::Duration};

use queens::{Size, split::Kind};
use rusqlite::{Connection, Params};
use scheduler::{
    Answer, Event, Goal, JobId, NewWorker, PartSpec, Problem, RunId, RunPlan, Support, WorkerId,
};

use super::{
    LedgerError, RecordedResult,
    row::{self, Fields},
};

/// Reads the number that tells this ledger from others.
pub(super) fn id(connection: &Connection) -> Result<u64, LedgerError> {
    let mut id = None;
    rows(connection, "ledger", "SELECT * FROM ledger", [], |row| Ok(id = Some(row.number()?)))?;
    id.ok_or_else(|| LedgerError::Damaged("the ledger has no number".to_owned()))
}

/// Passes every event that still matters to `apply`: workers; then run after run how it was created, its results unless
/// it is over, second computations, and how it changed.
pub(super) fn replay(connection: &Connection, apply: &mut dyn FnMut(Event)) -> Result<(), LedgerError> {
    rows(connection, "workers", "SELECT * FROM workers ORDER BY worker", [], |row| Ok(apply(worker(row)?)))?;
    let mut runs = Vec::new();
    rows(connection, "runs", "SELECT * FROM runs ORDER BY run", [], |row| {
        Ok(runs.push(run(connection, row)?))
    })?;
    for (run, created) in runs {
        apply(created);
        replay_run(connection, run, apply)?;
    }
    rows(connection, "quarantines", "SELECT * FROM quarantines ORDER BY worker", [], |row| {
        Ok(apply(quarantine(row)?))
    })
}

fn replay_run(connection: &Connection, run: RunId, apply: &mut dyn FnMut(Event)) -> Result<(), LedgerError> {
    let mut changes = Vec::new();
    let sql = "SELECT run, change, ran_us, reason, jobs_done, tally, total, fundamental, half_turn, quarter_turn, at_ms, seal
               FROM changes WHERE run = ? ORDER BY id";
    rows(connection, "changes", sql, [run.0 as i64], |row| Ok(changes.push(change(row)?)))?;
    let over = |event: &Event| !matches!(event, Event::RunPaused { .. } | Event::RunResumed { .. });
    if !changes.iter().any(over) {
        let sql = "SELECT * FROM results WHERE run = ? ORDER BY job";
        rows(connection, "results", sql, [run.0 as i64], |row| Ok(apply(result(row)?.1.event(run))))?;
        let sql = "SELECT run, job, what, worker, count, weight, other_worker, other_count, at_ms, seal
                   FROM checks WHERE run = ? ORDER BY id";
        rows(connection, "checks", sql, [run.0 as i64], |row| Ok(apply(check(row)?)))?;
        let sql = "SELECT * FROM marks WHERE run = ?";
        rows(connection, "marks", sql, [run.0 as i64], |row| Ok(apply(mark(row)?)))?;
    }
    changes.into_iter().for_each(apply);
    Ok(())
}

/// Reads the results of a run from a job on, at most so many. Settled alarms are not looked at.
pub(super) fn results(
    connection: &Connection,
    run: RunId,
    from: u64,
    most: usize,
) -> Result<Vec<RecordedResult>, LedgerError> {
    let mut results = Vec::new();
    let sql = "SELECT * FROM results WHERE run = ? AND job >= ? ORDER BY job LIMIT ?";
    let parameters = (run.0 as i64, i64::try_from(from).unwrap_or(i64::MAX), most as i64);
    rows(connection, "results", sql, parameters, |row| Ok(results.push(result(row)?.1)))?;
    Ok(results)
}

/// Reads who stands behind each job of a run that a worker computed, first or once more.
pub(super) fn supports(
    connection: &Connection,
    run: RunId,
    worker: WorkerId,
) -> Result<Vec<Support>, LedgerError> {
    let mut supports = Vec::new();
    let sql = "SELECT * FROM results WHERE run = ?1 AND job IN (
                   SELECT job FROM results WHERE run = ?1 AND worker = ?2
                   UNION SELECT job FROM checks WHERE run = ?1 AND worker = ?2)";
    rows(connection, "results", sql, (run.0 as i64, worker.0 as i64), |row| {
        let first = result(row)?.1;
        Ok(supports.push(Support::new(JobId::new(run, first.index), first.worker, first.count)))
    })?;
    let sql = "SELECT run, job, what, worker, count, weight, other_worker, other_count, at_ms, seal
               FROM checks WHERE run = ? AND job = ? ORDER BY id";
    for support in &mut supports {
        let job = support.job();
        rows(connection, "checks", sql, (run.0 as i64, job.index as i64), |row| {
            Ok(support.hear(&check(row)?))
        })?;
    }
    Ok(supports)
}

/// Calls `each` with the fields of every row that `sql` selects from `table`, once the row's seal is checked.
fn rows(
    connection: &Connection,
    table: &str,
    sql: &str,
    parameters: impl Params,
    mut each: impl FnMut(&mut Fields<'_>) -> Result<(), LedgerError>,
) -> Result<(), LedgerError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut selected = statement.query(parameters)?;
    let mut fields = Vec::new();
    while let Some(row) = selected.next()? {
        row::read(table, row, &mut fields)?;
        each(&mut Fields::new(table, &fields))?;
    }
    Ok(())
}

impl RecordedResult {
    fn event(self, run: RunId) -> Event {
        Event::ResultAdded {
            job: JobId::new(run, self.index),
            count: self.count,
            weight: self.weight,
            worker: self.worker,
            elapsed: self.elapsed,
        }
    }
}

fn result(row: &mut Fields<'_>) -> Result<(RunId, RecordedResult), LedgerError> {
    let run = RunId(row.number()?);
    let result = RecordedResult {
        index: row.number()?,
        count: row.number()?,
        weight: row.small()?,
        worker: WorkerId(row.number()?),
        elapsed: Duration::from_micros(row.number()?),
    };
    Ok((run, result))
}

fn worker(row: &mut Fields<'_>) -> Result<Event, LedgerError> {
    let worker = WorkerId(row.number()?);
    let who = NewWorker {
        instance: row.bytes()?.try_into().map_err(|_| row.wrong())?,
        name: row.text()?.to_owned(),
        host: row.text()?.to_owned(),
        kernel: row.text()?.to_owned(),
        version: row.text()?.to_owned(),
        threads: row.small()?,
    };
    Ok(Event::WorkerRegistered { worker, who })
}

fn quarantine(row: &mut Fields<'_>) -> Result<Event, LedgerError> {
    Ok(Event::WorkerQuarantined { worker: WorkerId(row.number()?), reason: row.text()?.to_owned() })
}

fn run(connection: &Connection, row: &mut Fields<'_>) -> Result<(RunId, Event), LedgerError> {
    let run = RunId(row.number()?);
    let request_id = row.text()?.to_owned();
    let size = Size::new(row.number()?).map_err(|_| row.wrong())?;
    let goal = goal(row)?;
    let (audit_share, audit_seed, at_ms) = (row.real()?, row.number()?, row.number()?);
    let mut parts = Vec::new();
    let sql = "SELECT * FROM parts WHERE run = ? ORDER BY part";
    rows(connection, "parts", sql, [run.0 as i64], |row| Ok(parts.push(part(row)?)))?;
    let plan = RunPlan::restore(Problem { size, goal }, &parts)
        .map_err(|error| LedgerError::Damaged(error.to_string()))?;
    Ok((run, Event::RunCreated { run, request_id, plan: Arc::new(plan), audit_share, audit_seed, at_ms }))
}

fn goal(row: &mut Fields<'_>) -> Result<Goal, LedgerError> {
    match row.text()? {
        "count" => Ok(Goal::Count),
        "boards" => Ok(Goal::Boards),
        _ => Err(row.wrong()),
    }
}

fn part(row: &mut Fields<'_>) -> Result<PartSpec, LedgerError> {
    let (_run, _place) = (row.number()?, row.number()?);
    let kind = match row.text()? {
        "cross" => Kind::Cross,
        "rows" => Kind::Rows,
        "columns" => Kind::Columns,
        "half turn" => Kind::HalfTurn,
        "quarter turn" => Kind::QuarterTurn,
        _ => return Err(row.wrong()),
    };
    Ok(PartSpec { kind, depth: row.small()?, jobs: row.number()? })
}

fn change(row: &mut Fields<'_>) -> Result<Event, LedgerError> {
    let run = RunId(row.number()?);
    let change = row.text()?;
    let ran = Duration::from_micros(row.number()?);
    let reason = row.text()?.to_owned();
    let (jobs_done, tally) = (row.number()?, row.decimal()?);
    Ok(match change {
        "paused" => Event::RunPaused { run, ran },
        "resumed" => Event::RunResumed { run, ran },
        "cancelled" => Event::RunCancelled { run, ran, jobs_done, tally },
        "failed" => Event::RunFailed { run, reason, ran, jobs_done, tally },
        "done" => Event::RunDone { run, answer: answer(row)?, ran },
        _ => return Err(row.wrong()),
    })
}

fn answer(row: &mut Fields<'_>) -> Result<Answer, LedgerError> {
    let total = row.decimal()?;
    let fundamental = row.text()?;
    if fundamental.is_empty() {
        return Ok(Answer::Boards { total });
    }
    let fundamental = fundamental.parse().map_err(|_| row.wrong())?;
    Ok(Answer::Count { total, fundamental, half_turn: row.decimal()?, quarter_turn: row.decimal()? })
}

fn mark(row: &mut Fields<'_>) -> Result<Event, LedgerError> {
    let run = RunId(row.number()?);
    Ok(Event::Opened { run, below_rank: row.number()?, ran: Duration::from_micros(row.number()?) })
}

fn check(row: &mut Fields<'_>) -> Result<Event, LedgerError> {
    let job = JobId::new(RunId(row.number()?), row.number()?);
    let what = row.text()?;
    let worker = WorkerId(row.number()?);
    let (count, weight) = (row.number()?, row.small()?);
    let (other_worker, other_count) = (WorkerId(row.number()?), row.number()?);
    Ok(match what {
        "check" => Event::CheckPassed { job, worker },
        // Version 1 told audits by the same worker apart.
        "audit" | "own audit" => Event::AuditPassed { job, worker },
        "alarm" | "audit alarm" => Event::AlarmRaised {
            job,
            recorded_worker: other_worker,
            recorded_count: other_count,
            worker,
            count,
            audit: what == "audit alarm",
        },
        "settled" | "audit settled" => {
            let audit = what == "audit settled";
            Event::AlarmSettled { job, was: other_count, count, weight, worker, audit }
        }
        _ => return Err(row.wrong()),
    })
}
