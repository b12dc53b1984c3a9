//! `nqueens coordinator`: serves a cluster until it is told to stop.

use std::{io, path::Path};

use anyhow::{Context, bail};
use coordinator::{Coordinator, LedgerPlace, Settings};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::{args::CoordinatorArgs, exit::Interrupted, random, signals};

pub(crate) async fn run(args: &CoordinatorArgs) -> anyhow::Result<()> {
    // The port first: where another coordinator runs, no ledger is touched.
    let listener = listen(&args.listen, "--listen").await?;
    let http = match &args.http {
        Some(address) => Some(listen(address, "--http").await?),
        None => None,
    };
    let ledger = ledger_place(&args.ledger);
    let settings = Settings {
        ledger,
        lease_ttl: args.lease_seconds,
        job_target: args.job_seconds,
        seed: random::bits(),
        ..Settings::default()
    };
    let mut coordinator = Coordinator::open(settings)?;
    let (stop, at_once) = (CancellationToken::new(), CancellationToken::new());
    signals::listen(stop.clone(), at_once.clone());
    info!("listening on {}", listener.local_addr()?);
    if let Some(http) = http {
        info!("pages, JSON and metrics at http://{}/", http.local_addr()?);
        coordinator = coordinator.with_http(http);
    }
    tokio::select! {
        outcome = coordinator.serve(listener, stop) => Ok(outcome?),
        () = at_once.cancelled() => Err(Interrupted::default().into()),
    }
}

fn ledger_place(path: &Path) -> LedgerPlace {
    if path == Path::new(":memory:") { LedgerPlace::Memory } else { LedgerPlace::File(path.to_owned()) }
}

async fn listen(address: &str, flag: &str) -> anyhow::Result<TcpListener> {
    match TcpListener::bind(address).await {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => bail!(
            "cannot listen on {address}: another program does; stop it, or choose another address with {flag}"
        ),
        bound => bound.with_context(|| format!("cannot listen on {address}")),
    }
}
