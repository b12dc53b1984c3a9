//! Stories: what the cluster does when this and that happens, told from beginning to end.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use queens::Size;

use super::world::{Lent, SPLIT, World, answer, truth};
use crate::*;

const SECOND: Duration = Duration::from_secs(1);
const LEASE_TTL: Duration = Duration::from_secs(30);

fn is_check(event: &Event) -> bool {
    matches!(event, Event::CheckPassed { .. })
}

fn is_audit(event: &Event) -> bool {
    matches!(event, Event::AuditPassed { .. })
}

fn is_alarm(event: &Event) -> bool {
    matches!(event, Event::AlarmRaised { .. })
}

fn is_quarantine(event: &Event) -> bool {
    matches!(event, Event::WorkerQuarantined { .. })
}

impl World {
    fn held(&mut self, worker: WorkerId) -> usize {
        self.fake(worker).held.len()
    }

    fn assert_answer(&self, run: RunId, n: u64, goal: Goal) {
        let view = self.view(run);
        assert_eq!((view.state, view.answer), (RunState::Done, Some(answer(n, goal))), "{view:#?}");
    }

    fn ask(&mut self, decision: Result<Option<Event>, RunError>) {
        let event = decision.unwrap().expect("it changes something");
        self.commit(event);
        self.settle();
    }

    fn pause(&mut self, run: RunId) {
        let decision = self.scheduler.pause(run, self.now);
        self.ask(decision);
    }

    fn resume(&mut self, run: RunId) {
        let decision = self.scheduler.resume(run, self.now);
        self.ask(decision);
    }

    /// Lets workers, each with two threads and jobs of a tenth of a second, work for so many seconds, and returns the time
    /// left then, in seconds. All the while it must be near what these workers will take.
    fn watch_time_left(&mut self, run: RunId, workers: &[WorkerId], seconds: u32) -> f64 {
        let mut left = 0.0;
        for _ in 0..10 * seconds {
            self.pass(SECOND / 10);
            workers.iter().for_each(|&worker| self.work(worker, 2));
            let progress = self.view(run).progress;
            let truth = (progress.jobs - progress.jobs_done) as f64 / (20.0 * workers.len() as f64);
            left = progress.time_left.unwrap_or_else(|| panic!("{progress:?}, {:?}", self.now)).expected_s;
            assert!((left / truth - 1.0).abs() < 0.15, "{left} s left, and it will take {truth} s");
        }
        left
    }

    /// Lets all workers work, and fail at one job, until its run is over; returns who failed at it, in order.
    fn fail_at(&mut self, bad: JobId, workers: &[WorkerId]) -> Vec<WorkerId> {
        let mut failures = Vec::new();
        while self.state(bad.run) == RunState::Running {
            assert!(self.now < Moment::default().plus(SECOND * 600), "nobody gets it any more");
            self.pass(SECOND / 10);
            for &worker in workers {
                let held = self.held(worker);
                self.fake(worker).held.retain(|(id, _)| *id != bad);
                if self.held(worker) == held {
                    self.work(worker, 1);
                    continue;
                }
                failures.push(worker);
                if let Some(event) = self.scheduler.fail(worker, bad, "out of memory", self.now) {
                    self.commit(event);
                }
                self.settle();
            }
        }
        failures
    }

    fn cancel(&mut self, run: RunId) {
        let decision = self.scheduler.cancel(run, self.now);
        self.ask(decision);
    }
}

#[test]
fn one_worker_counts_everything() {
    for n in 4..=8 {
        for goal in [Goal::Count, Goal::Boards] {
            let mut world = World::new();
            let run = world.create(n, goal, 1, 0.0);
            world.start(2, "scalar", false);
            world.finish();
            world.assert_answer(run, n, goal);
            let view = world.view(run);
            assert_eq!((view.progress.share, view.progress.jobs_leased), (1.0, 0));
            assert!(world.leases.values().all(|&leases| leases == 1), "no job is lent twice");
        }
    }
}

