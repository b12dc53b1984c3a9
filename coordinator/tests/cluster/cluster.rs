//! A cluster for one test.

use std::{num::NonZeroUsize, time::Duration};

use coordinator::{Coordinator, LedgerPlace, Settings};
use nqueens_proto::v1::{
    CreateRunRequest, ExportLedgerRequest, GetRunRequest, Goal, Order, RecordedResult, Run, RunState,
    StreamBoardsRequest, WatchRunRequest, cluster_service_client::ClusterServiceClient,
    run_service_client::RunServiceClient,
};
use queens::kernel::Kernel;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;
use tonic::{Status, transport::Channel};
use worker::{Config, Job, Pool, Stop};

/// A coordinator that serves.
pub(crate) struct Cluster {
    pub(crate) address: String,
    /// Where it serves HTTP.
    pub(crate) http: String,
    stop: CancellationToken,
    serving: JoinHandle<Result<(), coordinator::Error>>,
}

/// A worker that has been started.
pub(crate) struct Worker {
    pub(crate) stop: Stop,
    running: JoinHandle<Result<(), worker::Error>>,
}

/// Settings under which what is lost is missed soon.
pub(crate) fn settings(ledger: LedgerPlace) -> Settings {
    Settings { ledger, lease_ttl: Duration::from_secs(1), ..Settings::default() }
}

impl Cluster {
    pub(crate) async fn start() -> Self {
        Self::with(settings(LedgerPlace::Memory), "127.0.0.1:0").await
    }

    pub(crate) async fn with(settings: Settings, address: &str) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let stop = CancellationToken::new();
        let web = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let http = web.local_addr().unwrap().to_string();
        let coordinator = Coordinator::open(settings).unwrap().with_http(web);
        let serving = tokio::spawn(coordinator.serve(listener, stop.clone()));
        Self { address, http, stop, serving }
    }

    /// Tells the coordinator to stop and waits until it has.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.serving.await.unwrap().unwrap();
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn work(&self, name: &str, threads: usize) -> Worker {
        let threads = NonZeroUsize::new(threads).unwrap();
        self.work_with(name, Pool::threads(threads, Kernel::best()).unwrap())
    }

    /// Starts a worker that computes with `count` and takes `pause` for each job.
    pub(crate) fn work_as<F>(&self, name: &str, count: F) -> Worker
    where
        F: Fn(&Job) -> Result<u64, String> + Clone + Send + Sync + 'static,
    {
        self.work_with(name, Pool::threads_with(NonZeroUsize::MIN, move || count.clone()).unwrap())
    }

    fn work_with(&self, name: &str, pool: Pool) -> Worker {
        let stop = Stop::default();
        let config = Config::new(name.to_owned(), "here".to_owned(), pool.slots(), Kernel::best());
        let dial = worker::client::endpoint(&self.url()).unwrap();
        Worker { running: tokio::spawn(worker::run(config, dial, pool, stop.clone())), stop }
    }

    async fn channel(&self) -> Channel {
        Channel::from_shared(self.url()).unwrap().connect().await.unwrap()
    }

    pub(crate) async fn runs(&self) -> RunServiceClient<Channel> {
        RunServiceClient::new(self.channel().await)
    }

    pub(crate) async fn itself(&self) -> ClusterServiceClient<Channel> {
        ClusterServiceClient::new(self.channel().await)
    }

    pub(crate) async fn create(&self, n: u32, goal: Goal) -> u64 {
        self.create_deep(n, goal, None).await
    }

    pub(crate) async fn create_deep(&self, n: u32, goal: Goal, depth: Option<u32>) -> u64 {
        let request = CreateRunRequest { n, goal: goal.into(), depth, ..CreateRunRequest::default() };
        self.runs().await.create_run(request).await.unwrap().into_inner().run.unwrap().run_id
    }

    pub(crate) async fn get(&self, run_id: u64) -> Run {
        self.runs().await.get_run(GetRunRequest { run_id }).await.unwrap().into_inner().run.unwrap()
    }

    /// Follows a run until `until` holds for it.
    pub(crate) async fn watch(&self, run_id: u64, until: impl Fn(&Run) -> bool) -> Run {
        let mut updates = self.runs().await.watch_run(WatchRunRequest { run_id }).await.unwrap().into_inner();
        let found = async {
            while let Some(update) = updates.message().await.unwrap() {
                let run = update.run.unwrap();
                if until(&run) {
                    return run;
                }
            }
            panic!("run {run_id} ended otherwise: {:?}", self.get(run_id).await)
        };
        tokio::time::timeout(Duration::from_secs(60), found).await.expect("the run hangs")
    }

    /// Waits until a run is done; returns Q and U.
    pub(crate) async fn answer(&self, run_id: u64) -> (String, String) {
        let run = self.watch(run_id, |run| run.state() == RunState::Done).await;
        let answer = run.answer.unwrap();
        (answer.total, answer.fundamental)
    }

    pub(crate) async fn boards(
        &self,
        run_id: u64,
        order: Order,
        offset: u64,
        limit: Option<u64>,
    ) -> Result<Vec<u8>, Status> {
        let request = StreamBoardsRequest { run_id, order: order.into(), offset, limit };
        let mut chunks = self.runs().await.stream_boards(request).await?.into_inner();
        let mut boards = Vec::new();
        while let Some(chunk) = chunks.message().await? {
            boards.extend_from_slice(&chunk.boards);
        }
        Ok(boards)
    }

    pub(crate) async fn export(&self, run_id: u64) -> Vec<RecordedResult> {
        let request = ExportLedgerRequest { run_id };
        let mut pages = self.runs().await.export_ledger(request).await.unwrap().into_inner();
        let mut results = Vec::new();
        while let Some(page) = pages.message().await.unwrap() {
            results.extend(page.results);
        }
        results
    }
}

impl Worker {
    /// Tells the worker to finish, hand back and leave, and waits until it has.
    pub(crate) async fn drain(self) {
        self.stop.drain.cancel();
        self.running.await.unwrap().unwrap();
    }

    /// Ends the worker as a crash would.
    pub(crate) async fn kill(self) {
        self.running.abort();
        let _ = self.running.await;
    }
}

/// Counts as any honest worker does, with the plainest kernel.
pub(crate) fn honest(job: &Job) -> Result<u64, String> {
    queens::plain::count(job.size, &job.work).map_err(|error| error.to_string())
}
