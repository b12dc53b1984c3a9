//! What all pages have in common.

use axum::{
    extract::Request,
    http::header,
    middleware::Next,
    response::{IntoResponse, Response},
};
use maud::{DOCTYPE, Markup, html};

use crate::http::failure::Failure;

/// Where programs ask and not people.
const PROGRAMS: [&str; 4] = ["/api/", "/metrics", "/healthz", "/readyz"];

/// Returns a whole page. `live`: where the events come from that keep its changing part up to date.
pub(super) fn page(title: &str, live: Option<&str>, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · nqueens" }
                link rel="icon" href="/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="/page.css";
                script type="module" src="/page.js" {}
            }
            body data-live=[live] {
                a.skip href="#content" { "Skip to the content" }
                header {
                    a.brand href="/" { "nqueens" }
                    nav aria-label="Pages" {
                        a href="/#runs" { "Runs" }
                        a href="/#workers" { "Workers" }
                        a href="/api/v1/openapi.json" { "API" }
                    }
                }
                p #lost role="alert" hidden { "The coordinator does not answer. What you see is old; it is tried again every second." }
                main #content tabindex="-1" {
                    (content)
                    @if live.is_some() {
                        noscript { p.note { "Without JavaScript this page shows how things were when it was loaded. Reload it to see more." } }
                    }
                }
            }
        }
    }
}

/// Shows what went wrong as a page, to those who asked for a page.
pub(in crate::http) async fn failures(request: Request, next: Next) -> Response {
    let for_programs = PROGRAMS.iter().any(|path| request.uri().path().starts_with(path));
    let mut response = next.run(request).await;
    match response.extensions_mut().remove::<Failure>() {
        Some(failure) if !for_programs => {
            let mut page = failure_page(&failure);
            // A browser asks for a name and a password only if it is told which.
            for challenge in response.headers().get_all(header::WWW_AUTHENTICATE) {
                page.headers_mut().append(header::WWW_AUTHENTICATE, challenge.clone());
            }
            page
        }
        _ => response,
    }
}

fn failure_page(failure: &Failure) -> Response {
    let title = failure.title();
    let content = html! {
        h1 { (title) }
        p { (sentence(&failure.detail)) }
        p { a href="/" { "To the runs and workers" } }
    };
    (failure.status, page(title, None, &content)).into_response()
}

/// Begins with a capital letter and ends with a full stop.
fn sentence(detail: &str) -> String {
    let mut rest = detail.chars();
    let first = rest.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", rest.as_str())
}
