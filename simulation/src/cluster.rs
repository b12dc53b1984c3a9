//! One simulated run from its first moment to its last.

use std::{cell::RefCell, collections::BTreeMap, path::Path, rc::Rc, sync::Arc, time::Duration};

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tracing::info;
use turmoil::Sim;
use worker::Stop;

use crate::{
    checks,
    crash::Crash,
    disk,
    hosts::{self, Failed},
    network::COORDINATOR,
    random::mix,
    scenario::{Scenario, What},
    trace::Trace,
    user::{self, Observed},
};

/// The step of the simulated clock.
const TICK: Duration = Duration::from_millis(5);
/// After the last fault a run must end within this time.
const PATIENCE: Duration = Duration::from_secs(900);
const USER: &str = "user";

/// What came of a simulated run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What should have held and did not, each a sentence.
    pub violations: Vec<String>,
    /// A number that is the same whenever the seed and the code are.
    pub trace: u64,
    /// How much virtual time went by.
    pub took: Duration,
}

/// Runs a scenario. `is_shown`: what happens is written to stderr.
pub fn run(scenario: &Scenario, is_shown: bool) -> Outcome {
    let trace = Trace::new(is_shown);
    let (violations, took) = trace.listen(|| {
        let mut cluster = Cluster::new(scenario);
        let failed = cluster.live();
        let took = cluster.sim.elapsed();
        let Cluster { sim, observed, folder, .. } = cluster;
        // The processes end, and let go of the ledger.
        drop(sim);
        let mut observed = observed.borrow_mut();
        if let Some(run) = &mut observed.run {
            // The time of day is the one thing that is never the same.
            run.create_time = None;
        }
        trace.note(format!("{observed:?}"));
        let violations = checks::violations(scenario, &observed, &ledger_in(&folder));
        (failed.into_iter().chain(violations).collect(), took)
    });
    Outcome { violations, trace: trace.sum(), took }
}

struct Cluster {
    sim: Sim<'static>,
    scenario: Arc<Scenario>,
    observed: Rc<RefCell<Observed>>,
    folder: TempDir,
    crash: Crash,
    /// Tells the processes of the present lives to stop, the coordinator's and each worker's.
    stop_coordinator: Rc<RefCell<CancellationToken>>,
    stop_workers: Vec<Rc<RefCell<Stop>>>,
}

impl Cluster {
    fn new(scenario: &Scenario) -> Self {
        let scenario = Arc::new(scenario.clone());
        let sim = turmoil::Builder::new()
            .rng_seed(mix(scenario.seed))
            .tick_duration(TICK)
            .simulation_duration(Duration::from_secs(3600))
            .min_message_latency(Duration::from_millis(1))
            .max_message_latency(scenario.latency)
            .tcp_capacity(4096)
            .build();
        let mut cluster = Self {
            sim,
            observed: Rc::default(),
            folder: folder(),
            crash: Crash::default(),
            stop_coordinator: Rc::default(),
            stop_workers: scenario.workers.iter().map(|_| Rc::default()).collect(),
            scenario,
        };
        cluster.add_coordinator();
        (0..cluster.scenario.workers.len()).for_each(|place| cluster.add_worker(place));
        let (scenario, observed) = (Arc::clone(&cluster.scenario), Rc::clone(&cluster.observed));
        cluster.sim.client(USER, user::user(scenario, observed));
        cluster
    }

    fn add_coordinator(&mut self) {
        let (scenario, stop) = (Arc::clone(&self.scenario), Rc::clone(&self.stop_coordinator));
        let (ledger, crash) = (ledger_in(&self.folder), self.crash.clone());
        self.sim.host(COORDINATOR, move || {
            let token = CancellationToken::new();
            stop.replace(token.clone());
            hosts::coordinator(Arc::clone(&ledger), Arc::clone(&scenario), token, crash.clone())
        });
    }

    fn add_worker(&mut self, place: usize) {
        let (scenario, stop) = (Arc::clone(&self.scenario), Rc::clone(&self.stop_workers[place]));
        let (failed, lives) = (Failed::default(), RefCell::new(0));
        self.sim.host(worker_name(place), move || {
            *lives.borrow_mut() += 1;
            let ends = Stop::default();
            stop.replace(ends.clone());
            hosts::worker(Arc::clone(&scenario), place, *lives.borrow(), Arc::clone(&failed), ends)
        });
    }