#[test]
fn a_worker_that_was_stopped_delivers_late_and_its_results_are_free_checks() {
    let mut world = World::new();
    let run = world.create(6, Goal::Count, 1, 0.0);
    let (sleeper, other) = (world.start(2, "scalar", false), world.start(2, "scalar", false));
    world.pause(run);
    world.resume(run);
    world.fake(sleeper).frozen = true;
    let held = world.held(sleeper);
    assert!(held > 0);
    for _ in 0..100 {
        world.work(other, 10);
        world.pass(SECOND);
    }
    world.assert_answer(run, 6, Goal::Count);
    assert!(world.view(run).progress.jobs_lent_again > 0);

    let again = world.create(6, Goal::Count, 1, 0.0);
    world.fake(sleeper).frozen = false;
    let first: Vec<_> = world.fake(sleeper).held.iter().map(|(id, _)| id.run).collect();
    assert!(first.iter().all(|&held| held == run || held == again));
}

#[test]
fn late_results_of_an_open_run_are_checks() {
    let mut world = World::new();
    let run = world.create(7, Goal::Boards, 2, 0.0);
    let (sleeper, other) = (world.start(2, "scalar", false), world.start(2, "scalar", false));
    world.fake(sleeper).frozen = true;
    let late = world.fake(sleeper).held.clone();
    world.pass(LEASE_TTL * 3);
    for _ in 0..10 {
        world.work(other, 2);
    }
    let done = late.iter().filter(|(job, _)| world.scheduler.has_result(*job)).count();
    assert!(done > 0 && world.state(run) == RunState::Running);
    for (job, lent) in late {
        let count = truth(Size::new(7).unwrap(), &lent.job.work);
        assert!(matches!(world.deliver(sleeper, job, count, false), Report::Check(_) | Report::Add(_)));
    }
    assert_eq!(world.ledger.count(is_check), done);
    world.fake(sleeper).held.clear();
    world.join(sleeper);
    world.finish();
    world.assert_answer(run, 7, Goal::Boards);
}

#[test]
fn after_a_restart_workers_keep_what_they_hold() {
    let mut world = World::new();
    let run = world.create(7, Goal::Boards, 2, 0.0);
    let workers = [world.start(2, "scalar", false), world.start(1, "scalar", false)];
    for worker in workers {
        world.work(worker, 3);
    }
    let held: Vec<usize> = workers.map(|worker| world.held(worker)).to_vec();
    world.restart(true);
    let after: Vec<usize> = workers.map(|worker| world.held(worker)).to_vec();
    assert!(held.iter().zip(&after).all(|(before, after)| before <= after), "{held:?} {after:?}");
    while world.state(run) == RunState::Running {
        workers.into_iter().for_each(|worker| world.work(worker, 1));
        world.pass(SECOND / 20);
    }
    world.assert_answer(run, 7, Goal::Boards);
    assert_eq!((world.view(run).progress.jobs_lent_again, world.ledger.count(is_check)), (0, 0));
}

#[test]
fn after_a_restart_a_silent_workers_jobs_wait_for_a_lease_period() {
    let mut world = World::new();
    let run = world.create(7, Goal::Boards, 2, 0.0);
    let (silent, other) = (world.start(2, "scalar", false), world.start(2, "scalar", false));
    let kept: Vec<JobId> = world.fake(silent).held.iter().map(|(id, _)| *id).collect();
    world.cut(silent);
    world.restart(true);
    let lent_to_other = |world: &mut World| {
        let held: Vec<JobId> = world.fake(other).held.iter().map(|(id, _)| *id).collect();
        kept.iter().filter(|job| held.contains(job) || world.scheduler.has_result(**job)).count()
    };
    for _ in 0..20 {
        world.work(other, 4);
        world.pass(SECOND);
        assert_eq!(lent_to_other(&mut world), 0, "they are kept for the silent worker");
    }
    world.pass(SECOND * 11);
    for _ in 0..20 {
        world.work(other, 4);
    }
    world.assert_answer(run, 7, Goal::Boards);
}

