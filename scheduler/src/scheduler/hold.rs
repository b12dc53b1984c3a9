//! Who holds which job, noted on both sides: with the run (by rank) and with the worker's session (by the number of the
//! lending). Every change of hands goes through here, so that the two always agree.

use std::collections::BTreeMap;

use crate::{
    command::Command,
    id::{JobId, RunId, WorkerId},
    scheduler::Scheduler,
    supply::Holder,
    time::Moment,
    worker::{Held, Session},
};

impl Scheduler {
    /// Notes with the worker that it holds the job; the caller notes it with the run.
    pub(super) fn hold(
        &mut self,
        worker: WorkerId,
        run: RunId,
        rank: u64,
        audit: bool,
        now: Moment,
    ) -> Holder {
        self.lendings += 1;
        let number = self.lendings;
        let mut is_first = false;
        if let Some(session) = self.session_mut(worker) {
            session.held.insert(number, Held { run, rank, audit, recalled: false });
            let share = session.share(run);
            is_first = share.held == 0;
            share.held += 1;
        }
        if is_first {
            self.count_at_work(worker, run, now);
        }
        Holder { worker, number, since: now }
    }

    /// Notes with the worker that it holds the job no more; the caller notes it with the run.
    pub(super) fn unhold(&mut self, holder: Holder) {
        let Some(session) = self.session_mut(holder.worker) else { return };
        let Some(held) = session.held.remove(&holder.number) else { return };
        let share = session.share(held.run);
        share.held -= 1;
        if share.held == 0 {
            self.count_at_work(holder.worker, held.run, self.latest);
        }
        self.feed_if_low(holder.worker);
    }

    /// Keeps count of those at work for a run: connected workers that hold jobs of it.
    fn count_at_work(&mut self, worker: WorkerId, run: RunId, now: Moment) {
        let Some(known) = self.worker_mut(worker) else { return };
        let slots = u64::from(known.who.threads);
        let Some(session) = &mut known.session else { return };
        let is_connected = session.connected;
        let share = session.share(run);
        let is_at_work = is_connected && share.held > 0;
        if std::mem::replace(&mut share.is_at_work, is_at_work) != is_at_work
            && let Some(open) = self.open_mut(run)
        {
            open.note_at_work(now, slots, is_at_work);
        }
    }

    /// The worker's connection has come or gone.
    pub(super) fn count_at_work_everywhere(&mut self, worker: WorkerId, now: Moment) {
        let runs: Vec<RunId> = self
            .session_mut(worker)
            .map(|session| session.shares.iter().map(|share| share.run).collect())
            .unwrap_or_default();
        runs.into_iter().for_each(|run| self.count_at_work(worker, run, now));
    }

    /// Takes a job out of a worker's hands, so that it can be lent to another.
    pub(super) fn take_back(&mut self, worker: WorkerId, number: u64) -> Option<Held> {
        let held = *self.session_mut(worker)?.held.get(&number)?;
        if let Some(open) = self.open_mut(held.run) {
            open.release(held.rank, number);
        }
        self.unhold(Holder { worker, number, since: Moment::default() });
        self.has_news = true;
        Some(held)
    }

    /// Takes everything out of a worker's hands and returns what it was.
    pub(super) fn take_back_all(&mut self, worker: WorkerId) -> Vec<Held> {
        let numbers: Vec<u64> = self
            .session_mut(worker)
            .map(|session| session.held.keys().copied().collect())
            .unwrap_or_default();
        numbers.into_iter().filter_map(|number| self.take_back(worker, number)).collect()
    }

    /// Returns the number under which the worker holds the job, if it does.
    pub(super) fn number(&self, worker: WorkerId, job: JobId) -> Option<u64> {
        let (run, open) = self.open_run(job.run).filter(|(run, _)| job.index < run.plan.jobs())?;
        let holders = open.holders(run.order.rank(job.index));
        holders.into_iter().find(|holder| holder.worker == worker).map(|holder| holder.number)
    }

    /// Takes jobs from workers that need not compute them any more, and tells them to stop.
    pub(super) fn stop(&mut self, run: RunId, holders: impl IntoIterator<Item = (u64, Holder)>) {
        let mut jobs = Vec::new();
        for (rank, holder) in holders {
            self.unhold(holder);
            jobs.push((holder.worker, run, rank));
        }
        self.revoke(jobs, true);
    }

    /// Tells workers not to compute jobs.
    pub(super) fn revoke(&mut self, jobs: impl IntoIterator<Item = (WorkerId, RunId, u64)>, stop: bool) {
        let mut grouped: BTreeMap<(WorkerId, RunId), Vec<JobId>> = BTreeMap::new();
        for (worker, run, rank) in jobs {
            if self.is_connected(worker)
                && let Some(order) = self.runs.get(&run).map(|run| run.order)
            {
                grouped.entry((worker, run)).or_default().push(JobId::new(run, order.index(rank)));
            }
        }
        let commands = grouped.into_iter().map(|((worker, _), jobs)| Command::Revoke { worker, jobs, stop });
        self.outbox.extend(commands);
    }

    pub(super) fn is_connected(&self, worker: WorkerId) -> bool {
        let session = self.worker(worker).and_then(|worker| worker.session.as_ref());
        session.is_some_and(|session| session.connected)
    }

    /// Puts the worker in the queue for jobs if it holds few.
    pub(super) fn feed_if_low(&mut self, worker: WorkerId) {
        let Some(known) = self.worker_mut(worker) else { return };
        let slots = known.who.threads;
        let Some(session) = &mut known.session else { return };
        if session.takes_jobs() && !session.is_hungry && session.is_low(slots) {
            session.is_hungry = true;
            self.hungry.push_back(worker);
        }
    }

    /// Counts the worker in or out of those that take jobs, after something about that has changed.
    pub(super) fn recount(&mut self, worker: WorkerId, now: Moment) {
        let Some(known) = self.worker_mut(worker) else { return };
        let (family, slots, is_out) = (known.family, known.who.threads, known.quarantine.is_some());
        let Some(session) = &mut known.session else { return };
        let takes = session.takes_jobs() && !is_out;
        if takes != std::mem::replace(&mut session.is_counted, takes) {
            self.company.count(worker, family, slots, takes, now);
            self.has_news = true;
        }
        if takes {
            self.feed_if_low(worker);
        } else {
            self.idle.remove(&worker);
        }
    }
}

impl Session {
    /// Returns the jobs that it holds, the latest first, without the `slots` oldest, which it is taken to have begun.
    pub(super) fn waiting(&self, slots: u32) -> impl Iterator<Item = (u64, Held)> + '_ {
        let waiting = self.held.len().saturating_sub(slots as usize);
        self.held.iter().rev().take(waiting).map(|(&number, &held)| (number, held))
    }
}
