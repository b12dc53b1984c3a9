//! Server-sent events: the state at once, then whatever changes, a few times a second at most. The event of a final state
//! is the last.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use tokio::{
    sync::{OwnedSemaphorePermit, watch},
    time::timeout,
};

use super::{
    Web,
    extract::Number,
    failure::Failure,
    feed::{self, FINAL, Topic},
};

/// A comment is sent when there was nothing else for this long, so that nobody on the way takes the stream for dead.
const SILENCE: Duration = Duration::from_secs(15);
/// Tells browsers after how many milliseconds to come back.
const RETRY: &str = "retry: 1000\n\n";

pub(super) async fn cluster(State(web): State<Web>, headers: HeaderMap) -> Result<Response, Failure> {
    events(&web, Topic::Cluster, &headers).await
}

pub(super) async fn run(
    State(web): State<Web>,
    number: Number,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    events(&web, Topic::Run(number.run()), &headers).await
}

/// Answers with the events of a topic.
pub(super) async fn events(web: &Web, topic: Topic, headers: &HeaderMap) -> Result<Response, Failure> {
    if headers.get("last-event-id").is_some_and(|id| id == FINAL) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let full =
        |_| Failure::new(StatusCode::TOO_MANY_REQUESTS, "too many event streams are open; try again later");
    let permit = web.streams.clone().try_acquire_owned().map_err(full)?;
    let frames = feed::subscribe(web, topic).await?;
    let body = Body::from_stream(text(frames, permit).take_until(web.stop.clone().cancelled_owned()));
    Ok(([(header::CONTENT_TYPE, "text/event-stream")], body).into_response())
}

/// What a watcher has to be sent next.
enum Next {
    Present,
    Change,
}

fn text(
    frames: watch::Receiver<Bytes>,
    permit: OwnedSemaphorePermit,
) -> impl futures_util::Stream<Item = Result<Bytes, Infallible>> + Send {
    let events = stream::unfold((frames, permit, Next::Present), |(mut frames, permit, next)| async move {
        if let Next::Change = next {
            match timeout(SILENCE, frames.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return None,
                Err(_) => return Some((Ok(Bytes::from_static(b":\n\n")), (frames, permit, Next::Change))),
            }
        }
        let frame = frames.borrow_and_update().clone();
        Some((Ok(frame), (frames, permit, Next::Change)))
    });
    stream::iter([Ok(Bytes::from_static(RETRY.as_bytes()))]).chain(events)
}
