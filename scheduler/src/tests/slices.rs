//! The map of a run: slices of its search tree.

use super::world::World;
use crate::*;

/// More slices than any of the runs here has jobs, so that every job is looked at.
const ALL: u64 = u64::MAX;

#[test]
fn slices_cut_the_main_part_without_gaps_and_see_what_is_done_and_leased() {
    let mut world = World::new();
    let worker = world.start(2, "scalar", false);
    let run = world.create(9, Goal::Count, 1, 0.0);
    let first = world.scheduler.plan(run).expect("a plan").main_first();
    world.work(worker, 5);
    for most in [1, 2, 3, 7, 64, ALL] {
        let slices = world.scheduler.slices(run, most);
        assert_eq!(slices[0].first, first);
        assert!(slices.windows(2).all(|pair| pair[0].first + pair[0].jobs == pair[1].first), "{slices:?}");
        let last = slices[slices.len() - 1];
        assert_eq!(last.first + last.jobs, world.view(run).progress.jobs);
        assert!(
            slices.iter().all(|slice| slice.done + slice.leased <= slice.seen && slice.seen <= slice.jobs)
        );
    }
    let sum = |part: fn(&Slice) -> u64| world.scheduler.slices(run, ALL).iter().map(part).sum::<u64>();
    let before = (0..first)
        .filter(|&index| world.ledger.recorded(JobId::new(run, index), worker).is_some())
        .count() as u64;
    assert_eq!(sum(|slice| slice.done) + before, world.view(run).progress.jobs_done);
    assert!(sum(|slice| slice.done) > 0);
}
