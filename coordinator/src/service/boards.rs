//! A stream of boards on its way to a client.

use futures_util::stream;
use nqueens_proto::v1;
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tonic::Status;

use crate::{
    driver::{Handle, Request as Ask},
    listing::Delivery,
};

/// Turns deliveries into responses. A stream that was cut ends with an error, so that nobody takes it for the whole.
pub(super) fn responses(
    driver: Handle,
    deliveries: mpsc::Receiver<Delivery>,
) -> impl Stream<Item = Result<v1::StreamBoardsResponse, Status>> + Send {
    stream::unfold(Some(deliveries), move |deliveries| {
        let driver = driver.clone();
        async move {
            let mut deliveries = deliveries?;
            match deliveries.recv().await {
                Some(Delivery::Boards { first_index, boards }) => {
                    // Taking these made room for more.
                    driver.tell(Ask::BoardsRead).await;
                    Some((Ok(v1::StreamBoardsResponse { first_index, boards }), Some(deliveries)))
                }
                Some(Delivery::End) => None,
                None => Some((Err(cut()), None)),
            }
        }
    })
}

fn cut() -> Status {
    Status::unavailable(
        "the stream was cut before the last board, since the run was cancelled or the coordinator is stopping; ask again with an offset",
    )
}
