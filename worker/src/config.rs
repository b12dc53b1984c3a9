//! What a worker is told when it starts, and how it is told to stop.

use std::{
    hash::{BuildHasher, RandomState},
    num::NonZeroUsize,
    time::Duration,
};

use queens::kernel::Kernel;
use tokio_util::sync::CancellationToken;

/// Who the worker is and how it behaves.
#[derive(Clone, Debug)]
pub struct Config {
    /// A name for people. Only the first 64 bytes are sent.
    pub name: String,
    /// The machine it runs on. Only the first 255 bytes are sent.
    pub host: String,
    /// The number of slots of its pool, as told to the coordinator.
    pub threads: NonZeroUsize,
    /// The kernel of its pool, as told to the coordinator.
    pub kernel: Kernel,
    /// How long a drain may take to finish what is begun.
    pub grace: Duration,
    /// The most jobs it will hold.
    pub capacity: u32,
    /// Seeds the jitter of its reconnects. Workers with different seeds do not retry in step.
    pub seed: u64,
    /// By this the coordinator knows the worker again after a reconnect; a new one for each process.
    pub instance: [u8; 16],
    /// How long to try for the first session before giving up; `None` means for ever. Later sessions are always
    /// tried for again.
    pub connect_timeout: Option<Duration>,
}

impl Config {
    /// Returns the usual settings, with an instance and a seed drawn from the randomness of the operating system.
    pub fn new(name: String, host: String, threads: NonZeroUsize, kernel: Kernel) -> Self {
        let mut instance = [0; 16];
        instance[..8].copy_from_slice(&random().to_le_bytes());
        instance[8..].copy_from_slice(&random().to_le_bytes());
        Self {
            name,
            host,
            threads,
            kernel,
            grace: Duration::from_secs(20),
            capacity: 65_536,
            seed: random(),
            instance,
            connect_timeout: None,
        }
    }
}

fn random() -> u64 {
    // The standard library keys its hash maps from the operating system; a keyed hash of anything is random.
    RandomState::new().hash_one(std::process::id())
}

/// How a worker is told to stop. Clones stop the same worker.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    /// Finish what fits in the grace time, hand back the rest, deliver everything, leave.
    pub drain: CancellationToken,
    /// Leave at once.
    pub now: CancellationToken,
}
