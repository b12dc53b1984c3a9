//! The durable events, and what can be asked of them.

mod lock;
mod read;
mod row;
mod schema;
mod seal;
mod sqlite;
mod write;

#[cfg(test)]
mod tests;

use std::{io, path::PathBuf, time::Duration};

use scheduler::{Event, JobId, PlanError, Recorded, RunId, Support, WorkerId};

pub(crate) use sqlite::Sqlite;

use crate::settings::LedgerPlace;

/// Keeps the events. SQLite does; a server database can stand in its place.
pub(crate) trait Ledger: Send {
    /// Returns a random number, drawn when the ledger was created and never 0, that tells it from all others.
    fn id(&self) -> u64;

    /// Passes every event that still matters to `apply`, in an order in which they can be applied.
    fn replay(&mut self, apply: &mut dyn FnMut(Event)) -> Result<(), LedgerError>;

    /// Makes events durable, all or none of them. `at_ms` is the time of day in milliseconds since 1970.
    fn append(&mut self, events: &[Event], at_ms: u64) -> Result<(), LedgerError>;

    /// Writes to the ledger, durably, without changing what it says. An error if it cannot be written.
    fn probe(&mut self) -> Result<(), LedgerError>;

    /// Returns what is recorded for a job that has a result, as `worker` should hear it.
    fn recorded(&self, job: JobId, worker: WorkerId) -> Result<Option<Recorded>, LedgerError>;

    /// Returns the results of a run from job index `from` on, at most so many, in order.
    fn results(&self, run: RunId, from: u64, most: usize) -> Result<Vec<RecordedResult>, LedgerError>;

    /// Returns who stands behind each job of a run that `worker` computed, first or once more.
    fn supports(&self, run: RunId, worker: WorkerId) -> Result<Vec<Support>, LedgerError>;
}

/// A line of the ledger: what is recorded for one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordedResult {
    pub(crate) index: u64,
    pub(crate) count: u64,
    pub(crate) weight: u32,
    pub(crate) worker: WorkerId,
    pub(crate) elapsed: Duration,
}

/// Opens the ledger at a place. An error if it is in use, damaged, or of another program or version.
pub(crate) fn open(place: &LedgerPlace) -> Result<Box<dyn Ledger>, LedgerError> {
    Ok(Box::new(match place {
        LedgerPlace::File(path) => Sqlite::open(path)?,
        LedgerPlace::Memory => Sqlite::in_memory()?,
    }))
}

/// Why a ledger cannot be used, in a sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// Another process has it.
    #[error("the ledger {} is in use by another coordinator; stop that one, or choose another file with --ledger", .0.display())]
    InUse(PathBuf),
    /// The file cannot be opened.
    #[error("the ledger {} cannot be opened: {source}; choose a file in a folder that can be written, with --ledger", .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{} is not a ledger of nqueens; choose another file with --ledger", .0.display())]
    NotALedger(PathBuf),
    /// The file was written by a newer program.
    #[error(
        "the ledger has version {found}, and this program knows versions up to {known}; run it with the newer nqueens that wrote it"
    )]
    Newer {
        /// The version of the file.
        found: u32,
        /// The latest version that this program knows.
        known: u32,
    },
    /// The file is damaged.
    #[error(
        "the ledger is damaged: {0}; nothing was changed, restore it from a copy or begin a new one with --ledger"
    )]
    Damaged(String),
    /// The file holds a plan that this program makes otherwise.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
}
