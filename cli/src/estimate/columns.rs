//! What a count by columns will cost, learned by running its kernel on a sample of its jobs.
//!
//! A job of the column split cannot be looked at in part. Where even a few jobs would take too long, those of a smaller board
//! are run, and what they cost is carried over by the known speeds and numbers of solutions of both boards.

use std::time::{Duration, Instant};

use anyhow::Context;
use queens::{
    Size,
    columns::{self, Counter},
    estimate::{Draws, Sample},
    kernel::Kernel,
    known,
    split::{Job, Kind, Plan, Work},
};
use scheduler::Algorithm;

use super::{Estimate, JOBS_MAX, Walk, processor_s};

/// So many jobs should fit the time.
const JOBS_MIN: f64 = 8.0;

/// What the jobs of a columns plan cost.
pub(crate) struct ByColumns {
    pub(crate) jobs: u64,
    pub(crate) estimate: Estimate,
    /// The board whose jobs were run.
    pub(crate) measured: Size,
}

/// Runs the kernel for about `time` on jobs of the column split, which must serve `size`.
pub(crate) fn by_columns(size: Size, kernel: Kernel, time: Duration, seed: u64) -> anyhow::Result<ByColumns> {
    let plan = Plan::new(size, Kind::Columns, 0)?;
    let (jobs, measured) = (plan.jobs(), measured_at(size, kernel, time));
    if measured == size {
        return Ok(ByColumns { jobs, estimate: run(&plan, kernel, time, seed)?, measured });
    }
    let small = Plan::new(measured, Kind::Columns, 0)?;
    let found = run(&small, kernel, time, seed)?;
    let factor = core_s(size, kernel) / jobs as f64 / (core_s(measured, kernel) / small.jobs() as f64);
    let estimate = found.carried_over(factor, jobs, solutions(size) / jobs as f64);
    Ok(ByColumns { jobs, estimate, measured })
}

/// Returns the largest board up to `size` of which a few jobs fit the time.
fn measured_at(size: Size, kernel: Kernel, time: Duration) -> Size {
    let fits = |&smaller: &Size| {
        let jobs = Plan::new(smaller, Kind::Columns, 0).map_or(1, |plan| plan.jobs());
        JOBS_MIN * core_s(smaller, kernel) / jobs as f64 <= time.as_secs_f64()
    };
    let sizes = Size::all().filter(|smaller| *smaller <= size && Algorithm::Columns.serves(*smaller));
    sizes.rev().find(fits).unwrap_or(size)
}

/// Returns about how long one core takes for a whole board, in seconds.
fn core_s(size: Size, kernel: Kernel) -> f64 {
    solutions(size) * Algorithm::Columns.ns_per_solution(size, kernel.name()) * 1e-9
}

fn solutions(size: Size) -> f64 {
    known::total(size).map_or(0.0, |total| total as f64)
}

fn run(plan: &Plan, kernel: Kernel, time: Duration, seed: u64) -> anyhow::Result<Estimate> {
    let mut counter = columns::Kernel::like(kernel).counter()?;
    let complete = core_s(plan.size(), kernel) < time.as_secs_f64() / 10.0;
    let (seconds, solutions) = (Sample::default(), Sample::default());
    let mut estimate = Estimate { seconds, solutions, complete, jobs: plan.jobs() as f64 };
    if complete {
        plan.jobs_from(0).try_for_each(|job| look(&mut counter, &job, &mut estimate))?;
        return Ok(estimate);
    }
    let mut walk = Walk::new(&mut Draws::new(seed), plan.jobs());
    let begun = Instant::now();
    while estimate.seconds.len() < 2 || begun.elapsed() < time && estimate.seconds.len() < JOBS_MAX {
        look(&mut counter, &walk.next(plan)?, &mut estimate)?;
    }
    Ok(estimate)
}

fn look(counter: &mut Counter, job: &Job, estimate: &mut Estimate) -> anyhow::Result<()> {
    let Work::Columns(set) = &job.work else { anyhow::bail!("the plan has no column sets") };
    let begun = processor_s();
    let count = counter.count_while(*set, &mut || true).context("the count was broken off")?;
    estimate.seconds.push(processor_s() - begun);
    estimate.solutions.push(count as f64 * f64::from(job.weight));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(n: u64) -> Size {
        Size::new(n).unwrap()
    }

    #[test]
    fn a_small_board_is_counted_and_not_guessed() {
        for n in [6, 9, 10] {
            let found = by_columns(size(n), Kernel::best(), Duration::from_secs(60), 7).unwrap();
            assert!(found.estimate.complete && found.measured == size(n));
            let total = found.estimate.total_solutions();
            assert_eq!(Some(total.expected.round() as u64), known::total(size(n)));
        }
    }

    #[test]
    fn a_board_that_would_take_too_long_is_learned_from_a_smaller_one() {
        let found = by_columns(size(27), Kernel::best(), Duration::from_millis(200), 7).unwrap();
        assert!(found.measured < size(27) && !found.estimate.complete);
        assert_eq!(found.jobs, Plan::new(size(27), Kind::Columns, 0).unwrap().jobs());
        let core_s = found.estimate.core_s();
        assert!(core_s.low <= core_s.expected && core_s.expected <= core_s.high);
        // Between a hundredth and a hundred times of 0.5 ns a solution.
        let ns = core_s.expected * 1e9 / solutions(size(27));
        assert!((0.005..50.0).contains(&ns), "{ns} ns a solution");
    }
}
