//! A coordinator that does and says exactly what a test tells it to, over real gRPC on a port of its own.

use std::net::SocketAddr;

use nqueens_proto::v1::{
    self, WorkRequest, WorkResponse,
    work_request::Message as Said,
    work_response::Message,
    worker_service_server::{WorkerService, WorkerServiceServer},
};
use queens::{
    Size,
    split::{Job, Work},
};
use tokio::{net::TcpListener, sync::mpsc, task::JoinHandle};
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::{Request, Response, Status, Streaming, transport::Server};

type Answer = Result<WorkResponse, Status>;

pub(crate) struct Coordinator {
    address: SocketAddr,
    sessions: mpsc::Receiver<Session>,
    server: JoinHandle<()>,
}

impl Coordinator {
    /// Starts one that accepts every session.
    pub(crate) async fn start() -> Self {
        Self::start_at("127.0.0.1:0".parse().unwrap(), None).await
    }

    /// Starts one that ends every call with this status.
    pub(crate) async fn refusing(status: Status) -> Self {
        Self::start_at("127.0.0.1:0".parse().unwrap(), Some(status)).await
    }

    async fn start_at(address: SocketAddr, refusal: Option<Status>) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (opened, sessions) = mpsc::channel(8);
        let service = WorkerServiceServer::new(Service { opened, refusal });
        let incoming = TcpListenerStream::new(listener);
        let serving = Server::builder().add_service(service).serve_with_incoming(incoming);
        let server = tokio::spawn(async { serving.await.unwrap() });
        Self { address, sessions, server }
    }

    pub(crate) fn uri(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits for the next session and welcomes the worker.
    pub(crate) async fn session(&mut self) -> Session {
        self.session_of(5).await
    }

    /// Does the same as a coordinator with this ledger.
    pub(crate) async fn session_of(&mut self, ledger_id: u64) -> Session {
        let session = self.hello().await;
        let welcome =
            v1::Welcome { worker_id: 7, heartbeat_interval_ms: 20, lease_ttl_ms: 60_000, ledger_id };
        session.say(Message::Welcome(welcome)).await;
        session
    }

    /// Waits for the next worker that says hello, and leaves it without an answer.
    pub(crate) async fn hello(&mut self) -> Session {
        let mut session = self.sessions.recv().await.unwrap();
        match session.hear().await {
            Said::Hello(hello) => session.hello = hello,
            other => panic!("the first message is {other:?}"),
        }
        session
    }

    /// Stops it without a word. Then nobody listens at its address.
    pub(crate) async fn kill(self) -> SocketAddr {
        self.server.abort();
        let _ = self.server.await;
        self.address
    }
}

struct Service {
    opened: mpsc::Sender<Session>,
    refusal: Option<Status>,
}

#[tonic::async_trait]
impl WorkerService for Service {
    type WorkStream = ReceiverStream<Answer>;

    async fn work(
        &self,
        request: Request<Streaming<WorkRequest>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        if let Some(status) = &self.refusal {
            return Err(status.clone());
        }
        let (outbound, answers) = mpsc::channel(64);
        let session = Session { inbound: request.into_inner(), outbound, hello: v1::Hello::default() };
        self.opened.send(session).await.map_err(|_| Status::unavailable("the test is over"))?;
        Ok(Response::new(ReceiverStream::new(answers)))
    }
}

/// The coordinator's end of a session. When it is dropped, the session is lost.
pub(crate) struct Session {
    inbound: Streaming<WorkRequest>,
    outbound: mpsc::Sender<Answer>,
    pub(crate) hello: v1::Hello,
}

impl Session {
    pub(crate) async fn say(&self, message: Message) {
        self.outbound.send(Ok(WorkResponse { message: Some(message) })).await.unwrap();
    }

    pub(crate) async fn fail(&self, status: Status) {
        self.outbound.send(Err(status)).await.unwrap();
    }

    /// Lends jobs that count the completions of these queens.
    pub(crate) async fn lend(&self, run_id: u64, n: u32, jobs: impl IntoIterator<Item = (u64, Work)>) {
        self.lend_as(false, run_id, n, jobs).await;
    }

    /// Lends jobs, or their audits.
    pub(crate) async fn lend_as(
        &self,
        audit: bool,
        run_id: u64,
        n: u32,
        jobs: impl IntoIterator<Item = (u64, Work)>,
    ) {
        let size = Size::new(n.into()).unwrap();
        let job = |(index, work)| v1::Job::of(size, &Job { index, work, weight: 1 }, audit);
        let jobs = jobs.into_iter().map(job).collect();
        self.say(Message::Lease(v1::Lease { run_id, n, jobs })).await;
    }

    pub(crate) async fn revoke(&self, run_id: u64, indices: Vec<u64>, stop: bool) {
        let jobs = Some(v1::JobSet { run_id, indices });
        self.say(Message::Revoke(v1::Revoke { jobs, stop })).await;
    }

    pub(crate) async fn acknowledge(&self, batch: u64) {
        self.say(Message::Acknowledged(v1::Acknowledged { batch })).await;
    }

    /// Waits for whatever the worker says next.
    pub(crate) async fn hear(&mut self) -> Said {
        self.inbound.message().await.unwrap().expect("the worker goes on").message.unwrap()
    }

    /// Waits for a message of one kind, passing over the others.
    pub(crate) async fn hear_only<T>(&mut self, kind: impl Fn(Said) -> Option<T>) -> T {
        loop {
            if let Some(message) = kind(self.hear().await) {
                return message;
            }
        }
    }

    pub(crate) async fn results(&mut self) -> v1::Results {
        self.hear_only(|said| if let Said::Results(results) = said { Some(results) } else { None }).await
    }

    /// Waits for results until there are `most`, acknowledging each batch. Returns (index, count) in order of index.
    pub(crate) async fn take_results(&mut self, most: usize) -> Vec<(u64, u64)> {
        let all = self.take_all(most).await;
        let mut all: Vec<_> = all.iter().map(|result| (result.index, result.count)).collect();
        all.sort_unstable();
        all
    }

    /// Waits for results until there are `most`, acknowledging each batch.
    pub(crate) async fn take_all(&mut self, most: usize) -> Vec<v1::JobResult> {
        let mut all = Vec::new();
        while all.len() < most {
            let results = self.results().await;
            self.acknowledge(results.batch).await;
            all.extend(results.results);
        }
        all
    }

    pub(crate) async fn handed_back(&mut self) -> v1::JobSet {
        self.hear_only(|said| if let Said::HandBack(back) = said { back.jobs } else { None }).await
    }

    pub(crate) async fn failure(&mut self) -> v1::Failure {
        self.hear_only(|said| if let Said::Failure(failure) = said { Some(failure) } else { None }).await
    }

    pub(crate) async fn capacity(&mut self) -> u32 {
        self.hear_only(|said| if let Said::Capacity(capacity) = said { Some(capacity.jobs) } else { None })
            .await
    }

    pub(crate) async fn heartbeat(&mut self) -> v1::Heartbeat {
        self.hear_only(|said| if let Said::Heartbeat(heartbeat) = said { Some(heartbeat) } else { None })
            .await
    }

    pub(crate) async fn chunk(&mut self) -> v1::BoardChunk {
        self.hear_only(|said| if let Said::BoardChunk(chunk) = said { Some(chunk) } else { None }).await
    }

    /// Waits until the worker ends its stream in an orderly way; its messages until then.
    pub(crate) async fn rest(&mut self) -> Vec<Said> {
        let mut rest = Vec::new();
        while let Some(request) = self.inbound.message().await.unwrap() {
            rest.extend(request.message);
        }
        rest
    }
}
