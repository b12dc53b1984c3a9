//! The client's side of the wire: calls to a coordinator, and the one sentence that a failed call comes to.
//!
//! Generated types are used here and in `output`, where they turn into text; the commands pass them through.

use std::{error::Error, fmt, io, time::Duration};

use anyhow::{Context, anyhow};
use nqueens_proto::v1::{
    self, cluster_service_client::ClusterServiceClient, run_service_client::RunServiceClient,
};
use tokio::time::{Instant, timeout_at};
use tokio_rustls::rustls;
use tonic::{
    Code, Request, Response, Status, Streaming,
    service::interceptor::InterceptedService,
    transport::{Channel, Endpoint},
};

use crate::{
    args::{ConnectArgs, CredentialArgs},
    backoff::Backoff,
    credentials::{self, Shown},
    random,
    url::Url,
};

/// The longest that one answer may take; a stream may go on for ever.
const CALL_TIMEOUT: Duration = Duration::from_secs(60);
/// How often a quiet connection is checked, and how long the check may take.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// Bytes of boards that may be on their way.
const WINDOW: u32 = 1 << 20;
/// Runs asked for at a time.
const PAGE_SIZE: u32 = 200;

/// How rustls begins the sentence about what the other side does not like.
const FATAL_ALERT: &str = "received fatal alert";

/// A connection to a coordinator. It mends itself: the next call after a loss connects again.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    runs: RunServiceClient<Shows>,
    cluster: ClusterServiceClient<Shows>,
}

/// A connection that shows with each call who makes it.
type Shows = InterceptedService<Channel, Shown>;

impl Client {
    /// Connects, and makes sure that a coordinator answers. Tries again until the time of `connect` is over, so that a
    /// coordinator which is just starting is found.
    pub(crate) async fn connect(url: &Url, connect: &ConnectArgs) -> anyhow::Result<Self> {
        let patience = connect.connect_timeout;
        let end = Instant::now() + patience;
        let mut backoff = Backoff::new();
        let mut last = String::from("no answer");
        loop {
            let endpoint = credentials::endpoint(url, &connect.credentials)?;
            match timeout_at(end, Self::attempt(endpoint, &connect.credentials)).await {
                Ok(Ok(client)) => return Ok(client),
                Ok(Err(failed)) if failed.is_lost() => last = failed.sentence,
                Ok(Err(failed)) => return Err(failed).with_context(|| format!("{url} refused")),
                Err(_) => break,
            }
            if timeout_at(end, backoff.wait()).await.is_err() {
                break;
            }
        }
        Err(anyhow!(
            "the coordinator at {url} does not answer (gave up after {} s: {last}); start one with \
             `nqueens coordinator` or name another with --coordinator",
            patience.as_secs_f64()
        ))
    }

    async fn attempt(endpoint: Endpoint, credentials: &CredentialArgs) -> Result<Self, Failed> {
        let endpoint = endpoint
            .tcp_nodelay(true)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .keep_alive_timeout(KEEP_ALIVE)
            .keep_alive_while_idle(true)
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(2 * WINDOW);
        let channel = endpoint.connect().await.map_err(|error| Failed::lost(&error))?;
        let channel = InterceptedService::new(channel, Shown(credentials.clone()));
        let client = Self {
            runs: RunServiceClient::new(channel.clone()),
            cluster: ClusterServiceClient::new(channel),
        };
        client.cluster.clone().get_cluster(v1::GetClusterRequest {}).await?;
        Ok(client)
    }

    /// Creates a run. Without a request id it draws one, so that the call can be repeated when its answer is lost.
    pub(crate) async fn create_run(&self, mut wanted: v1::CreateRunRequest) -> Result<v1::Run, Failed> {
        if wanted.request_id.is_empty() {
            wanted.request_id = random::hex();
        }
        let mut backoff = Backoff::new();
        for _ in 0..3 {
            match self.create_once(wanted.clone()).await {
                Err(failed) if failed.is_lost() => backoff.wait().await,
                outcome => return outcome,
            }
        }
        self.create_once(wanted).await
    }

    async fn create_once(&self, wanted: v1::CreateRunRequest) -> Result<v1::Run, Failed> {
        present(self.runs.clone().create_run(unary(wanted)).await?.into_inner().run)
    }

    /// Returns one run.
    pub(crate) async fn get_run(&self, run_id: u64) -> Result<v1::Run, Failed> {
        present(self.runs.clone().get_run(unary(v1::GetRunRequest { run_id })).await?.into_inner().run)
    }

