//! `nqueens plan`: what a count will take, before anybody starts it.

use queens::{
    Size,
    split::{Kind, Plan},
};
use scheduler::{Goal, Problem, RunPlan, Split};

use crate::{
    args::PlanArgs,
    estimate::{Estimate, Range, estimate},
    output::{self, json, words},
    random,
};

/// Deeper plans than the chosen one are numbered only up to about so many jobs, which takes an instant.
const DEEPER_JOBS: u64 = 20_000_000;

/// What is known of a count before it starts.
struct Forecast {
    /// The number of jobs at each depth from 0 on.
    depths: Vec<u64>,
    depth: u32,
    /// Of all parts: what a run would be created with.
    jobs: u64,
    estimate: Estimate,
}

pub(crate) fn run(args: &PlanArgs) -> anyhow::Result<()> {
    let forecast = forecast(args)?;
    if args.json.json {
        return output::json_line(&as_json(args, &forecast));
    }
    let facts = facts(args, &forecast);
    Ok(output::line(output::facts(facts))?)
}

fn forecast(args: &PlanArgs) -> anyhow::Result<Forecast> {
    let problem = Problem { size: args.size, goal: Goal::Count };
    let split = Split { depth: args.depth, ..Split::new(args.job_seconds) };
    let chosen = RunPlan::choose(problem, &split)?;
    let (jobs, main) = (chosen.jobs(), chosen.main_part());
    drop(chosen);
    let plan = Plan::new(args.size, Kind::Cross, main.depth)?;
    let estimate = estimate(&plan, args.kernel, args.seconds, random::bits())?;
    let depths = depths(args.size, &plan)?;
    Ok(Forecast { depths, depth: main.depth, jobs, estimate })
}

/// Returns the number of jobs at each depth up to that of `plan`, and at the next where they can soon be numbered.
fn depths(size: Size, plan: &Plan) -> anyhow::Result<Vec<u64>> {
    let jobs_at = |depth| Plan::new(size, Kind::Cross, depth).map(|plan| plan.jobs());
    let mut depths = (0..plan.depth()).map(jobs_at).collect::<Result<Vec<_>, _>>()?;
    depths.push(plan.jobs());
    let next = plan.jobs().saturating_mul(u64::from(size.get()) / 2);
    if next <= DEEPER_JOBS {
        depths.extend(jobs_at(plan.depth() + 1));
    }
    Ok(depths)
}

impl Forecast {
    /// Returns the time until the answer, in seconds: all threads busy all the time, and no less than for one long job.
    fn wall_s(&self, threads: f64) -> Range {
        let even = self.estimate.core_s().over(threads);
        let slowest = self.slow_job_s();
        Range {
            expected: even.expected.max(slowest),
            low: even.low.max(slowest),
            high: even.high.max(slowest),
        }
    }

    /// Returns how long 99 of 100 jobs take at most, in seconds.
    fn slow_job_s(&self) -> f64 {
        self.estimate.seconds.quantile(0.99)
    }

    fn ledger_bytes(&self) -> u64 {
        self.jobs * coordinator::LEDGER_BYTES_A_RESULT
    }
}

fn facts(args: &PlanArgs, forecast: &Forecast) -> Vec<(String, String)> {
    let n = args.size;
    let core = forecast.estimate.core_s();
    let wall = forecast.wall_s(args.all_threads() as f64);
    let presets = forecast.depths.first().copied().unwrap_or(0);
    let mut facts = vec![("problem".into(), format!("count {n}")), ("presets".into(), presets.to_string())];
    for (depth, jobs) in forecast.depths.iter().enumerate() {
        let chosen = if depth as u32 == forecast.depth { ", chosen" } else { "" };
        let each = words::short_time(core.expected / *jobs.max(&1) as f64);
        facts.push((format!("depth {depth}"), format!("{jobs} jobs of {each}{chosen}")));
    }
    let mean = words::short_time(forecast.estimate.seconds.mean());
    let slow = words::short_time(forecast.slow_job_s());
    let sampled = forecast.estimate.seconds.len();
    let drawn = if forecast.estimate.complete { "all" } else { "drawn at random" };
    let workers = format!("{} workers of {} threads", args.workers, args.threads());
    facts.extend([
        ("a job".into(), format!("{mean} on average, 99% up to {slow}")),
        ("measured".into(), format!("{sampled} jobs, {drawn}, with kernel {}", args.kernel)),
        ("core time".into(), between(core, words::short_time)),
        ("wall time".into(), format!("{} on {workers}", between(wall, words::short_time))),
        ("ledger".into(), words::bytes(forecast.ledger_bytes())),
        (format!("Q({n})"), format!("about {}", between(forecast.estimate.total_solutions(), figure))),
    ]);
    facts
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
    let core = forecast.estimate.core_s();
    let depths = forecast.depths.iter().enumerate().map(|(depth, &jobs)| json::PlanDepth {
        depth: depth as u32,
        jobs: jobs.to_string(),
        job_s: core.expected / jobs.max(1) as f64,
    });
    json::Plan {
        n: args.size.get(),
        kernel: args.kernel.name(),
        presets: forecast.depths.first().copied().unwrap_or(0).to_string(),
        depths: depths.collect(),
        depth: forecast.depth,
        jobs: forecast.jobs.to_string(),
        jobs_measured: forecast.estimate.seconds.len().to_string(),
        complete: forecast.estimate.complete,
        job_mean_s: forecast.estimate.seconds.mean(),
        job_p99_s: forecast.slow_job_s(),
        core_s: core.into(),
        workers: args.workers,
        threads: args.threads() as u64,
        wall_s: forecast.wall_s(args.all_threads() as f64).into(),
        ledger_bytes: forecast.ledger_bytes().to_string(),
        solutions: forecast.estimate.total_solutions().into(),
    }
}

impl From<Range> for json::Range {
    fn from(Range { expected, low, high }: Range) -> Self {
        Self { expected, low, high }
    }
}
