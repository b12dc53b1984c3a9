//! The one owner of scheduler and ledger.
//!
//! Everything that happens to the cluster happens here, one turn after another: the scheduler decides, the ledger makes
//! the decision durable, the scheduler applies it, and only then does anybody get an answer. One turn takes all that
//! has come meanwhile, so that many results share one commit.

mod around;
mod batch;
mod client;
mod handle;
mod hearing;
mod leases;
mod minutes;
mod referee;
mod request;
mod sessions;
mod start;
#[cfg(test)]
mod tests;
mod watchers;
mod worker;
mod write;

use std::time::{Duration, SystemTime};

use scheduler::{Command, Event, Moment, Scheduler, Support, WorkerId};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

use around::Around;
use batch::Batch;
pub(crate) use handle::{Handle, Mailbox};
use hearing::Hearing;
use leases::Leases;
use minutes::Minutes;
use referee::{Referee, Verdict};
pub(crate) use request::{
    BoardsRequest, Change, ClusterView, FromWorker, Held, Join, Joined, Refusal, Request, WorkerSeen,
};
use sessions::Sessions;
pub(crate) use sessions::{SessionId, ToWorker};
pub(crate) use start::start;
use watchers::Watchers;
pub(crate) use watchers::interval;
use write::Stuck;

use crate::{
    ledger::{Ledger, LedgerError},
    listing::Listings,
    meter::Meter,
    settings::Settings,
};

/// Reports that one turn takes, at most.
const REPORTS_A_TURN: usize = 256;

/// The one owner of scheduler and ledger.
pub(crate) struct Driver {
    scheduler: Scheduler,
    ledger: Box<dyn Ledger>,
    sessions: Sessions,
    listings: Listings,
    watchers: Watchers,
    meter: Meter,
    minutes: Minutes,
    leases: Leases,
    referee: Referee,
    /// Taken when the driver starts.
    verdicts: Option<mpsc::Receiver<Option<Verdict>>>,
    batch: Batch,
    /// Empty between turns; kept for its memory.
    commands: Vec<Command>,
    /// Set while the ledger cannot be written.
    stuck: Option<Stuck>,
    /// When the ledger was last written.
    written: Instant,
    hearing: Hearing,
    /// Where the scheduler's time counts from.
    origin: Instant,
    started: SystemTime,
}

impl Driver {
    /// Opens the ledger and applies every event in it.
    pub(crate) fn open(settings: &Settings) -> Result<Self, LedgerError> {
        let mut ledger = crate::ledger::open(&settings.ledger)?;
        let start = Moment::default();
        let mut scheduler = Scheduler::new(settings.scheduler());
        ledger.replay(&mut |event| scheduler.apply(&event, start))?;
        scheduler.recovered(start);
        let runs: Vec<_> = scheduler.runs(None).collect();
        for run in runs {
            let open = scheduler.run_state(run).is_some_and(|state| !state.is_over());
            if let Some(plan) = scheduler.plan(run).filter(|_| open) {
                plan.check()?;
            }
        }
        let (referee, verdicts) = Referee::new(settings.driver_thread);
        Ok(Self {
            scheduler,
            ledger,
            sessions: Sessions::default(),
            listings: Listings::default(),
            watchers: Watchers::default(),
            meter: Meter::default(),
            minutes: Minutes::default(),
            leases: Leases::default(),
            referee,
            verdicts: Some(verdicts),
            batch: Batch::default(),
            commands: Vec::new(),
            stuck: None,
            written: Instant::now(),
            hearing: Hearing::default(),
            origin: Instant::now(),
            started: SystemTime::now(),
        })
    }

