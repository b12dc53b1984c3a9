//! The gate before everything that is served over HTTP.

use std::net::IpAddr;

use axum::{
    body::Body,
    extract::{ConnectInfo, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header, uri::Authority},
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
    if !gate.asks_who() && peer.address.ip().to_canonical().is_loopback() && is_misled(request.headers()) {
        let refusal = "where nobody is asked who they are, this machine is asked only by an address or as localhost; other \
                       names may be tricks of a page in a browser. Use http://127.0.0.1, or give the coordinator --tokens";
        return Failure::new(StatusCode::FORBIDDEN, refusal).into_response();
    }
    let path = request.uri().path();
    let right = rules::of_request(request.method().as_str(), path);
    let authorization = request.headers().get(header::AUTHORIZATION).map(|value| value.as_bytes());
    match gate.admit(Some(&peer), authorization, right, path) {
        Ok(admitted) => next.run(request).await.map(|body| Body::new(Guarded::new(body, admitted, revoked))),
        Err(denied) => refuse(&denied),
    }
}

/// Tells whether a request came here by a name that is not this machine's own. A page of another site can have its own name
/// lead here, and then speaks as if it were of this site.
fn is_misled(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST).map(|host| host.to_str().unwrap_or("?")) else { return false };
    let Ok(host) = host.parse::<Authority>() else { return true };
    let host = host.host();
    let is_address = host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    !is_address && host != "localhost" && !host.ends_with(".localhost")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_goes_by_few_names() {
        for (host, misled) in [
            ("localhost:7118", false),
            ("queens.localhost", false),
            ("127.0.0.1:7118", false),
            ("[::1]:7118", false),
            ("localhost.example:7118", true),
            ("example.com", true),
            ("", true),
            ("?", true),
        ] {
            let headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static(host))]);
            assert_eq!(is_misled(&headers), misled, "{host}");
        }
        assert!(!is_misled(&HeaderMap::new()));
    }
}
