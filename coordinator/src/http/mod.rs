//! Progress over HTTP: pages for people, JSON and events for programs, metrics for monitoring. Like the gRPC services, all
//! of this only translates; everything is decided by the driver.

mod boards;
mod cluster;
mod events;
mod extract;
mod failure;
mod feed;
mod gate;
mod guard;
mod history;
mod incoming;
mod json;
mod metrics;
mod page;
mod runs;
mod words;

use std::{io, sync::Arc, time::Duration};

use axum::{Router, extract::DefaultBodyLimit, http::header, middleware, routing::get, routing::post};
use tokio::{sync::Semaphore, task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::{
    driver::Handle,
    gate::Gate,
    listen::Incoming,
    meter::Meter,
    settings::{LedgerPlace, Settings},
};
use failure::Failure;
use feed::Feeds;
use history::History;
use incoming::Peer;

/// Event streams that may be open at one time.
const STREAMS_MAX: usize = 4096;
/// The largest request body, in bytes.
const BODY_MAX: usize = 16 << 10;

/// What every answer is made from; cheap to clone.
#[derive(Clone)]
pub(crate) struct Web {
    driver: Handle,
    meter: Meter,
    ledger: LedgerPlace,
    job_target: Duration,
    feeds: Arc<Feeds>,
    history: Arc<History>,
    streams: Arc<Semaphore>,
    stop: CancellationToken,
}

impl Web {
    pub(crate) fn new(driver: Handle, meter: Meter, settings: &Settings, stop: CancellationToken) -> Self {
        Self {
            driver,
            meter,
            ledger: settings.ledger.clone(),
            job_target: settings.job_target,
            feeds: Arc::default(),
            history: Arc::default(),
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
            stop,
        }
    }
}

/// Serves until the coordinator stops and the open connections have ended.
pub(crate) async fn serve(web: Web, gate: Gate, incoming: Incoming) -> io::Result<()> {
    tokio::spawn(history::keep(web.clone()));
    let stop = web.stop.clone();
    let router = router(web, gate).into_make_service_with_connect_info::<Peer>();
    axum::serve(incoming, router).with_graceful_shutdown(stop.cancelled_owned()).await
}

/// Waits until the server has ended, but no longer than `limit`: silent clients must not hold up the end.
pub(crate) async fn end(mut serving: JoinHandle<io::Result<()>>, limit: Duration) {
    match timeout(limit, &mut serving).await {
        Ok(Ok(Ok(()))) => {}
        Ok(Ok(Err(error))) => warn!("the HTTP server failed: {error}"),
        Ok(Err(panic)) => warn!("the HTTP server failed: {panic}"),
        Err(_) => serving.abort(),
    }
}

fn router(web: Web, gate: Gate) -> Router {
    let api = Router::new()
        .route("/runs", get(runs::list).post(runs::create))
        .route("/runs/{id}", get(runs::get))
        .route("/runs/{id}/pause", post(runs::pause))
        .route("/runs/{id}/resume", post(runs::resume))
        .route("/runs/{id}/cancel", post(runs::cancel))
        .route("/runs/{id}/map", get(runs::map))
        .route("/runs/{id}/boards", get(boards::stream))
        .route("/runs/{id}/events", get(events::run))
        .route("/workers", get(cluster::workers))
        .route("/workers/{id}/drain", post(cluster::drain))
        .route("/cluster", get(cluster::cluster))
        .route("/events", get(events::cluster))
        .route("/openapi.json", get(openapi));
    Router::new()
        .nest("/api/v1", api)
        .route("/healthz", get(cluster::healthz))
        .route("/readyz", get(cluster::readyz))
        .route("/metrics", get(metrics::metrics))
        .merge(page::router())
        .fallback(|| async {
            Failure::not_found("there is nothing here; the pages begin at /, the API at /api/v1/openapi.json")
        })
        .method_not_allowed_fallback(|| async { Failure::method() })
        .layer(middleware::from_fn_with_state(gate, gate::gate))
        .layer(middleware::from_fn(page::failures))
        .layer(middleware::from_fn(guard::guard))
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .with_state(web)
}

async fn openapi() -> impl axum::response::IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], include_str!("openapi.json"))
}