#[test]
fn a_liar_is_found_by_an_audit_and_its_results_are_corrected() {
    let mut world = World::new();
    let run = world.create(6, Goal::Count, 1, 0.25);
    let liar = world.start(1, "scalar", true);
    world.work(liar, 6);
    world.start(2, "scalar", false);
    world.start(2, "scalar", false);
    world.finish();
    world.assert_answer(run, 6, Goal::Count);
    assert_eq!(world.ledger.count(is_quarantine), 1);
    assert!(world.ledger.count(is_alarm) > 0);
    let view = world.scheduler.worker_view(liar, world.now).unwrap();
    assert_eq!(view.state, WorkerState::Quarantined);
    assert!(view.reason.starts_with("it counted"), "{}", view.reason);
    let progress = world.view(run).progress;
    assert!(progress.alarms > 0 && progress.alarms_open == 0);
    world.join(liar);
    assert!(!world.fake(liar).connected, "it is not taken again");
}

#[test]
fn when_one_of_two_that_tell_the_same_lie_is_found_out_the_other_is_too() {
    let mut world = World::new();
    let run = world.create(6, Goal::Boards, 1, 1.0);
    let [one, two, three, four] = [(); 4].map(|()| world.start(1, "scalar", false));
    let say = |world: &mut World, worker, index, lie, audit| {
        let job = JobId::new(run, index);
        let plan = Arc::clone(world.scheduler.plan(run).unwrap());
        let count = truth(plan.problem().size, &plan.job(index).unwrap().work) + lie;
        world.fake(worker).held.retain(|(id, _)| *id != job);
        world.deliver(worker, job, count, audit)
    };
    assert!(matches!(say(&mut world, one, 2, 7, false), Report::Add(_)));
    assert!(matches!(say(&mut world, two, 2, 7, true), Report::Audit(_)));
    assert!(matches!(say(&mut world, one, 3, 0, false), Report::Add(_)));
    assert!(matches!(say(&mut world, two, 3, 7, true), Report::Alarm(_)));
    assert!(matches!(say(&mut world, three, 3, 0, true), Report::Settle(_)));
    world.settle();
    assert!(!world.fake(two).connected, "it is out");
    assert!(
        matches!(say(&mut world, three, 2, 0, true), Report::Alarm(_)),
        "its word does not count any more"
    );
    assert!(matches!(say(&mut world, four, 2, 0, false), Report::Settle(_)));
    world.restart(true);
    world.finish();
    assert_eq!(world.ledger.count(is_quarantine), 2);
    world.assert_answer(run, 6, Goal::Boards);
}

#[test]
fn a_job_drawn_for_an_audit_is_computed_by_two_in_good_standing() {
    let mut world = World::new();
    let run = world.create(6, Goal::Boards, 1, 1.0);
    let liar = world.start(1, "scalar", false);
    let honest = world.start(1, "scalar", false);
    let jobs: Vec<u64> = (0..6).collect();
    let plan = Arc::clone(world.scheduler.plan(run).unwrap());
    let right = |index: u64| truth(plan.problem().size, &plan.job(index).unwrap().work);
    for &index in &jobs {
        let lie = u64::from(index == 5);
        world.deliver(liar, JobId::new(run, index), right(index) + lie, false);
        world.deliver(honest, JobId::new(run, index), right(index), true);
    }
    world.fake(liar).held.clear();
    world.fake(honest).held.clear();
    world.settle();
    world.pass(SECOND * 61);
    assert_eq!(world.ledger.count(is_quarantine), 1, "the coordinator decided about the last job");
    let progress = world.view(run).progress;
    assert_eq!(progress.audits_wanted - progress.audits_done, 5, "the others have one good computation");
    let another = world.start(1, "scalar", false);
    world.finish();
    world.assert_answer(run, 6, Goal::Boards);
    let by_another = |event: &Event| matches!(event, Event::AuditPassed { worker, .. } if *worker == another);
    assert!(world.ledger.count(by_another) > 0);
}

