//! One connection: cut if the peer asks for nothing, or takes nothing of what it is sent.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};
use tonic::transport::server::Connected;

use super::{Peer, Room, Stream};

/// How long a peer may take to send its first byte, and to take the next of what it is sent.
const PATIENCE: Duration = Duration::from_secs(60);

/// One connection, which makes room when it ends.
pub(crate) struct Connection<S = Stream> {
    stream: S,
    pub(crate) peer: Peer,
    patience: Duration,
    end: Pin<Box<Sleep>>,
    /// Whether the peer is being waited for: for its first byte, or to take what it is sent.
    waiting: bool,
    _room: Option<Room>,
}

impl Connected for Connection {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer.clone()
    }
}

impl<S> Connection<S> {
    pub(super) fn new(stream: S, peer: Peer, room: Option<Room>) -> Self {
        Self::with_patience(stream, peer, room, PATIENCE)
    }

    fn with_patience(stream: S, peer: Peer, room: Option<Room>, patience: Duration) -> Self {
        Self { stream, peer, patience, end: Box::pin(sleep(patience)), waiting: true, _room: room }
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

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let came = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        if came.is_pending() {
            self.wait();
        }
        self.judge(context, came)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
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
        let peer = Peer { address: ([127, 0, 0, 1], 1).into(), certificate: None };
        (Connection::with_patience(near, peer, None, SHORT), far)
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
