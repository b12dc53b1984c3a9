//! `nqueens plan`: what a count will take, before anybody starts it.

use queens::{Size, columns::memory_bytes};
use scheduler::Algorithm;

use crate::{
    args::PlanArgs,
    estimate::{ByColumns, Estimate, Range},
    forecast::{Forecast, forecast, slow_job_s},
    output::{self, json, words},
};

/// What a thread takes to search.
const SEARCH_BYTES: u64 = 800_000;

pub(crate) fn run(args: &PlanArgs) -> anyhow::Result<()> {
    let forecast = forecast(args)?;
    if args.json.json {
        return output::json_line(&as_json(args, &forecast));
    }
    let facts = facts(args, &forecast);
    Ok(output::line(output::facts(facts))?)
}

fn facts(args: &PlanArgs, forecast: &Forecast) -> Vec<(String, String)> {
    let n = args.size;
    let chosen = if args.algorithm.0.is_some() { "as asked" } else { "as a coordinator would choose" };
    let presets = forecast.depths.first().copied().unwrap_or(0);
    let mut facts = vec![
        ("problem".into(), format!("count {n}")),
        ("algorithm".into(), format!("{}, {chosen}", forecast.algorithm.name())),
        ("by cross".into(), cost(&forecast.cross)),
    ];
    facts.extend(forecast.columns.as_ref().map(|columns| ("by columns".into(), cost_by_columns(n, columns))));
    facts.push(("presets".into(), presets.to_string()));
    facts.extend(depth_facts(forecast));
    let estimate = forecast.estimate();
    let sampled = estimate.seconds.len();
    let drawn = if estimate.complete { "all" } else { "drawn at random" };
    let core = estimate.core_s();
    let wall = forecast.wall_s(args.all_threads() as f64);
    let workers = format!("{} workers of {} threads", args.workers, args.threads());
    facts.extend([
        ("a job".into(), job(estimate)),
        ("measured".into(), format!("{sampled} jobs, {drawn}, with kernel {}", args.kernel)),
        ("core time".into(), between(core, words::short_time)),
        ("wall time".into(), format!("{} on {workers}", between(wall, words::short_time))),
        ("ledger".into(), words::bytes(forecast.ledger_bytes())),
        (format!("Q({n})"), format!("about {}", between(forecast.cross.total_solutions(), figure))),
    ]);
    facts
}

/// Returns a line for each depth at which the cross algorithm could split.
fn depth_facts(forecast: &Forecast) -> impl Iterator<Item = (String, String)> {
    let core_s = forecast.cross.core_s().expected;
    forecast.depths.iter().enumerate().map(move |(depth, jobs)| {
        let chosen = if depth as u32 == forecast.depth { ", chosen" } else { "" };
        let each = words::short_time(core_s / *jobs.max(&1) as f64);
        (format!("depth {depth}"), format!("{jobs} jobs of {each}{chosen}"))
    })
}

fn job(estimate: &Estimate) -> String {
    let mean = words::short_time(estimate.seconds.mean());
    format!("{mean} on average, 99% up to {}", words::short_time(slow_job_s(estimate)))
}

fn cost(estimate: &Estimate) -> String {
    format!("{} of one core", between(estimate.core_s(), words::short_time))
}

fn cost_by_columns(size: Size, columns: &ByColumns) -> String {
    let (cost, jobs) = (cost(&columns.estimate), columns.jobs);
    let memory = words::bytes(memory_bytes(size));
    let from = if columns.measured == size {
        String::new()
    } else {
        format!(", carried over from n = {}", columns.measured)
    };
    format!("{cost}, {jobs} jobs, up to {memory} a thread{from}")
}

/// Returns a number with its interval.
fn between(range: Range, write: impl Fn(f64) -> String) -> String {
    let [expected, low, high] = [range.expected, range.low, range.high].map(write);
    if low == high { expected } else { format!("{expected} ({low} to {high})") }
}

fn figure(number: f64) -> String {
    if number < 1e6 { format!("{number:.0}") } else { format!("{number:.3e}") }
}

fn as_json(args: &PlanArgs, forecast: &Forecast) -> json::Plan {
    let (cross, chosen) = (forecast.cross.core_s(), forecast.estimate());
    let depths = forecast.depths.iter().enumerate().map(|(depth, &jobs)| json::PlanDepth {
        depth: depth as u32,
        jobs: jobs.to_string(),
        job_s: cross.expected / jobs.max(1) as f64,
    });
    json::Plan {
        n: args.size.get(),
        kernel: args.kernel.name(),
        algorithm: forecast.algorithm.name(),
        algorithms: algorithms(args.size, forecast),
        presets: forecast.depths.first().copied().unwrap_or(0).to_string(),
        depths: depths.collect(),
        depth: forecast.depth,
        jobs: forecast.jobs().to_string(),
        jobs_measured: chosen.seconds.len().to_string(),
        complete: chosen.complete,
        job_mean_s: chosen.seconds.mean(),
        job_p99_s: slow_job_s(chosen),
        core_s: chosen.core_s().into(),
        workers: args.workers,
        threads: args.threads() as u64,
        wall_s: forecast.wall_s(args.all_threads() as f64).into(),
        ledger_bytes: forecast.ledger_bytes().to_string(),
        solutions: forecast.cross.total_solutions().into(),
    }
}

fn algorithms(size: Size, forecast: &Forecast) -> Vec<json::PlanAlgorithm> {
    let of = |algorithm: Algorithm, estimate: &Estimate, measured: Size, memory: u64| json::PlanAlgorithm {
        name: algorithm.name(),
        jobs: forecast.jobs_by(algorithm).to_string(),
        job_mean_s: estimate.seconds.mean(),
        core_s: estimate.core_s().into(),
        measured_n: measured.get(),
        thread_bytes: memory.to_string(),
    };
    let columns = forecast.columns.as_ref();
    let columns = columns
        .map(|columns| of(Algorithm::Columns, &columns.estimate, columns.measured, memory_bytes(size)));
    [of(Algorithm::Cross, &forecast.cross, size, SEARCH_BYTES)].into_iter().chain(columns).collect()
}

impl From<Range> for json::Range {
    fn from(Range { expected, low, high }: Range) -> Self {
        Self { expected, low, high }
    }
}
