//! Runs and workers as tables for people.

use comfy_table::{CellAlignment, Table, presets};
use nqueens_proto::v1::{PlanPart, Run, Worker};

use super::words;
use crate::bench::{Compared, Measured};

/// Returns a table with a row for each run.
pub(crate) fn runs_table(runs: &[Run]) -> String {
    let mut table = table(&["RUN", "GOAL", "N", "STATE", "DONE", "JOBS", "TALLY", "TIME LEFT", "CREATED"]);
    right(&mut table, &[0, 2, 4, 5, 6]);
    for run in runs {
        let progress = run.progress.clone().unwrap_or_default();
        table.add_row([
            run.run_id.to_string(),
            words::goal(run.goal()).into(),
            run.n.to_string(),
            words::run_state(run.state()).into(),
            words::percent(progress.share),
            format!("{}/{}", progress.jobs_done, progress.jobs),
            progress.tally,
            progress.time_left.map(|left| words::time(left.expected_s)).unwrap_or_default(),
            run.create_time.map(|time| time.to_string()).unwrap_or_default(),
        ]);
    }
    text(&table)
}

/// Returns all that is known of one run, a line for each fact.
pub(crate) fn run_details(run: &Run) -> String {
    let progress = run.progress.clone().unwrap_or_default();
    let answer = run.answer.clone().unwrap_or_default();
    let plan: Vec<_> = run.plan.iter().map(part).collect();
    let facts = [
        ("run", run.run_id.to_string()),
        ("problem", format!("{} {}", words::goal(run.goal()), run.n)),
        ("state", words::run_state(run.state()).into()),
        ("reason", run.reason.clone()),
        ("plan", plan.join("; ")),
        ("done", words::percent(progress.share)),
        ("jobs done", format!("{} of {}", progress.jobs_done, progress.jobs)),
        ("jobs leased", progress.jobs_leased.to_string()),
        ("lent again", progress.jobs_lent_again.to_string()),
        ("free checks", progress.free_checks.to_string()),
        ("alarms", format!("{}, {} not settled", progress.alarms, progress.alarms_open)),
        ("audits", format!("{} of {}", progress.audits_done, progress.audits_wanted)),
        ("workers", progress.workers.to_string()),
        ("tally", progress.tally),
        ("running for", words::time(progress.seconds_running)),
        ("time left", progress.time_left.as_ref().map(words::time_left).unwrap_or_default()),
        ("total", answer.total),
        ("fundamental", answer.fundamental),
        ("half turn", answer.half_turn),
        ("quarter turn", answer.quarter_turn),
        ("created", run.create_time.map(|time| time.to_string()).unwrap_or_default()),
        ("request id", run.request_id.clone()),
    ];
    let known = facts.into_iter().filter(|(_, fact)| !fact.is_empty());
    self::facts(known.map(|(name, fact)| (name.to_owned(), fact)))
}

/// Returns a line for each fact: its name, and what it is.
pub(crate) fn facts(facts: impl IntoIterator<Item = (String, String)>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for (name, fact) in facts {
        table.add_row([name, fact]);
    }
    text(&table)
}

/// Returns a table with a row for each worker.
pub(crate) fn workers_table(workers: &[Worker]) -> String {
    let mut table =
        table(&["WORKER", "NAME", "HOST", "STATE", "THREADS", "KERNEL", "HELD", "DONE", "SILENT", "REASON"]);
    right(&mut table, &[0, 4, 6, 7, 8]);
    for worker in workers {
        table.add_row([
            worker.worker_id.to_string(),
            worker.name.clone(),
            worker.host.clone(),
            words::worker_state(worker.state()).into(),
            worker.threads.to_string(),
            worker.kernel.clone(),
            worker.jobs_held.to_string(),
            worker.jobs_done.to_string(),
            worker.seconds_silent.map(words::time).unwrap_or_default(),
            worker.reason.clone(),
        ]);
    }
    text(&table)
}

fn part(part: &PlanPart) -> String {
    format!("{}, depth {}, {} jobs", words::plan_kind(part.kind()), part.depth, part.jobs)
}

/// Returns the ladder of algorithms.
pub(crate) fn bench_table(rows: &[Measured]) -> String {
    let mut table = table(&["NAME", "KIND", "N", "SOLUTIONS", "SECONDS", "NS PER SOLUTION", "SPEEDUP"]);
    right(&mut table, &[2, 3, 4, 5, 6]);
    for row in rows {
        let speedup = row.speedup(rows).filter(|speedup| speedup.is_finite());
        table.add_row([
            row.name.into(),
            row.kind.into(),
            row.size.to_string(),
            row.solutions.to_string(),
            format!("{:.4}", row.elapsed.as_secs_f64()),
            format!("{:.2}", row.ns_per_solution()),
            speedup.map(|speedup| format!("{speedup:.2}x")).unwrap_or_default(),
        ]);
    }
    text(&table)
}

/// Returns the algorithms for whole boards.
pub(crate) fn compared_table(rows: &[Compared]) -> String {
    let mut table = table(&["ALGORITHM", "JOBS", "NS PER SOLUTION", "LOW", "HIGH"]);
    right(&mut table, &[1, 2, 3, 4]);
    for row in rows {
        let ns = row.ns_per_solution;
        let figures = [ns.expected, ns.low, ns.high].map(|ns| format!("{ns:.2}"));
        table.add_row([row.algorithm.name().into(), row.jobs.to_string()].into_iter().chain(figures));
    }
    text(&table)
}

fn table(headings: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(headings.to_vec());
    table
}

fn right(table: &mut Table, columns: &[usize]) {
    for &column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

fn text(table: &Table) -> String {
    let lines: Vec<_> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}
