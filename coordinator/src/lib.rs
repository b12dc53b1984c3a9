//! The server of the nqueens cluster.
//!
//! [`Coordinator::open`] brings the scheduler back to where the ledger ends; [`Coordinator::serve`] answers clients and
//! workers until it is told to stop. One driver owns scheduler and ledger; services only translate.

mod access;
mod choose;
mod driver;
mod gate;
mod http;
mod ledger;
mod listen;
mod listing;
mod meter;
mod server;
mod service;
mod settings;

use std::{io, pin::pin};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    time::timeout,
};
use tokio_stream::{Stream, StreamExt, wrappers::ReceiverStream};
use tokio_util::sync::CancellationToken;
use tonic::transport::server::Connected;
use tracing::warn;

use access::Port;
pub use access::{Access, AccessError, AccessFiles, Renewal, Role, TlsFiles, UnknownRole};
use driver::{Driver, Handle};
use gate::Gate;
use http::Web;
pub use ledger::LedgerError;
pub use settings::{LedgerPlace, Limits, Settings};

/// Why a coordinator cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The ledger cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The server failed.
    #[error("the server failed: {0}")]
    Server(#[from] tonic::transport::Error),
    /// The driver ended on its own, which is a mistake in this program.
    #[error("the driver stopped working; nothing that was acknowledged is lost, start the coordinator again")]
    Driver,
    /// The system refused something.
    #[error("the system refused to go on: {0}")]
    System(#[from] io::Error),
}

/// How much one result adds to a ledger file, in bytes; measured, see docs/measurements.md.
pub const LEDGER_BYTES_A_RESULT: u64 = 35;

/// A coordinator whose ledger is open.
pub struct Coordinator {
    driver: Driver,
    settings: Settings,
    access: Access,
    http: Option<TcpListener>,
}

impl Coordinator {
    /// Opens the ledger and replays it. An error if the ledger is in use, damaged, or of another program or version.
    pub fn open(settings: Settings) -> Result<Self, Error> {
        let driver = Driver::open(&settings)?;
        Ok(Self { driver, settings, access: Access::default(), http: None })
    }

    /// Lets in only whom `access` knows. Without this, everybody may do everything.
    #[must_use]
    pub fn with_access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// Also serves pages, JSON and metrics over HTTP on `listener`, for as long as everything else.
    #[must_use]
    pub fn with_http(self, listener: TcpListener) -> Self {
        Self { http: Some(listener), ..self }
    }

    /// Serves clients and workers on `listener` until `stop` is cancelled; then ends all streams, finishes its commits
    /// and returns.
    pub async fn serve(self, listener: TcpListener, stop: CancellationToken) -> Result<(), Error> {
        let limits = &self.settings.limits;
        let incoming = listen::listen(listener, Port::Grpc, self.access.clone(), limits, stop.clone())?;
        self.serve_connections(ReceiverStream::new(incoming.connections).map(Ok), stop).await
    }

    /// Does the same for connections of any kind, as they are.
    pub async fn serve_connections<I, C>(self, connections: I, stop: CancellationToken) -> Result<(), Error>
    where
        I: Stream<Item = io::Result<C>>,
        C: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
        C::ConnectInfo: Clone + Send + Sync + 'static,
    {
        let Self { driver, settings, access, http } = self;
        let (handle, mailbox) = Handle::new();
        let gate = Gate::new(access.clone(), &settings.limits);
        let web = Web::new(handle.clone(), driver.meter(), &settings, stop.clone());
        let incoming =
            http.map(|http| listen::listen(http, Port::Http, access.clone(), &settings.limits, stop.clone()));
        let web =
            incoming.transpose()?.map(|incoming| tokio::spawn(http::serve(web, gate.clone(), incoming)));
        tokio::spawn(access.keep_fresh(stop.clone()));
        let mut driver = driver::start(driver, mailbox, stop.clone(), settings.driver_thread)?;
        let mut server = pin!(server::serve(handle, gate, &settings, connections, stop.clone()));
        let orderly = tokio::select! {
            result = &mut server => {
                stop.cancel();
                result?;
                driver.ended().await
            }
            orderly = driver.ended() => {
                stop.cancel();
                // Silent clients must not hold up the end.
                match timeout(settings.stop_timeout, server).await {
                    Ok(result) => result?,
                    Err(_) => warn!("some connections did not end in time and were cut"),
                }
                orderly
            }
        };
        if let Some(web) = web {
            http::end(web, settings.stop_timeout).await;
        }
        if orderly { Ok(()) } else { Err(Error::Driver) }
    }
}
