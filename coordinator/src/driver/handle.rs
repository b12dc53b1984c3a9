//! The way to the driver for everything that runs beside it.

use tokio::sync::{mpsc, oneshot};

use super::{
    request::{FromWorker, Refusal, Reply, Request},
    sessions::SessionId,
};

/// Sends requests to the driver; cheap to clone.
#[derive(Clone)]
pub(crate) struct Handle {
    requests: mpsc::Sender<Request>,
    reports: mpsc::Sender<(SessionId, FromWorker)>,
}

/// The driver's ends of the channels.
pub(crate) struct Mailbox {
    pub(super) requests: mpsc::Receiver<Request>,
    pub(super) reports: mpsc::Receiver<(SessionId, FromWorker)>,
}

/// Requests and reports that may wait for the driver.
const WAITING: usize = 1024;

impl Handle {
    pub(crate) fn new() -> (Self, Mailbox) {
        let (requests, requests_in) = mpsc::channel(WAITING);
        let (reports, reports_in) = mpsc::channel(WAITING);
        (Self { requests, reports }, Mailbox { requests: requests_in, reports: reports_in })
    }

    /// Asks the driver and waits for its answer.
    pub(crate) async fn ask<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(request(reply)).await.map_err(|_| Refusal::Stopping)?;
        answer.await.map_err(|_| Refusal::Stopping)?
    }

    /// Tells the driver something that needs no answer; waits while the driver is busy.
    pub(crate) async fn tell(&self, request: Request) {
        // A driver that is gone needs to be told nothing.
        let _ = self.requests.send(request).await;
    }

    /// Passes on what a worker said; waits while the driver is busy.
    pub(crate) async fn report(&self, session: SessionId, message: FromWorker) -> Result<(), Refusal> {
        self.reports.send((session, message)).await.map_err(|_| Refusal::Stopping)
    }
}
