//! What holds for every request and every answer: no other site may change anything here or show these pages as its own,
//! and pages load nothing but what this server sends.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::failure::Failure;

const HEADERS: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Refuses what another site wants changed, and adds the headers that every answer has.
pub(super) async fn guard(request: Request, next: Next) -> Response {
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let mut response = if changes && is_from_elsewhere(request.headers()) {
        let refusal =
            "a page of another site asked for this; use the pages of this coordinator, or a program";
        Failure::new(StatusCode::FORBIDDEN, refusal).into_response()
    } else {
        next.run(request).await
    };
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Tells whether a browser says that another site is behind the request. Programs say nothing of the kind.
fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if let Some(site) = text("sec-fetch-site") {
        return !matches!(site, "same-origin" | "none");
    }
    let authority = |origin: &str| origin.split_once("://").map(|(_, authority)| authority.to_owned());
    text("origin").is_some_and(|origin| authority(origin).as_deref() != text("host"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn only_other_sites_are_refused() {
        for (pairs, elsewhere) in [
            (&[][..], false),
            (&[("host", "a:1"), ("origin", "http://a:1")], false),
            (&[("host", "a:1"), ("origin", "http://a:2")], true),
            (&[("host", "a:1"), ("origin", "null")], true),
            (&[("sec-fetch-site", "same-origin")], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("sec-fetch-site", "same-site")], true),
            (&[("sec-fetch-site", "cross-site"), ("host", "a:1"), ("origin", "http://a:1")], true),
        ] {
            assert_eq!(is_from_elsewhere(&headers(pairs)), elsewhere, "{pairs:?}");
        }
    }
}
