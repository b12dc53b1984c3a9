//! The pages: rendered here in full, so that they can be read without JavaScript, and kept live by events that carry the
//! changing part of a page rendered anew.

mod board;
mod forms;
mod home;
mod layout;
mod map;
mod plot;
mod run;

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use maud::Markup;
use scheduler::RunView;

use super::{
    Web, events,
    extract::{Number, Params},
    failure::Failure,
    feed::{RUNS_SHOWN, Topic},
};
use crate::driver::Request as Ask;
pub(super) use layout::failures;
use layout::page;

pub(super) fn router() -> Router<Web> {
    Router::new()
        .route("/", get(home))
        .route("/live", get(home_events))
        .route("/runs", get(home).post(forms::create))
        .route("/runs/{id}", get(run))
        .route("/runs/{id}/live", get(run_events))
        .route("/runs/{id}/boards", get(boards))
        .route("/runs/{id}/pause", post(forms::pause))
        .route("/runs/{id}/resume", post(forms::resume))
        .route("/runs/{id}/cancel", post(forms::cancel))
        .route("/workers/{id}/drain", post(forms::drain))
        .route("/page.css", get(|| async { asset("text/css; charset=utf-8", include_str!("page.css")) }))
        .route("/page.js", get(|| async { asset("text/javascript; charset=utf-8", include_str!("page.js")) }))
        .route("/icon.svg", get(|| async { asset("image/svg+xml", include_str!("icon.svg")) }))
}

fn asset(content_type: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, content_type), (header::CACHE_CONTROL, "no-cache")], text).into_response()
}

async fn home(State(web): State<Web>) -> Result<Markup, Failure> {
    Ok(page("Runs and workers", Some("/live"), &home::home(&home_markup(&web).await?)))
}

async fn home_events(State(web): State<Web>, headers: HeaderMap) -> Result<Response, Failure> {
    events::events(&web, Topic::HomePage, &headers).await
}

async fn run(State(web): State<Web>, number: Number) -> Result<Markup, Failure> {
    let view = web.driver.ask(|reply| Ask::Get(number.run(), reply)).await?;
    let live = format!("/runs/{}/live", view.run);
    Ok(page(&run::title(&view), Some(&live), &run_markup(&web, &view).await?))
}

async fn run_events(State(web): State<Web>, number: Number, headers: HeaderMap) -> Result<Response, Failure> {
    events::events(&web, Topic::RunPage(number.run()), &headers).await
}

async fn boards(
    State(web): State<Web>,
    number: Number,
    Params(wanted): Params<board::Wanted>,
) -> Result<Markup, Failure> {
    let view = web.driver.ask(|reply| Ask::Get(number.run(), reply)).await?;
    let shown = board::show(&web, &view, &wanted).await?;
    Ok(page(&format!("Boards of run {}", view.run), None, &shown))
}

async fn home_markup(web: &Web) -> Result<Markup, Failure> {
    let (cluster, runs, workers) =
        (web.cluster().await?, web.newest_runs(RUNS_SHOWN).await?, web.workers().await?);
    Ok(home::live(&cluster, &runs, &workers))
}

async fn run_markup(web: &Web, view: &RunView) -> Result<Markup, Failure> {
    let slices = web.driver.ask(|reply| Ask::Slices(view.run, map::SLICES, reply)).await?;
    Ok(run::live(view, &web.history.of(view.run), &slices))
}

/// Returns the part of the home page that changes.
pub(super) async fn home_live(web: &Web) -> Result<String, Failure> {
    Ok(home_markup(web).await?.into_string())
}

/// Returns the part of a run's page that changes.
pub(super) async fn run_live(web: &Web, view: &RunView) -> Result<String, Failure> {
    Ok(run_markup(web, view).await?.into_string())
}
