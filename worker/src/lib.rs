//! The worker of the nqueens cluster: it keeps a session with the coordinator and computes the jobs that it is lent.
//!
//! ```text
//! coordinator <== one stream each way ==> session --- gives jobs ---> desk ---> slot: a kernel thread
//!                                            ^                         |   ---> slot
//!                                            +---- collects outcomes --+   ---> slot
//! ```
//!
//! Async code ends at the [desk](Pool): kernel threads never wait for the network. What the worker holds outlives the
//! session: through an outage of the coordinator it goes on computing, then says what it still holds and delivers what
//! it has finished. Nothing here knows a run's plan or sum; that is the coordinator's business.

mod backoff;
pub mod client;
mod config;
mod desk;
mod drain;
mod error;
mod held;
mod job;
mod listing;
mod pace;
mod pool;
mod session;
mod sessions;
mod slot;
mod spans;

pub use client::Dial;
pub use config::{Config, Stop};
pub use error::Error;
pub use job::{Job, JobId};
pub use pool::Pool;
pub use sessions::run;
