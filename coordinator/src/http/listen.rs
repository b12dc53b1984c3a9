//! Connections, bounded: so many at a time, and none that asks for nothing or takes nothing of what it is sent.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::serve::Listener;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, Sleep, sleep},
};

/// Connections that may be open at one time. Those beyond wait until others end.
const CONNECTIONS_MAX: usize = 8192;
/// How long a peer may take to send its first byte, and to take the next of what it is sent.
const PATIENCE: Duration = Duration::from_secs(60);

/// Accepts connections while there is room.
pub(super) struct Bounded {
    listener: TcpListener,
    room: Arc<Semaphore>,
}

/// One connection, which makes room when it ends.
pub(super) struct Connection<S = TcpStream> {
    stream: S,
    patience: Duration,
    end: Pin<Box<Sleep>>,
    /// Whether the peer is being waited for: for its first byte, or to take what it is sent.
    waiting: bool,
    _room: Option<OwnedSemaphorePermit>,
}

impl Bounded {
    pub(super) fn new(listener: TcpListener) -> Self {
        Self { listener, room: Arc::new(Semaphore::new(CONNECTIONS_MAX)) }
    }
}

impl Listener for Bounded {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        // Nobody closes the semaphore.
        let room = self.room.clone().acquire_owned().await.ok();
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // Events are small and must not wait for each other; without this they are only later.
        let _ = stream.set_nodelay(true);
        (Connection::new(stream, PATIENCE, room), address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl<S> Connection<S> {
    fn new(stream: S, patience: Duration, room: Option<OwnedSemaphorePermit>) -> Self {
        Self { stream, patience, end: Box::pin(sleep(patience)), waiting: true, _room: room }
    }

    /// Passes on what came of an attempt; an error if the peer has been waited for too long.
    fn judge<T>(&mut self, context: &mut Context<'_>, came: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if came.is_ready() {
            self.waiting = false;
            return came;
        }
        if self.waiting {
            ready!(self.end.as_mut().poll(context));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }

    /// Notes that from now on the peer is waited for.
    fn wait(&mut self) {
        if !self.waiting {
            self.waiting = true;
            self.end.as_mut().reset(Instant::now() + self.patience);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Connection<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let came = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.judge(context, came)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let came = Pin::new(&mut self.stream).poll_write(context, bytes);
        if came.is_pending() {
            self.wait();
        }
        self.judge(context, came)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
        time::timeout,
    };

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    fn pair() -> (Connection<DuplexStream>, DuplexStream) {
        let (near, far) = duplex(16);
        (Connection::new(near, SHORT, None), far)
    }

    #[tokio::test]
    async fn a_peer_that_says_nothing_is_cut_and_one_that_spoke_may_be_silent() {
        let (mut connection, _silent) = pair();
        assert_eq!(connection.read_u8().await.expect_err("silence").kind(), io::ErrorKind::TimedOut);
        let (mut connection, mut far) = pair();
        far.write_u8(1).await.expect("room");
        assert_eq!(connection.read_u8().await.expect("a byte"), 1);
        assert!(timeout(5 * SHORT, connection.read_u8()).await.is_err(), "it is still waited for");
    }

    #[tokio::test]
    async fn a_peer_that_takes_nothing_is_cut() {
        let (mut connection, mut far) = pair();
        connection.write_all(&[0; 16]).await.expect("room");
        let cut = connection.write_all(&[0; 16]).await.expect_err("no room");
        assert_eq!(cut.kind(), io::ErrorKind::TimedOut);
        far.read_exact(&mut [0; 16]).await.expect("what was sent");
        connection.write_all(&[0; 16]).await.expect("room again");
    }
}
