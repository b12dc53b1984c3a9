//! What comes in with a request: numbers in the path, the query, JSON bodies. What cannot be read is answered with a
//! sentence.

use axum::{
    Json,
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::request::Parts,
};
use scheduler::RunId;
use serde::de::DeserializeOwned;

use super::failure::Failure;

/// The number in the path.
pub(super) struct Number(pub(super) u64);

impl Number {
    pub(super) fn run(&self) -> RunId {
        RunId(self.0)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Number {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let wrong = |_| {
            Failure::not_found(
                "runs and workers are named by their number, from 1; list them to see which there are",
            )
        };
        let Path(number) = Path::<u64>::from_request_parts(parts, state).await.map_err(wrong)?;
        Ok(Self(number))
    }
}

/// The query of the address.
pub(super) struct Params<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let wrong =
            |rejection: axum::extract::rejection::QueryRejection| Failure::wrong(rejection.body_text());
        Query::try_from_uri(&parts.uri).map(|Query(params)| Self(params)).map_err(wrong)
    }
}

/// A body of JSON.
pub(super) struct Body<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        use axum::extract::rejection::JsonRejection::{BytesRejection, MissingJsonContentType};
        let read = Json::<T>::from_request(request, state).await;
        read.map(|Json(body)| Self(body)).map_err(|rejection| match rejection {
            // Too large, or not of the right type.
            BytesRejection(_) | MissingJsonContentType(_) => {
                Failure::new(rejection.status(), rejection.body_text())
            }
            _ => Failure::wrong(rejection.body_text()),
        })
    }
}

/// A form, as browsers send it.
pub(super) struct Form<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Form<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let read = axum::Form::<T>::from_request(request, state).await;
        read.map(|axum::Form(form)| Self(form))
            .map_err(|rejection| Failure::new(rejection.status(), rejection.body_text()))
    }
}