    /// Returns the newest runs, at most `limit` of them.
    pub(crate) async fn list_runs(&self, limit: usize) -> Result<Vec<v1::Run>, Failed> {
        let mut runs = Vec::new();
        let mut page_token = String::new();
        while runs.len() < limit {
            let page_size = PAGE_SIZE.min((limit - runs.len()).try_into().unwrap_or(PAGE_SIZE));
            let request = unary(v1::ListRunsRequest { page_size, page_token });
            let page = self.runs.clone().list_runs(request).await?.into_inner();
            runs.extend(page.runs);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        runs.truncate(limit);
        Ok(runs)
    }

    /// Keeps the jobs of a run back.
    pub(crate) async fn pause_run(&self, run_id: u64) -> Result<v1::Run, Failed> {
        present(self.runs.clone().pause_run(unary(v1::PauseRunRequest { run_id })).await?.into_inner().run)
    }

    /// Goes on with a paused run.
    pub(crate) async fn resume_run(&self, run_id: u64) -> Result<v1::Run, Failed> {
        present(self.runs.clone().resume_run(unary(v1::ResumeRunRequest { run_id })).await?.into_inner().run)
    }

    /// Ends a run for good.
    pub(crate) async fn cancel_run(&self, run_id: u64) -> Result<v1::Run, Failed> {
        present(self.runs.clone().cancel_run(unary(v1::CancelRunRequest { run_id })).await?.into_inner().run)
    }

    /// Begins to watch a run.
    pub(crate) async fn watch_run(&self, run_id: u64) -> Result<Streaming<v1::WatchRunResponse>, Failed> {
        answered(self.runs.clone().watch_run(v1::WatchRunRequest { run_id })).await
    }

    /// Begins to list boards.
    pub(crate) async fn stream_boards(
        &self,
        wanted: v1::StreamBoardsRequest,
    ) -> Result<Streaming<v1::StreamBoardsResponse>, Failed> {
        // No deadline: the first board may be far away.
        Ok(self.runs.clone().stream_boards(wanted).await?.into_inner())
    }

    /// Begins to read all results of a run.
    pub(crate) async fn export_ledger(&self, run_id: u64) -> Result<Pages, Failed> {
        answered(self.runs.clone().export_ledger(v1::ExportLedgerRequest { run_id })).await.map(Pages)
    }

    /// Returns the workers of the cluster.
    pub(crate) async fn list_workers(&self) -> Result<Vec<v1::Worker>, Failed> {
        Ok(self.cluster.clone().list_workers(unary(v1::ListWorkersRequest {})).await?.into_inner().workers)
    }

    /// Asks a worker to leave.
    pub(crate) async fn drain_worker(&self, worker_id: u64) -> Result<v1::Worker, Failed> {
        let request = unary(v1::DrainWorkerRequest { worker_id });
        present(self.cluster.clone().drain_worker(request).await?.into_inner().worker)
    }
}

/// The results of a run, page by page.
#[derive(Debug)]
pub(crate) struct Pages(Streaming<v1::ExportLedgerResponse>);

impl Pages {
    /// Returns the next results; `None` after the last.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<v1::RecordedResult>>, Failed> {
        Ok(self.0.message().await?.map(|page| page.results))
    }
}

fn unary<T>(message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(CALL_TIMEOUT);
    request
}

/// Waits for a stream to begin, but not for ever.
async fn answered<T>(
    call: impl Future<Output = Result<Response<Streaming<T>>, Status>>,
) -> Result<Streaming<T>, Failed> {
    let late = |_| Failed::from(Status::deadline_exceeded("the coordinator took too long to answer"));
    Ok(tokio::time::timeout(CALL_TIMEOUT, call).await.map_err(late)??.into_inner())
}

fn present<T>(field: Option<T>) -> Result<T, Failed> {
    field.ok_or_else(|| Failed::from(Status::internal("the coordinator's answer lacks what was asked for")))
}

/// A call that failed.
#[derive(Debug)]
pub(crate) struct Failed {
    code: Code,
    sentence: String,
}

impl Failed {
    /// Tells whether the connection or the coordinator went away, so that the same call may succeed later.
    pub(crate) fn is_lost(&self) -> bool {
        // Some time-outs and resets arrive as Cancelled or Unknown.
        matches!(self.code, Code::Unavailable | Code::Cancelled | Code::DeadlineExceeded | Code::Unknown)
    }

    /// Tells whether the coordinator does not, or no longer, accept who calls.
    pub(crate) fn is_not_accepted(&self) -> bool {
        self.code == Code::Unauthenticated
    }

    /// A stream that ended although there was more to come.
    pub(crate) fn ended_early() -> Self {
        Self { code: Code::Unavailable, sentence: "the stream ended early".into() }
    }

    pub(crate) fn lost(error: &(dyn Error + 'static)) -> Self {
        if let Some(reason) = tls_failure(error) {
            let sentence = format!("TLS failed: {reason}; look at --ca, --cert and --key, here and there");
            return Self { code: Code::Unauthenticated, sentence };
        }
        Self { code: Code::Unavailable, sentence: root_cause(error) }
    }
}

impl From<Status> for Failed {
    fn from(status: Status) -> Self {
        // A status with a cause was made on this side, by a connection that broke.
        if let Some(cause) = status.source() {
            return Self::lost(cause);
        }
        let sentence = match (status.code(), status.message()) {
            (Code::Unimplemented, _) => {
                "it does not know this call; it is no coordinator, or one of another version".into()
            }
            (code, "") => code.description().to_owned(),
            (_, message) => message.to_owned(),
        };
        Self { code: status.code(), sentence }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_lost() {
            true => write!(f, "the connection to the coordinator was lost ({})", self.sentence),
            false => f.write_str(&self.sentence),
        }
    }
}

impl Error for Failed {}

/// Returns what TLS had to say about an error, if it is one that another attempt would meet again.
fn tls_failure(error: &(dyn Error + 'static)) -> Option<String> {
    std::iter::successors(Some(error), |&error| error.source()).find_map(|error| {
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let of_io = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>());
        let typed = of_io.or_else(|| error.downcast_ref()).map(ToString::to_string);
        // Below HTTP/2 only the text of an error is left. A certificate is judged after the handshake, so it is found there.
        typed.or_else(|| Some(error.to_string()).filter(|text| text.starts_with(FATAL_ALERT)))
    })
}

fn root_cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}
