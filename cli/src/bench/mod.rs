//! The ladder of algorithms: what each costs for a solution on this machine, from the way people learn it to the fastest
//! kernel.
//!
//! Machines are noisy, so the rungs are run in turn, again and again, and the median counts: whatever slows the machine
//! for a while slows all of them. Every run's answer is checked.

mod compare;
mod cpu;
mod rung;

use std::time::{Duration, Instant};

use anyhow::ensure;
use queens::{Size, known};

pub(crate) use compare::{Compared, compare};
pub(crate) use cpu::cpu_name;
pub(crate) use rung::{Rung, rungs};

/// A rung that takes longer than this is climbed once.
const ONCE_ABOVE: Duration = Duration::from_secs(10);

/// What one rung came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) size: Size,
    pub(crate) solutions: u64,
    /// The median of the repeats.
    pub(crate) elapsed: Duration,
}

impl Measured {
    /// Returns the time for one solution; infinite if there is none.
    pub(crate) fn ns_per_solution(&self) -> f64 {
        self.elapsed.as_secs_f64() * 1e9 / self.solutions as f64
    }

    /// Returns how many times faster this rung finds a solution than the one named `mirror` on the same board.
    pub(crate) fn speedup(&self, all: &[Self]) -> Option<f64> {
        let mirror = all.iter().find(|other| other.name == "mirror" && other.size == self.size)?;
        Some(mirror.elapsed.as_secs_f64() / self.elapsed.as_secs_f64())
    }
}

/// Climbs all rungs in turn, `repeats` times, on this thread. An error if any of them finds a wrong number.
pub(crate) fn measure(mut rungs: Vec<Rung>, repeats: u32) -> anyhow::Result<Vec<Measured>> {
    let mut times = vec![Vec::new(); rungs.len()];
    let mut solutions = vec![0; rungs.len()];
    for _ in 0..repeats {
        for (place, rung) in rungs.iter_mut().enumerate() {
            if times[place].first().is_some_and(|&first| first > ONCE_ABOVE) {
                continue;
            }
            let begun = Instant::now();
            solutions[place] = rung.climb();
            times[place].push(begun.elapsed());
            check(rung, solutions[place])?;
        }
    }
    let measured = rungs.iter().zip(solutions).zip(times).map(|((rung, solutions), times)| Measured {
        name: rung.name,
        kind: rung.kind,
        size: rung.size,
        solutions,
        elapsed: median(times),
    });
    Ok(measured.collect())
}

fn check(rung: &Rung, solutions: u64) -> anyhow::Result<()> {
    let (name, size) = (rung.name, rung.size);
    let right = known::total(size);
    ensure!(
        right.is_none_or(|right| right == solutions),
        "{name} finds {solutions} solutions for n = {size}, and the known number is {}",
        right.unwrap_or_default()
    );
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(n: u64) -> Size {
        Size::new(n).unwrap()
    }

    #[test]
    fn every_rung_is_measured_and_compared_with_mirror() {
        let measured = measure(rungs(size(9), None), 3).unwrap();
        let mirrors: Vec<_> = measured.iter().filter(|row| row.name == "mirror").collect();
        assert!(!mirrors.is_empty());
        assert!(mirrors.iter().all(|row| row.speedup(&measured) == Some(1.0)));
        assert!(measured.iter().all(|row| row.solutions == 352 && row.speedup(&measured).is_some()));
        assert!(measured.iter().any(|row| row.name == "string_board"));
        assert!(measured.iter().any(|row| row.name == "scalar"));
    }

    #[test]
    fn slow_algorithms_have_a_smaller_board_and_a_mirror_of_their_own() {
        let rungs = rungs(size(16), None);
        let of = |name| {
            rungs.iter().filter(|rung| rung.name == name).map(|rung| rung.size.get()).collect::<Vec<_>>()
        };
        assert_eq!(of("mirror"), [9, 12, 16]);
        assert_eq!(of("square_by_square"), [9]);
        assert_eq!(of("difference"), [12]);
        assert_eq!(of("scalar"), [16]);
    }

    #[test]
    fn a_wrong_number_is_an_error() {
        let wrong = Rung::new("wrong", "kernel", size(8), || 93);
        assert!(measure(vec![wrong], 1).unwrap_err().to_string().contains("92"));
    }

    #[test]
    fn the_median_is_the_middle_one() {
        let times = [5, 1, 9, 2, 7].map(Duration::from_millis).to_vec();
        assert_eq!(median(times), Duration::from_millis(5));
    }
}
