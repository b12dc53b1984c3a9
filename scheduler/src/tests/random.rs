//! Random histories: whatever happens, in whatever order, each job is in the tally once, the ledger gives back the same
//! truth, and every run ends with the right answer. `PROPTEST_CASES=5000` looks longer.

use std::time::Duration;

use proptest::prelude::*;

use super::world::{SPLIT, World, answer, truth};
use crate::*;

#[derive(Clone, Copy, Debug)]
enum Step {
    Start { threads: u32, family: u8 },
    Work { worker: usize, jobs: usize },
    Cut { worker: usize },
    Kill { worker: usize },
    Freeze { worker: usize },
    Join { worker: usize },
    Drain { worker: usize },
    HandBack { worker: usize, jobs: usize },
    Again { worker: usize, job: usize },
    Fail { worker: usize },
    Pass { ms: u64 },
    Create { n: u64, boards: bool, depth: u32, split: u8 },
    Pause { run: usize },
    Resume { run: usize },
    Cancel { run: usize },
    Restart { rejoin: bool },
}

fn step() -> impl Strategy<Value = Step> {
    let worker = 0_usize..5;
    let run = 0_usize..4;
    prop_oneof![
        2 => (1_u32..4, 0_u8..2).prop_map(|(threads, family)| Step::Start { threads, family }),
        12 => (worker.clone(), 1_usize..9).prop_map(|(worker, jobs)| Step::Work { worker, jobs }),
        2 => worker.clone().prop_map(|worker| Step::Cut { worker }),
        1 => worker.clone().prop_map(|worker| Step::Kill { worker }),
        1 => worker.clone().prop_map(|worker| Step::Freeze { worker }),
        4 => worker.clone().prop_map(|worker| Step::Join { worker }),
        1 => worker.clone().prop_map(|worker| Step::Drain { worker }),
        2 => (worker.clone(), 0_usize..4).prop_map(|(worker, jobs)| Step::HandBack { worker, jobs }),
        2 => (worker.clone(), 0_usize..1000).prop_map(|(worker, job)| Step::Again { worker, job }),
        1 => worker.prop_map(|worker| Step::Fail { worker }),
        4 => (0_u64..5000).prop_map(|ms| Step::Pass { ms }),
        1 => (30_000_u64..90_000).prop_map(|ms| Step::Pass { ms }),
        2 => (4_u64..8, any::<bool>(), 1_u32..3, 0_u8..4)
            .prop_map(|(n, boards, depth, split)| Step::Create { n, boards, depth, split }),
        1 => run.clone().prop_map(|run| Step::Pause { run }),
        2 => run.clone().prop_map(|run| Step::Resume { run }),
        1 => run.prop_map(|run| Step::Cancel { run }),
        2 => any::<bool>().prop_map(|rejoin| Step::Restart { rejoin }),
    ]
}

/// A history, and what kind of world it takes place in.
struct History {
    world: World,
    audit_share: f64,
    liars: bool,
    runs: Vec<(RunId, Answer)>,
}

impl History {
    /// With liars, every job is audited and the first worker is honest and always there.
    fn new(audit_share: f64, liars: bool, capacity: u32) -> Self {
        let settings = Settings { failures_limit: 1000, ..Settings::default() };
        let mut history = Self { world: World::with(settings), audit_share, liars, runs: Vec::new() };
        history.world.capacity = capacity;
        history.world.start(2, "scalar", false);
        history.take(Step::Create { n: 6, boards: false, depth: 1, split: 0 });
        history
    }

    fn worker(&self, place: usize) -> WorkerId {
        self.world.workers[place % self.world.workers.len()].id
    }

