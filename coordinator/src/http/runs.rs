//! `/api/v1/runs`: creating runs, looking at them, steering them.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use queens::Size;
use scheduler::{Algorithm, Goal, NewRun, Problem, RunId, RunView};
use serde::Deserialize;

use super::{
    Web,
    extract::{Body, Number, Params},
    failure::Failure,
    json,
};
use crate::{
    choose,
    driver::{Change, Request as Ask, time_of_day_ms},
};

/// The page size of a caller who names none, and the largest.
const PAGE_DEFAULT: u32 = 50;
const PAGE_MAX: u32 = 1000;
/// The number of slices of a caller who names none, and the most.
const SLICES_DEFAULT: u64 = 64;
const SLICES_MAX: u64 = 256;

/// What is asked to be solved.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    pub(super) n: u32,
    pub(super) goal: WantedGoal,
    #[serde(default)]
    pub(super) request_id: String,
    #[serde(default)]
    pub(super) depth: Option<u32>,
    #[serde(default)]
    pub(super) audit_share: f64,
    #[serde(default)]
    pub(super) algorithm: WantedAlgorithm,
    #[serde(default)]
    pub(super) full_audit: bool,
}

/// What a count is to count with.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum WantedAlgorithm {
    #[default]
    Auto,
    Cross,
    Columns,
}

impl WantedAlgorithm {
    const fn named(self) -> Option<Algorithm> {
        match self {
            Self::Auto => None,
            Self::Cross => Some(Algorithm::Cross),
            Self::Columns => Some(Algorithm::Columns),
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum WantedGoal {
    Count,
    Boards,
}

#[derive(Debug, Deserialize)]
pub(super) struct Page {
    #[serde(default)]
    page_size: u32,
    #[serde(default)]
    page_token: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Slices {
    slices: Option<u64>,
}

impl Web {
    /// Creates a run, or finds the one that was created with the same request id.
    pub(super) async fn create_run(&self, wanted: Wanted) -> Result<RunView, Failure> {
        let size = Size::new(wanted.n.into()).map_err(|error| Failure::wrong(error.to_string()))?;
        let goal = match wanted.goal {
            WantedGoal::Count => Goal::Count,
            WantedGoal::Boards => Goal::Boards,
        };
        let how = choose::Wanted {
            problem: Problem { size, goal },
            algorithm: wanted.algorithm.named(),
            depth: wanted.depth,
            full_audit: wanted.full_audit,
        };
        let new = NewRun {
            plan: Arc::new(choose::plan(&self.driver, how, self.job_target).await?),
            request_id: wanted.request_id,
            audit_share: wanted.audit_share,
            at_ms: time_of_day_ms(),
        };
        Ok(self.driver.ask(|reply| Ask::Create(new, reply)).await?)
    }

    /// Returns at most so many runs, the newest first.
    pub(super) async fn newest_runs(&self, most: usize) -> Result<Vec<RunView>, Failure> {
        Ok(self.driver.ask(|reply| Ask::List { older_than: None, most, reply }).await?)
    }

    /// Changes the state of a run.
    pub(super) async fn change_run(&self, run: RunId, change: Change) -> Result<RunView, Failure> {
        Ok(self.driver.ask(|reply| Ask::Change(run, change, reply)).await?)
    }
}

pub(super) async fn list(State(web): State<Web>, Params(page): Params<Page>) -> Result<Response, Failure> {
    let older_than = page_token(&page.page_token)?;
    let most = if page.page_size == 0 { PAGE_DEFAULT } else { page.page_size.min(PAGE_MAX) } as usize;
    let mut views = web.driver.ask(|reply| Ask::List { older_than, most: most + 1, reply }).await?;
    let more = views.len() > most;
    views.truncate(most);
    let next_page_token = views.last().filter(|_| more).map(|view| view.run.to_string());
    let runs = json::Runs {
        runs: views.iter().map(json::Run::from).collect(),
        next_page_token: next_page_token.unwrap_or_default(),
    };
    Ok(Json(runs).into_response())
}

pub(super) async fn create(State(web): State<Web>, Body(wanted): Body<Wanted>) -> Result<Response, Failure> {
    let view = web.create_run(wanted).await?;
    let place = [(header::LOCATION, format!("/api/v1/runs/{}", view.run))];
    Ok((StatusCode::CREATED, place, run(&view)).into_response())
}

pub(super) async fn get(State(web): State<Web>, number: Number) -> Result<Response, Failure> {
    let view = web.driver.ask(|reply| Ask::Get(number.run(), reply)).await?;
    Ok(run(&view))
}

pub(super) async fn pause(State(web): State<Web>, number: Number) -> Result<Response, Failure> {
    Ok(run(&web.change_run(number.run(), Change::Pause).await?))
}

pub(super) async fn resume(State(web): State<Web>, number: Number) -> Result<Response, Failure> {
    Ok(run(&web.change_run(number.run(), Change::Resume).await?))
}

pub(super) async fn cancel(State(web): State<Web>, number: Number) -> Result<Response, Failure> {
    Ok(run(&web.change_run(number.run(), Change::Cancel).await?))
}

pub(super) async fn map(
    State(web): State<Web>,
    number: Number,
    Params(wanted): Params<Slices>,
) -> Result<Response, Failure> {
    let most = wanted.slices.unwrap_or(SLICES_DEFAULT).clamp(1, SLICES_MAX);
    let slices = web.driver.ask(|reply| Ask::Slices(number.run(), most, reply)).await?;
    Ok(Json(json::Map { slices: slices.iter().map(json::Slice::from).collect() }).into_response())
}

fn run(view: &RunView) -> Response {
    Json(json::Run::from(view)).into_response()
}

/// Reads a page token: the last run of the page before.
fn page_token(token: &str) -> Result<Option<RunId>, Failure> {
    if token.is_empty() {
        return Ok(None);
    }
    let wrong = |_| Failure::wrong("page_token must be empty or the next_page_token of another page");
    token.parse().map(|run| Some(RunId(run))).map_err(wrong)
}
