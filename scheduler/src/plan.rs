//! How a run is split: a short list of parts, each with its own plan and its own sum. A job's index counts through the parts
//! in order:
//!
//! ```text
//! count:   half turn, quarter turn, main            the two small jobs that U(n) needs, and Q(n)
//!          half turn, quarter turn, main, check     the check counts Q(n) once more by the other algorithm (full audit)
//! boards:  main
//! ```

use std::{sync::OnceLock, time::Duration};

use queens::{
    Size,
    split::{CannotSplit, Job, Kind, Plan, TooDeep},
};

use crate::{
    algorithm::Algorithm,
    estimate,
    order::Order,
    problem::{Goal, Problem},
};

/// How one part of a run is split. This much is durable; the same plan can be made from it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PartSpec {
    /// How the part is split.
    pub kind: Kind,
    /// Rows fixed below the preset (cross), or first rows fixed (rows); 0 for turns.
    pub depth: u32,
    /// The number of its jobs.
    pub jobs: u64,
}

/// How a problem is to be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// What a count counts with. Boards are listed by their first rows in any case.
    pub algorithm: Algorithm,
    /// Rows to fix below the preset (cross) or first rows to fix (boards); none: so many that a job takes about
    /// `job_target`. Columns plans have no depth.
    pub depth: Option<u32>,
    /// Whether a count is made by both algorithms.
    pub is_full_audit: bool,
    /// How long a job should take on one thread, within a factor of four, since each level makes jobs about a tenth as
    /// long.
    pub job_target: Duration,
}

impl Split {
    /// Returns the split by search, with jobs of this length and without a full audit.
    pub const fn new(job_target: Duration) -> Self {
        Self { algorithm: Algorithm::Cross, depth: None, is_full_audit: false, job_target }
    }

    /// Returns this split at a given depth.
    pub const fn at_depth(self, depth: u32) -> Self {
        Self { depth: Some(depth), ..self }
    }
}

/// How a run is split.
#[derive(Debug)]
pub struct RunPlan {
    problem: Problem,
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    spec: PartSpec,
    first_index: u64,
    /// Made when first needed: a plan for a large board takes a good part of a second and some megabytes.
    plan: OnceLock<Option<Plan>>,
}

impl RunPlan {
    /// Splits `problem`. This may take a second for large boards, so do it outside of the scheduler's thread.
    pub fn choose(problem: Problem, split: &Split) -> Result<Self, PlanError> {
        let plans = match problem.goal {
            Goal::Boards if split.is_full_audit => return Err(PlanError::BoardsHaveNoCheck),
            Goal::Boards => vec![deep_plan(problem, split)?],
            Goal::Count => count_plans(problem, split)?,
        };
        let mut parts = Vec::new();
        for plan in plans {
            let spec = PartSpec { kind: plan.kind(), depth: plan.depth(), jobs: plan.jobs() };
            push(&mut parts, spec, OnceLock::from(Some(plan)));
        }
        Ok(Self { problem, parts })
    }

