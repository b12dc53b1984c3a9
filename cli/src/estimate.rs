//! What a count will cost, learned by running the kernel on a sample of its jobs.
//!
//! Jobs are drawn evenly from the whole plan. A job that would take too long is not run as a whole: the kernel counts a
//! few random positions below it, so many rows down that one takes about a millisecond, and each counts for those that
//! it was drawn from. A plan of few short jobs is run as a whole, and then nothing is left to guess.

mod columns;

pub(crate) use columns::{ByColumns, by_columns};

use std::time::{Duration, Instant};

use anyhow::Context;
use queens::{
    Position, Size,
    estimate::{Draws, Sample, probe},
    kernel::{Counter, Kernel},
    split::{Job, Plan, Work},
};
use rustix::time::{ClockId, clock_gettime};

/// A position should take no longer than this, so that there are thousands in a few seconds.
const PROBE: Duration = Duration::from_millis(1);
/// Positions looked at before the number of rows is chosen.
const PILOT: u32 = 12;
/// Positions below one job.
const PROBES_A_JOB: u32 = 8;
/// No more jobs than this are drawn.
const JOBS_MAX: usize = 100_000;

/// What the jobs of a plan cost, and what they come to.
pub(crate) struct Estimate {
    /// Seconds of one core, a number for each job that was drawn.
    pub(crate) seconds: Sample,
    /// Solutions of the whole problem that a job stands for.
    pub(crate) solutions: Sample,
    /// Whether every job was run.
    pub(crate) complete: bool,
    jobs: f64,
}

/// A number that is not known exactly, with the interval that has it with a probability of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) expected: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Range {
    /// Returns this number divided by another.
    pub(crate) fn over(self, divisor: f64) -> Self {
        Self { expected: self.expected / divisor, low: self.low / divisor, high: self.high / divisor }
    }
}

impl Estimate {
    /// Returns the time of one core for all jobs, in seconds.
    pub(crate) fn core_s(&self) -> Range {
        self.total(&self.seconds)
    }

    /// Returns the number of solutions of the whole problem.
    pub(crate) fn total_solutions(&self) -> Range {
        self.total(&self.solutions)
    }

    /// Returns what is known of another plan of `jobs` jobs, of which each takes `factor` times as long and stands for
    /// `solutions` on the mean.
    fn carried_over(&self, factor: f64, jobs: u64, solutions: f64) -> Self {
        let (mut seconds, mut mean) = (Sample::default(), Sample::default());
        self.seconds.values().for_each(|value| seconds.push(value * factor));
        self.seconds.values().for_each(|_| mean.push(solutions));
        Self { seconds, solutions: mean, complete: false, jobs: jobs as f64 }
    }

    fn total(&self, sample: &Sample) -> Range {
        let error = if self.complete { 0.0 } else { sample.error().min(f64::MAX / self.jobs) };
        let mean = sample.mean();
        Range {
            expected: self.jobs * mean,
            low: self.jobs * (mean - error).max(0.0),
            high: self.jobs * (mean + error),
        }
    }
}

/// Runs the kernel for about `time` on jobs of `plan`, which must be one of prefixes.
pub(crate) fn estimate(plan: &Plan, kernel: Kernel, time: Duration, seed: u64) -> anyhow::Result<Estimate> {
    let mut looks = Looks { counter: kernel.counter()?, draws: Draws::new(seed), size: plan.size() };
    let (rows, pilot_s) = looks.choose_rows(plan)?;
    let complete = rows == 0 && pilot_s * plan.jobs() as f64 <= time.as_secs_f64();
    let mut estimate = Estimate {
        seconds: Sample::default(),
        solutions: Sample::default(),
        complete,
        jobs: plan.jobs() as f64,
    };
    if complete {
        for job in plan.jobs_from(0) {
            estimate.add(looks.look(&job, 0)?);
        }
        return Ok(estimate);
    }
    let (begun, mut walk) = (Instant::now(), Walk::new(&mut looks.draws, plan.jobs()));
    while estimate.seconds.len() < 2 || begun.elapsed() < time && estimate.seconds.len() < JOBS_MAX {
        let job = walk.next(plan)?;
        estimate.add(looks.look(&job, rows)?);
    }
    Ok(estimate)
}

impl Estimate {
    fn add(&mut self, look: Look) {
        self.seconds.push(look.seconds);
        self.solutions.push(look.solutions);
    }
}

/// What one job costs and comes to, as far as was seen.
struct Look {
    seconds: f64,
    solutions: f64,
}

struct Looks {
    counter: Counter,
    draws: Draws,
    size: Size,
}

