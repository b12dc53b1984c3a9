//! What people do by clicking: plain forms, each answered by a redirect to the page that shows what came of it.

use axum::{extract::State, response::Redirect};
use scheduler::WorkerId;
use serde::Deserialize;

use crate::{
    driver::{Change, Request as Ask},
    http::{
        Web,
        extract::{Form, Number},
        failure::Failure,
        runs,
    },
};

/// The form that creates a run. What may be left empty is text.
#[derive(Debug, Deserialize)]
pub(super) struct NewRun {
    n: u32,
    goal: runs::WantedGoal,
    #[serde(default)]
    depth: String,
    #[serde(default)]
    audit_percent: String,
    #[serde(default)]
    algorithm: runs::WantedAlgorithm,
    /// What a checkbox sends, if it is checked.
    #[serde(default)]
    full_audit: String,
}

pub(super) async fn create(State(web): State<Web>, Form(form): Form<NewRun>) -> Result<Redirect, Failure> {
    let depth = optional(&form.depth, "the rows to fix must be a whole number, or left out")?;
    let percent: Option<f64> =
        optional(&form.audit_percent, "the share to audit must be a number from 0 to 100, or left out")?;
    let wanted = runs::Wanted {
        n: form.n,
        goal: form.goal,
        request_id: String::new(),
        depth,
        audit_share: percent.unwrap_or(0.0) / 100.0,
        algorithm: form.algorithm,
        full_audit: !form.full_audit.is_empty(),
    };
    let view = web.create_run(wanted).await?;
    Ok(Redirect::to(&format!("/runs/{}", view.run)))
}

pub(super) async fn pause(State(web): State<Web>, number: Number) -> Result<Redirect, Failure> {
    change(&web, &number, Change::Pause).await
}

pub(super) async fn resume(State(web): State<Web>, number: Number) -> Result<Redirect, Failure> {
    change(&web, &number, Change::Resume).await
}

pub(super) async fn cancel(State(web): State<Web>, number: Number) -> Result<Redirect, Failure> {
    change(&web, &number, Change::Cancel).await
}

async fn change(web: &Web, number: &Number, change: Change) -> Result<Redirect, Failure> {
    let view = web.change_run(number.run(), change).await?;
    Ok(Redirect::to(&format!("/runs/{}", view.run)))
}

pub(super) async fn drain(State(web): State<Web>, Number(worker): Number) -> Result<Redirect, Failure> {
    web.driver.ask(|reply| Ask::DrainWorker(WorkerId(worker), reply)).await?;
    Ok(Redirect::to("/#workers"))
}

fn optional<T: std::str::FromStr>(text: &str, wanted: &str) -> Result<Option<T>, Failure> {
    match text.trim() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| Failure::wrong(wanted)),
    }
}
