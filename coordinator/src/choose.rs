//! Choosing how to split a problem, for every service that creates runs.

use std::time::Duration;

use scheduler::{Algorithm, Goal, PlanError, Problem, RunPlan, Split, WorkerState};

use crate::driver::{Handle, Refusal, Request as Ask};

/// Plans for boards up to this size take no noticeable time.
const QUICK_PLAN: u32 = 18;

/// What is asked to be solved, and how it should be split.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) problem: Problem,
    /// The faster one, if none is named.
    pub(crate) algorithm: Option<Algorithm>,
    pub(crate) depth: Option<u32>,
    pub(crate) full_audit: bool,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoPlan {
    #[error(transparent)]
    Asked(#[from] PlanError),
    #[error("the plan could not be made; please report this")]
    Broken,
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Chooses how to split a problem. That takes long enough for large boards to be kept off the threads that serve calls.
pub(crate) async fn plan(driver: &Handle, wanted: Wanted, job_target: Duration) -> Result<RunPlan, NoPlan> {
    let Wanted { problem, depth, full_audit, .. } = wanted;
    let algorithm = algorithm(driver, wanted).await?;
    let split = Split { algorithm, depth, is_full_audit: full_audit, job_target };
    let choose = move || RunPlan::choose(problem, &split);
    if problem.size.get() <= QUICK_PLAN {
        return Ok(choose()?);
    }
    let chosen = tokio::task::spawn_blocking(choose).await;
    Ok(chosen.map_err(|_| NoPlan::Broken)??)
}

/// Returns the algorithm that is asked for, else the faster one for the workers that are there. A depth means something for
/// the cross algorithm only.
async fn algorithm(driver: &Handle, wanted: Wanted) -> Result<Algorithm, NoPlan> {
    match (wanted.problem.goal, wanted.algorithm) {
        (Goal::Boards, Some(_)) => Err(PlanError::BoardsHaveNoCheck.into()),
        (_, Some(algorithm)) => Ok(algorithm),
        _ if wanted.depth.is_some() => Ok(Algorithm::Cross),
        (Goal::Boards, None) => Ok(Algorithm::Cross),
        (Goal::Count, None) => {
            let workers = driver.ask(Ask::Workers).await?;
            let workers = workers.iter().map(|seen| &seen.view);
            let active = workers.filter(|view| view.state == WorkerState::Active);
            let crew = active.map(|view| (view.who.kernel.as_str(), view.who.threads));
            Ok(Algorithm::fastest(wanted.problem.size, crew))
        }
    }
}
