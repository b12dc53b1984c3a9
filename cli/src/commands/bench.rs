//! `nqueens bench`: every kernel and every textbook algorithm side by side on this machine, each answer verified; or both
//! algorithms for whole boards.

use queens::kernel::Kernel;
use scheduler::Algorithm;

use crate::{
    args::{Algorithms, BenchArgs},
    bench::{self, Compared, Measured},
    output::{self, json},
};

pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<()> {
    match &args.algorithm {
        None => ladder(args),
        Some(Algorithms(algorithms)) => compare(args, algorithms),
    }
}

fn ladder(args: &BenchArgs) -> anyhow::Result<()> {
    let rows = bench::measure(bench::rungs(args.n, args.kernel), args.repeats)?;
    let cpu = bench::cpu_name();
    if args.json.json {
        let rows = rows.iter().map(|row| json_row(row, &rows)).collect();
        return output::json_line(&json::Bench { n: args.n.get(), cpu, rows });
    }
    output::line(format!("{cpu}, one thread, median of {} runs", args.repeats))?;
    Ok(output::line(output::bench_table(&rows))?)
}

fn compare(args: &BenchArgs, algorithms: &[Algorithm]) -> anyhow::Result<()> {
    let kernel = args.kernel.unwrap_or_else(Kernel::best);
    let compared = bench::compare(args.n, kernel, algorithms, args.sample)?;
    let (cpu, ratio) = (bench::cpu_name(), ratio(&compared));
    if args.json.json {
        let (n, sample) = (args.n.get(), args.sample);
        let algorithms = compared.into_iter().map(json_compared).collect();
        return output::json_line(&json::Compared {
            n,
            cpu,
            kernel: kernel.name(),
            sample,
            algorithms,
            ratio,
        });
    }
    output::line(format!(
        "{cpu}, one thread, kernel {kernel}, n = {}, {} random jobs of each in turn",
        args.n, args.sample
    ))?;
    output::line(output::compared_table(&compared))?;
    match ratio {
        Some(ratio) => Ok(output::line(format!("columns / cross = {ratio:.3}"))?),
        None => Ok(()),
    }
}

/// Returns the cost by columns over that by cross, if both were measured.
fn ratio(compared: &[Compared]) -> Option<f64> {
    let of = |algorithm| compared.iter().find(|it| it.algorithm == algorithm);
    let [cross, columns] = Algorithm::ALL.map(of);
    finite(columns?.ns_per_solution.expected / cross?.ns_per_solution.expected)
}

fn json_compared(it: Compared) -> json::ComparedAlgorithm {
    json::ComparedAlgorithm {
        name: it.algorithm.name(),
        jobs: it.jobs.to_string(),
        ns_per_solution: it.ns_per_solution.into(),
    }
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
