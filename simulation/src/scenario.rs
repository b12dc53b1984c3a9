//! What happens in one simulated run: the problem, the workers, and the faults with their times. All of it follows from
//! the seed.

use std::time::Duration;

use nqueens_proto::v1::Algorithm;
use queens::{
    Size,
    kernel::Kernel,
    split::{Kind, Plan},
};

use crate::random::Random;

/// Faults begin within this time, and all of them have ended five seconds later.
const TROUBLE: Duration = Duration::from_secs(20);
/// The longest that one fault lasts.
const FAULT_MS: u64 = 8000;
/// About how long all jobs take together if nothing goes wrong.
const WORK: Duration = Duration::from_secs(12);

/// One simulated run.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What everything else here was drawn from.
    pub seed: u64,
    /// The size of the board.
    pub size: Size,
    /// What the run is for.
    pub goal: Goal,
    /// What it is split by: cross or columns for counts, rows for boards.
    pub kind: Kind,
    /// How deep it is split, where it has a depth.
    pub depth: Option<u32>,
    /// Whether it is counted by both algorithms.
    pub full_audit: bool,
    /// The share of jobs that are computed twice; 1 where somebody lies.
    pub audit_share: f64,
    /// When a silent worker's jobs go to others.
    pub lease_ttl: Duration,
    /// The longest that a message is on its way.
    pub latency: Duration,
    /// The workers.
    pub workers: Vec<WorkerPart>,
    /// What goes wrong, and when.
    pub faults: Vec<Fault>,
    /// Breaks an invariant on purpose: the disk forgets some of the results that it said it had. Never drawn.
    pub forgetful_disk: bool,
}

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Q(n) and U(n).
    Count,
    /// The boards.
    Boards,
}

/// One worker.
#[derive(Clone, Debug)]
pub struct WorkerPart {
    /// Its slots.
    pub threads: usize,
    /// What it says it counts with.
    pub kernel: Kernel,
    /// How long a job takes it, about.
    pub job: Duration,
    /// Whether it gives wrong results for some jobs.
    pub lies: bool,
    /// Whether it fails once at some jobs.
    pub fails: bool,
}

/// Something that goes wrong.
#[derive(Clone, Debug)]
pub struct Fault {
    /// When it begins.
    pub at: Duration,
    /// How long it lasts.
    pub lasts: Duration,
    /// What it is.
    pub what: What,
}

/// A kind of fault. Workers are named by their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The coordinator's process is killed, and started again at the end.
    CrashCoordinator,
    /// The coordinator is told to stop, and started again at the end.
    StopCoordinator,
    /// A worker's process is killed, and a new one started at the end.
    CrashWorker(usize),
    /// A worker is told to drain, and a new one started at the end.
    DrainWorker(usize),
    /// All messages between coordinator and worker are lost.
    Cut(usize),
    /// What the worker says is lost.
    CutFrom(usize),
    /// What the worker is told is lost.
    CutTo(usize),
    /// Messages between coordinator and worker stand still, and come all at once at the end.
    Hold(usize),
    /// Messages between coordinator and worker take long.
    Slow(usize),
    /// All messages between coordinator and user are lost.
    CutUser,
    /// The ledger cannot be written.
    FullDisk,
}

impl Scenario {
    /// Returns the scenario of a seed.
    pub fn of(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let goal = if random.chance(20) { Goal::Boards } else { Goal::Count };
        let Split { size, kind, depth, full_audit, jobs } = split(goal, &mut random);
        let someone_lies = random.chance(30);
        let workers = workers(someone_lies, jobs, &mut random);
        let number = 1 + random.below(8);
        let faults = (0..number).map(|_| fault(workers.len(), &mut random)).collect();
        Self {
            seed,
            size,
            goal,
            kind,
            depth,
            full_audit,
            audit_share: if someone_lies { 1.0 } else { random.one_of(&[0.0, 0.0, 0.1, 1.0]) },
            lease_ttl: random.millis(1500, 5000),
            latency: random.millis(2, 60),
            workers,
            faults,
            forgetful_disk: false,
        }
    }

