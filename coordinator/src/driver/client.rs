//! What clients ask.

use scheduler::{
    Created, Goal, Moment, NewRun, NoSuchWorker, Registered, RunError, RunId, RunState, RunView, Slice,
    WorkerId, WorkerState, WorkerView,
};
use tokio::sync::{mpsc, watch};
use tracing::{info, warn};

use super::{
    BoardsRequest, Change, ClusterView, Driver, Join, Joined, Refusal, Request, WorkerSeen, request::Reply,
};
use crate::{
    ledger::RecordedResult,
    listing::{Delivery, NewStream},
};

/// The most streams of boards at one time.
const BOARD_STREAMS_MAX: usize = 64;

impl Driver {
    /// Does what a client asks and answers. A client that went away meanwhile gets no answer.
    pub(super) fn take_request(&mut self, request: Request) {
        match request {
            Request::Create(new, reply) => answer(reply, self.create(new)),
            Request::Get(run, reply) => answer(reply, self.view(run)),
            Request::List { older_than, most, reply } => answer(reply, Ok(self.list(older_than, most))),
            Request::Change(run, change, reply) => answer(reply, self.change(run, change)),
            Request::Watch(run, reply) => answer(reply, self.watch(run)),
            Request::Boards(wanted, reply) => answer(reply, self.open_listing(wanted)),
            // The turn goes on to move the streams.
            Request::BoardsRead => {}
            Request::Results { run, from, most, reply } => answer(reply, self.results(run, from, most)),
            Request::Slices(run, most, reply) => answer(reply, self.slices(run, most)),
            Request::Cluster(reply) => answer(reply, Ok(self.cluster())),
            Request::Ready(reply) => answer(reply, self.ready()),
            Request::Workers(reply) => answer(reply, Ok(self.workers())),
            Request::DrainWorker(worker, reply) => answer(reply, self.drain_worker(worker)),
            Request::Join(join, reply) => self.answer_join(join, reply),
        }
    }

    fn create(&mut self, new: NewRun) -> Result<RunView, Refusal> {
        let problem = new.plan.problem();
        let run = match self.scheduler.create(new)? {
            Created::Existing(run) => run,
            Created::New(run, event) => {
                self.write_now(event)?;
                info!(%run, n = %problem.size, goal = ?problem.goal, "run created");
                run
            }
        };
        self.view(run)
    }

    fn view(&self, run: RunId) -> Result<RunView, Refusal> {
        let view = self.scheduler.run_view(run, self.now());
        view.ok_or(Refusal::Run(RunError::NoSuchRun(run)))
    }

    fn list(&self, older_than: Option<RunId>, most: usize) -> Vec<RunView> {
        let runs = self.scheduler.runs(older_than).take(most);
        runs.filter_map(|run| self.scheduler.run_view(run, self.now())).collect()
    }

    fn change(&mut self, run: RunId, change: Change) -> Result<RunView, Refusal> {
        // Results that have come count before the run stops counting.
        self.commit();
        let now = self.now();
        let event = match change {
            Change::Pause => self.scheduler.pause(run, now)?,
            Change::Resume => self.scheduler.resume(run, now)?,
            Change::Cancel => self.scheduler.cancel(run, now)?,
        };
        if let Some(event) = event {
            self.write_now(event)?;
            info!(%run, ?change, "run changed");
        }
        self.view(run)
    }

    fn watch(&mut self, run: RunId) -> Result<watch::Receiver<RunView>, Refusal> {
        let view = self.view(run)?;
        Ok(self.watchers.watch(view))
    }

    fn results(&self, run: RunId, from: u64, most: usize) -> Result<Vec<RecordedResult>, Refusal> {
        self.ledger.results(run, from, most).map_err(|error| Refusal::Ledger(error.to_string()))
    }

    fn slices(&self, run: RunId, most: u64) -> Result<Vec<Slice>, Refusal> {
        self.view(run).map(|_| self.scheduler.slices(run, most))
    }

