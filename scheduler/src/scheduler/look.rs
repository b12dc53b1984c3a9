//! Views: what people and programs get to see.

use std::{sync::Arc, time::Duration};

use queens::split::Kind;

use crate::{
    id::{JobId, RunId, WorkerId},
    plan::RunPlan,
    run::Run,
    scheduler::Scheduler,
    time::Moment,
    view::{RunState, RunView, Slice, WorkerState, WorkerView},
    worker::{Session, Worker},
};

/// The most jobs that are looked at in one slice.
const LOOK_AT: u64 = 32;

/// For how long a worker that has left is listed.
const LISTED: Duration = Duration::from_secs(3600);

impl Scheduler {
    /// Returns one run as it is now, if there is one.
    pub fn run_view(&self, run: RunId, now: Moment) -> Option<RunView> {
        self.runs.get(&run).map(|run| run.view(now))
    }

    /// Returns the state of a run, if there is one; cheaper than the whole view.
    pub fn run_state(&self, run: RunId) -> Option<RunState> {
        self.runs.get(&run).map(|run| run.state)
    }

    /// Returns the numbers of the runs below `before` (all if none is given), the newest first.
    pub fn runs(&self, before: Option<RunId>) -> impl Iterator<Item = RunId> + '_ {
        let before = before.unwrap_or(RunId(u64::MAX));
        self.runs.range(..before).rev().map(|(&run, _)| run)
    }

    /// Returns the runs that are running or paused.
    pub fn open_runs(&self) -> impl ExactSizeIterator<Item = RunId> {
        self.open.iter().copied()
    }

    /// Returns one worker as it is now, if there is one.
    pub fn worker_view(&self, worker: WorkerId, now: Moment) -> Option<WorkerView> {
        self.worker(worker).map(|known| known.view(worker, now))
    }

    /// Returns the workers of the present sessions, those that left less than an hour ago, and those in quarantine.
    pub fn workers(&self, now: Moment) -> Vec<WorkerView> {
        let numbered = (1..).map(WorkerId).zip(&self.workers);
        numbered
            .filter(|(_, known)| known.is_listed(now))
            .map(|(worker, known)| known.view(worker, now))
            .collect()
    }

    /// Returns how a run is split, if there is one.
    pub fn plan(&self, run: RunId) -> Option<&Arc<RunPlan>> {
        self.runs.get(&run).map(|run| &run.plan)
    }

    /// Cuts the main part of a run into at most so many slices of neighbouring jobs and tells how far each is. Empty for a
    /// run that does not exist, or was ended without an answer.
    pub fn slices(&self, run: RunId, most: u64) -> Vec<Slice> {
        let Some(run) = self.runs.get(&run) else { return Vec::new() };
        if run.open.is_none() && run.state != RunState::Done {
            return Vec::new();
        }
        let first = run.plan.main_first();
        let jobs = run.plan.main_part().jobs;
        let slices = most.min(jobs);
        let border = |slice: u64| first + (u128::from(jobs) * u128::from(slice) / u128::from(slices)) as u64;
        (0..slices).map(|slice| run.slice(border(slice), border(slice + 1))).collect()
    }

    /// Returns for how long a job has been lent to a worker, if it is.
    pub fn lent_for(&self, job: JobId, worker: WorkerId, now: Moment) -> Option<Duration> {
        let run = self.runs.get(&job.run)?;
        let mut holders = run.open.as_ref()?.supply.holders(run.order.rank(job.index));
        let holder = holders.find(|holder| holder.worker == worker)?;
        Some(now.since(holder.since))
    }

    /// Tells whether a worker holds a job, to be computed for the first time or again.
    pub fn holds(&self, worker: WorkerId, job: JobId) -> bool {
        self.number(worker, job).is_some()
    }

    /// Returns the kind of a job, if there is one.
    pub fn kind(&self, job: JobId) -> Option<Kind> {
        self.plan(job.run)?.kind(job.index)
    }
}

impl Run {
    /// Looks at the jobs from `first` to before `end`, or at an even sample of them.
    fn slice(&self, first: u64, end: u64) -> Slice {
        let jobs = end - first;
        let seen = jobs.min(LOOK_AT);
        let Some(open) = &self.open else { return Slice { first, jobs, seen, done: seen, leased: 0 } };
        let mut slice = Slice { first, jobs, seen, done: 0, leased: 0 };
        for step in 0..seen {
            let rank =
                self.order.rank(first + (u128::from(jobs) * u128::from(step) / u128::from(seen)) as u64);
            slice.done += u64::from(open.supply.is_done(rank));
            slice.leased += u64::from(open.supply.lent().contains_key(&rank));
        }
        slice
    }
}

impl Worker {
    fn is_listed(&self, now: Moment) -> bool {
        let session = self.session.as_ref();
        self.quarantine.is_some()
            || session.is_some_and(|session| session.connected || now.since(session.heard) < LISTED)
    }

    fn view(&self, worker: WorkerId, now: Moment) -> WorkerView {
        let session = self.session.as_ref();
        WorkerView {
            worker,
            who: self.who.clone(),
            state: self.state(),
            jobs_held: session.map_or(0, |session| session.held.len() as u64),
            jobs_done: self.jobs_done,
            checks: self.checks,
            jobs_per_second: session.map_or(0.0, |session| session.window.jobs_per_second(now)),
            joined: session.map(|session| session.joined),
            heard: session.map(|session| session.heard),
            reason: self.quarantine.clone().unwrap_or_default(),
        }
    }

    fn state(&self) -> WorkerState {
        if self.quarantine.is_some() {
            return WorkerState::Quarantined;
        }
        self.session.as_ref().map_or(WorkerState::Gone, Session::state)
    }
}

impl Session {
    fn state(&self) -> WorkerState {
        match (self.connected, self.silent) {
            (true, true) => WorkerState::Lost,
            (true, false) if self.draining => WorkerState::Draining,
            (true, false) => WorkerState::Active,
            (false, _) if self.held.is_empty() => WorkerState::Gone,
            (false, _) => WorkerState::Lost,
        }
    }
}
