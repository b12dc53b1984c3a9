//! The simulated network: connections of turmoil in the clothes that the servers and clients of tonic expect.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::stream::{self, Stream};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tonic::transport::{Channel, Endpoint, Uri, server::Connected};
use turmoil::net::{TcpListener, TcpStream};

use crate::crash::Crash;

/// The host that runs the coordinator.
pub(crate) const COORDINATOR: &str = "coordinator";
/// Where it listens.
pub(crate) const PORT: u16 = 7117;
/// A dead connection is noticed sooner than in real life, so that little virtual time goes by in waiting.
const KEEP_ALIVE: Duration = Duration::from_secs(2);

/// One connection to the coordinator. It has a stream until it is dropped.
pub(crate) struct Connection {
    stream: Option<TcpStream>,
    number: u64,
    crash: Crash,
}

impl Connection {
    fn stream(&mut self) -> Pin<&mut TcpStream> {
        Pin::new(self.stream.as_mut().expect("it has a stream"))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.take() {
            self.crash.take(self.number, stream);
        }
    }
}

impl Connected for Connection {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream().poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.stream().poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_shutdown(cx)
    }
}

/// Returns the connections that come to `listener`.
pub(crate) fn accepted(listener: TcpListener, crash: Crash) -> impl Stream<Item = io::Result<Connection>> {
    stream::unfold((listener, crash), |(listener, crash)| async {
        let accepted = listener.accept().await;
        let connection = accepted.map(|(stream, _)| Connection {
            stream: Some(stream),
            number: crash.number(),
            crash: crash.clone(),
        });
        Some((connection, (listener, crash)))
    })
}

/// Connects to the coordinator.
pub(crate) async fn connect() -> Result<Channel, tonic::transport::Error> {
    let endpoint = worker::client::settled(Endpoint::from_static("http://coordinator:7117"))
        .connect_timeout(KEEP_ALIVE)
        .http2_keep_alive_interval(KEEP_ALIVE)
        .keep_alive_timeout(KEEP_ALIVE);
    let dial = |_: Uri| async { TcpStream::connect((COORDINATOR, PORT)).await.map(TokioIo::new) };
    endpoint.connect_with_connector(tower::service_fn(dial)).await
}

/// How a simulated worker reaches the coordinator.
pub(crate) struct Dialer;

impl worker::Dial for Dialer {
    async fn dial(&self) -> Result<Channel, worker::Error> {
        Ok(connect().await?)
    }
}
