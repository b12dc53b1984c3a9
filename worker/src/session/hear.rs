//! What the coordinator says, and what the worker makes of it.

use std::collections::HashSet;

use nqueens_proto::v1::{self, work_response::Message};
use queens::{Size, enumerate::Boards};
use tracing::{debug, info};

use super::{Ending, Session};
use crate::{
    error::Error,
    job::{Job, JobId},
    listing::Listing,
    spans::LeaseSpan,
};

impl Session<'_> {
    /// Takes in one message. Returns how the session ends, if it does; an error if the message makes no sense.
    pub(super) fn hear(&mut self, message: Message) -> Result<Option<Ending>, Error> {
        let desk = self.worker.pool.desk();
        match message {
            Message::Welcome(_) => return Err(Error::Nonsense("a second welcome".to_owned())),
            Message::Lease(lease) => self.take(lease)?,
            Message::Acknowledged(acknowledged) => self.worker.held.acknowledge(acknowledged.batch),
            Message::Revoke(revoke) => self.give_back(revoke),
            Message::Listing(listing) => self.open_listing(&listing)?,
            Message::Credit(credit) => desk.credit_listing(credit.listing_id, credit.chunks),
            Message::StopListing(stop) => desk.stop_listing(stop.listing_id),
            Message::Drain(_) => self.drain(),
            Message::Shutdown(shutdown) => return Ok(Some(Ending::Shutdown(shutdown.reason))),
        }
        Ok(None)
    }

    fn take(&mut self, lease: v1::Lease) -> Result<(), Error> {
        let size = Size::new(lease.n.into())?;
        let span = LeaseSpan::begin(self.worker_id, &lease);
        let held = &mut self.worker.held;
        let ledger_id = held.ledger_id();
        // Twice the capacity, since the coordinator may count results that it has not acknowledged yet as delivered.
        let most = if self.worker.drain.is_on() { 0 } else { self.worker.config.capacity as usize * 2 };
        let mut jobs = Vec::with_capacity(lease.jobs.len());
        let mut too_many = Vec::new();
        for job in lease.jobs {
            let id = JobId { ledger_id, run_id: lease.run_id, index: job.index, audit: job.audit };
            match job.work_on(size) {
                _ if held.lend_again(id) => debug!(?id, "lent again; it is being computed already"),
                _ if held.len() >= most => too_many.push(id),
                Err(error) => held.fail(id, error.to_string()),
                Ok(work) => {
                    held.lend(id);
                    jobs.push(Job { id, size, work, lease: span.clone() });
                }
            }
        }
        held.hand_back(too_many);
        self.worker.pool.desk().give(jobs);
        Ok(())
    }

    fn give_back(&mut self, revoke: v1::Revoke) {
        let ledger_id = self.worker.held.ledger_id();
        let ids: HashSet<_> = revoke.jobs.into_iter().flat_map(|jobs| ids(ledger_id, jobs)).collect();
        debug!(jobs = ids.len(), stop = revoke.stop, "revoked");
        let waiting = self.worker.pool.desk().take_back(|id| ids.contains(&id));
        if revoke.stop {
            self.worker.held.forget_waiting(&waiting);
            self.worker.held.abandon(&ids);
            self.worker.pool.desk().interrupt(|id| ids.contains(&id));
        } else {
            self.worker.held.hand_back(waiting);
            // Somebody has nothing to do, and should not be given what is finished here.
            self.collect();
        }
    }

    fn open_listing(&mut self, listing: &v1::Listing) -> Result<(), Error> {
        let size = Size::new(listing.n.into())?;
        let prefix = listing.prefix.as_ref().map_or(Ok(Vec::new()), |prefix| prefix.first_rows_on(size))?;
        let boards = Boards::under(size, &prefix, listing.order().try_into()?)?;
        let opened = Listing::new(listing.listing_id, size, boards, listing.skip, listing.chunk_boards);
        self.worker.pool.desk().open_listing(opened, listing.credit)
    }

    fn drain(&mut self) {
        if !self.worker.drain.is_on() {
            info!("the coordinator wants this worker to drain");
            self.begin_drain();
        }
    }
}

/// Names jobs, and their audits.
fn ids(ledger_id: u64, jobs: v1::JobSet) -> impl Iterator<Item = JobId> {
    let run_id = jobs.run_id;
    let both = [false, true];
    jobs.indices
        .into_iter()
        .flat_map(move |index| both.map(|audit| JobId { ledger_id, run_id, index, audit }))
}
