//! Whatever happens, each job that was lent is accounted for: it is held, or delivered, or given back.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// What can happen to a worker. Indices name jobs or batches, modulo what there is.
#[derive(Clone, Debug)]
enum Step {
    Lend(u64),
    Finish(usize, bool),
    Revoke(BTreeSet<u64>, bool),
    Send,
    Acknowledge(usize),
    SayRest,
    NewSession,
    GiveUp,
}

fn step() -> impl Strategy<Value = Step> {
    let some_jobs = prop::collection::btree_set(0..40_u64, 0..10);
    prop_oneof![
        6 => (0..40_u64).prop_map(Step::Lend),
        6 => (any::<usize>(), prop::bool::weighted(0.8)).prop_map(|(slot, good)| Step::Finish(slot, good)),
        1 => (some_jobs, any::<bool>()).prop_map(|(jobs, stop)| Step::Revoke(jobs, stop)),
        3 => Just(Step::Send),
        2 => any::<usize>().prop_map(Step::Acknowledge),
        1 => Just(Step::SayRest),
        1 => Just(Step::NewSession),
        1 => Just(Step::GiveUp),
    ]
}

fn id(index: u64) -> JobId {
    JobId { ledger_id: 0, run_id: 1, index, audit: false }
}

/// A worker around `held`, and what it must account for.
#[derive(Default)]
struct Scene {
    held: Held,
    // The desk: the first two have begun.
    desk: Vec<JobId>,
    // Jobs that were lent and are neither acknowledged nor given back nor stopped.
    owed: BTreeSet<JobId>,
    sent: BTreeMap<u64, Vec<Finished>>,
}

impl Scene {
    fn take(&mut self, step: Step) {
        match step {
            Step::Lend(index) => self.lend(id(index)),
            Step::Finish(slot, good) => self.finish(slot, good),
            Step::Revoke(jobs, stop) => self.revoke(&jobs.into_iter().map(id).collect(), stop),
            Step::Send => self.send(),
            Step::Acknowledge(number) => self.acknowledge(number),
            Step::SayRest => self.say_rest(),
            Step::NewSession => {
                self.held.begin_session();
                self.sent.clear();
            }
            Step::GiveUp => {
                let waiting = self.desk.split_off(self.desk.len().min(2));
                self.held.hand_back_all(waiting);
            }
        }
        self.check();
    }

    fn lend(&mut self, id: JobId) {
        if !self.held.lend_again(id) {
            assert!(!self.desk.contains(&id));
            self.held.lend(id);
            self.desk.push(id);
        }
        self.owed.insert(id);
    }

    fn finish(&mut self, slot: usize, good: bool) {
        if self.desk.is_empty() {
            return;
        }
        let id = self.desk.remove(slot % self.desk.len().min(2));
        let count = if good { Ok(id.index) } else { Err(Setback::Failed("no".to_owned())) };
        self.held.finish(Outcome { id, count, elapsed: Duration::from_micros(20) });
    }

    fn revoke(&mut self, ids: &HashSet<JobId>, stop: bool) {
        let mut waiting = self.desk.split_off(self.desk.len().min(2));
        let kept = waiting.extract_if(.., |id| !ids.contains(id)).collect::<Vec<_>>();
        self.desk.extend(kept);
        if stop {
            self.held.forget_waiting(&waiting);
            self.held.abandon(ids);
            // A result that was batched already is delivered all the same, or said again.
            self.owed.retain(|id| !ids.contains(id));
        } else {
            self.held.hand_back(waiting);
        }
    }

    fn send(&mut self) {
        if let Some((batch, results)) = self.held.next_batch() {
            assert!(self.sent.insert(batch, results.to_vec()).is_none(), "sent twice in one session");
            assert!(results.iter().all(|result| result.count == result.id.index));
        }
    }

    fn acknowledge(&mut self, number: usize) {
        let Some(&batch) = self.sent.keys().nth(number % self.sent.len().max(1)) else { return };
        self.held.acknowledge(batch);
        self.held.acknowledge(batch);
        let results = self.sent.remove(&batch).unwrap();
        self.forget(results.iter().map(|result| result.id).collect());
    }

    fn say_rest(&mut self) {
        let mut said = self.held.take_handed_back();
        said.extend(std::iter::from_fn(|| self.held.next_failure()).map(|failed| failed.id));
        self.forget(said);
    }

    // What was said is not owed, unless it is held in another way as well.
    fn forget(&mut self, said: Vec<JobId>) {
        let names = self.held.names();
        self.owed.retain(|id| !said.contains(id) || names.contains(id));
    }

    fn check(&self) {
        let names: BTreeSet<_> = self.held.names().into_iter().collect();
        assert!(self.owed.is_subset(&names), "owed {:?} but held {names:?}", self.owed);
        assert_eq!(self.held.jobs(), self.desk.len());
        assert_eq!(self.held.unwanted(), self.held.jobs() - self.held.wanted().count());
        let batched: usize = self.held.batches.values().map(Vec::len).sum();
        assert_eq!(self.held.undelivered(), self.held.finished.len() + batched);
        assert_eq!(self.held.is_done(), names.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nothing_that_is_owed_is_lost(steps in prop::collection::vec(step(), 1..120)) {
        let mut scene = Scene::default();
        steps.into_iter().for_each(|step| scene.take(step));
        while !scene.desk.is_empty() {
            scene.take(Step::Finish(0, true));
        }
        scene.take(Step::NewSession);
        scene.take(Step::SayRest);
        while scene.held.has_batch() {
            scene.take(Step::Send);
            scene.take(Step::Acknowledge(0));
        }
        prop_assert!(scene.held.is_done() && scene.owed.is_empty());
    }
}

#[test]
fn a_batch_has_at_most_4096_results() {
    let mut held = Held::default();
    for index in 0..5000 {
        held.lend(id(index));
        held.finish(Outcome { id: id(index), count: Ok(1), elapsed: Duration::ZERO });
    }
    let mut sizes = Vec::new();
    while let Some((batch, results)) = held.next_batch() {
        sizes.push((batch, results.len()));
    }
    assert_eq!(sizes, [(1, 4096), (2, 904)]);
}

#[test]
fn what_slots_can_finish_follows_from_what_they_finished() {
    let mut held = Held::default();
    let minute = Duration::from_secs(60);
    assert_eq!(held.jobs_within(minute, 2), 0, "unknown");
    held.lend(id(1));
    held.finish(Outcome { id: id(1), count: Ok(1), elapsed: Duration::from_secs(20) });
    assert_eq!(held.jobs_within(minute, 2), 6);
}

#[test]
fn a_job_that_was_left_and_lent_again_goes_back() {
    let mut held = Held::default();
    held.lend(id(1));
    held.abandon(&HashSet::from([id(1)]));
    assert!(held.lend_again(id(1)), "a slot is still at it");
    let elapsed = Duration::from_secs(1);
    held.finish(Outcome { id: id(1), count: Err(Setback::Interrupted), elapsed });
    assert_eq!(held.take_handed_back(), [id(1)]);
    assert!(held.is_done());
}