    /// Lets time pass, with all faults, until the user has what it wants. Returns what broke, if something did.
    fn live(&mut self) -> Option<String> {
        let mut changes = self.changes();
        let end = self.scenario.trouble_ends();
        let mut is_healed = false;
        loop {
            let now = self.sim.elapsed();
            while let Some(change) = changes.first_entry().filter(|change| change.key().0 <= now) {
                let ((at, place, begins), what) = change.remove_entry();
                info!(?at, place, begins, ?what, "fault");
                self.change(what, begins);
            }
            if now >= end && !is_healed {
                is_healed = true;
                self.heal();
            }
            if self.scenario.forgetful_disk {
                disk::forget_some(&ledger_in(&self.folder));
            }
            match self.sim.step() {
                Ok(true) => return None,
                Ok(false) if now > end + PATIENCE => return None,
                Ok(false) => {}
                Err(error) => return Some(format!("a process broke: {error}")),
            }
        }
    }

    /// Returns when each fault begins (true) and ends (false).
    fn changes(&self) -> BTreeMap<(Duration, usize, bool), What> {
        let faults = self.scenario.faults.iter().enumerate();
        let ends = |(place, fault): (usize, &crate::scenario::Fault)| {
            [((fault.at, place, true), fault.what), ((fault.at + fault.lasts, place, false), fault.what)]
        };
        faults.flat_map(ends).collect()
    }

    fn change(&mut self, what: What, begins: bool) {
        match what {
            What::CrashCoordinator if begins => self.crash.happen(|| self.sim.crash(COORDINATOR)),
            What::StopCoordinator if begins => self.stop_coordinator.borrow().cancel(),
            What::CrashCoordinator | What::StopCoordinator => self.sim.bounce(COORDINATOR),
            What::CrashWorker(place) if begins => self.sim.crash(worker_name(place)),
            What::DrainWorker(place) if begins => self.stop_workers[place].borrow().drain.cancel(),
            What::CrashWorker(place) | What::DrainWorker(place) => self.sim.bounce(worker_name(place)),
            What::FullDisk if begins => disk::fill(&ledger_in(&self.folder)),
            What::FullDisk => disk::make_room(&ledger_in(&self.folder)),
            What::CutUser if begins => self.sim.partition(USER, COORDINATOR),
            What::CutUser => self.sim.repair(USER, COORDINATOR),
            What::Cut(place) if begins => self.sim.partition(worker_name(place), COORDINATOR),
            What::CutFrom(place) if begins => self.sim.partition_oneway(worker_name(place), COORDINATOR),
            What::CutTo(place) if begins => self.sim.partition_oneway(COORDINATOR, worker_name(place)),
            What::Hold(place) if begins => self.sim.hold(worker_name(place), COORDINATOR),
            What::Hold(place) => self.sim.release(worker_name(place), COORDINATOR),
            What::Slow(place) => {
                let latency = if begins { Duration::from_millis(1500) } else { self.scenario.latency };
                self.sim.set_link_max_message_latency(worker_name(place), COORDINATOR, latency);
            }
            What::Cut(place) | What::CutFrom(place) | What::CutTo(place) => {
                self.sim.repair(worker_name(place), COORDINATOR);
            }
        }
    }

    /// Ends all trouble, also where one fault's end was undone by another.
    fn heal(&mut self) {
        disk::make_room(&ledger_in(&self.folder));
        self.sim.release(USER, COORDINATOR);
        for place in 0..self.scenario.workers.len() {
            self.sim.release(worker_name(place), COORDINATOR);
            if !self.sim.is_host_running(worker_name(place)) {
                self.sim.bounce(worker_name(place));
            }
        }
        if !self.sim.is_host_running(COORDINATOR) {
            self.sim.bounce(COORDINATOR);
        }
    }
}

fn worker_name(place: usize) -> String {
    format!("worker-{place}")
}

/// Returns a new folder, in memory where the system has such a place: thousands of runs commit hundreds of times each.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a folder for the ledger")
}

fn ledger_in(folder: &TempDir) -> Arc<Path> {
    folder.path().join("ledger.db").into()
}
