//! A cluster inside this process: a coordinator with its ledger in memory and one worker, which talk gRPC over loopback
//! exactly as processes on different machines do.

use std::{net::Ipv4Addr, num::NonZeroUsize, time::Duration};

use anyhow::{Context, anyhow};
use coordinator::{Coordinator, Settings};
use queens::kernel::Kernel;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::{CancellationToken, DropGuard};
use worker::{Pool, Stop};

use crate::url::Url;

/// The coordinator and the worker, which end when this is dropped.
#[derive(Debug)]
pub(crate) struct Cluster {
    /// Where the coordinator listens.
    pub(crate) url: Url,
    coordinator: JoinHandle<Result<(), coordinator::Error>>,
    worker: JoinHandle<Result<(), worker::Error>>,
    _stop: DropGuard,
}

impl Cluster {
    /// Starts a cluster on a free port of loopback.
    pub(crate) async fn start(threads: NonZeroUsize, kernel: Kernel) -> anyhow::Result<Self> {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.context("cannot listen on loopback")?;
        let url: Url = format!("http://{}", listener.local_addr()?).parse().map_err(anyhow::Error::msg)?;
        let stop = CancellationToken::new();
        // The only worker there is audits itself, by the other algorithm, and need not wait for company.
        let settings = Settings { reflection: false, alone_after: Duration::ZERO, ..Settings::default() };
        let coordinator = Coordinator::open(settings)?;
        let coordinator = tokio::spawn(coordinator.serve(listener, stop.clone()));
        let pool = Pool::threads(threads, kernel)?;
        let config = worker::Config::new("local".into(), "localhost".into(), threads, kernel);
        let ends = Stop { drain: CancellationToken::new(), now: stop.clone() };
        let dial = worker::client::endpoint(&url.to_string())?;
        let worker = tokio::spawn(worker::run(config, dial, pool, ends));
        Ok(Self { url, coordinator, worker, _stop: stop.drop_guard() })
    }

    /// Waits until the coordinator or the worker ends, which neither does by itself, and returns why.
    pub(crate) async fn failed(&mut self) -> anyhow::Error {
        tokio::select! {
            outcome = &mut self.coordinator => ended("coordinator", outcome),
            outcome = &mut self.worker => ended("worker", outcome),
        }
    }
}

fn ended<E: Into<anyhow::Error>>(
    who: &str,
    outcome: Result<Result<(), E>, tokio::task::JoinError>,
) -> anyhow::Error {
    let reason = match outcome {
        Ok(Ok(())) => anyhow!("it stopped"),
        Ok(Err(error)) => error.into(),
        Err(panic) => panic.into(),
    };
    reason.context(format!("the {who} inside this process ended"))
}
