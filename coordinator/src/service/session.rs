//! The session of a worker: the messages of its stream on one side, the driver on the other.

use std::pin::Pin;

use nqueens_proto::{PROTOCOL, v1};
use tokio::{sync::mpsc, time::timeout};
use tokio_stream::{Stream, StreamExt, wrappers::ReceiverStream};
use tokio_util::sync::CancellationToken;
use tonic::{Code, Request, Response, Status, Streaming};
use tracing::{debug, warn};

use super::session_messages::{from_worker, hello, to_worker};
use crate::{
    driver::{FromWorker, Handle, Join, Joined, Request as Ask, SessionId, ToWorker},
    settings::Settings,
};

/// Messages that wait for a worker to read them. A worker that lets more pile up is not reading, and loses its session.
const OUT_WAITING: usize = 1024;

/// Serves `nqueens.v1.WorkerService`.
pub(crate) struct WorkerService {
    driver: Handle,
    settings: Settings,
}

impl WorkerService {
    pub(crate) fn new(driver: Handle, settings: Settings) -> Self {
        Self { driver, settings }
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
        let mut messages = request.into_inner();
        let (out, to_send) = mpsc::channel(OUT_WAITING);
        let ended = CancellationToken::new();
        let joined = self.join(&mut messages, out, ended.clone()).await?;
        tokio::spawn(read(messages, self.driver.clone(), joined.session, ended));
        let welcome = tokio_stream::once(Ok(self.welcome(joined)));
        Ok(Response::new(Box::pin(welcome.chain(ReceiverStream::new(to_send).map(to_worker)))))
    }
}

/// Passes on what the worker says, until it or the driver ends the session.
async fn read(
    mut messages: Streaming<v1::WorkRequest>,
    driver: Handle,
    session: SessionId,
    ended: CancellationToken,
) {
    loop {
        let message = tokio::select! {
            () = ended.cancelled() => return,
            message = messages.message() => message,
        };
        let message = match message {
            Ok(Some(message)) => {
                from_worker(message).unwrap_or_else(|reason| FromWorker::Nonsense(reason.to_string()))
            }
            Ok(None) => FromWorker::End { orderly: true },
            Err(status) => broken(&status),
        };
        let over = matches!(message, FromWorker::End { .. } | FromWorker::Nonsense(_));
        if driver.report(session, message).await.is_err() || over {
            return;
        }
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
