//! Whole clusters in virtual time, with faults drawn from a seed.
//!
//! The coordinator and the workers are the real ones: their sessions, their gRPC, their ledger in a file. Only the network,
//! the clock and the kernels' pace are simulated, by turmoil, so that minutes of crashes, cuts and full disks take a
//! fraction of a second and happen again in the same way for the same seed.
//!
//! ```text
//! seed ──► Scenario ──► cluster: coordinator, workers, user; faults at their times ──► Observed ──► checks ──► violations
//! ```
//!
//! After each run the answer must be exact, each job must be in the ledger once with its true count, the ledger alone must
//! sum to the answer, nobody may have been accused who did not lie, and whoever's lie was recorded must be in quarantine.
//! Nothing that a client has seen done may be undone by a crash.
//!
//! Runs repeat exactly only if tokio is built with `--cfg tokio_unstable`, which lets its choices be seeded.

mod checks;
mod cluster;
mod crash;
mod disk;
mod hosts;
mod network;
mod random;
mod scenario;
mod trace;
mod truth;
mod user;

pub use cluster::{Outcome, run};
pub use scenario::{Fault, Goal, Scenario, What, WorkerPart};
