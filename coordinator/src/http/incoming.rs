//! Connections in the form in which the HTTP server wants them.

use std::{future::pending, io, net::SocketAddr};

use axum::{
    extract::connect_info::Connected,
    serve::{IncomingStream, Listener},
};

use crate::listen::{self, Connection, Incoming};

/// Who is at the other end of a connection.
#[derive(Clone)]
pub(super) struct Peer(pub(super) listen::Peer);

impl Listener for Incoming {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        match self.connections.recv().await {
            Some(connection) => {
                let address = connection.peer.address;
                (connection, address)
            }
            // The coordinator stops, and so does the server.
            None => pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

impl Connected<IncomingStream<'_, Incoming>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Incoming>) -> Self {
        Self(stream.io().peer.clone())
    }
}
