//! One session after another, until the worker is drained.
//!
//! ```text
//!            +-------------- lost: wait a little ---------------+
//!            v                                                  |
//! start -> connecting -> session -> drained and delivered: Ok   |
//!            |              +-----------------------------------+
//!            +-> refused, or too late: Err
//! ```
//!
//! The pool works on all the while.

use std::{future::Future, time::Duration};

use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::{
    backoff::Backoff,
    client::Dial,
    config::{Config, Stop},
    drain::Drain,
    error::Error,
    held::Held,
    pool::Pool,
    session::{self, Link},
};

/// A coordinator that is there answers a hello sooner than this.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// After a session of this length the next reconnect need not be held back.
const STABLE_AFTER: Duration = Duration::from_secs(1);

/// Works for the coordinator that `dial` reaches, until it is drained.
///
/// Returns once the session has ended and everything was delivered. Errors: the coordinator refused the worker; no
/// session came about within `connect_timeout`; the grace time of a drain was over and results were left; or it was
/// told to stop at once. An outage of the coordinator is no error: the worker computes on and comes back.
pub async fn run(config: Config, dial: impl Dial, pool: Pool, stop: Stop) -> Result<(), Error> {
    let mut worker = Worker::new(config, pool, stop.drain);
    tokio::select! {
        biased;
        () = stop.now.cancelled() => Err(Error::Stopped { results: worker.undelivered() }),
        left = worker.work(&dial) => left,
    }
}

/// The worker itself, as it outlives its sessions.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) config: Config,
    pub(crate) pool: Pool,
    pub(crate) held: Held,
    pub(crate) drain: Drain,
    pub(crate) drain_wanted: CancellationToken,
    has_joined: bool,
    // Until when the first session must have begun.
    first_by: Option<Instant>,
    backoff: Backoff,
}

impl Worker {
    fn new(config: Config, pool: Pool, drain_wanted: CancellationToken) -> Self {
        Self {
            held: Held::default(),
            drain: Drain::new(config.grace),
            has_joined: false,
            first_by: config.connect_timeout.map(|timeout| Instant::now() + timeout),
            backoff: Backoff::new(config.seed),
            config,
            pool,
            drain_wanted,
        }
    }

    async fn work(&mut self, dial: &impl Dial) -> Result<(), Error> {
        loop {
            if self.drain_wanted.is_cancelled() && !self.drain.is_on() {
                self.begin_drain();
            }
            if let Some(left) = self.left_behind() {
                return left;
            }
            let attempt = connect(&self.config, &self.held, self.first_by, dial);
            let error = match self.unless_drained(attempt).await {
                None => continue,
                Some(Ok(link)) => match self.keep_session(link).await {
                    Ok(()) => return Ok(()),
                    Err(error) => error,
                },
                Some(Err(error)) => error,
            };
            let error = match error {
                // It was never accepted, so it is not a matter of time.
                Error::NotAccepted(reason) if !self.has_joined => Error::Refused(reason),
                error => error,
            };
            if error.is_final() {
                return Err(error);
            }
            self.wait_after(error).await?;
        }
    }

    /// Returns how the worker leaves without a session, if a drain allows it or forces it to.
    fn left_behind(&mut self) -> Option<Result<(), Error>> {
        let finish_by = self.drain.finish_by()?;
        self.collect();
        if self.held.is_done() {
            return Some(Ok(()));
        }
        if Instant::now() < finish_by {
            return None;
        }
        Some(match self.undelivered() {
            0 => Ok(()),
            results => Err(Error::Undelivered { results }),
        })
    }

    async fn keep_session(&mut self, link: Link) -> Result<(), Error> {
        (self.first_by, self.has_joined) = (None, true);
        self.enter_ledger(link.ledger_id());
        let begun = Instant::now();
        info!(worker_id = link.worker_id(), jobs_held = self.held.jobs(), "joined the coordinator");
        let ended = session::keep(self, link).await;
        self.pool.desk().stop_all_listings();
        if begun.elapsed() >= STABLE_AFTER {
            self.backoff.reset();
        }
        if ended.is_ok() {
            info!("left the coordinator; everything is delivered");
        }
        ended
    }

    /// Forgets what it holds if it belongs to another ledger than the coordinator keeps now.
    fn enter_ledger(&mut self, ledger_id: u64) {
        let before = self.held.ledger_id();
        if before == ledger_id {
            return;
        }
        self.collect();
        let waiting = self.pool.desk().take_back_beyond(0);
        let forgotten = self.held.len();
        self.held.change_ledger(ledger_id, &waiting);
        self.pool.desk().interrupt(|_| true);
        if before != 0 {
            warn!(
                forgotten,
                "the coordinator has another ledger than before; what was held for that one is forgotten"
            );
        }
    }

    async fn wait_after(&mut self, error: Error) -> Result<(), Error> {
        let delay = self.backoff.next();
        if let Some((waited, first_by)) = self.first_by(delay) {
            // Another attempt would come too late.
            self.unless_drained(sleep_until(first_by)).await;
            return Err(Error::GaveUp { waited, reason: Box::new(error) });
        }
        warn!(%error, delay_ms = delay.as_millis(), jobs_held = self.held.jobs(), "reconnecting");
        self.unless_drained(sleep(delay)).await;
        Ok(())
    }

    /// Returns the limit of the first connection, if it ends within `delay`.
    fn first_by(&self, delay: Duration) -> Option<(Duration, Instant)> {
        let first_by = self.first_by.filter(|&by| by <= Instant::now() + delay)?;
        Some((self.config.connect_timeout?, first_by))
    }

    /// Awaits `future`; `None` if a drain is to begin or its grace time ends before.
    async fn unless_drained<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.drain_wanted.cancelled(), if !self.drain.is_on() => None,
            () = self.drain.finished() => None,
            value = future => Some(value),
        }
    }

    /// Keeps what the slots can finish in half the grace time, and gives back the rest of what has not begun.
    pub(crate) fn begin_drain(&mut self) {
        self.drain.begin();
        let keep = self.held.jobs_within(self.drain.grace() / 2, self.pool.slots().get());
        let back = self.pool.desk().take_back_beyond(keep);
        info!(handed_back = back.len(), jobs_kept = self.held.jobs() - back.len(), "draining");
        self.held.hand_back(back);
    }

    /// Takes in what the slots have finished. Returns whether chunks of boards wait to be sent.
    pub(crate) fn collect(&mut self) -> bool {
        let (outcomes, has_chunk) = self.pool.desk().collect();
        outcomes.into_iter().for_each(|outcome| self.held.finish(outcome));
        has_chunk
    }

    fn undelivered(&mut self) -> usize {
        self.collect();
        self.held.undelivered()
    }
}

async fn connect(
    config: &Config,
    held: &Held,
    first_by: Option<Instant>,
    dial: &impl Dial,
) -> Result<Link, Error> {
    let attempt = timeout(ANSWER_WITHIN, session::open(config, held, dial));
    let late = |_| Error::Unreachable("it did not answer in time".to_owned());
    match first_by {
        None => attempt.await.map_err(late)?,
        Some(by) => timeout_at(by, attempt).await.map_err(late)?.map_err(late)?,
    }
}
