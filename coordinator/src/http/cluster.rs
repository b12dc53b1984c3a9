//! The coordinator itself and its workers, and whether it is well.

use std::time::Duration;

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use scheduler::WorkerId;
use tokio::time::timeout;

use super::{Web, extract::Number, failure::Failure, json};
use crate::driver::{ClusterView, Request as Ask, WorkerSeen};

/// A driver that takes longer to answer is not ready.
const READY_WITHIN: Duration = Duration::from_secs(1);

impl Web {
    pub(super) async fn workers(&self) -> Result<Vec<WorkerSeen>, Failure> {
        Ok(self.driver.ask(Ask::Workers).await?)
    }

    pub(super) async fn cluster(&self) -> Result<ClusterView, Failure> {
        Ok(self.driver.ask(Ask::Cluster).await?)
    }
}

pub(super) async fn cluster(State(web): State<Web>) -> Result<Response, Failure> {
    Ok(Json(json::Cluster::from(&web.cluster().await?)).into_response())
}

pub(super) async fn workers(State(web): State<Web>) -> Result<Response, Failure> {
    let workers = web.workers().await?;
    Ok(Json(json::Workers { workers: workers.iter().map(json::Worker::from).collect() }).into_response())
}

pub(super) async fn drain(State(web): State<Web>, Number(worker): Number) -> Result<Response, Failure> {
    let worker = web.driver.ask(|reply| Ask::DrainWorker(WorkerId(worker), reply)).await?;
    Ok(Json(json::Worker::from(&worker)).into_response())
}

/// Answers as long as this process can answer anything.
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// Answers well while the driver takes requests and the ledger can be written.
pub(super) async fn readyz(State(web): State<Web>) -> Result<&'static str, Failure> {
    match timeout(READY_WITHIN, web.driver.ask(Ask::Ready)).await {
        Ok(ready) => Ok(ready.map(|()| "ready\n")?),
        Err(_) => Err(Failure::busy("the driver does not answer; it may be waiting for the ledger's disk")),
    }
}
