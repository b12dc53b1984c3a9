//! Plans: their sums, their numbering, their sizes.

use std::collections::HashMap;

use proptest::prelude::*;
use queens::{
    Position, Size, Square,
    enumerate::{Boards, Order},
    kernel::Kernel,
    known,
    split::{CannotSplit, Job, Kind, MOST_JOBS, Plan, TooDeep, Work, prefix_columns},
    turns::Turn,
};

fn size(n: u32) -> Size {
    Size::new(n.into()).unwrap()
}

fn plan(n: u32, kind: Kind, depth: u32) -> Plan {
    Plan::new(size(n), kind, depth).unwrap()
}

/// The plans of this kind at depth 0 to 3, as far as the board has the rows.
fn plans(n: u32, kind: Kind) -> impl Iterator<Item = Plan> {
    (0..=3).map_while(move |depth| Plan::new(size(n), kind, depth).ok())
}

fn queens(job: &Job) -> &[Square] {
    let Work::Complete(queens) = &job.work else { panic!("not a prefix: {job:?}") };
    queens
}

fn position(size: Size, job: &Job) -> Position {
    let queens = queens(job).iter().copied();
    Position::with_queens(size, queens).expect("the queens of a job do not attack each other")
}

#[test]
fn weighted_completions_sum_to_the_published_totals() {
    let mut counter = Kernel::Scalar.counter().unwrap();
    // Plans of different depth meet the same positions.
    let mut seen = HashMap::new();
    for n in 1..=12 {
        for plan in [Kind::Cross, Kind::Rows].into_iter().flat_map(|kind| plans(n, kind)) {
            let mut boards = |job: Job| {
                let position = position(plan.size(), &job);
                let ways = *seen.entry(position).or_insert_with(|| counter.count(&position));
                u64::from(job.weight) * ways
            };
            let sum: u64 = plan.jobs_from(0).map(&mut boards).sum();
            assert_eq!(Some(sum), known::total(size(n)), "{plan:?}");
        }
    }
}