impl Looks {
    /// Returns how many rows below its job a position should be, and the seconds that one then takes on average. Begins
    /// at the bottom, where positions take no time.
    fn choose_rows(&mut self, plan: &Plan) -> anyhow::Result<(u32, f64)> {
        let mut walk = Walk::new(&mut self.draws, plan.jobs());
        let jobs: Vec<_> = (0..PILOT).map(|_| walk.next(plan)).collect::<Result<_, _>>()?;
        let (mut rows, mut mean_s) = (self.size.get(), 0.0);
        while rows > 0 {
            let mut pilot = Sample::default();
            for job in &jobs {
                let position = position(self.size, job)?;
                let found = probe(position, rows - 1, &mut self.draws);
                pilot.push(found.map_or(0.0, |found| self.count(&found.position).1));
            }
            if pilot.mean() > PROBE.as_secs_f64() {
                break;
            }
            (rows, mean_s) = (rows - 1, pilot.mean());
        }
        Ok((rows, mean_s))
    }

    /// Looks at a job: at the whole of it if `rows` is 0.
    fn look(&mut self, job: &Job, rows: u32) -> anyhow::Result<Look> {
        let position = position(self.size, job)?;
        let probes = if rows == 0 { 1 } else { PROBES_A_JOB };
        let mut look = Look { seconds: 0.0, solutions: 0.0 };
        for _ in 0..probes {
            let Some(found) = probe(position, rows, &mut self.draws) else { continue };
            let (count, seconds) = self.count(&found.position);
            let stands_for = found.stands_for / f64::from(probes);
            look.seconds += stands_for * seconds;
            look.solutions += stands_for * count as f64 * f64::from(job.weight);
        }
        Ok(look)
    }

    /// Returns the count, and the processor time that it took in seconds: what else the machine does is not the kernel's
    /// cost.
    fn count(&mut self, position: &Position) -> (u64, f64) {
        let begun = processor_s();
        let count = self.counter.count(position);
        (count, processor_s() - begun)
    }
}

fn position(size: Size, job: &Job) -> anyhow::Result<Position> {
    let Work::Complete(queens) = &job.work else { anyhow::bail!("the plan has no prefixes") };
    Ok(Position::with_queens(size, queens.iter().copied())?)
}

/// Returns the processor time of this thread so far, in seconds.
pub(crate) fn processor_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// A walk in steps of the golden ratio from a random place: however far it goes, it has been everywhere about as often.
struct Walk {
    place: u64,
    jobs: u64,
}

impl Walk {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    fn new(draws: &mut Draws, jobs: u64) -> Self {
        Self { place: draws.bits(), jobs }
    }

    fn next(&mut self, plan: &Plan) -> anyhow::Result<Job> {
        self.place = self.place.wrapping_add(Self::STEP);
        let index = (u128::from(self.place) * u128::from(self.jobs)) >> 64;
        plan.job(index as u64).context("the plan has no jobs")
    }
}

#[cfg(test)]
mod tests {
    use queens::{known, split::Kind};

    use super::*;

    fn plan(n: u64, depth: u32) -> Plan {
        Plan::new(Size::new(n).unwrap(), Kind::Cross, depth).unwrap()
    }

    #[test]
    fn a_small_plan_is_counted_and_not_guessed() {
        for (n, depth) in [(5, 0), (8, 0), (8, 1), (10, 1)] {
            let estimate = estimate(&plan(n, depth), Kernel::Scalar, Duration::from_secs(60), 7).unwrap();
            let total = estimate.total_solutions();
            assert!(estimate.complete);
            assert_eq!(total.expected.round() as u64, known::total(Size::new(n).unwrap()).unwrap());
            assert_eq!((total.low, total.high), (total.expected, total.expected));
        }
    }

    #[test]
    fn a_guess_is_near_the_truth_and_knows_how_near() {
        // By the number of jobs and not by time, so that it does not depend on the machine.
        let plan = plan(13, 1);
        let mut looks =
            Looks { counter: Kernel::Scalar.counter().unwrap(), draws: Draws::new(3), size: plan.size() };
        for rows in [0, 1, 3] {
            let mut walk = Walk::new(&mut looks.draws, plan.jobs());
            let (seconds, solutions) = (Sample::default(), Sample::default());
            let mut estimate = Estimate { seconds, solutions, complete: false, jobs: plan.jobs() as f64 };
            for _ in 0..1500 {
                let job = walk.next(&plan).unwrap();
                estimate.add(looks.look(&job, rows).unwrap());
            }
            let (total, known) = (estimate.total_solutions(), 73_712.0);
            let error = total.high - total.expected;
            assert!(
                error < 0.2 * known && (total.expected - known).abs() < 2.0 * error,
                "{rows} rows: {total:?}"
            );
        }
    }

    #[test]
    fn a_plan_without_time_gives_an_interval_that_says_so() {
        let estimate = estimate(&plan(16, 0), Kernel::Scalar, Duration::ZERO, 1).unwrap();
        let total = estimate.total_solutions();
        assert_eq!((estimate.complete, estimate.seconds.len()), (false, 2));
        assert!(0.0 <= total.low && total.low < total.expected && total.expected < total.high, "{total:?}");
        assert!(total.high.is_finite());
    }
}
