//! What a count will take: by which algorithm, split how, and at what cost.

use queens::{
    Size,
    split::{Kind, Plan},
};
use scheduler::{Algorithm, Goal, Problem, RunPlan, Split};

use crate::{
    args::PlanArgs,
    estimate::{ByColumns, Estimate, Range, by_columns, estimate},
    random,
};

/// Deeper plans than the chosen one are numbered only up to about so many jobs, which takes an instant.
const DEEPER_JOBS: u64 = 20_000_000;
/// The jobs of a count beside its main part: one for either turn.
const TURN_JOBS: u64 = 2;

/// What is known of a count before it starts.
pub(crate) struct Forecast {
    /// What it would be counted with.
    pub(crate) algorithm: Algorithm,
    /// The number of jobs of the cross algorithm at each depth from 0 on.
    pub(crate) depths: Vec<u64>,
    pub(crate) depth: u32,
    pub(crate) cross: Estimate,
    /// None if the column split does not serve the board.
    pub(crate) columns: Option<ByColumns>,
}

/// Looks into the future of a count for about as long as it may take.
pub(crate) fn forecast(args: &PlanArgs) -> anyhow::Result<Forecast> {
    let (size, algorithm) = (args.size, algorithm(args));
    let problem = Problem { size, goal: Goal::Count };
    let split = Split { algorithm, depth: args.depth, ..Split::new(args.job_seconds) };
    // What cannot be created is an error here too.
    RunPlan::choose(problem, &split)?;
    let split = Split { algorithm: Algorithm::Cross, ..split };
    let depth = RunPlan::choose(problem, &split)?.main_part().depth;
    let plan = Plan::new(size, Kind::Cross, depth)?;
    let has_columns = Algorithm::Columns.serves(size);
    let time = if has_columns { args.seconds / 2 } else { args.seconds };
    let cross = estimate(&plan, args.kernel, time, random::bits())?;
    let columns = has_columns.then(|| by_columns(size, args.kernel, time, random::bits())).transpose()?;
    Ok(Forecast { algorithm, depths: depths(size, &plan)?, depth, cross, columns })
}

/// Returns the algorithm that is asked for, else what a coordinator would choose for workers with this kernel.
fn algorithm(args: &PlanArgs) -> Algorithm {
    let fastest = || Algorithm::fastest(args.size, [(args.kernel.name(), 1)]);
    let by_depth = args.depth.map(|_| Algorithm::Cross);
    args.algorithm.0.or(by_depth).unwrap_or_else(fastest)
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
    /// Returns what the chosen algorithm costs.
    pub(crate) fn estimate(&self) -> &Estimate {
        match &self.columns {
            Some(columns) if self.algorithm == Algorithm::Columns => &columns.estimate,
            _ => &self.cross,
        }
    }

    /// Returns the number of jobs of all parts: what a run would be created with.
    pub(crate) fn jobs(&self) -> u64 {
        TURN_JOBS + self.jobs_by(self.algorithm)
    }

    /// Returns the number of jobs of the main part if an algorithm is used.
    pub(crate) fn jobs_by(&self, algorithm: Algorithm) -> u64 {
        match (algorithm, &self.columns) {
            (Algorithm::Columns, Some(columns)) => columns.jobs,
            _ => self.depths.get(self.depth as usize).copied().unwrap_or(0),
        }
    }

    /// Returns the time until the answer, in seconds: all threads busy all the time, and no less than for one long job.
    pub(crate) fn wall_s(&self, threads: f64) -> Range {
        let even = self.estimate().core_s().over(threads);
        let slowest = slow_job_s(self.estimate());
        Range {
            expected: even.expected.max(slowest),
            low: even.low.max(slowest),
            high: even.high.max(slowest),
        }
    }

    /// Returns the size of the ledger at the end.
    pub(crate) fn ledger_bytes(&self) -> u64 {
        self.jobs() * coordinator::LEDGER_BYTES_A_RESULT
    }
}

/// Returns how long 99 of 100 jobs take at most, in seconds.
pub(crate) fn slow_job_s(estimate: &Estimate) -> f64 {
    estimate.seconds.quantile(0.99)
}
