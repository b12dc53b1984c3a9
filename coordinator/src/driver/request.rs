//! What services ask of the driver, and what it answers.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use queens::enumerate::Order;
use scheduler::{
    BadResult, CreateError, HeldJob, JobId, JobResult, NewRun, NewWorker, NoSuchWorker, Refused, RunError,
    RunId, RunView, Slice, WorkerId, WorkerView,
};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::sessions::{SessionId, ToWorker};
use crate::{
    ledger::RecordedResult,
    listing::{BadChunk, Delivery, ListingId},
};

/// Where an answer goes.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, Refusal>>;

/// What a client asks.
pub(crate) enum Request {
    Create(NewRun, Reply<RunView>),
    Get(RunId, Reply<RunView>),
    /// At most so many runs, the newest first, older than the one named if any.
    List {
        older_than: Option<RunId>,
        most: usize,
        reply: Reply<Vec<RunView>>,
    },
    Change(RunId, Change, Reply<RunView>),
    Watch(RunId, Reply<watch::Receiver<RunView>>),
    Boards(BoardsRequest, Reply<mpsc::Receiver<Delivery>>),
    /// The reader of some stream of boards has room again.
    BoardsRead,
    /// At most so many results from this job index on.
    Results {
        run: RunId,
        from: u64,
        most: usize,
        reply: Reply<Vec<RecordedResult>>,
    },
    /// At most so many slices of a run's search tree.
    Slices(RunId, u64, Reply<Vec<Slice>>),
    Cluster(Reply<ClusterView>),
    /// Whether the ledger can be written.
    Ready(Reply<()>),
    Workers(Reply<Vec<WorkerSeen>>),
    DrainWorker(WorkerId, Reply<WorkerSeen>),
    Join(Join, Reply<Joined>),
}

/// How the state of a run is to change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Pause,
    Resume,
    Cancel,
}

/// Which boards are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoardsRequest {
    pub(crate) run: RunId,
    pub(crate) order: Order,
    pub(crate) offset: u64,
    pub(crate) limit: Option<u64>,
}

/// A worker that asks for a session.
pub(crate) struct Join {
    pub(crate) worker: NewWorker,
    pub(crate) held: Held,
    /// The way to tell it something.
    pub(crate) out: mpsc::Sender<ToWorker>,
    /// Cancelled when the driver ends the session.
    pub(crate) ended: CancellationToken,
}

/// Jobs that a worker still holds from an earlier session, and the ledger that they belong to.
pub(crate) struct Held {
    pub(crate) ledger_id: u64,
    pub(crate) jobs: Vec<HeldJob>,
}

/// A session that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joined {
    pub(crate) session: SessionId,
    pub(crate) worker: WorkerId,
    pub(crate) ledger_id: u64,
}

/// The cluster as a whole.
#[derive(Clone, Debug)]
pub(crate) struct ClusterView {
    pub(crate) workers: u32,
    pub(crate) threads: u32,
    pub(crate) open_runs: u32,
    pub(crate) started: SystemTime,
    /// Why the ledger cannot be written, while it cannot.
    pub(crate) stuck: Option<String>,
}

/// A worker, and how long ago it joined and was last heard, if by this process.
pub(crate) struct WorkerSeen {
    pub(crate) view: WorkerView,
    pub(crate) joined_ago: Option<Duration>,
    pub(crate) heard_ago: Option<Duration>,
}

/// What a worker says in its session.
pub(crate) enum FromWorker {
    Capacity(u32),
    Results {
        batch: u64,
        results: Vec<JobResult>,
    },
    Failure {
        job: JobId,
        reason: String,
    },
    HandBack(Vec<JobId>),
    Boards {
        listing: ListingId,
        boards: Bytes,
        last: bool,
    },
    Heartbeat,
    /// Something that no worker may say; the reason ends the session.
    Nonsense(String),
    /// The stream has ended; `orderly` if the worker ended it.
    End {
        orderly: bool,
    },
}

/// Why the driver does not do what it was asked, in a sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error(transparent)]
    Create(#[from] CreateError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    NoSuchWorker(#[from] NoSuchWorker),
    #[error(transparent)]
    Worker(#[from] Refused),
    #[error(transparent)]
    Result(#[from] BadResult),
    #[error(transparent)]
    Chunk(#[from] BadChunk),
    #[error("the session is over: {0}")]
    Nonsense(String),
    #[error("the session is over, since the worker does not read what it is sent")]
    NotReading,
    #[error("run {0} counts; boards can be listed only of a run that was created for boards")]
    NotBoards(RunId),
    #[error("run {0} was ended without an answer; create a new run to list boards")]
    Ended(RunId),
    #[error("the ledger cannot be written ({0}); nothing is lost, try again when there is room")]
    Ledger(String),
    #[error("too many streams of boards are open; close one or try again later")]
    TooManyStreams,
    #[error("the coordinator is stopping; try again when it is back")]
    Stopping,
}
