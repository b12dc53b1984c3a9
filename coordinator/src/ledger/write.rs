//! Events as rows.

use std::time::Duration;

use queens::split::Kind;
use rusqlite::Transaction;
use scheduler::{Answer, Event, Goal, JobId, NewWorker, RunId, RunPlan, WorkerId};

use super::{
    LedgerError,
    row::{self, Field},
};

/// Writes one event.
pub(super) fn event(transaction: &Transaction<'_>, event: &Event, at_ms: u64) -> Result<(), LedgerError> {
    let table = Table { transaction, at_ms };
    match event {
        Event::WorkerRegistered { worker, who } => table.worker(*worker, who),
        Event::WorkerQuarantined { worker, reason } => {
            table.insert("quarantines", &[worker.0.into(), reason.as_str().into(), at_ms.into()])
        }
        Event::RunCreated { run, request_id, plan, audit_share, audit_seed, at_ms } => {
            table.run(*run, request_id, plan, *audit_share, *audit_seed, *at_ms)
        }
        Event::RunPaused { run, ran } => table.change(*run, "paused", *ran, Ended::default()),
        Event::RunResumed { run, ran } => table.change(*run, "resumed", *ran, Ended::default()),
        Event::RunCancelled { run, ran, jobs_done, tally } => {
            let ended = Ended { jobs_done: *jobs_done, tally: Some(*tally), ..Ended::default() };
            table.change(*run, "cancelled", *ran, ended)
        }
        Event::RunFailed { run, reason, ran, jobs_done, tally } => {
            let ended = Ended { reason, jobs_done: *jobs_done, tally: Some(*tally), answer: None };
            table.change(*run, "failed", *ran, ended)
        }
        Event::RunDone { run, answer, ran } => {
            table.change(*run, "done", *ran, Ended { answer: Some(*answer), ..Ended::default() })
        }
        Event::Opened { run, below_rank, ran } => {
            table.insert("marks", &[run.0.into(), (*below_rank).into(), micros(*ran).into()])
        }
        Event::ResultAdded { job, count, weight, worker, elapsed } => {
            let fields = [
                job.run.0.into(),
                job.index.into(),
                (*count).into(),
                (*weight).into(),
                worker.0.into(),
                micros(*elapsed).into(),
                at_ms.into(),
            ];
            table.insert("results", &fields)
        }
        Event::CheckPassed { job, worker } => table.check(*job, "check", Sides::of(*worker)),
        Event::AuditPassed { job, worker } => table.check(*job, "audit", Sides::of(*worker)),
        Event::AlarmRaised { job, recorded_worker, recorded_count, worker, count, audit } => {
            let sides = Sides {
                count: *count,
                other_worker: *recorded_worker,
                other_count: *recorded_count,
                ..Sides::of(*worker)
            };
            table.check(*job, if *audit { "audit alarm" } else { "alarm" }, sides)
        }
        Event::AlarmSettled { job, was, count, weight, worker, audit } => {
            let sides = Sides { count: *count, weight: *weight, other_count: *was, ..Sides::of(*worker) };
            table.check(*job, if *audit { "audit settled" } else { "settled" }, sides)
        }
    }
}

/// What the end of a run adds to a change.
#[derive(Default)]
struct Ended<'a> {
    reason: &'a str,
    jobs_done: u64,
    tally: Option<u128>,
    answer: Option<Answer>,
}

/// Who computed a job again, and what is known of both computations.
struct Sides {
    worker: WorkerId,
    count: u64,
    weight: u32,
    other_worker: WorkerId,
    other_count: u64,
}

impl Sides {
    fn of(worker: WorkerId) -> Self {
        Self { worker, count: 0, weight: 0, other_worker: WorkerId::COORDINATOR, other_count: 0 }
    }
}

struct Table<'a> {
    transaction: &'a Transaction<'a>,
    at_ms: u64,
}

impl Table<'_> {
    fn insert(&self, table: &str, fields: &[Field]) -> Result<(), LedgerError> {
        let sql = match table {
            "workers" => "INSERT INTO workers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            "quarantines" => "INSERT INTO quarantines VALUES (?, ?, ?, ?)",
            "runs" => "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            "parts" => "INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?)",
            "marks" => "INSERT OR REPLACE INTO marks VALUES (?, ?, ?, ?)",
            "changes" => "INSERT INTO changes VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            "results" => "INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            "checks" => "INSERT INTO checks VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            _ => unreachable!("all tables are named above"),
        };
        row::insert(&mut self.transaction.prepare_cached(sql)?, table, fields)
    }

    fn worker(&self, worker: WorkerId, who: &NewWorker) -> Result<(), LedgerError> {
        let fields = [
            worker.0.into(),
            who.instance.as_slice().into(),
            who.name.as_str().into(),
            who.host.as_str().into(),
            who.kernel.as_str().into(),
            who.version.as_str().into(),
            who.threads.into(),
            self.at_ms.into(),
        ];
        self.insert("workers", &fields)
    }

    fn run(
        &self,
        run: RunId,
        request_id: &str,
        plan: &RunPlan,
        audit_share: f64,
        audit_seed: u64,
        at_ms: u64,
    ) -> Result<(), LedgerError> {
        let problem = plan.problem();
        let fields = [
            run.0.into(),
            request_id.into(),
            problem.size.get().into(),
            goal(problem.goal).into(),
            audit_share.into(),
            audit_seed.into(),
            at_ms.into(),
        ];
        self.insert("runs", &fields)?;
        (0_u32..).zip(plan.parts()).try_for_each(|(place, part)| {
            let kind = kind(part.kind).into();
            self.insert("parts", &[run.0.into(), place.into(), kind, part.depth.into(), part.jobs.into()])
        })
    }

    fn change(&self, run: RunId, change: &str, ran: Duration, ended: Ended<'_>) -> Result<(), LedgerError> {
        let text = |number: Option<u128>| number.map_or(String::new(), |number| number.to_string());
        let (total, [fundamental, half_turn, quarter_turn]) = match ended.answer {
            None => (None, [None; 3]),
            Some(Answer::Boards { total }) => (Some(total), [None; 3]),
            Some(Answer::Count { total, fundamental, half_turn, quarter_turn }) => {
                (Some(total), [Some(fundamental), Some(half_turn), Some(quarter_turn)])
            }
        };
        let fields = [
            run.0.into(),
            change.into(),
            micros(ran).into(),
            ended.reason.into(),
            ended.jobs_done.into(),
            Field::Text(text(ended.tally)),
            Field::Text(text(total)),
            Field::Text(text(fundamental)),
            Field::Text(text(half_turn)),
            Field::Text(text(quarter_turn)),
            self.at_ms.into(),
        ];
        self.insert("changes", &fields)
    }

    fn check(&self, job: JobId, what: &str, sides: Sides) -> Result<(), LedgerError> {
        let fields = [
            job.run.0.into(),
            job.index.into(),
            what.into(),
            sides.worker.0.into(),
            sides.count.into(),
            sides.weight.into(),
            sides.other_worker.0.into(),
            sides.other_count.into(),
            self.at_ms.into(),
        ];
        self.insert("checks", &fields)
    }
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

fn goal(goal: Goal) -> &'static str {
    match goal {
        Goal::Count => "count",
        Goal::Boards => "boards",
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Cross => "cross",
        Kind::Rows => "rows",
        Kind::Columns => "columns",
        Kind::HalfTurn => "half turn",
        Kind::QuarterTurn => "quarter turn",
    }
}