    /// Takes turns until `stop` is cancelled; then finishes what has come, tells the workers, and ends.
    async fn run(mut self, mut mailbox: Mailbox, stop: CancellationToken) {
        let mut reports = Vec::with_capacity(REPORTS_A_TURN);
        let Some(mut verdicts) = self.verdicts.take() else { return };
        loop {
            let wake = self.next_wake();
            let mut read = 0;
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(request) = mailbox.requests.recv() => self.take_request(request),
                Some(verdict) = verdicts.recv(), if self.stuck.is_none() => self.take_verdict(verdict),
                // While the ledger cannot be written, results wait with the workers.
                some = mailbox.reports.recv_many(&mut reports, REPORTS_A_TURN), if self.stuck.is_none() => {
                    read = some;
                    for (session, report) in reports.drain(..) {
                        self.take_report(session, report);
                    }
                }
                () = sleep_until(wake) => {}
            }
            let (most, is_empty) = (mailbox.reports.max_capacity(), mailbox.reports.is_empty());
            self.hearing.note(read, most, is_empty, self.now());
            self.finish_turn();
        }
        while let Ok((session, report)) = mailbox.reports.try_recv() {
            self.take_report(session, report);
        }
        self.finish_turn();
        self.tell_all_to_wait();
    }

    /// Returns what measures this driver.
    pub(crate) fn meter(&self) -> Meter {
        self.meter.clone()
    }

    fn now(&self) -> Moment {
        Moment::new(self.origin.elapsed())
    }

    fn next_wake(&self) -> Instant {
        let wakes = [
            self.scheduler.next_wake().map(|moment| self.origin + moment.since_origin()),
            self.watchers.next_wake(),
            self.minutes.next_wake(),
            self.leases.next_wake(),
        ];
        let idle = Instant::now() + Duration::from_secs(3600);
        match &self.stuck {
            Some(stuck) => stuck.retry_at,
            None => wakes.into_iter().flatten().min().unwrap_or(idle),
        }
    }

    /// Makes everything durable that was decided, and tells workers and watchers what follows from it.
    fn finish_turn(&mut self) {
        self.commit();
        if self.stuck.is_none() {
            self.scheduler.tick(self.hearing.until());
            self.follow_up();
        }
        if self.stuck.is_none() {
            self.advance_listings();
            let now = Instant::now();
            self.watchers.publish(&self.scheduler, self.now(), now);
            self.minutes.note(&self.scheduler, self.now(), now);
            self.leases.look(&self.scheduler, now);
        }
    }

    /// Makes durable what the scheduler itself wants, and carries out its commands, until there is nothing more.
    fn follow_up(&mut self) {
        loop {
            while let Some(event) = self.scheduler.due(self.now()) {
                self.batch.events.push(event);
                self.commit();
                if self.stuck.is_some() {
                    // It will be due again.
                    return self.batch.clear();
                }
            }
            while let Some(worker) = self.scheduler.recheck_wanted() {
                match self.supports(worker) {
                    Ok(supports) => self.scheduler.recheck(worker, supports),
                    Err(error) => return self.get_stuck(&error),
                }
            }
            self.dispatch();
            self.take_up_dispute();
            if self.scheduler.due(self.now()).is_none() && self.scheduler.recheck_wanted().is_none() {
                return;
            }
        }
    }

    /// Looks up all that a worker computed or confirmed for runs that are open.
    fn supports(&self, worker: WorkerId) -> Result<Vec<Support>, LedgerError> {
        let mut supports = Vec::new();
        for run in self.scheduler.open_runs() {
            supports.append(&mut self.ledger.supports(run, worker)?);
        }
        Ok(supports)
    }

    /// Makes a durable event true, with all that follows from it outside of the scheduler.
    fn apply(&mut self, event: &Event) {
        self.scheduler.apply(event, self.now());
        match event {
            Event::RunCancelled { run, .. } => self.cut_listings(*run),
            Event::RunFailed { run, reason, .. } => {
                error!(%run, "run failed: {reason}");
                self.cut_listings(*run);
            }
            Event::RunDone { run, answer, ran } => info!(%run, ?answer, ?ran, "run done"),
            Event::WorkerQuarantined { worker, reason } => error!(%worker, "worker in quarantine: {reason}"),
            _ => {}
        }
    }
}

/// Returns the time of day in milliseconds since 1970, for people to read.
pub(crate) fn time_of_day_ms() -> u64 {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
}
