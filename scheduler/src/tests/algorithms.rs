//! Counting by either algorithm, by both, and what happens when one of them is wrong on every machine.

use std::time::Duration;

use queens::split::Kind;

use super::world::{SPLIT, World, answer};
use crate::*;

const COLUMNS: Split = Split { algorithm: Algorithm::Columns, ..SPLIT };

fn both(algorithm: Algorithm) -> Split {
    Split { algorithm, is_full_audit: true, ..SPLIT }
}

impl World {
    /// Starts workers that all have the same mistake.
    fn start_mistaken(&mut self, workers: u32, mistake: u64) {
        for _ in 0..workers {
            let worker = self.start(2, "avx2", false);
            self.fake(worker).mistake = mistake;
        }
    }

    fn kinds(&self, run: RunId) -> Vec<Kind> {
        self.view(run).plan.parts().map(|part| part.kind).collect()
    }
}

#[test]
fn a_count_by_columns_comes_to_the_same() {
    for n in 6..=8 {
        let mut world = World::new();
        let run = world.create_split(n, Goal::Count, &COLUMNS, 1.0);
        world.start(2, "avx2", false);
        world.start(2, "avx2", false);
        world.restart(true);
        world.finish();
        assert_eq!(world.kinds(run), [Kind::HalfTurn, Kind::QuarterTurn, Kind::Columns]);
        assert_eq!(world.view(run).answer, Some(answer(n, Goal::Count)));
    }
}

#[test]
fn a_full_audit_counts_by_both_and_restores() {
    for algorithm in Algorithm::ALL {
        let mut world = World::new();
        let run = world.create_split(8, Goal::Count, &both(algorithm), 0.0);
        let worker = world.start(2, "avx2", false);
        let kinds = [Kind::HalfTurn, Kind::QuarterTurn, algorithm.kind(), algorithm.other().kind()];
        assert_eq!(world.kinds(run), kinds);
        let mut share = 0.0;
        for _ in 0..20 {
            world.work(worker, 1);
            let view = world.view(run);
            assert!((share..1.0).contains(&view.progress.share));
            share = view.progress.share;
        }
        world.restart(true);
        world.finish();
        let view = world.view(run);
        assert_eq!((view.answer, view.progress.share), (Some(answer(8, Goal::Count)), 1.0));
        let stored: Vec<PartSpec> = view.plan.parts().collect();
        assert_eq!(RunPlan::restore(view.problem, &stored).unwrap(), *view.plan);
    }
}

#[test]
fn a_full_audit_finds_a_mistake_that_all_workers_share_and_gives_no_answer() {
    for algorithm in Algorithm::ALL {
        let mut world = World::new();
        let run = world.create_split(8, Goal::Count, &both(algorithm), 0.0);
        world.start_mistaken(3, 1);
        world.finish();
        let view = world.view(run);
        assert_eq!((view.state, view.answer), (RunState::Failed, None));
        assert!(view.reason.contains("the full audit found a mistake"), "{}", view.reason);
        assert!(view.reason.contains("counts 92 solutions") || view.reason.ends_with("report this"));
    }
}

#[test]
fn no_majority_of_machines_carries_a_mistake_of_the_algorithm() {
    for split in [COLUMNS, SPLIT.at_depth(0)] {
        let mut world = World::new();
        let run = world.create_split(7, Goal::Count, &split, 1.0);
        world.start_mistaken(3, 1);
        // What the workers find as one algorithm differs from what they find as the other, until the coordinator has
        // computed so much itself that all of them are in quarantine.
        for _ in 0..100 {
            (1..=3).for_each(|worker| world.work(WorkerId(worker), 3));
            world.pass(Duration::from_secs(2));
        }
        assert!(world.view(run).progress.alarms > 0, "{split:?}");
        assert!(world.view(run).answer.is_none_or(|given| given == answer(7, Goal::Count)), "{split:?}");
        // An honest worker ends it well.
        world.start(2, "avx2", false);
        world.finish();
        assert_eq!(world.view(run).answer, Some(answer(7, Goal::Count)), "{split:?}");
    }
}

#[test]
fn a_result_that_came_in_the_usual_way_is_no_audit() {
    let mut world = World::new();
    let run = world.create_split(6, Goal::Count, &COLUMNS, 1.0);
    let [one, two] = [0, 1].map(|_| world.start(1, "avx2", false));
    let job = JobId::new(run, 2);
    let plan = world.view(run).plan;
    let count = super::world::truth(plan.problem().size, &plan.job(2).unwrap().work);
    assert!(matches!(world.deliver(one, job, count, false), Report::Add(_)));
    assert!(matches!(world.deliver(two, job, count, false), Report::Check(_)));
    assert_eq!(world.view(run).progress.audits_done, 0);
    assert!(matches!(world.deliver(two, job, count, true), Report::Again | Report::Audit(_)));
    world.finish();
    let progress = world.view(run).progress;
    assert_eq!((progress.audits_done, progress.audits_wanted), (progress.jobs, progress.jobs));
}

#[test]
fn what_cannot_be_split_so_is_refused_with_a_sentence() {
    let problem = |n, goal| Problem { size: queens::Size::new(n).unwrap(), goal };
    let refused = |n, goal, split: &Split| RunPlan::choose(problem(n, goal), split).unwrap_err().to_string();
    for n in [5, 28] {
        assert!(refused(n, Goal::Count, &COLUMNS).contains("n = 6 to 27"));
        assert!(
            refused(n, Goal::Count, &Split { job_target: Duration::MAX, ..both(Algorithm::Cross) })
                .contains("n = 6 to 27")
        );
    }
    assert!(refused(8, Goal::Count, &COLUMNS.at_depth(1)).contains("no depth"));
    assert!(refused(8, Goal::Boards, &both(Algorithm::Cross)).contains("are for counts"));
}