#[test]
fn two_more_computations_are_lent_one_after_the_other() {
    let mut world = World::new();
    let run = world.create(4, Goal::Boards, 1, 1.0);
    let first = world.start(1, "scalar", false);
    world.work(first, 4);
    world.commit(Event::WorkerQuarantined { worker: first, reason: "its memory is bad".to_owned() });
    let second = world.start(1, "scalar", false);
    let third = world.start(1, "scalar", false);
    for worker in [third, second] {
        while world.held(worker) > 0 {
            world.work(worker, 1);
        }
    }
    assert!(world.held(third) > 0, "no time passed and nobody came: the results alone bring about the lease");
    world.finish();
    world.assert_answer(run, 4, Goal::Boards);
}

#[test]
fn a_result_of_a_job_that_was_never_lent_is_refused() {
    let mut world = World::new();
    let run = world.create(8, Goal::Boards, 3, 0.0);
    let worker = world.start(1, "scalar", false);
    let jobs = world.view(run).progress.jobs;
    let unlent = (0..jobs).map(|index| JobId::new(run, index)).find(|job| !world.leases.contains_key(job));
    let job = unlent.unwrap();
    assert_eq!(world.offer(worker, job, 0, false), Err(BadResult::NeverLent(job)));
    assert_eq!(world.view(run).progress.jobs_done, 0);
    world.finish();
    world.assert_answer(run, 8, Goal::Boards);
}

#[test]
fn when_two_workers_differ_and_no_third_is_there_the_coordinator_decides() {
    let mut world = World::new();
    let run = world.create(5, Goal::Count, 0, 1.0);
    world.start(1, "scalar", true);
    world.start(1, "scalar", false);
    for _ in 0..20 {
        world.work(WorkerId(1), 5);
        world.work(WorkerId(2), 5);
    }
    assert!(world.ledger.count(is_alarm) > 0);
    assert_eq!((world.ledger.count(is_quarantine), world.state(run)), (0, RunState::Running));
    assert_eq!(world.scheduler.disputes(world.now), []);
    world.pass(SECOND * 61);
    assert_eq!(world.ledger.count(is_quarantine), 1);
    world.finish();
    world.assert_answer(run, 5, Goal::Count);
}

#[test]
fn a_worker_alone_audits_itself_after_a_while() {
    let mut world = World::new();
    let run = world.create(5, Goal::Count, 0, 1.0);
    let alone = world.start(2, "scalar", false);
    let jobs = world.view(run).progress.jobs as usize;
    world.pass(SECOND * 20);
    (0..jobs).for_each(|_| world.work(alone, 2));
    let progress = world.view(run).progress;
    assert_eq!(
        (progress.jobs_done, progress.audits_done, progress.audits_wanted),
        (jobs as u64, 0, jobs as u64)
    );
    world.pass(SECOND * 39);
    assert_eq!(world.held(alone), 0);
    world.pass(SECOND * 2);
    assert!(world.held(alone) > 0);
    (0..jobs).for_each(|_| world.work(alone, 2));
    world.assert_answer(run, 5, Goal::Count);
}

#[test]
fn audits_go_to_another_kernel_family_while_there_is_one() {
    let mut world = World::new();
    world.create(8, Goal::Boards, 3, 1.0);
    let first = world.start(2, "cross-avx2", false);
    let [same, other] = ["cross-avx512", "columns"].map(|kernel| world.start(2, kernel, false));
    for _ in 0..24 {
        world.work(first, 1);
        world.work(same, 1);
        world.work(other, 1);
    }
    assert!(world.ledger.count(is_audit) > 0);
    let author = |job: JobId| {
        let added = |event: &Event| match event {
            Event::ResultAdded { job: added, worker, .. } if *added == job => Some(*worker),
            _ => None,
        };
        world.ledger.events.iter().find_map(added).unwrap()
    };
    for event in &world.ledger.events {
        if let Event::AuditPassed { job, worker } = event {
            assert_ne!(*worker, author(*job));
            assert_ne!(*worker == other, author(*job) == other, "one of the two is of the other family");
        }
    }
}

