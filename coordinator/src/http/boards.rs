//! `/api/v1/runs/{id}/boards`: the boards of a run as text, streamed.

use std::io;

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use futures_util::stream;
use queens::{
    Size,
    enumerate::Order,
    format::{BoardWriter, Format},
};
use serde::Deserialize;
use tokio::sync::mpsc;

use super::{
    Web,
    extract::{Number, Params},
    failure::Failure,
};
use crate::{
    driver::{BoardsRequest, Handle, Request as Ask},
    listing::Delivery,
};

/// Which boards are wanted, and how they are to be written.
#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    format: Option<String>,
    order: Option<String>,
    #[serde(default)]
    offset: u64,
    limit: Option<u64>,
}

pub(super) async fn stream(
    State(web): State<Web>,
    number: Number,
    Params(wanted): Params<Wanted>,
) -> Result<Response, Failure> {
    let format = format(wanted.format.as_deref())?;
    let order = order(wanted.order.as_deref())?;
    let run = number.run();
    let size = web.driver.ask(|reply| Ask::Get(run, reply)).await?.problem.size;
    let request = BoardsRequest { run, order, offset: wanted.offset, limit: wanted.limit };
    let deliveries = web.driver.ask(|reply| Ask::Boards(request, reply)).await?;
    let written = text(web.driver, deliveries, format, size, wanted.offset);
    Ok(([(header::CONTENT_TYPE, content_type(format))], Body::from_stream(written)).into_response())
}

fn format(name: Option<&str>) -> Result<Format, Failure> {
    name.map_or(Ok(Format::ALL[0]), str::parse).map_err(|error| Failure::wrong(error.to_string()))
}

fn order(name: Option<&str>) -> Result<Order, Failure> {
    match name {
        None | Some("ascending") => Ok(Order::Ascending),
        Some("descending") => Ok(Order::Descending),
        Some(_) => Err(Failure::wrong("order must be ascending or descending")),
    }
}

fn content_type(format: Format) -> &'static str {
    match format {
        Format::Leetcode => "application/json",
        Format::Ndjson => "application/x-ndjson",
        _ => "text/plain; charset=utf-8",
    }
}

/// Writes deliveries as they come. A stream that was cut breaks the connection, so that nobody takes it for the whole.
fn text(
    driver: Handle,
    deliveries: mpsc::Receiver<Delivery>,
    format: Format,
    size: Size,
    first_index: u64,
) -> impl futures_util::Stream<Item = io::Result<Bytes>> + Send {
    let mut writer = BoardWriter::new(format, size, first_index);
    let mut begun = Vec::new();
    writer.begin(&mut begun);
    stream::unfold(Some((deliveries, writer, begun)), move |state| {
        let driver = driver.clone();
        async move {
            let (mut deliveries, mut writer, mut text) = state?;
            match deliveries.recv().await {
                Some(Delivery::Boards { boards, .. }) => {
                    // Taking these made room for more.
                    driver.tell(Ask::BoardsRead).await;
                    writer.boards(&boards, &mut text);
                    Some((Ok(text.into()), Some((deliveries, writer, Vec::new()))))
                }
                Some(Delivery::End) => {
                    writer.end(&mut text);
                    Some((Ok(text.into()), None))
                }
                None => Some((Err(io::Error::other("the boards were cut before the last")), None)),
            }
        }
    })
}

impl Web {
    /// Returns the board at `index`: the column of the queen of each row. `None` if the run has no such board.
    pub(super) async fn board(&self, run: scheduler::RunId, index: u64) -> Result<Option<Bytes>, Failure> {
        let request = BoardsRequest { run, order: Order::Ascending, offset: index, limit: Some(1) };
        let mut deliveries = self.driver.ask(|reply| Ask::Boards(request, reply)).await?;
        match deliveries.recv().await {
            Some(Delivery::Boards { boards, .. }) => Ok(Some(boards)),
            Some(Delivery::End) => Ok(None),
            None => Err(Failure::busy("the board could not be read; try again")),
        }
    }
}
