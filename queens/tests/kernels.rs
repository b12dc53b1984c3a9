//! Every kernel against `scalar`, and against the published totals.
//!
//! The tests that are marked as ignored are the same ones with larger numbers, to be run by hand in a release build:
//! `cargo test --release -p queens --test kernels -- --ignored`. `NQUEENS_TEST_POSITIONS` sets how many random positions.

mod random;

use std::{env, ops::RangeInclusive};

use queens::{
    Position, Size, Square,
    kernel::{Counter, Family, Kernel},
    known,
    split::{Job, Kind, Plan, Work},
};
use random::Random;

fn size(n: u32) -> Size {
    Size::new(n.into()).unwrap()
}

/// A counter of every kernel that this processor supports, but for `scalar`.
fn fast_counters() -> Vec<Counter> {
    Kernel::ALL.into_iter().skip(1).filter_map(|kernel| kernel.counter().ok()).collect()
}

/// Checks one position in every kernel.
fn check(counters: &mut [Counter], scalar: &mut Counter, position: &Position) -> u64 {
    let expected = scalar.count(position);
    for counter in counters {
        assert_eq!(counter.count(position), expected, "{} on {position:?}", counter.kernel());
    }
    expected
}

fn jobs(n: u32, depth: u32) -> impl Iterator<Item = (Position, u64)> {
    let jobs: Vec<Job> = Plan::new(size(n), Kind::Cross, depth).unwrap().jobs_from(0).collect();
    jobs.into_iter().map(move |job| {
        let Work::Complete(queens) = job.work else { panic!("not a prefix: {:?}", job.work) };
        (Position::with_queens(size(n), queens).unwrap(), job.weight.into())
    })
}

fn agree_on_random_positions(positions: u64) {
    let (mut counters, mut scalar) = (fast_counters(), Kernel::Scalar.counter().unwrap());
    let mut random = Random::new(20_261_130);
    let (mut impossible, mut complete) = (0, 0);
    for index in 0..positions {
        let size = size(1 + (index % 32) as u32);
        let position = random.position(size);
        let ways = check(&mut counters, &mut scalar, &position);
        impossible += u64::from(ways == 0);
        complete += u64::from(position.free_rows() == 0);
    }
    println!("{positions} positions, {impossible} of them impossible, {complete} of them complete");
    assert!(
        impossible > positions / 20 && impossible < positions * 4 / 5,
        "{impossible} of {positions} are impossible"
    );
    assert!(complete > positions / 1000, "{complete} of {positions} are complete");
}

fn agree_on_every_job(sizes: RangeInclusive<u32>) {
    let (mut counters, mut scalar) = (fast_counters(), Kernel::Scalar.counter().unwrap());
    for n in sizes {
        for depth in 0..3 {
            let sum: u64 = jobs(n, depth)
                .map(|(position, weight)| weight * check(&mut counters, &mut scalar, &position))
                .sum();
            assert_eq!(Some(sum), known::total(size(n)), "n = {n}, depth {depth}");
        }
    }
}

fn find_the_totals(kernels: &[Kernel], sizes: RangeInclusive<u32>) {
    for counter in kernels.iter().filter_map(|kernel| kernel.counter().ok()).collect::<Vec<_>>().iter_mut() {
        for n in sizes.clone() {
            let sum: u64 = jobs(n, 0).map(|(position, weight)| weight * counter.count(&position)).sum();
            assert_eq!(Some(sum), known::total(size(n)), "{}, n = {n}", counter.kernel());
        }
    }
}

#[test]
fn kernels_agree_on_random_positions() {
    agree_on_random_positions(20_000);
}

#[test]
#[ignore = "a million positions: a few minutes"]
fn kernels_agree_on_many_random_positions() {
    let positions = env::var("NQUEENS_TEST_POSITIONS").ok().map(|text| text.parse().unwrap());
    agree_on_random_positions(positions.unwrap_or(1_000_000));
}

#[test]
fn kernels_agree_on_every_job() {
    agree_on_every_job(10..=13);
}

#[test]
#[ignore = "every job to n = 16: minutes"]
fn kernels_agree_on_every_larger_job() {
    agree_on_every_job(14..=16);
}

#[test]
fn weighted_jobs_sum_to_the_totals() {
    find_the_totals(&Kernel::ALL, 1..=15);
}

#[test]
#[ignore = "minutes"]
fn weighted_jobs_sum_to_the_totals_to_18() {
    find_the_totals(&Kernel::ALL, 16..=18);
}

#[test]
#[ignore = "minutes"]
fn weighted_jobs_sum_to_the_total_of_19() {
    find_the_totals(&[Kernel::Avx2, Kernel::Avx512], 19..=19);
}

/// The widest searches, in which every level is visited many times and its queue fills up.
#[test]
fn empty_boards_have_the_published_totals() {
    for counter in &mut fast_counters() {
        for n in 1..=14 {
            let found = counter.count(&Position::empty(size(n)));
            assert_eq!(Some(found), known::total(size(n)), "{}, n = {n}", counter.kernel());
        }
    }
}

/// Boards of one solution, from which some queens are taken again: on n = 32 all bits of a mask are in use.
#[test]
fn a_solution_without_some_rows_has_a_completion() {
    let (mut counters, mut scalar) = (fast_counters(), Kernel::Scalar.counter().unwrap());
    // Pauls (1874): the upper half in knight's moves, the lower half by a half turn.
    let upper = (0..16).map(|row| Square::new(row, (2 * row + 15) % 32));
    let lower = (0..16).map(|row| Square::new(31 - row, 31 - (2 * row + 15) % 32));
    let solution: Vec<Square> = upper.chain(lower).collect();
    let size = size(32);
    assert_eq!(Position::with_queens(size, solution.clone()).unwrap().free_rows(), 0);
    for count in 0..=15 {
        for first in 0..32 - count {
            let kept = solution.iter().filter(|queen| !(first..first + count).contains(&queen.row));
            let position = Position::with_queens(size, kept.copied()).unwrap();
            assert!(check(&mut counters, &mut scalar, &position) > 0, "{position:?}");
        }
    }
}

#[test]
fn kernels_are_known_by_name() {
    for kernel in Kernel::ALL {
        assert_eq!(kernel.to_string().parse(), Ok(kernel));
        assert_eq!(kernel.counter().is_ok(), kernel.is_supported());
    }
    assert!("auto".parse::<Kernel>().is_err());
    assert!(Kernel::best().is_supported());
    assert_ne!(Kernel::Scalar.family(), Kernel::best().family());
    assert_eq!(Kernel::Queue.family(), Family::LevelQueue);
}

#[test]
fn a_count_that_was_broken_off_leaves_no_trace() {
    for mut counter in Kernel::ALL.into_iter().filter_map(|kernel| kernel.counter().ok()) {
        let empty = Position::empty(size(12));
        for asked in [0, 1, 2, 3, 10, 30] {
            let mut left = asked;
            let mut go_on = || {
                left -= 1;
                left >= 0
            };
            assert_eq!(counter.count_while(&empty, &mut go_on), None, "{} after {asked}", counter.kernel());
            assert_eq!(counter.count(&Position::empty(size(10))), 724, "{} after {asked}", counter.kernel());
        }
        assert_eq!(counter.count_while(&empty, &mut || true), Some(14_200));
    }
}