#[test]
fn a_pause_takes_back_what_has_not_begun() {
    let mut world = World::new();
    let run = world.create(7, Goal::Boards, 2, 0.0);
    let worker = world.start(2, "scalar", false);
    assert!(world.held(worker) > 2);
    world.pause(run);
    assert_eq!((world.state(run), world.held(worker)), (RunState::Paused, 2));
    world.work(worker, 2);
    assert_eq!(
        (world.view(run).progress.jobs_done, world.held(worker)),
        (2, 0),
        "what has begun still counts"
    );
    assert_eq!(world.view(run).progress.time_left, None);
    let ran = world.view(run).progress.ran;
    world.pass(SECOND * 100);
    assert_eq!(world.view(run).progress.ran, ran, "the clock stands still");
    assert!(world.view(run).progress.jobs_per_second < 0.1);
    world.resume(run);
    assert!(world.held(worker) > 2);
    world.finish();
    world.assert_answer(run, 7, Goal::Boards);
}

#[test]
fn an_audit_whose_lease_was_lost_is_lent_again_though_the_worker_still_holds_the_job() {
    let mut world = World::new();
    let run = world.create(7, Goal::Boards, 2, 1.0);
    let (one, two) = (world.start(2, "scalar", false), world.start(2, "avx2", false));
    // Another is quicker with a job that the second worker has begun; so the second is to audit it.
    let job = world.fake(two).held.front().unwrap().0;
    let plan = Arc::clone(world.scheduler.plan(run).unwrap());
    let count = truth(Size::new(7).unwrap(), &plan.job(job.index).unwrap().work);
    assert!(matches!(world.deliver(one, job, count, false), Report::Add(_)));
    world.settle();
    let is_audit = |(id, lent): &(JobId, Lent)| *id == job && lent.audit;
    while !world.fake(two).held.iter().any(is_audit) {
        world.work(two, 1);
        world.pass(SECOND / 10);
    }
    // It was told neither of that nor of the audit, and comes back with the job.
    world.cut(two);
    world.fake(two).held.iter_mut().find(|held| is_audit(held)).unwrap().1.audit = false;
    let lent = world.leases[&job];
    world.join(two);
    let begun = world.now;
    while world.leases[&job] == lent {
        assert!(world.now < begun.plus(SECOND * 10), "the audit is taken to be held");
        world.work(two, 1);
        world.pass(SECOND / 10);
    }
    world.finish();
    world.assert_answer(run, 7, Goal::Boards);
}

#[test]
fn a_cancelled_run_stops_at_once_and_the_others_go_on() {
    let mut world = World::new();
    let (run, other) = (world.create(7, Goal::Boards, 2, 0.0), world.create(6, Goal::Count, 0, 0.0));
    let worker = world.start(2, "scalar", false);
    assert!(world.fake(worker).held.iter().any(|(job, _)| job.run == run));
    world.cancel(run);
    assert!(world.fake(worker).held.iter().all(|(job, _)| job.run == other) && world.stopped > 0);
    let result = JobResult { job: JobId::new(run, 0), count: 5, elapsed: SECOND, audit: false };
    assert_eq!(world.scheduler.report(worker, &result, None), Ok(Report::NotWanted));
    world.finish();
    world.assert_answer(other, 6, Goal::Count);
    assert_eq!(world.scheduler.pause(run, world.now), Err(RunError::Over(run)));
    assert_eq!(world.scheduler.cancel(run, world.now), Ok(None));
    assert_eq!(world.scheduler.cancel(RunId(9), world.now), Err(RunError::NoSuchRun(RunId(9))));
}

