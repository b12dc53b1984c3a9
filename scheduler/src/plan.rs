//! How a run is split: a short list of parts, each with its own plan and its own sum. A job's index counts through the parts
//! in order. The last part is the main one; before it come the two small jobs that U(n) needs.

use std::{sync::OnceLock, time::Duration};

use queens::{
    Size,
    split::{Job, Kind, Plan, TooDeep},
};

use crate::{
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
    /// Chooses how to split `problem`: at the given depth, or so deep that a job takes about `job_target` on one thread
    /// (within a factor of four, since each level makes jobs about a tenth as long).
    /// This may take a second for large boards, so do it outside of the scheduler's thread.
    pub fn choose(problem: Problem, depth: Option<u32>, job_target: Duration) -> Result<Self, PlanError> {
        let turns = match problem.goal {
            Goal::Count => &[Kind::HalfTurn, Kind::QuarterTurn][..],
            Goal::Boards => &[],
        };
        let mut plans =
            turns.iter().map(|&kind| Plan::new(problem.size, kind, 0)).collect::<Result<Vec<_>, _>>()?;
        plans.push(main_plan(problem, depth, job_target)?);
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
        let kinds = match problem.goal {
            Goal::Count => &[Kind::HalfTurn, Kind::QuarterTurn, Kind::Cross][..],
            Goal::Boards => &[Kind::Rows],
        };
        let jobs = parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(part.jobs));
        if !parts.iter().map(|part| part.kind).eq(kinds.iter().copied()) || jobs.is_none() {
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

    /// Returns the index in the run of the main part's first job: the main part's plan counts from there.
    pub fn main_first(&self) -> u64 {
        self.parts.last().map_or(0, |part| part.first_index)
    }

    /// Returns the place in [`RunPlan::parts`] of the part that the job at `index` belongs to.
    pub(crate) fn part(&self, index: u64) -> Option<usize> {
        self.parts.iter().position(|part| index < part.first_index + part.spec.jobs)
    }

    /// Returns the order in which the jobs are lent.
    pub(crate) fn order(&self) -> Order {
        Order::new(self.main_first(), self.jobs() - self.main_first())
    }

    /// Returns about how many seconds a job of the main part takes, before any was measured.
    pub(crate) fn job_estimate_s(&self) -> f64 {
        let main = self.parts.last().expect("every plan has a main part").spec;
        estimate::work(self.problem.size, main.kind).as_secs_f64() / main.jobs.max(1) as f64
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

fn main_plan(problem: Problem, depth: Option<u32>, target: Duration) -> Result<Plan, TooDeep> {
    let aim = Aim::new(problem, target);
    if let Some(depth) = depth {
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

impl From<TooDeep> for PlanError {
    fn from(TooDeep { deepest }: TooDeep) -> Self {
        Self::TooDeep { deepest }
    }
}
