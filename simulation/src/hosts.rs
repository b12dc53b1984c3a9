//! The processes of the cluster: each call here is one life of one of them.

use std::{
    collections::HashSet,
    net::Ipv4Addr,
    num::NonZeroUsize,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use coordinator::{Coordinator, LedgerPlace, Settings};
use tokio_util::sync::CancellationToken;
use tracing::info;
use turmoil::net::TcpListener;
use worker::{Config, Job, Pool, Stop};

use crate::{
    crash::Crash,
    network::{self, Dialer, PORT},
    scenario::{Scenario, WorkerPart},
    truth,
};

/// Serves until it is told to stop.
pub(crate) async fn coordinator(
    ledger: Arc<Path>,
    scenario: Arc<Scenario>,
    stop: CancellationToken,
    crash: Crash,
) -> turmoil::Result {
    let _last_will = crash.last_will();
    let settings = Settings {
        ledger: LedgerPlace::File(ledger.to_path_buf()),
        lease_ttl: scenario.lease_ttl,
        driver_thread: false,
        seed: scenario.seed,
        ..Settings::default()
    };
    let coordinator = Coordinator::open(settings)?;
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, PORT)).await?;
    coordinator.serve_connections(network::accepted(listener, crash), stop).await?;
    info!("the coordinator has stopped");
    Ok(())
}

/// What a worker remembers from one life to the next, which no real one does: where it has failed before.
pub(crate) type Failed = Arc<Mutex<HashSet<u64>>>;

/// Works until it is drained or refused.
pub(crate) async fn worker(
    scenario: Arc<Scenario>,
    place: usize,
    life: u64,
    failed: Failed,
    stop: Stop,
) -> turmoil::Result {
    let part = scenario.workers[place].clone();
    let threads = NonZeroUsize::new(part.threads).unwrap_or(NonZeroUsize::MIN);
    let config = Config {
        grace: Duration::from_secs(2),
        seed: scenario.seed ^ (place as u64) << 32 ^ life,
        instance: instance(place, life),
        ..Config::new(format!("worker-{place}-{life}"), "simulated".to_owned(), threads, part.kernel)
    };
    let pool = pool(&scenario, (place, life), part, failed);
    match worker::run(config, Dialer, pool, stop).await {
        Ok(()) => info!(place, life, "a worker has left"),
        // A liar is refused, and a drained worker may find nobody to deliver to.
        Err(error) => info!(place, life, %error, "a worker has ended"),
    }
    Ok(())
}

fn instance(place: usize, life: u64) -> [u8; 16] {
    let mut instance = [0; 16];
    instance[..8].copy_from_slice(&(place as u64 + 1).to_le_bytes());
    instance[8..].copy_from_slice(&life.to_le_bytes());
    instance
}

fn pool(scenario: &Arc<Scenario>, (place, life): (usize, u64), part: WorkerPart, failed: Failed) -> Pool {
    let (slots, seed) = (NonZeroUsize::new(part.threads).unwrap_or(NonZeroUsize::MIN), scenario.seed);
    let (lies, fails) = (part.lies, part.fails);
    let count = move |job: &Job| {
        let index = job.id.index;
        let is_new = || failed.lock().unwrap_or_else(PoisonError::into_inner).insert(index);
        if fails && truth::is_failed_at(seed, index) && is_new() {
            return Err("the simulation wants this job to fail".to_owned());
        }
        let count = truth::count(job.size, &job.work)?;
        // No two lives tell the same lie: two that did, and were both never found out, would be believed.
        let lie = 1 + place as u64 + 10 * life;
        Ok(if lies && truth::is_lied_about(seed, index) { count + lie } else { count })
    };
    Pool::simulated(slots, count, move |job| truth::duration(seed, &part, job.id.index))
}