#[test]
fn a_job_that_fails_everywhere_ends_the_run() {
    // With fewer workers than the failures it takes, those that failed try again.
    for there in 1..=4 {
        let mut world = World::new();
        let run = world.create(5, Goal::Count, 0, 0.0);
        let workers: Vec<WorkerId> = (0..there).map(|_| world.start(1, "scalar", false)).collect();
        let bad = world.fake(workers[0]).held[0].0;
        let failures = world.fail_at(bad, &workers);
        let by: BTreeSet<WorkerId> = failures.iter().copied().collect();
        assert_eq!(
            (failures.len(), by.len()),
            (3, there.min(3)),
            "each on another worker while there is one"
        );
        let view = world.view(run);
        assert_eq!((view.state, view.answer), (RunState::Failed, None));
        assert!(view.reason.contains("failed 3 times"), "{}", view.reason);
        assert!(view.reason.contains("out of memory"), "{}", view.reason);
    }
}

#[test]
fn a_worker_that_fails_at_everything_rests() {
    let mut world = World::new();
    world.create(7, Goal::Boards, 2, 0.0);
    let (broken, _other) = (world.start(1, "scalar", false), world.start(1, "scalar", false));
    for _ in 0..3 {
        let (job, _) = world.fake(broken).held.pop_front().unwrap();
        assert_eq!(world.scheduler.fail(broken, job, "no", world.now), None);
    }
    world.settle();
    let held = world.held(broken);
    world.pass(SECOND * 20);
    assert_eq!(world.held(broken), held, "it gets nothing new");
    world.pass(SECOND * 20);
    world.work(broken, held);
    assert!(world.held(broken) > 0, "it is given another chance");
}

#[test]
fn two_runs_share_the_workers() {
    let mut world = World::new();
    let runs = [world.create(7, Goal::Boards, 2, 0.0), world.create(7, Goal::Boards, 2, 0.0)];
    let worker = world.start(4, "scalar", false);
    for _ in 0..6 {
        world.work(worker, 4);
    }
    let done = runs.map(|run| world.view(run).progress.jobs_done);
    assert!(done.iter().all(|&done| done >= 6), "{done:?}");
}

#[test]
fn waiting_jobs_are_taken_back_from_a_slow_worker_at_the_end() {
    let mut world = World::new();
    let run = world.create(6, Goal::Boards, 2, 0.0);
    let (slow, fast) = (world.start(1, "scalar", false), world.start(1, "scalar", false));
    assert!(world.held(slow) > 1);
    for _ in 0..30 {
        world.work(fast, 1);
        world.pass(SECOND / 10);
    }
    assert!(world.held(slow) <= 1, "it is left with what it has begun: {}", world.held(slow));
    world.pass(SECOND * 2);
    if world.state(run) == RunState::Running {
        assert!(world.held(fast) > 0, "the straggler is lent again");
        world.work(fast, 5);
    }
    world.assert_answer(run, 6, Goal::Boards);
    assert_eq!(world.held(slow), 0, "and the slow worker need not finish it");
}

#[test]
fn a_worker_that_drains_hands_back_and_leaves() {
    let mut world = World::new();
    let run = world.create(6, Goal::Boards, 2, 0.0);
    let (leaver, other) = (world.start(2, "scalar", false), world.start(2, "scalar", false));
    world.scheduler.drain(leaver).unwrap();
    world.settle();
    assert!(!world.fake(leaver).connected);
    assert_eq!(world.scheduler.worker_view(leaver, world.now).unwrap().state, WorkerState::Gone);
    assert_eq!(world.scheduler.drain(leaver), Err(NoSuchWorker(leaver)));
    while world.state(run) == RunState::Running {
        world.work(other, 2);
    }
    world.assert_answer(run, 6, Goal::Boards);
    assert_eq!(world.view(run).progress.jobs_lent_again, 0);
}

