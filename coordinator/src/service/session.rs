//! The session of a worker: the messages of its stream on one side, the driver on the other.

use std::{pin::Pin, sync::Arc};

use nqueens_proto::{PROTOCOL, v1};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    time::timeout,
};
use tokio_stream::{Stream, StreamExt, wrappers::ReceiverStream};
use tokio_util::sync::CancellationToken;
use tonic::{Code, Request, Response, Status, Streaming};
use tracing::{debug, warn};

use super::session_messages::{from_worker, hello, to_worker};
use crate::{
    access::Caller,
    driver::{FromWorker, Handle, Join, Joined, Request as Ask, SessionId, ToWorker},
    settings::Settings,
};

/// Messages that wait for a worker to read them. A worker that lets more pile up is not reading, and loses its session.
const OUT_WAITING: usize = 1024;

/// Serves `nqueens.v1.WorkerService`.
pub(crate) struct WorkerService {
    driver: Handle,
    room: Arc<Semaphore>,
    settings: Settings,
}

impl WorkerService {
    pub(crate) fn new(driver: Handle, settings: Settings) -> Self {
        Self { driver, room: Arc::new(Semaphore::new(settings.limits.sessions)), settings }
    }

    /// Waits for the hello and asks the driver to begin the session.
    async fn join(
        &self,
        messages: &mut Streaming<v1::WorkRequest>,
        out: mpsc::Sender<ToWorker>,
        ended: CancellationToken,
    ) -> Result<Joined, Status> {
        let first = timeout(self.settings.hello_timeout, messages.message())
            .await
            .map_err(|_| Status::deadline_exceeded("no hello came in time; send it first"))??;
        let Some(v1::WorkRequest { message: Some(v1::work_request::Message::Hello(first)) }) = first else {
            return Err(Status::invalid_argument("the first message of a session must be a hello"));
        };
        refuse_other_protocols(&first)?;
        let (worker, held) = hello(first)?;
        let join = Join { worker, held, out, ended };
        Ok(self.driver.ask(|reply| Ask::Join(join, reply)).await?)
    }

    fn welcome(&self, joined: Joined) -> v1::WorkResponse {
        let welcome = v1::Welcome {
            worker_id: joined.worker.0,
            heartbeat_interval_ms: self.settings.heartbeat_interval().as_millis() as u64,
            lease_ttl_ms: self.settings.lease_ttl.as_millis() as u64,
            ledger_id: joined.ledger_id,
        };
        v1::WorkResponse { message: Some(v1::work_response::Message::Welcome(welcome)) }
    }
}

fn refuse_other_protocols(hello: &v1::Hello) -> Result<(), Status> {
    if hello.protocol == PROTOCOL {
        return Ok(());
    }
    let reason = format!(
        "worker {:?} speaks protocol version {}, and this coordinator version {PROTOCOL}; run the same version of nqueens on both",
        hello.name, hello.protocol
    );
    warn!("refused: {reason}");
    Err(Status::failed_precondition(reason))
}

#[tonic::async_trait]
impl v1::worker_service_server::WorkerService for WorkerService {
    type WorkStream = Pin<Box<dyn Stream<Item = Result<v1::WorkResponse, Status>> + Send>>;

    async fn work(
        &self,
        request: Request<Streaming<v1::WorkRequest>>,
    ) -> Result<Response<Self::WorkStream>, Status> {
        let sessions = self.settings.limits.sessions;
        let room = self.room.clone().try_acquire_owned().map_err(|_| {
            Status::resource_exhausted(format!(
                "there are {sessions} sessions, which is the most; try again later"
            ))
        })?;
        let revoked = request.extensions().get::<Caller>().and_then(|caller| caller.revoked.clone());
        let mut messages = request.into_inner();
        let (out, to_send) = mpsc::channel(OUT_WAITING);
        let ended = CancellationToken::new();
        let joined = self.join(&mut messages, out, ended.clone()).await?;
        let reader = Reader { driver: self.driver.clone(), session: joined.session, _room: room };
        tokio::spawn(reader.read(messages, ended, revoked.unwrap_or_default()));
        let welcome = tokio_stream::once(Ok(self.welcome(joined)));
        Ok(Response::new(Box::pin(welcome.chain(ReceiverStream::new(to_send).map(to_worker)))))
    }
}

/// Reads what a worker says in its session.
struct Reader {
    driver: Handle,
    session: SessionId,
    _room: OwnedSemaphorePermit,
}

impl Reader {
    /// Passes on what the worker says, until it or the driver ends the session, or the worker is no longer welcome.
    async fn read(
        self,
        mut messages: Streaming<v1::WorkRequest>,
        ended: CancellationToken,
        revoked: CancellationToken,
    ) {
        loop {
            let message = tokio::select! {
                () = ended.cancelled() => return,
                // It may come again with newer credentials, and go on with what it holds.
                () = revoked.cancelled() => FromWorker::End { orderly: false },
                message = messages.message() => said(message),
            };
            let over = matches!(message, FromWorker::End { .. } | FromWorker::Nonsense(_));
            if self.driver.report(self.session, message).await.is_err() || over {
                return;
            }
        }
    }
}

fn said(message: Result<Option<v1::WorkRequest>, Status>) -> FromWorker {
    match message {
        Ok(Some(message)) => {
            from_worker(message).unwrap_or_else(|reason| FromWorker::Nonsense(reason.to_string()))
        }
        Ok(None) => FromWorker::End { orderly: true },
        Err(status) => broken(&status),
    }
}

/// Tells a stream that broke from one that holds what cannot be read, such as a message beyond the limit.
fn broken(status: &Status) -> FromWorker {
    debug!("the stream of a worker broke: {status}");
    match status.code() {
        Code::OutOfRange | Code::ResourceExhausted | Code::InvalidArgument | Code::Internal => {
            FromWorker::Nonsense(status.message().to_owned())
        }
        _ => FromWorker::End { orderly: false },
    }
}