    /// Returns when the last fault has ended.
    pub fn trouble_ends(&self) -> Duration {
        let ends = self.faults.iter().map(|fault| fault.at + fault.lasts);
        ends.max().unwrap_or_default()
    }

    /// Returns the kinds of the main part and of its check.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> + use<> {
        let other = if self.kind == Kind::Cross { Kind::Columns } else { Kind::Cross };
        [self.kind].into_iter().chain(self.full_audit.then_some(other))
    }

    /// Returns the algorithm to be asked for.
    pub fn algorithm(&self) -> Algorithm {
        match self.kind {
            Kind::Cross => Algorithm::Cross,
            Kind::Columns => Algorithm::Columns,
            _ => Algorithm::Unspecified,
        }
    }

    /// Tells whether somebody lies.
    pub fn someone_lies(&self) -> bool {
        self.workers.iter().any(|worker| worker.lies)
    }
}

/// How the board is split.
struct Split {
    size: Size,
    kind: Kind,
    depth: Option<u32>,
    full_audit: bool,
    jobs: u64,
}

/// Draws a small board, and a depth that makes a fair number of jobs of it, or one of the algorithms for larger boards.
fn split(goal: Goal, random: &mut Random) -> Split {
    let (kind, full_audit) = match goal {
        Goal::Count => random.one_of(&[
            (Kind::Cross, false),
            (Kind::Cross, false),
            (Kind::Columns, false),
            (Kind::Columns, true),
            (Kind::Cross, true),
        ]),
        Goal::Boards => (Kind::Rows, false),
    };
    let by_both = kind == Kind::Columns || full_audit;
    let n = if by_both { 6 + random.below(4) } else { 5 + random.below(4) };
    let size = Size::new(n).expect("5 to 9 is a size");
    let columns_jobs =
        if by_both { Plan::new(size, Kind::Columns, 0).map_or(0, |plan| plan.jobs()) } else { 0 };
    if kind == Kind::Columns && !full_audit {
        return Split { size, kind, depth: None, full_audit, jobs: columns_jobs };
    }
    let prefixes = if kind == Kind::Rows { Kind::Rows } else { Kind::Cross };
    let wanted = random.one_of(&[10, 30, 80, 200]);
    let plans = (1..=size.get()).map_while(|depth| Plan::new(size, prefixes, depth).ok());
    let plan = plans.min_by_key(|plan| plan.jobs().abs_diff(wanted)).expect("every board can be split once");
    Split { size, kind, depth: Some(plan.depth()), full_audit, jobs: plan.jobs() + columns_jobs }
}

fn workers(someone_lies: bool, jobs: u64, random: &mut Random) -> Vec<WorkerPart> {
    let number = 2 + random.below(3);
    let threads: Vec<usize> = (0..number).map(|_| 1 + random.below(3) as usize).collect();
    let slots: usize = threads.iter().sum();
    let job = WORK.mul_f64(slots as f64 / jobs as f64).min(Duration::from_secs(1));
    let someone_fails = random.chance(30);
    let worker = |(place, threads)| WorkerPart {
        threads,
        kernel: random.one_of(&Kernel::ALL),
        job: if random.chance(15) { job * 4 } else { job },
        lies: someone_lies && place == 0,
        // Two at most, since a run ends when a job has failed three times.
        fails: someone_fails && place < 2,
    };
    (0..).zip(threads).map(worker).collect()
}

fn fault(workers: usize, random: &mut Random) -> Fault {
    let worker = random.below(workers as u64) as usize;
    let what = random.one_of(&[
        What::CrashCoordinator,
        What::CrashCoordinator,
        What::StopCoordinator,
        What::CrashWorker(worker),
        What::CrashWorker(worker),
        What::DrainWorker(worker),
        What::Cut(worker),
        What::CutFrom(worker),
        What::CutTo(worker),
        What::Hold(worker),
        What::Slow(worker),
        What::CutUser,
        What::FullDisk,
    ]);
    let at = random.millis(0, TROUBLE.as_millis() as u64);
    let longest = FAULT_MS.min((TROUBLE + Duration::from_secs(5) - at).as_millis() as u64);
    Fault { at, lasts: random.millis(10, longest), what }
}
