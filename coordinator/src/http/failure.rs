//! The one place where refusals become HTTP status codes. Programs get RFC 9457 problem details; what people see is made
//! from the same.

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use scheduler::{CreateError, Refused, RunError};
use serde::Serialize;

use crate::{choose::NoPlan, driver::Refusal};

/// Why a request is not answered as asked, in a sentence that says what to do.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) status: StatusCode,
    pub(super) detail: String,
}

/// Problem details as RFC 9457 has them.
#[derive(Serialize)]
struct Details<'a> {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    detail: &'a str,
}

impl Failure {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into() }
    }

    pub(super) fn wrong(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    pub(super) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    pub(super) fn busy(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail)
    }

    pub(super) fn method() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "this address does not take this method; see /api/v1/openapi.json",
        )
    }

    /// Returns the name of the status.
    pub(super) fn title(&self) -> &'static str {
        self.status.canonical_reason().unwrap_or("Error")
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let details = Details {
            r#type: "about:blank",
            title: self.title(),
            status: self.status.as_u16(),
            detail: &self.detail,
        };
        let body = serde_json::to_string(&details).unwrap_or_default();
        let mut response =
            (self.status, [(header::CONTENT_TYPE, "application/problem+json")], body).into_response();
        // For whoever would rather show it as a page.
        response.extensions_mut().insert(self);
        response
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::new(status(&refusal), refusal.to_string())
    }
}

impl From<NoPlan> for Failure {
    fn from(reason: NoPlan) -> Self {
        let status = match reason {
            NoPlan::Asked(_) => StatusCode::BAD_REQUEST,
            NoPlan::Broken => StatusCode::INTERNAL_SERVER_ERROR,
            NoPlan::Refused(refusal) => return refusal.into(),
        };
        Self::new(status, reason.to_string())
    }
}

fn status(refusal: &Refusal) -> StatusCode {
    match refusal {
        Refusal::Create(CreateError::OtherProblem { .. }) => StatusCode::CONFLICT,
        Refusal::Create(CreateError::TooManyRuns(_)) | Refusal::TooManyStreams | Refusal::NotReading => {
            StatusCode::TOO_MANY_REQUESTS
        }
        Refusal::Worker(Refused::Quarantined { .. }) => StatusCode::FORBIDDEN,
        Refusal::Create(_)
        | Refusal::Worker(Refused::NoThreads)
        | Refusal::Result(_)
        | Refusal::Chunk(_)
        | Refusal::Nonsense(_) => StatusCode::BAD_REQUEST,
        Refusal::Run(RunError::NoSuchRun(_)) | Refusal::NoSuchWorker(_) => StatusCode::NOT_FOUND,
        Refusal::Run(_) | Refusal::NotBoards(_) | Refusal::Ended(_) => StatusCode::CONFLICT,
        Refusal::Ledger(_) | Refusal::Stopping => StatusCode::SERVICE_UNAVAILABLE,
    }
}
