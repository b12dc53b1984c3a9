//! The gate before everything that is served over HTTP.

use axum::{
    body::Body,
    extract::{ConnectInfo, Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{failure::Failure, incoming::Peer};
use crate::{
    access::{Denied, rules},
    gate::{Gate, Guarded},
};

/// How callers may say who they are: programs with a token, browsers with a token as the password beside any name.
const CHALLENGES: [&str; 2] = [
    r#"Basic realm="nqueens: any name, and a token as the password", charset="UTF-8""#,
    r#"Bearer realm="nqueens""#,
];

/// Lets a request in, or refuses it.
pub(super) async fn gate(
    State(gate): State<Gate>,
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    let right = rules::of_request(request.method().as_str(), path);
    let authorization = request.headers().get(header::AUTHORIZATION).map(|value| value.as_bytes());
    match gate.admit(Some(&peer), authorization, right, path) {
        Ok(admitted) => next.run(request).await.map(|body| Body::new(Guarded::new(body, admitted, revoked))),
        Err(denied) => refuse(&denied),
    }
}

fn refuse(denied: &Denied) -> Response {
    let status = match denied {
        Denied::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
        Denied::Forbidden(_) => StatusCode::FORBIDDEN,
        Denied::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
    };
    let mut response = Failure::new(status, denied.to_string()).into_response();
    if status == StatusCode::UNAUTHORIZED {
        for challenge in CHALLENGES {
            response.headers_mut().append(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
    }
    response
}

/// Cuts an answer, so that nobody takes it for whole.
fn revoked<T>() -> Result<T, axum::Error> {
    Err(axum::Error::new("the caller is no longer welcome"))
}
