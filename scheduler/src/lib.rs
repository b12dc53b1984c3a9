//! The decisions of the cluster: a pure state machine of runs, jobs, leases and results.
//!
//! There is no clock here, no disk, no network and no thread. The owner of a [`Scheduler`] passes in what happened and what
//! time it is, makes durable what the scheduler decides, and carries out its [`Command`]s:
//!
//! ```text
//!                 &self                          &mut self
//!   request ──► decision ──► Event ──► ledger ──► apply ──► answer       durable truth: runs, results, alarms
//!
//!   join, heard, hand_back, leave, tick ──► dispatch ──► Command          courtesies: sessions and leases
//! ```
//!
//! **Truth** changes in [`Scheduler::apply`] and nowhere else, so recovery is applying the events of the ledger again. A
//! job's result is a fixed number, whoever computes it; so leases are not part of the truth. They only keep workers from
//! doing the same work twice.
//!
//! After anything that happened, the owner does this:
//!
//! ```text
//! loop {
//!     while let Some(event) = scheduler.due(now) { make durable; scheduler.apply(&event, now) }
//!     while let Some(worker) = scheduler.recheck_wanted() { scheduler.recheck(worker, what the ledger knows of its jobs) }
//!     scheduler.dispatch(now, &mut commands);
//!     if scheduler.due(now).is_none() && scheduler.recheck_wanted().is_none() { break }
//! }
//! ```
//!
//! and sleeps no longer than until [`Scheduler::next_wake`], then calls [`Scheduler::tick`].

mod alarm;
pub mod algorithm;
mod audit;
pub mod command;
mod estimate;
pub mod event;
pub mod id;
mod lease;
mod map;
mod order;
pub mod plan;
pub mod problem;
mod progress;
mod ranks;
pub mod report;
pub mod request;
mod run;
mod scheduler;
pub mod settings;
mod supply;
pub mod support;
#[cfg(test)]
mod tests;
pub mod time;
pub mod view;
mod worker;

pub use algorithm::Algorithm;
pub use command::Command;
pub use event::{Event, NewWorker};
pub use id::{JobId, RunId, WorkerId};
pub use plan::{PartSpec, PlanError, RunPlan, Split};
pub use problem::{Answer, Goal, Problem};
pub use report::{BadResult, JobResult, Recorded, Report};
pub use request::{CreateError, Created, HeldJob, NewRun, NoSuchWorker, Refused, Registered, RunError};
pub use scheduler::Scheduler;
pub use settings::Settings;
pub use support::Support;
pub use time::Moment;
pub use view::{Progress, RunState, RunView, Slice, TimeLeft, WorkerState, WorkerView};