#[test]
fn a_request_may_be_made_twice() {
    let mut world = World::new();
    let plan = |n| {
        let problem = Problem { size: Size::new(n).unwrap(), goal: Goal::Count };
        Arc::new(RunPlan::choose(problem, &SPLIT).unwrap())
    };
    let new = |n, request_id: &str, audit_share| NewRun {
        plan: plan(n),
        request_id: request_id.into(),
        audit_share,
        at_ms: 0,
    };
    let Ok(Created::New(run, event)) = world.scheduler.create(new(6, "a", 0.0)) else { panic!() };
    world.commit(event);
    assert_eq!(world.scheduler.create(new(6, "a", 0.0)), Ok(Created::Existing(run)));
    let other = world.scheduler.create(new(7, "a", 0.0));
    assert_eq!(other, Err(CreateError::OtherProblem { request_id: "a".into(), run }));
    assert_eq!(world.scheduler.create(new(6, &"a".repeat(65), 0.0)), Err(CreateError::LongRequestId(65)));
    assert!(matches!(world.scheduler.create(new(6, "b", f64::NAN)), Err(CreateError::AuditShare(_))));
    world.restart(true);
    assert_eq!(world.scheduler.create(new(6, "a", 0.0)), Ok(Created::Existing(run)));
}

#[test]
fn nonsense_from_outside_is_refused() {
    let mut world = World::new();
    let run = world.create(6, Goal::Boards, 1, 0.0);
    let worker = world.start(1, "scalar", false);
    let report = |worker, run, index| {
        let result =
            JobResult { job: JobId::new(run, index), count: u64::MAX, elapsed: Duration::MAX, audit: false };
        world.scheduler.report(worker, &result, None)
    };
    assert!(matches!(report(worker, RunId(7), 0), Err(BadResult::NoSuchRun(_))));
    assert!(matches!(report(worker, run, 6), Err(BadResult::NoSuchJob { jobs: 6, .. })));
    assert!(matches!(report(worker, run, u64::MAX), Err(BadResult::NoSuchJob { .. })));
    assert!(matches!(report(WorkerId(99), run, 0), Err(BadResult::NoSuchWorker(_))));
    assert!(matches!(report(worker, run, 0), Ok(Report::Add(_))));
    let unknown = JobId::new(run, u64::MAX);
    let now = world.now;
    let [held, audit] = [false, true].map(|audit| HeldJob { job: unknown, audit });
    assert_eq!(world.scheduler.join(WorkerId(99), &[held], now), [unknown]);
    assert_eq!(world.scheduler.join(worker, &[held, held, audit], now), [unknown; 3]);
    world.scheduler.hand_back(worker, &[unknown, JobId::new(RunId(0), 0)]);
    assert_eq!(world.scheduler.fail(worker, unknown, "x", now), None);
    world.scheduler.heard(WorkerId(99), now);
    world.scheduler.leave(WorkerId(0), now, true);
    world.scheduler.check();
}

#[test]
fn the_same_result_again_is_taken_once() {
    let mut world = World::new();
    let run = world.create(6, Goal::Boards, 1, 0.0);
    let (one, two) = (world.start(1, "scalar", false), world.start(1, "scalar", false));
    let job = JobId::new(run, 3);
    let plan = Arc::clone(world.scheduler.plan(run).unwrap());
    let count = truth(Size::new(6).unwrap(), &plan.job(3).unwrap().work);
    assert!(matches!(world.deliver(one, job, count, false), Report::Add(_)), "whoever it was lent to");
    assert_eq!(world.deliver(one, job, count, false), Report::Again);
    assert!(matches!(world.deliver(two, job, count, false), Report::Check(_)));
    assert_eq!(world.deliver(two, job, count, false), Report::Again);
    let progress = world.view(run).progress;
    assert_eq!((progress.jobs_done, progress.tally, progress.free_checks), (1, count.into(), 1));
}

