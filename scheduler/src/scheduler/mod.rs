//! The scheduler itself. What it knows is here; what it does with it, one thing a file:
//!
//! | file | what |
//! |---|---|
//! | `decide` | requests become events |
//! | `judge` | results become events |
//! | `apply`, `tally` | events become truth: workers and runs, results and alarms |
//! | `session` | workers come, speak, and go |
//! | `lapse` | what time alone brings about |
//! | `hold` | who holds which job |
//! | `dispatch` | what workers are to be told |
//! | `balance` | the end of a run: taking back, stragglers |
//! | `look` | views |

mod apply;
mod balance;
#[cfg(test)]
mod check;
mod decide;
mod dispatch;
mod hold;
mod judge;
mod lapse;
mod look;
mod session;
mod tally;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use crate::{
    command::Command,
    id::{RunId, WorkerId},
    run::{Open, Run},
    settings::Settings,
    time::Moment,
    worker::{Company, Family, Session, Worker},
};

/// All runs, jobs, workers and leases, and all decisions about them.
#[derive(Debug)]
pub struct Scheduler {
    settings: Settings,

    // Durable truth, and what follows from it.
    runs: BTreeMap<RunId, Run>,
    /// The runs that are running or paused.
    open: BTreeSet<RunId>,
    requests: HashMap<String, RunId>,
    /// Every worker process that was ever seen: the one with number `n` at place `n - 1`.
    workers: Vec<Worker>,
    instances: HashMap<[u8; 16], WorkerId>,
    families: Vec<String>,
    /// Workers that were wrong and are to be put in quarantine, with the reason.
    accused: BTreeMap<WorkerId, String>,
    /// Workers in quarantine whose results are to be looked up.
    unchecked: BTreeSet<WorkerId>,

    // Sessions and leases.
    company: Company,
    /// The number of leases of one job so far.
    lendings: u64,
    /// When leases expire, unless a sign of life came since. One entry for each worker that has a session.
    deadlines: BTreeSet<(Moment, WorkerId)>,
    resting: BTreeSet<(Moment, WorkerId)>,
    grace_until: Option<Moment>,
    /// The latest time that was passed to tick or dispatch.
    latest: Moment,

    // What dispatch and tick are to do.
    hungry: VecDeque<WorkerId>,
    /// Workers that want jobs and found none.
    idle: BTreeSet<WorkerId>,
    /// Which of the idle was looked at last.
    looked_at: WorkerId,
    /// Whether there may be something for the idle.
    has_news: bool,
    balance_at: Option<Moment>,
    /// How often in a row balance found nothing to do, with the same workers idle.
    vain_looks: u32,
    outbox: Vec<Command>,
}

impl Scheduler {
    /// Returns a scheduler that knows of nothing.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            runs: BTreeMap::new(),
            open: BTreeSet::new(),
            requests: HashMap::new(),
            workers: Vec::new(),
            instances: HashMap::new(),
            families: Vec::new(),
            accused: BTreeMap::new(),
            unchecked: BTreeSet::new(),
            company: Company::default(),
            lendings: 0,
            deadlines: BTreeSet::new(),
            resting: BTreeSet::new(),
            grace_until: None,
            latest: Moment::default(),
            hungry: VecDeque::new(),
            idle: BTreeSet::new(),
            looked_at: WorkerId::COORDINATOR,
            has_news: false,
            balance_at: None,
            vain_looks: 0,
            outbox: Vec::new(),
        }
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    fn worker(&self, worker: WorkerId) -> Option<&Worker> {
        self.workers.get(usize::try_from(worker.0.checked_sub(1)?).ok()?)
    }

    fn worker_mut(&mut self, worker: WorkerId) -> Option<&mut Worker> {
        self.workers.get_mut(usize::try_from(worker.0.checked_sub(1)?).ok()?)
    }

    fn session_mut(&mut self, worker: WorkerId) -> Option<&mut Session> {
        self.worker_mut(worker)?.session.as_mut()
    }

    fn open_run(&self, run: RunId) -> Option<(&Run, &Open)> {
        let run = self.runs.get(&run)?;
        Some((run, run.open.as_deref()?))
    }

    fn open_mut(&mut self, run: RunId) -> Option<&mut Open> {
        self.runs.get_mut(&run)?.open.as_deref_mut()
    }

    fn is_quarantined(&self, worker: WorkerId) -> bool {
        self.worker(worker).is_some_and(|worker| worker.quarantine.is_some())
    }

    /// Returns the number of a kernel's family. Names come from outside, so there is an end to them: past it all share one.
    fn family(&mut self, name: &str) -> Family {
        const MOST: usize = 64;
        let known = self.families.iter().position(|family| family == name);
        let place = known.unwrap_or_else(|| {
            if self.families.len() < MOST {
                self.families.push(name.to_owned());
            }
            self.families.len() - 1
        });
        Family(place)
    }

    /// Tells whether a worker has been the only one for so long that it may audit itself.
    fn is_long_alone(&self, now: Moment) -> bool {
        self.company.alone_since.is_some_and(|since| since.plus(self.settings.alone_after) <= now)
    }
}
