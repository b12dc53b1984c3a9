//! `nqueens coordinator`: serves a cluster until it is told to stop.

use std::path::Path;

use coordinator::{Coordinator, LedgerPlace, Limits, Settings};
use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::{
    access::{self, Door},
    args::{CoordinatorArgs, LimitArgs},
    exit::Interrupted,
    random, signals,
};

pub(crate) async fn run(args: &CoordinatorArgs) -> anyhow::Result<()> {
    let access = access::open(&args.access)?;
    // The port first: where another coordinator runs, no ledger is touched.
    let door = Door { access: &access, insecure: args.access.insecure };
    let listener = door.listen(&args.listen, "--listen").await?;
    let http = match &args.http {
        Some(address) => Some(door.listen(address, "--http").await?),
        None => None,
    };
    let ledger = ledger_place(&args.ledger);
    let settings = Settings {
        ledger,
        lease_ttl: args.lease_seconds,
        job_target: args.job_seconds,
        limits: limits(&args.limits),
        hello_timeout: args.limits.hello_timeout,
        seed: random::bits(),
        ..Settings::default()
    };
    let mut coordinator = Coordinator::open(settings)?.with_access(access.clone());
    let (stop, at_once) = (CancellationToken::new(), CancellationToken::new());
    signals::listen(stop.clone(), at_once.clone());
    if access.is_encrypted() || access.asks_who() {
        signals::on_hangup(move || drop(access.renew()));
    }
    let scheme = if args.access.tls_cert.is_some() { "https" } else { "http" };
    info!("listening on {}", listener.local_addr()?);
    if let Some(http) = http {
        info!("pages, JSON and metrics at {scheme}://{}/", http.local_addr()?);
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

fn limits(args: &LimitArgs) -> Limits {
    Limits {
        sessions: args.max_sessions,
        connections: args.max_connections,
        connections_per_peer: args.max_connections_per_peer,
        calls_per_peer: args.max_calls_per_peer,
        streams: args.max_streams,
        message_bytes: args.max_message_bytes,
        handshake_timeout: args.handshake_timeout,
    }
}
