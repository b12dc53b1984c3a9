//! What can be set about a coordinator.

use std::{path::PathBuf, time::Duration};

/// Where the ledger is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerPlace {
    /// In a file, which is created if need be.
    File(PathBuf),
    /// In memory, for a cluster that lives no longer than one command.
    Memory,
}

/// How much of everything there may be at one time.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Sessions of workers.
    pub sessions: usize,
    /// Connections on each port. Those beyond wait until others end.
    pub connections: usize,
    /// Connections on each port from one address; of IPv6, from one network of 64 bits.
    pub connections_per_peer: usize,
    /// Calls on both ports from one address that have not been answered in full: sessions and streams count too.
    pub calls_per_peer: usize,
    /// gRPC calls that one connection may have open.
    pub streams: u32,
    /// Bytes of the largest gRPC message that is read.
    pub message_bytes: usize,
    /// How long a TLS handshake may take.
    pub handshake_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sessions: 10_000,
            // One for each session, and room for everybody else.
            connections: 16_384,
            connections_per_peer: 4096,
            calls_per_peer: 8192,
            streams: 256,
            // A batch of results takes less than a tenth of it.
            message_bytes: 4 << 20,
            handshake_timeout: Duration::from_secs(10),
        }
    }
}

/// What can be set about a coordinator; the default is right for most.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the ledger is kept.
    pub ledger: LedgerPlace,
    /// Without a sign of life for this long, a worker's jobs are lent to others.
    pub lease_ttl: Duration,
    /// How long a job should take on one thread, about.
    pub job_target: Duration,
    /// How much of everything there may be at one time.
    pub limits: Limits,
    /// How long a client may take to say hello once it has opened a session.
    pub hello_timeout: Duration,
    /// How long open connections may hold up the end of the server.
    pub stop_timeout: Duration,
    /// Whether the driver gets a thread of its own. Without it, it runs beside everything else, as a deterministic
    /// simulation needs it.
    pub driver_thread: bool,
    /// Whether clients may ask what the services and messages are. Making ready for that takes a few milliseconds.
    pub reflection: bool,
    /// After this long without company, a worker may audit its own results, and a dispute that no worker can settle is settled
    /// here.
    pub alone_after: Duration,
    /// Where the choice of jobs to audit starts from.
    pub seed: u64,
}

impl Settings {
    /// Returns what of this the scheduler needs.
    pub(crate) fn scheduler(&self) -> scheduler::Settings {
        let Self { lease_ttl, alone_after, seed, .. } = *self;
        scheduler::Settings { lease_ttl, alone_after, seed, ..scheduler::Settings::default() }
    }

    /// Returns how often workers are asked for a sign of life: four times in the time of a lease.
    pub fn heartbeat_interval(&self) -> Duration {
        self.lease_ttl / 4
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            ledger: LedgerPlace::Memory,
            lease_ttl: Duration::from_secs(20),
            job_target: Duration::from_secs(5),
            limits: Limits::default(),
            hello_timeout: Duration::from_secs(10),
            stop_timeout: Duration::from_secs(3),
            driver_thread: true,
            reflection: true,
            alone_after: Duration::from_secs(60),
            seed: 0,
        }
    }
}