#[test]
fn every_index_finds_the_job_that_the_listing_shows() {
    for n in 1..=9 {
        let kinds = [Kind::Cross, Kind::Rows, Kind::HalfTurn, Kind::QuarterTurn];
        for plan in kinds.into_iter().flat_map(|kind| plans(n, kind)) {
            let jobs: Vec<_> = plan.jobs_from(0).collect();
            assert_eq!(jobs.len() as u64, plan.jobs(), "{plan:?}");
            for (index, job) in (0..).zip(&jobs) {
                assert_eq!(job.index, index, "{plan:?}");
                assert_eq!(plan.job(index).as_ref(), Some(job), "{plan:?}");
                assert_eq!(plan.weight(index), job.weight, "{plan:?}");
                let next = plan.jobs_from(index).nth(1);
                assert_eq!(next.as_ref(), jobs.get(index as usize + 1), "{plan:?}");
            }
            assert_eq!(plan.job(plan.jobs()), None);
            assert_eq!(plan.job(u64::MAX), None);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn large_plans_are_numbered_without_gaps(n in 10_u32..=20, depth in 0_u32..=2, place in 0.0..1.0) {
        for kind in [Kind::Cross, Kind::Rows] {
            // Large odd boards have many presets, and plans of them take a while.
            let depth = if n >= 17 && n % 2 == 1 { depth.min(1) } else { depth };
            let plan = plan(n, kind, depth);
            // The listing that begins a little earlier runs across the ends of subtrees, roots and stretches of roots.
            let index = ((plan.jobs() - 1) as f64 * place) as u64;
            let earlier = index.saturating_sub(150);
            let listed = plan.jobs_from(earlier).nth((index - earlier) as usize);
            let job = plan.job(index).unwrap();
            prop_assert_eq!(listed.as_ref(), Some(&job));
            prop_assert_eq!(job.index, index);
            prop_assert_eq!(job.weight, plan.weight(index));
            let free = position(plan.size(), &job).free_rows();
            prop_assert!(queens(&job).len() as u32 + free.count_ones() == n);
        }
    }
}

#[test]
fn the_last_job_is_the_last_of_the_listing() {
    for (n, kind, depth) in [(16, Kind::Cross, 1), (15, Kind::Cross, 1), (12, Kind::Rows, 4)] {
        let plan = plan(n, kind, depth);
        assert_eq!(plan.jobs_from(0).last(), plan.job(plan.jobs() - 1));
        assert_eq!(plan.jobs_from(0).count() as u64, plan.jobs());
    }
}

#[test]
fn plans_have_the_known_numbers_of_presets() {
    let presets = |n| plan(n, Kind::Cross, 0).jobs();
    assert_eq!([16, 18, 20, 24].map(presets), [1_814, 3_465, 6_078, 15_534]);
}

/// With the turn of each preset that brings its queens near the top.
#[test]
fn plans_have_the_known_numbers_of_jobs() {
    let jobs = |n, depth| plan(n, Kind::Cross, depth).jobs();
    assert_eq!([1, 2, 3].map(|depth| jobs(18, depth)), [35_573, 293_167, 1_890_166]);
    assert_eq!([1, 2].map(|depth| jobs(24, depth)), [245_088, 3_318_333]);
}

#[test]
fn below_a_preset_the_first_free_rows_are_filled_from_the_top() {
    let (presets, plan) = (plan(11, Kind::Cross, 0), plan(11, Kind::Cross, 2));
    let presets: Vec<_> = presets.jobs_from(0).collect();
    for job in plan.jobs_from(0) {
        let (preset, below) = queens(&job).split_at(queens(&job).len() - 2);
        let preset =
            presets.iter().find(|root| queens(root) == preset).expect("a preset of the plan of depth 0");
        let free_rows = position(plan.size(), preset).free_rows();
        let second = free_rows & (free_rows - 1);
        assert_eq!(u32::from(below[0].row), free_rows.trailing_zeros());
        assert_eq!(u32::from(below[1].row), second.trailing_zeros());
        assert_eq!(job.weight, preset.weight);
    }
}

#[test]
fn the_boards_of_rows_jobs_one_after_another_are_all_boards_in_order() {
    let boards = |n, prefix: &[u8]| {
        let mut columns = Vec::new();
        Boards::under(size(n), prefix, Order::Ascending).unwrap().append_to(&mut columns, usize::MAX);
        columns
    };
    for n in 1..=9 {
        for plan in plans(n, Kind::Rows) {
            let jobs = plan.jobs_from(0);
            let listed = jobs.flat_map(|job| boards(n, &prefix_columns(queens(&job)).unwrap()));
            assert!(listed.eq(boards(n, &[])), "{plan:?}");
        }
    }
}

#[test]
fn only_queens_in_the_first_rows_are_a_prefix_of_rows() {
    assert_eq!(prefix_columns(&[]), Some(vec![]));
    assert_eq!(prefix_columns(&[Square::new(0, 5), Square::new(1, 2)]), Some(vec![5, 2]));
    assert_eq!(prefix_columns(&[Square::new(1, 2), Square::new(0, 5)]), None);
    assert_eq!(prefix_columns(&[Square::new(1, 2)]), None);
}

#[test]
fn a_turn_is_one_job() {
    for (kind, turn) in [(Kind::HalfTurn, Turn::Half), (Kind::QuarterTurn, Turn::Quarter)] {
        let job = Job { index: 0, work: Work::Turn(turn), weight: 1 };
        let plan = plan(8, kind, 0);
        assert_eq!(plan.jobs_from(0).collect::<Vec<_>>(), [job]);
        assert_eq!((plan.jobs(), plan.weight(0)), (1, 1));
        assert_eq!(Plan::new(size(8), kind, 1).unwrap_err(), TooDeep { deepest: 0 }.into());
    }
}

#[test]
fn plans_that_are_too_deep_say_how_deep_they_may_be() {
    for n in 1..=32 {
        for kind in [Kind::Cross, Kind::Rows] {
            if n > 10 && (n, kind) != (32, Kind::Rows) {
                continue;
            }
            let CannotSplit::TooDeep(TooDeep { deepest }) = Plan::new(size(n), kind, 33).unwrap_err() else {
                panic!("not too deep")
            };
            assert!(Plan::new(size(n), kind, deepest).unwrap().jobs() <= MOST_JOBS);
            assert_eq!(Plan::new(size(n), kind, deepest + 1).unwrap_err(), TooDeep { deepest }.into());
        }
    }
}