    /// Returns the plan that was stored as `parts`. It takes no time; whether this program still splits the problem in
    /// that way shows [`RunPlan::check`].
    pub fn restore(problem: Problem, parts: &[PartSpec]) -> Result<Self, PlanError> {
        let kinds: Vec<Kind> = parts.iter().map(|part| part.kind).collect();
        let jobs = parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(part.jobs));
        if !problem.goal.has_parts(&kinds) || jobs.is_none() {
            return Err(PlanError::NotOfThisProblem);
        }
        let mut restored = Vec::new();
        for &spec in parts {
            push(&mut restored, spec, OnceLock::new());
        }
        Ok(Self { problem, parts: restored })
    }

    /// Makes all of the plan now, if it was not yet, and returns an error if it is not what was stored.
    pub fn check(&self) -> Result<(), PlanError> {
        for part in &self.parts {
            let now = part.plan(self.problem.size).map(Plan::jobs);
            if now != Some(part.spec.jobs) {
                return Err(PlanError::Changed { stored: part.spec.jobs, now: now.unwrap_or(0) });
            }
        }
        Ok(())
    }

    /// Returns what is asked.
    pub fn problem(&self) -> Problem {
        self.problem
    }

    /// Returns the parts, in the order in which job indices count through them.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = PartSpec> + '_ {
        self.parts.iter().map(|part| part.spec)
    }

    /// Returns the number of jobs of all parts.
    pub fn jobs(&self) -> u64 {
        self.parts.last().map_or(0, |part| part.first_index + part.spec.jobs)
    }

    /// Returns the job at `index` of the run, if there is one.
    pub fn job(&self, index: u64) -> Option<Job> {
        self.jobs_from(index).next()
    }

    /// Lists the jobs of the run from `index` on; much cheaper than finding each by its index.
    pub fn jobs_from(&self, index: u64) -> impl Iterator<Item = Job> + '_ {
        let size = self.problem.size;
        self.parts
            .iter()
            .filter(move |part| index < part.first_index + part.spec.jobs)
            .flat_map(move |part| part.jobs_from(size, index.saturating_sub(part.first_index)))
    }

    /// Returns the weight of the job at `index`, which must be below [`RunPlan::jobs`].
    pub fn weight(&self, index: u64) -> u32 {
        let part = self.part(index).expect("the index is below the number of jobs");
        self.parts[part]
            .plan(self.problem.size)
            .map_or(1, |plan| plan.weight(index - self.parts[part].first_index))
    }

    /// Returns the kind of the part that the job at `index` belongs to, if there is such a job.
    pub fn kind(&self, index: u64) -> Option<Kind> {
        self.part(index).map(|part| self.parts[part].spec.kind)
    }

    /// Returns the place of the main part in [`RunPlan::parts`]: it counts or lists what is asked.
    pub fn main(&self) -> usize {
        self.parts.iter().position(|part| part.spec.kind.turn().is_none()).unwrap_or(0)
    }

    /// Returns the main part.
    pub fn main_part(&self) -> PartSpec {
        self.parts[self.main()].spec
    }

    /// Returns the index in the run of the main part's first job: the main part's plan counts from there.
    pub fn main_first(&self) -> u64 {
        self.parts[self.main()].first_index
    }

    /// Returns how much of the whole work the jobs are that are done, 0 to 1, with `done` of them for each part; by the
    /// estimates of what the main part and its check cost, and by the number of jobs within each.
    pub(crate) fn share(&self, done: &[u64]) -> f64 {
        let parts = self.parts.iter().zip(done).filter(|(part, _)| part.spec.kind.turn().is_none());
        let work = |part: &Part| estimate::work(self.problem.size, part.spec.kind).as_secs_f64();
        let (ready, all) = parts.fold((0.0, 0.0), |(ready, all), (part, &done)| {
            let work = work(part);
            (ready + work * done as f64 / part.spec.jobs.max(1) as f64, all + work)
        });
        let is_whole = done.iter().sum::<u64>() == self.jobs();
        if is_whole { 1.0 } else { (ready / all).min(1.0) }
    }

    /// Returns the place in [`RunPlan::parts`] of the part that the job at `index` belongs to.
    pub(crate) fn part(&self, index: u64) -> Option<usize> {
        self.parts.iter().position(|part| index < part.first_index + part.spec.jobs)
    }

    /// Returns the order in which the jobs are lent.
    pub(crate) fn order(&self) -> Order {
        Order::new(self.main_first(), self.main_part().jobs)
    }

    /// Returns about how many seconds a job of the main part takes, before any was measured.
    pub(crate) fn job_estimate_s(&self) -> f64 {
        let main = self.main_part();
        estimate::work(self.problem.size, main.kind).as_secs_f64() / main.jobs.max(1) as f64
    }

    /// Returns about how many times what a job of the main part costs its audit does.
    pub(crate) fn audit_cost(&self) -> f64 {
        estimate::audit_cost(self.main_part().kind)
    }

    /// Returns the same plan without the memory that its listing takes.
    pub(crate) fn folded(&self) -> Self {
        let parts = self.parts.iter();
        let parts =
            parts.map(|&Part { spec, first_index, .. }| Part { spec, first_index, plan: OnceLock::new() });
        Self { problem: self.problem, parts: parts.collect() }
    }
}

impl Part {
    fn plan(&self, size: Size) -> Option<&Plan> {
        self.plan.get_or_init(|| Plan::new(size, self.spec.kind, self.spec.depth).ok()).as_ref()
    }

    fn jobs_from(&self, size: Size, index: u64) -> impl Iterator<Item = Job> + '_ {
        let jobs = self.plan(size).into_iter().flat_map(move |plan| plan.jobs_from(index));
        jobs.map(|job| Job { index: self.first_index + job.index, ..job })
    }
}

/// Two plans are equal if they split the same problem in the same way.
impl PartialEq for RunPlan {
    fn eq(&self, other: &Self) -> bool {
        self.problem == other.problem && self.parts().eq(other.parts())
    }
}

fn push(parts: &mut Vec<Part>, spec: PartSpec, plan: OnceLock<Option<Plan>>) {
    let first_index = parts.last().map_or(0, |part| part.first_index + part.spec.jobs);
    parts.push(Part { spec, first_index, plan });
}

