//! Any bytes as any message of the wire: they are decoded or refused, and so is every conversion into the words of
//! `queens`.
//!
//! `cargo fuzz run messages -- -max_len=4096 -max_total_time=3600`

#![no_main]

use libfuzzer_sys::fuzz_target;
use nqueens_proto::v1::{self, work_response::Message};
use prost::Message as _;
use queens::{
    Position, Size,
    enumerate::{Boards, Order},
    split::Work,
};

fuzz_target!(|bytes: &[u8]| {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    match kind % 4 {
        0 => drop(v1::WorkRequest::decode(bytes)),
        1 => drop(v1::CreateRunRequest::decode(bytes)),
        2 => drop(v1::StreamBoardsRequest::decode(bytes).map(|request| Order::try_from(request.order()))),
        _ => to_worker(bytes),
    }
});

/// Does with a message to a worker what the worker does with it.
fn to_worker(bytes: &[u8]) {
    let Ok(v1::WorkResponse { message: Some(message) }) = v1::WorkResponse::decode(bytes) else { return };
    match message {
        Message::Lease(lease) => {
            let Ok(size) = Size::new(lease.n.into()) else { return };
            for job in &lease.jobs {
                if let Ok(Work::Complete(queens)) = job.work_on(size) {
                    // Queens may attack each other; that is found here and nowhere else.
                    drop(Position::with_queens(size, queens));
                }
            }
        }
        Message::Listing(listing) => {
            let Ok(size) = Size::new(listing.n.into()) else { return };
            let Some(Ok(prefix)) = listing.prefix.as_ref().map(|prefix| prefix.first_rows_on(size)) else {
                return;
            };
            if let Ok(order) = listing.order().try_into() {
                drop(Boards::under(size, &prefix, order));
            }
        }
        _ => {}
    }
}