#[test]
fn the_mark_is_moved_seldom_and_only_when_somebody_works() {
    let mut world = World::new();
    let run = world.create(8, Goal::Boards, 3, 0.0);
    assert_eq!(world.ledger.count(|event| matches!(event, Event::Opened { .. })), 0);
    let worker = world.start(2, "scalar", false);
    while world.state(run) == RunState::Running {
        world.work(worker, 5);
    }
    world.assert_answer(run, 8, Goal::Boards);
    let jobs = world.view(run).progress.jobs as usize;
    let opened = world.ledger.count(|event| matches!(event, Event::Opened { .. }));
    assert!(jobs > 100 && opened <= 5, "{opened} marks for {jobs} jobs");
}

#[test]
fn the_time_left_comes_true() {
    let mut world = World::new();
    let run = world.create(8, Goal::Boards, 3, 0.0);
    let worker = world.start(2, "scalar", false);
    let mut guess = None;
    while world.state(run) == RunState::Running {
        world.pass(SECOND / 10);
        world.work(worker, 2);
        let progress = world.view(run).progress;
        if guess.is_none() && progress.share >= 0.1 {
            guess = progress.time_left.map(|left| (world.now, left));
        }
    }
    let (at, left) = guess.unwrap();
    let took = world.now.since(at).as_secs_f64();
    assert!((left.expected_s / took - 1.0).abs() < 0.15, "{left:?}, and it took {took}");
    assert!(left.low_s <= took && took <= left.high_s, "{left:?}, and it took {took}");
}

#[test]
fn the_time_left_stays_true_when_a_run_is_paused_restarted_and_given_more_workers() {
    let mut world = World::new();
    let run = world.create(9, Goal::Boards, 5, 0.0);
    let mut workers = vec![world.start(2, "scalar", false)];

    let begun = world.watch_time_left(run, &workers, 15);
    world.pause(run);
    assert_eq!(world.view(run).progress.time_left, None, "nobody knows how long the pause will be");
    world.pass(SECOND * 300);
    world.resume(run);
    let resumed = world.watch_time_left(run, &workers, 5);
    assert!((resumed / (begun - 5.0) - 1.0).abs() < 0.1, "{begun} before the pause, {resumed} after it");

    world.restart(true);
    world.watch_time_left(run, &workers, 5);

    workers.push(world.start(2, "scalar", false));
    world.watch_time_left(run, &workers, 5);

    // Nobody is there for a while, and both come back.
    workers.iter().for_each(|&worker| world.cut(worker));
    world.pass(SECOND * 300);
    assert!(world.view(run).progress.time_left.is_none());
    workers.iter().for_each(|&worker| world.join(worker));
    world.watch_time_left(run, &workers, 5);

    world.kill(workers.pop().unwrap());
    world.watch_time_left(run, &workers, 5);
    world.finish();
}

#[test]
fn a_run_whose_plan_changed_fails_with_the_reason() {
    let mut world = World::new();
    let problem = Problem { size: Size::new(6).unwrap(), goal: Goal::Boards };
    let parts = [PartSpec { kind: queens::split::Kind::Rows, depth: 1, jobs: 7 }];
    let plan = Arc::new(RunPlan::restore(problem, &parts).unwrap());
    let event = Event::RunCreated {
        run: RunId(1),
        request_id: String::new(),
        plan,
        audit_share: 0.0,
        audit_seed: 0,
        at_ms: 0,
    };
    world.scheduler.apply(&event, world.now);
    world.scheduler.recovered(world.now);
    world.settle();
    let view = world.view(RunId(1));
    assert_eq!(view.state, RunState::Failed);
    assert!(view.reason.contains("splits the problem into 6 jobs, but 7 are stored"), "{}", view.reason);
}
