//! The gate before the gRPC services.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::http::{HeaderMap, Request, Response, header::AUTHORIZATION};
use http_body::Frame;
use tonic::{Status, body::Body};
use tower::{Layer, Service};

use super::{Gate, Guarded};
use crate::{
    access::{Denied, rules},
    listen::Peer,
};

/// Puts the gate before services.
#[derive(Clone)]
pub(crate) struct GateLayer(pub(crate) Gate);

/// Services behind the gate.
#[derive(Clone)]
pub(crate) struct Gated<S> {
    inner: S,
    gate: Gate,
}

impl<S> Layer<S> for GateLayer {
    type Service = Gated<S>;

    fn layer(&self, inner: S) -> Gated<S> {
        Gated { inner, gate: self.0.clone() }
    }
}

impl<S> Service<Request<Body>> for Gated<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let path = request.uri().path();
        let peer = request.extensions().get::<Peer>();
        let authorization = request.headers().get(AUTHORIZATION).map(|value| value.as_bytes());
        let admitted = match self.gate.admit(peer, authorization, rules::of_method(path), path) {
            Ok(admitted) => admitted,
            Err(denied) => return Box::pin(async { Ok(Status::from(denied).into_http()) }),
        };
        request.extensions_mut().insert(admitted.caller.clone());
        let answer = self.inner.call(request);
        Box::pin(
            async move { Ok(answer.await?.map(|body| Body::new(Guarded::new(body, admitted, revoked)))) },
        )
    }
}

impl From<Denied> for Status {
    fn from(denied: Denied) -> Self {
        let reason = denied.to_string();
        match denied {
            Denied::Unauthenticated(_) => Self::unauthenticated(reason),
            Denied::Forbidden(_) => Self::permission_denied(reason),
            Denied::TooMany(_) => Self::resource_exhausted(reason),
        }
    }
}

/// Ends a stream with the status that says why.
fn revoked<D>() -> Result<Frame<D>, Status> {
    let status = Status::unauthenticated(
        "the token or certificate of this caller is no longer accepted; come again with a newer one",
    );
    let mut trailers = HeaderMap::new();
    status.add_header(&mut trailers)?;
    Ok(Frame::trailers(trailers))
}