    /// Whether this must not happen to the worker, since somebody honest must stay.
    fn is_needed(&self, worker: WorkerId) -> bool {
        self.liars && worker == WorkerId(1)
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Start { threads, family } if self.world.workers.len() < 5 => {
                let lies = self.liars && self.world.workers.len() < 3;
                self.world.start(threads, ["scalar", "avx2-wide"][usize::from(family)], lies);
            }
            Step::Work { worker, jobs } => self.world.work(self.worker(worker), jobs),
            Step::HandBack { worker, jobs } => self.hand_back(self.worker(worker), jobs),
            Step::Again { worker, job } => self.again(self.worker(worker), job),
            Step::Pass { ms } => self.world.pass(Duration::from_millis(ms)),
            Step::Create { n, boards, depth, split } if self.runs.len() < 4 => {
                self.create(n, boards, depth, split);
            }
            Step::Pause { run } => self.ask(run, Scheduler::pause),
            Step::Resume { run } => self.ask(run, Scheduler::resume),
            Step::Cancel { run } => self.ask(run, Scheduler::cancel),
            Step::Restart { rejoin } => self.restart(rejoin),
            Step::Cut { worker }
            | Step::Kill { worker }
            | Step::Freeze { worker }
            | Step::Join { worker }
            | Step::Drain { worker }
            | Step::Fail { worker } => self.disturb(step, self.worker(worker)),
            Step::Start { .. } | Step::Create { .. } => {}
        }
        self.world.settle();
    }

    fn disturb(&mut self, step: Step, worker: WorkerId) {
        let is_connected = self.world.fake(worker).connected;
        match step {
            Step::Join { .. } => self.world.join(worker),
            _ if !is_connected || self.is_needed(worker) => {}
            Step::Cut { .. } => self.world.cut(worker),
            Step::Kill { .. } => self.world.kill(worker),
            Step::Freeze { .. } => self.world.fake(worker).frozen = true,
            Step::Drain { .. } => self.world.scheduler.drain(worker).unwrap(),
            Step::Fail { .. } => self.fail(worker),
            _ => unreachable!("other steps do not disturb"),
        }
    }

    fn create(&mut self, n: u64, boards: bool, depth: u32, split: u8) {
        let goal = if boards { Goal::Boards } else { Goal::Count };
        let split = match split {
            1 if !boards && n >= 6 => Split { algorithm: Algorithm::Columns, ..SPLIT },
            2 if !boards && n >= 6 => Split { is_full_audit: true, ..SPLIT.at_depth(depth) },
            _ => SPLIT.at_depth(depth),
        };
        let run = self.world.create_split(n, goal, &split, self.audit_share);
        self.runs.push((run, answer(n, goal)));
    }

    fn ask(
        &mut self,
        run: usize,
        decide: impl Fn(&Scheduler, RunId, Moment) -> Result<Option<Event>, RunError>,
    ) {
        let run = self.runs[run % self.runs.len()].0;
        if let Ok(Some(event)) = decide(&self.world.scheduler, run, self.world.now) {
            self.world.commit(event);
        }
    }

    fn restart(&mut self, rejoin: bool) {
        self.world.restart(rejoin);
        if self.liars && !rejoin {
            self.world.join(WorkerId(1));
        }
    }

    fn hand_back(&mut self, worker: WorkerId, jobs: usize) {
        let fake = self.world.fake(worker);
        if fake.connected && !fake.frozen {
            let keep = fake.held.len().saturating_sub(jobs);
            let back: Vec<JobId> = fake.held.drain(keep..).map(|(id, _)| id).collect();
            self.world.scheduler.hand_back(worker, &back);
        }
    }

    fn fail(&mut self, worker: WorkerId) {
        if let Some((job, _)) = self.world.fake(worker).held.pop_front() {
            let event = self.world.scheduler.fail(worker, job, "out of memory", self.world.now);
            assert_eq!(event, None);
        }
    }

    /// A result that nobody asked for, late or in advance, from a worker that is connected or not.
    fn again(&mut self, worker: WorkerId, job: usize) {
        let (run, _) = self.runs[job % self.runs.len()];
        let plan = std::sync::Arc::clone(self.world.scheduler.plan(run).unwrap());
        let index = job as u64 % plan.jobs();
        let fake = self.world.fake(worker);
        if fake.lies || fake.dismissed || !fake.connected {
            return;
        }
        let job = JobId::new(run, index);
        fake.held.retain(|(id, _)| *id != job);
        let count = truth(plan.problem().size, &plan.job(index).unwrap().work);
        if self.world.offer(worker, job, count, false) == Err(BadResult::NeverLent(job)) {
            assert!(!self.world.leases.contains_key(&job), "a job that was lent has late results");
        }
    }

    /// Lets everything end well: an honest worker is there, and nothing is paused.
    fn end(&mut self) {
        for run in 0..self.runs.len() {
            self.ask(run, Scheduler::resume);
        }
        self.world.join(WorkerId(1));
        self.world.finish();
        for &(run, answer) in &self.runs {
            let view = self.world.view(run);
            match view.state {
                RunState::Done => {
                    assert_eq!(view.answer, Some(answer));
                    assert_eq!(self.world.ledger.results(run) as u64, view.plan.jobs());
                }
                RunState::Cancelled => {
                    assert_eq!(self.world.ledger.results(run) as u64, view.progress.jobs_done)
                }
                other => panic!("run {run} ended as {other:?}: {}", view.reason),
            }
        }
        let alarms = self.world.ledger.count(|event| matches!(event, Event::AlarmRaised { .. }));
        assert!(self.liars || alarms == 0, "an alarm without a liar");
        self.world.restart(true);
    }
}

fn history(steps: Vec<Step>, audit_share: f64, liars: bool, capacity: u32) {
    let mut history = History::new(audit_share, liars, capacity);
    for step in steps {
        history.take(step);
    }
    history.end();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50, max_shrink_iters: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_answer_is_right(
        steps in prop::collection::vec(step(), 1..60),
        audit_share in prop_oneof![Just(0.0), Just(0.3), Just(1.0)],
        capacity in prop_oneof![Just(8), Just(1000)],
    ) {
        history(steps, audit_share, false, capacity);
    }

    #[test]
    fn liars_are_found_and_the_answer_is_right(
        steps in prop::collection::vec(step(), 1..60),
        capacity in prop_oneof![Just(8), Just(1000)],
    ) {
        history(steps, 1.0, true, capacity);
    }
}
