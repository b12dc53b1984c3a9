//! Connections, on both ports: bounded, encrypted where wanted, and none that asks for nothing or takes nothing of what it
//! is sent.
//!
//! Handshakes run beside each other and have a time limit, so those that dawdle hold up nobody but themselves.

mod complaints;
mod connection;
mod places;
mod stream;

use std::{error::Error, io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    time::{sleep, timeout},
};
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::{
    access::{Access, Certificate, Port},
    settings::Limits,
};
pub(crate) use complaints::Complaints;
pub(crate) use connection::Connection;
pub(crate) use places::{Place, Places};
pub(crate) use stream::Stream;

/// Connections that wait to be served.
const WAITING: usize = 64;
/// How long to wait when the system has no room for another connection.
const NO_ROOM: Duration = Duration::from_secs(1);

/// Who is at the other end of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) certificate: Option<Arc<Certificate>>,
}

/// What a connection takes up until it ends.
pub(crate) struct Room {
    _total: OwnedSemaphorePermit,
    _of_peer: Place,
}

/// The connections of one port.
pub(crate) struct Incoming {
    pub(crate) connections: mpsc::Receiver<Connection>,
    pub(crate) address: SocketAddr,
}

/// Accepts connections until `stop` is cancelled.
pub(crate) fn listen(
    listener: TcpListener,
    port: Port,
    access: Access,
    limits: &Limits,
    stop: CancellationToken,
) -> io::Result<Incoming> {
    let address = listener.local_addr()?;
    let (connected, connections) = mpsc::channel(WAITING);
    let door = Door {
        port,
        access,
        room: Arc::new(Semaphore::new(limits.connections)),
        places: Places::new(limits.connections_per_peer),
        handshake_timeout: limits.handshake_timeout,
        complaints: Arc::new(Complaints::new()),
        connected,
    };
    tokio::spawn(async move { stop.run_until_cancelled(door.accept_all(listener)).await });
    Ok(Incoming { connections, address })
}

/// Where connections come in.
#[derive(Clone)]
struct Door {
    port: Port,
    access: Access,
    room: Arc<Semaphore>,
    places: Places,
    handshake_timeout: Duration,
    complaints: Arc<Complaints>,
    connected: mpsc::Sender<Connection>,
}

impl Door {
    async fn accept_all(self, listener: TcpListener) {
        loop {
            // Those beyond wait until others end. Nobody closes the semaphore.
            let Ok(total) = self.room.clone().acquire_owned().await else { return };
            let (tcp, address) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    if !is_of_one_connection(&error) {
                        self.complaints.say(|| warn!("cannot accept connections: {error}"));
                        sleep(NO_ROOM).await;
                    }
                    continue;
                }
            };
            let Some(of_peer) = self.places.take(address.ip()) else {
                let most = self.places.most();
                self.refuse(address, &format!("it has {most} connections open, which is the most"));
                continue;
            };
            // Messages are small and must not wait for each other; without this they are only later.
            let _ = tcp.set_nodelay(true);
            self.welcome(tcp, address, Room { _total: total, _of_peer: of_peer }).await;
        }
    }

    async fn welcome(&self, tcp: TcpStream, address: SocketAddr, room: Room) {
        let peer = Peer { address, certificate: None };
        match self.access.handshake(self.port) {
            None => self.pass_on(Connection::new(Stream::Plain(tcp), peer, Some(room))).await,
            Some(config) => {
                let door = self.clone();
                tokio::spawn(async move { door.shake_hands(tcp, peer, room, config).await });
            }
        }
    }

    async fn shake_hands(self, tcp: TcpStream, mut peer: Peer, room: Room, config: Arc<ServerConfig>) {
        let encrypted = match timeout(self.handshake_timeout, TlsAcceptor::from(config).accept(tcp)).await {
            Ok(Ok(encrypted)) => encrypted,
            Ok(Err(error)) => return self.refuse(peer.address, &with_cause(&error)),
            Err(_) => return self.refuse(peer.address, "its TLS handshake took too long"),
        };
        let chain = encrypted.get_ref().1.peer_certificates().unwrap_or_default();
        peer.certificate = Certificate::of_chain(chain);
        if let Some(certificate) = &peer.certificate {
            self.access.enter(certificate);
        }
        self.pass_on(Connection::new(Stream::Tls(Box::new(encrypted)), peer, Some(room))).await;
    }

    async fn pass_on(&self, connection: Connection) {
        // It fails only when the server has ended.
        let _ = self.connected.send(connection).await;
    }

    fn refuse(&self, peer: SocketAddr, why: &str) {
        self.complaints.say(|| warn!(%peer, port = ?self.port, why, "connection refused"));
    }
}

fn with_cause(error: &io::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
