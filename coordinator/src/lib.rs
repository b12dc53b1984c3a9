//! The server of the nqueens cluster.
//!
//! [`Coordinator::open`] brings the scheduler back to where the ledger ends; [`Coordinator::serve`] answers clients and
//! workers until it is told to stop. One driver owns scheduler and ledger; services only translate.

mod choose;
mod driver;
mod http;
mod ledger;
mod listing;
mod meter;
mod server;
mod service;
mod settings;

use std::{io, pin::pin};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tokio_stream::{Stream, StreamExt, wrappers::TcpListenerStream};
use tokio_util::sync::CancellationToken;
use tonic::transport::server::Connected;
use tracing::warn;

use driver::{Driver, Handle};
use http::Web;
pub use ledger::LedgerError;
pub use settings::{LedgerPlace, Settings};

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
    http: Option<TcpListener>,
}

impl Coordinator {
    /// Opens the ledger and replays it. An error if the ledger is in use, damaged, or of another program or version.
    pub fn open(settings: Settings) -> Result<Self, Error> {
        let driver = Driver::open(&settings)?;
        Ok(Self { driver, settings, http: None })
    }

    /// Also serves pages, JSON and metrics over HTTP on `listener`, for as long as everything else.
    #[must_use]
    pub fn with_http(self, listener: TcpListener) -> Self {
        Self { http: Some(listener), ..self }
    }

    /// Serves clients and workers on `listener` until `stop` is cancelled; then ends all streams, finishes its commits
    /// and returns.
    pub async fn serve(self, listener: TcpListener, stop: CancellationToken) -> Result<(), Error> {
        // Small messages must not wait for each other.
        let connections = TcpListenerStream::new(listener)
            .map(|connection| connection.and_then(|tcp: TcpStream| tcp.set_nodelay(true).map(|()| tcp)));
        self.serve_connections(connections, stop).await
    }

    /// Does the same for connections of any kind.
    pub async fn serve_connections<I, C>(self, connections: I, stop: CancellationToken) -> Result<(), Error>
    where
        I: Stream<Item = io::Result<C>>,
        C: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
        C::ConnectInfo: Clone + Send + Sync + 'static,
    {
        let Self { driver, settings, http } = self;
        let (handle, mailbox) = Handle::new();
        let web = Web::new(handle.clone(), driver.meter(), &settings, stop.clone());
        let web = http.map(|listener| tokio::spawn(http::serve(web, listener)));
        let mut driver = driver::start(driver, mailbox, stop.clone(), settings.driver_thread)?;
        let mut server = pin!(server::serve(handle, &settings, connections, stop.clone()));
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
