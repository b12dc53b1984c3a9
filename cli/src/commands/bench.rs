//! `nqueens bench`: every kernel and every textbook algorithm side by side on this machine, each answer verified.

use crate::{
    args::BenchArgs,
    bench::{self, Measured},
    output::{self, json},
};

pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<()> {
    let rows = bench::measure(bench::rungs(args.n, args.kernel), args.repeats)?;
    let cpu = bench::cpu_name();
    if args.json.json {
        let rows = rows.iter().map(|row| json_row(row, &rows)).collect();
        return output::json_line(&json::Bench { n: args.n.get(), cpu, rows });
    }
    output::line(format!("{cpu}, one thread, median of {} runs", args.repeats))?;
    Ok(output::line(output::bench_table(&rows))?)
}

fn json_row(row: &Measured, all: &[Measured]) -> json::BenchRow {
    json::BenchRow {
        name: row.name,
        kind: row.kind,
        n: row.size.get(),
        solutions: row.solutions.to_string(),
        elapsed_s: row.elapsed.as_secs_f64(),
        ns_per_solution: finite(row.ns_per_solution()),
        speedup: row.speedup(all).and_then(finite),
    }
}

/// JSON has no infinity: a board without solutions has no time for each.
fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}
