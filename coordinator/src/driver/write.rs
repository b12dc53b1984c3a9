//! Making events durable, and what happens while the ledger cannot be written: it is tried again now and then, results
//! wait with the workers, and whoever asks is told why.

use std::time::Duration;

use scheduler::Event;
use tokio::time::Instant;
use tracing::{error, info};

use super::{Driver, Refusal, ToWorker, time_of_day_ms};
use crate::ledger::LedgerError;

/// How long to wait before the ledger is tried again after it could not be written.
const RETRY: Duration = Duration::from_secs(1);
/// When the last write is longer ago than this, it says nothing about the ledger now.
const STALE: Duration = Duration::from_secs(2);

/// The ledger cannot be written.
pub(super) struct Stuck {
    pub(super) reason: String,
    pub(super) retry_at: Instant,
}

impl Driver {
    /// Makes the batch durable, then true, then acknowledges it. If the ledger cannot be written the batch stays.
    pub(super) fn commit(&mut self) {
        if self.stuck.as_ref().is_some_and(|stuck| Instant::now() < stuck.retry_at) {
            return;
        }
        if self.batch.events.is_empty() {
            if self.stuck.is_some() && !self.probe() {
                return;
            }
        } else {
            let begun = Instant::now();
            if let Err(error) = self.ledger.append(&self.batch.events, time_of_day_ms()) {
                return self.get_stuck(&error);
            }
            self.written = Instant::now();
            self.meter.commit(self.batch.events.len(), begun.elapsed());
            let events = std::mem::take(&mut self.batch.events);
            events.iter().for_each(|event| self.apply(event));
            self.batch.recycle(events);
        }
        if self.stuck.take().is_some() {
            info!("the ledger can be written again");
        }
        for (session, batch) in self.batch.acknowledgements.drain(..) {
            // A session that is over gets its acknowledgement when it delivers again.
            self.sessions.tell(session, ToWorker::Acknowledged { batch });
        }
    }

    /// Makes one event durable and true at once, or changes nothing.
    pub(super) fn write_now(&mut self, event: Event) -> Result<(), Refusal> {
        self.commit();
        self.refuse_if_stuck()?;
        let events = [event];
        if let Err(error) = self.ledger.append(&events, time_of_day_ms()) {
            self.get_stuck(&error);
        }
        self.refuse_if_stuck()?;
        self.written = Instant::now();
        self.apply(&events[0]);
        Ok(())
    }

    /// Tells whether the ledger can be written, by trying if nothing was written lately.
    pub(super) fn ready(&mut self) -> Result<(), Refusal> {
        if self.stuck.is_none() && self.written.elapsed() >= STALE {
            self.probe();
        }
        self.refuse_if_stuck()
    }

    pub(super) fn refuse_if_stuck(&self) -> Result<(), Refusal> {
        self.stuck.as_ref().map_or(Ok(()), |stuck| Err(Refusal::Ledger(stuck.reason.clone())))
    }

    /// Writes to the ledger without changing it; returns whether that went well.
    fn probe(&mut self) -> bool {
        match self.ledger.probe() {
            Ok(()) => self.written = Instant::now(),
            Err(error) => {
                self.get_stuck(&error);
                return false;
            }
        }
        true
    }

    pub(super) fn get_stuck(&mut self, error: &LedgerError) {
        let stuck = Stuck { reason: error.to_string(), retry_at: Instant::now() + RETRY };
        if self.stuck.replace(stuck).is_none() {
            error!(
                "the ledger cannot be written: {error}; results wait with the workers until there is room"
            );
        }
    }
}
