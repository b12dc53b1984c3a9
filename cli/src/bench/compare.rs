//! Both algorithms side by side: what a solution of the whole board costs by each, from random jobs run in turn on this thread.

use std::time::Duration;

use anyhow::Context;
use queens::{
    Position, Size, columns,
    estimate::Draws,
    kernel::{self, Kernel},
    split::{Plan, Work},
};
use scheduler::{Algorithm, Goal, Problem, RunPlan, Split};

use crate::{
    estimate::{Range, processor_s},
    random,
};

/// Jobs of the cross algorithm are cut about so short, so that a sample has many.
const CROSS_JOB: Duration = Duration::from_millis(50);

/// What an algorithm costs.
pub(crate) struct Compared {
    pub(crate) algorithm: Algorithm,
    pub(crate) jobs: u64,
    /// Nanoseconds of one core for a solution of the whole board, with the interval of 95 %.
    pub(crate) ns_per_solution: Range,
}

/// Runs `sample` random jobs of each of these algorithms, one of each in turn. An error if one does not serve the board.
pub(crate) fn compare(
    size: Size,
    kernel: Kernel,
    algorithms: &[Algorithm],
    sample: u32,
) -> anyhow::Result<Vec<Compared>> {
    let mut runners =
        algorithms.iter().map(|&it| Runner::new(size, kernel, it)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut draws = Draws::new(random::bits());
    for _ in 0..sample {
        runners.iter_mut().try_for_each(|runner| runner.run_one(&mut draws))?;
    }
    Ok(runners.iter().map(Runner::compared).collect())
}

struct Runner {
    algorithm: Algorithm,
    plan: Plan,
    search: kernel::Counter,
    columns: columns::Counter,
    /// For each job: seconds, and solutions of the whole board that it stands for.
    seen: Vec<(f64, f64)>,
}

impl Runner {
    fn new(size: Size, kernel: Kernel, algorithm: Algorithm) -> anyhow::Result<Self> {
        let problem = Problem { size, goal: Goal::Count };
        let split = Split { algorithm, ..Split::new(CROSS_JOB) };
        let part = RunPlan::choose(problem, &split)?.main_part();
        let plan = Plan::new(size, part.kind, part.depth)?;
        let (search, columns) = (kernel.counter()?, columns::Kernel::like(kernel).counter()?);
        Ok(Self { algorithm, plan, search, columns, seen: Vec::new() })
    }

    fn run_one(&mut self, draws: &mut Draws) -> anyhow::Result<()> {
        let job = self.plan.job(draws.bits() % self.plan.jobs()).context("the plan has no jobs")?;
        let size = self.plan.size();
        let begun = processor_s();
        let count = match &job.work {
            Work::Complete(queens) => {
                self.search.count(&Position::with_queens(size, queens.iter().copied())?)
            }
            Work::Columns(set) => self.columns.count(*set),
            Work::Turn(_) => anyhow::bail!("the plan is one of turns"),
        };
        let solutions = count as f64 * f64::from(job.weight);
        self.seen.push((processor_s() - begun, solutions));
        Ok(())
    }

    fn compared(&self) -> Compared {
        let jobs = self.plan.jobs();
        Compared { algorithm: self.algorithm, jobs, ns_per_solution: ratio(&self.seen) }
    }
}

/// Returns the sum of the seconds over the sum of the solutions, in nanoseconds, with its interval (that of a ratio of sums;
/// W. G. Cochran, Sampling Techniques, 1977, section 6.4).
fn ratio(seen: &[(f64, f64)]) -> Range {
    let (seconds, solutions) =
        seen.iter().fold((0.0, 0.0), |(seconds, solutions), one| (seconds + one.0, solutions + one.1));
    let ratio = seconds / solutions;
    let squares: f64 = seen.iter().map(|(seconds, solutions)| (seconds - ratio * solutions).powi(2)).sum();
    let error = 1.96 * squares.sqrt() / solutions;
    Range { expected: ratio * 1e9, low: (ratio - error).max(0.0) * 1e9, high: (ratio + error) * 1e9 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_measured_on_as_many_jobs() {
        let size = Size::new(12).unwrap();
        let compared = compare(size, Kernel::best(), &Algorithm::ALL, 20).unwrap();
        assert!(compared.iter().map(|it| it.algorithm).eq(Algorithm::ALL));
        for it in compared {
            let Range { expected, low, high } = it.ns_per_solution;
            assert!(0.0 <= low && low <= expected && expected <= high && expected.is_finite());
        }
        let small = Size::new(5).unwrap();
        assert!(compare(small, Kernel::Scalar, &[Algorithm::Columns], 1).is_err());
    }

    #[test]
    fn a_ratio_is_weighted_by_solutions() {
        let exact = ratio(&[(1e-9, 1.0), (3e-9, 3.0)]);
        assert!((exact.expected - 1.0).abs() < 1e-9 && exact.high - exact.low < 1e-9);
        let spread = ratio(&[(1e-9, 1.0), (1e-9, 3.0)]);
        assert!((spread.expected - 0.5).abs() < 1e-9 && spread.low < 0.5 && 0.5 < spread.high);
    }
}
