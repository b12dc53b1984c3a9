//! Choosing how to split a problem, for every service that creates runs.

use std::time::Duration;

use scheduler::{PlanError, Problem, RunPlan};

/// Plans for boards up to this size take no noticeable time.
const QUICK_PLAN: u32 = 18;

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoPlan {
    #[error(transparent)]
    Asked(#[from] PlanError),
    #[error("the plan could not be made; please report this")]
    Broken,
}

/// Chooses how to split a problem. That takes long enough for large boards to be kept off the threads that serve calls.
pub(crate) async fn plan(
    problem: Problem,
    depth: Option<u32>,
    job_target: Duration,
) -> Result<RunPlan, NoPlan> {
    let choose = move || RunPlan::choose(problem, depth, job_target);
    if problem.size.get() <= QUICK_PLAN {
        return Ok(choose()?);
    }
    let chosen = tokio::task::spawn_blocking(choose).await;
    Ok(chosen.map_err(|_| NoPlan::Broken)??)
}
