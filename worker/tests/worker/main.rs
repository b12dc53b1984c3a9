//! The worker as a coordinator sees it: each test is a scene between the two over real gRPC.

mod boards;
mod coordinator;
mod drain;
mod gate;
mod jobs;
mod outage;
mod refusal;

use std::{num::NonZeroUsize, time::Duration};

use queens::{Square, kernel::Kernel, split::Work};
use tokio::task::JoinHandle;
use worker::{Config, Error, Pool, Stop};

fn slots(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap()
}

fn config() -> Config {
    Config::new("ada".to_owned(), "engine".to_owned(), slots(2), Kernel::Scalar)
}

fn real_pool() -> Pool {
    Pool::threads(slots(2), Kernel::Scalar).unwrap()
}

/// Starts a worker for the coordinator at `uri`.
fn start(config: Config, uri: &str, pool: Pool) -> (Stop, JoinHandle<Result<(), Error>>) {
    let stop = Stop::default();
    let dial = worker::client::endpoint(uri).unwrap();
    (stop.clone(), tokio::spawn(worker::run(config, dial, pool, stop)))
}

fn queen(row: u8, column: u8) -> Work {
    Work::Complete(vec![Square::new(row, column)])
}

/// Jobs whose work does not matter, for a gate.
fn any_jobs(indices: impl IntoIterator<Item = u64>) -> impl Iterator<Item = (u64, Work)> {
    indices.into_iter().map(|index| (index, queen(0, 0)))
}

/// The grace time of tests in which it must pass.
const SHORT: Duration = Duration::from_millis(50);