    fn cluster(&self) -> ClusterView {
        let present = |state| matches!(state, WorkerState::Active | WorkerState::Draining);
        let all = self.scheduler.workers(self.now()).into_iter();
        let (workers, threads) = all
            .filter(|worker| present(worker.state))
            .fold((0, 0), |(workers, threads), worker| (workers + 1, threads + worker.who.threads));
        ClusterView {
            workers,
            threads,
            open_runs: self.scheduler.open_runs().len() as u32,
            started: self.started,
            stuck: self.stuck.as_ref().map(|stuck| stuck.reason.clone()),
        }
    }

    fn open_listing(&mut self, wanted: BoardsRequest) -> Result<mpsc::Receiver<Delivery>, Refusal> {
        let BoardsRequest { run, order, offset, limit } = wanted;
        let view = self.view(run)?;
        if view.problem.goal != Goal::Boards {
            return Err(Refusal::NotBoards(run));
        }
        if matches!(view.state, RunState::Cancelled | RunState::Failed) {
            return Err(Refusal::Ended(run));
        }
        if self.listings.len() >= BOARD_STREAMS_MAX {
            return Err(Refusal::TooManyStreams);
        }
        let size = view.problem.size;
        Ok(self.listings.open(&NewStream { run, size, order, offset, limit, jobs: view.plan.jobs() }))
    }

    fn workers(&self) -> Vec<WorkerSeen> {
        let workers = self.scheduler.workers(self.now());
        workers.into_iter().map(|view| self.seen(view)).collect()
    }

    fn seen(&self, view: WorkerView) -> WorkerSeen {
        let now = self.now();
        let ago = |moment: Option<Moment>| moment.map(|moment| now.since(moment));
        WorkerSeen { joined_ago: ago(view.joined), heard_ago: ago(view.heard), view }
    }

    fn drain_worker(&mut self, worker: WorkerId) -> Result<WorkerSeen, Refusal> {
        self.scheduler.drain(worker)?;
        info!(%worker, "worker asked to drain");
        let view = self.scheduler.worker_view(worker, self.now());
        let view = view.ok_or(NoSuchWorker(worker))?;
        Ok(self.seen(view))
    }

    /// Begins a session. If whoever asked is gone meanwhile, it ends at once.
    fn answer_join(&mut self, join: Join, reply: Reply<Joined>) {
        let joined = self.join(join);
        let session = joined.as_ref().ok().map(|joined| joined.session);
        if reply.send(joined).is_err()
            && let Some(session) = session
        {
            self.end_session(session, false);
        }
    }

    fn join(&mut self, join: Join) -> Result<Joined, Refusal> {
        let name = join.worker.name.clone();
        let threads = join.worker.threads;
        let registered = self.scheduler.register(join.worker);
        let worker = match registered.inspect_err(|refused| warn!(name, "refused: {refused}"))? {
            Registered::Known(worker) => worker,
            Registered::New(worker, event) => {
                self.write_now(event)?;
                worker
            }
        };
        // What a worker held in an older session it names again, if it still does.
        self.listings.forget_worker(worker);
        let session = self.sessions.begin(worker, join.out, join.ended);
        let ledger_id = self.ledger.id();
        // Jobs of another ledger are other jobs, whatever their numbers; the worker forgets them when it is welcomed.
        let held = if join.held.ledger_id == ledger_id { join.held.jobs } else { Vec::new() };
        let unwanted = self.scheduler.join(worker, &held, self.now());
        self.revoke(worker, &unwanted, true);
        info!(%worker, name, threads, held = held.len(), "worker joined");
        Ok(Joined { session, worker, ledger_id })
    }
}

fn answer<T>(reply: Reply<T>, result: Result<T, Refusal>) {
    // A client that is gone needs no answer.
    let _ = reply.send(result);
}
