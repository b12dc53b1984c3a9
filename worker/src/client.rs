//! How a worker reaches its coordinator.

use std::{future::Future, time::Duration};

use tonic::{
    metadata::{Ascii, MetadataValue},
    transport::{Channel, Endpoint},
};

use crate::error::Error;

/// Makes a new connection to the coordinator for each session.
pub trait Dial {
    /// Returns a connection.
    fn dial(&self) -> impl Future<Output = Result<Channel, Error>> + Send;

    /// Returns what the worker shows of itself when it asks for a session, as the value of an `authorization` header.
    fn authorization(&self) -> Result<Option<MetadataValue<Ascii>>, Error> {
        Ok(None)
    }
}

impl Dial for Endpoint {
    async fn dial(&self) -> Result<Channel, Error> {
        Ok(self.connect().await?)
    }
}

/// Returns an endpoint for `uri`, such as `http://127.0.0.1:7117`, that notices a dead peer within 20 s: streams can
/// be silent for long, so only pings tell a quiet coordinator from one that is gone.
pub fn endpoint(uri: &str) -> Result<Endpoint, Error> {
    let endpoint = Endpoint::from_shared(uri.to_owned()).map_err(|_| Error::Address(uri.to_owned()))?;
    if endpoint.uri().authority().is_none() {
        return Err(Error::Address(uri.to_owned()));
    }
    Ok(settled(endpoint))
}

/// Returns `endpoint` with the time-outs and windows of a worker. For endpoints that connect in their own way.
pub fn settled(endpoint: Endpoint) -> Endpoint {
    endpoint
        .connect_timeout(Duration::from_secs(5))
        .tcp_nodelay(true)
        .http2_keep_alive_interval(Duration::from_secs(10))
        .keep_alive_timeout(Duration::from_secs(10))
        .keep_alive_while_idle(true)
        .initial_stream_window_size(1 << 20)
        .initial_connection_window_size(1 << 21)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_none_are_refused() {
        for uri in ["", "not an address", "/path", "http://"] {
            assert!(matches!(endpoint(uri), Err(Error::Address(_))), "{uri:?}");
        }
        assert!(endpoint("http://localhost:7117").is_ok());
    }
}