/// What the choice of a depth goes by.
struct Aim {
    kind: Kind,
    /// The first depth to look at.
    depth: u32,
    /// The time that a job should take.
    target: Duration,
    /// No more jobs than this, so that the ledger stays within reason.
    most_jobs: u64,
}

impl Aim {
    /// A job of a boards run is also the least range of boards that a reader can begin at, so it should be listed in an
    /// instant.
    fn new(problem: Problem, target: Duration) -> Self {
        match problem.goal {
            Goal::Count => Self { kind: Kind::Cross, depth: 0, target, most_jobs: 500_000_000 },
            Goal::Boards => Self {
                kind: Kind::Rows,
                depth: if problem.size.get() < 6 { 1 } else { 2 },
                target: target.min(Duration::from_millis(50)),
                most_jobs: 10_000_000,
            },
        }
    }
}

/// Returns the plans of a count: for the turns, for the sum, and for its check.
fn count_plans(problem: Problem, split: &Split) -> Result<Vec<Plan>, PlanError> {
    let turns = [Kind::HalfTurn, Kind::QuarterTurn];
    let mut plans =
        turns.iter().map(|&kind| Plan::new(problem.size, kind, 0)).collect::<Result<Vec<_>, _>>()?;
    if split.algorithm == Algorithm::Columns && !split.is_full_audit && split.depth.is_some() {
        return Err(PlanError::ColumnsHaveNoDepth);
    }
    plans.push(plan_by(split.algorithm, problem, split)?);
    if split.is_full_audit {
        plans.push(plan_by(split.algorithm.other(), problem, split)?);
    }
    Ok(plans)
}

fn plan_by(algorithm: Algorithm, problem: Problem, split: &Split) -> Result<Plan, CannotSplit> {
    match algorithm {
        Algorithm::Cross => deep_plan(problem, split),
        Algorithm::Columns => Plan::new(problem.size, Kind::Columns, 0),
    }
}

/// Returns the plan of prefixes at the wanted depth, or so deep that jobs are as short as they should be.
fn deep_plan(problem: Problem, split: &Split) -> Result<Plan, CannotSplit> {
    let aim = Aim::new(problem, split.job_target);
    if let Some(depth) = split.depth {
        return Plan::new(problem.size, aim.kind, depth);
    }
    let work = estimate::work(problem.size, aim.kind);
    let mut plan = Plan::new(problem.size, aim.kind, aim.depth)?;
    while is_too_coarse(&plan, work, &aim) {
        match Plan::new(problem.size, aim.kind, plan.depth() + 1) {
            Ok(deeper) => plan = deeper,
            Err(_) => break,
        }
    }
    Ok(plan)
}

/// Tells whether the next level would come nearer to the aim. A level multiplies the jobs by about half of n, so at less
/// than four times the target the next one would be further off below than this one is above.
fn is_too_coarse(plan: &Plan, work: Duration, aim: &Aim) -> bool {
    let next_jobs = plan.jobs().saturating_mul(u64::from(plan.size().get()) / 2);
    let job_s = work.as_secs_f64() / plan.jobs().max(1) as f64;
    job_s > 4.0 * aim.target.as_secs_f64() && next_jobs <= aim.most_jobs
}

/// Why a problem cannot be split so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The board has fewer rows than that.
    #[error("the depth of this plan can be at most {deepest}; choose a smaller one or leave it out")]
    TooDeep {
        /// The deepest plan of this kind for this board.
        deepest: u32,
    },
    /// The column split does not serve this board.
    #[error("{0}")]
    NotServed(String),
    /// A depth was asked for where none is.
    #[error("the columns algorithm has no depth; leave the depth out, or count with the cross algorithm")]
    ColumnsHaveNoDepth,
    /// Another algorithm or a full audit was asked for where boards are to be listed.
    #[error(
        "algorithms and full audits are for counts; boards are listed in one way, and each one is checked as it comes"
    )]
    BoardsHaveNoCheck,
    /// The stored parts are not those of a run with this goal.
    #[error("the stored plan does not fit its problem; the ledger is damaged or from another program")]
    NotOfThisProblem,
    /// This program splits the problem in another way than the one that stored the plan.
    #[error(
        "this program splits the problem into {now} jobs, but {stored} are stored; finish the run with the version that began it"
    )]
    Changed {
        /// The number of jobs that is stored.
        stored: u64,
        /// The number of jobs that this program comes to.
        now: u64,
    },
}

impl From<CannotSplit> for PlanError {
    fn from(reason: CannotSplit) -> Self {
        match reason {
            CannotSplit::TooDeep(TooDeep { deepest }) => Self::TooDeep { deepest },
            CannotSplit::NotServed(reason) => Self::NotServed(reason.to_string()),
        }
    }
}
