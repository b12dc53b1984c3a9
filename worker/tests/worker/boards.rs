//! Listings: boards in order, and never more than there is credit for.

use nqueens_proto::{v1, v1::work_response::Message};
use queens::{
    Size,
    enumerate::{Boards, Order},
};

use crate::{
    any_jobs, config,
    coordinator::{Coordinator, Session},
    gate::Gate,
    real_pool, start,
};

fn listing(listing_id: u64, credit: u32) -> v1::Listing {
    v1::Listing {
        listing_id,
        n: 8,
        prefix: None,
        order: v1::Order::Ascending.into(),
        skip: 0,
        chunk_boards: 10,
        credit,
    }
}

fn all_boards(order: Order) -> Vec<u8> {
    let mut boards = Vec::new();
    Boards::under(Size::new(8).unwrap(), &[], order).unwrap().append_to(&mut boards, 1000);
    assert_eq!(boards.len(), 92 * 8);
    boards
}

async fn all_chunks(session: &mut Session) -> Vec<u8> {
    let mut boards = Vec::new();
    loop {
        let chunk = session.chunk().await;
        assert!(chunk.boards.len() <= 80);
        boards.extend_from_slice(&chunk.boards);
        if chunk.last {
            return boards;
        }
        session.say(Message::Credit(v1::Credit { listing_id: chunk.listing_id, chunks: 1 })).await;
    }
}

#[tokio::test]
async fn boards_come_in_order_and_from_where_they_are_wanted() {
    let mut coordinator = Coordinator::start().await;
    let _worker = start(config(), &coordinator.uri(), real_pool());
    let mut session = coordinator.session().await;
    session.say(Message::Listing(listing(1, 1))).await;
    assert_eq!(all_chunks(&mut session).await, all_boards(Order::Ascending));
    let descending = v1::Listing { order: v1::Order::Descending.into(), skip: 90, ..listing(2, 3) };
    session.say(Message::Listing(descending)).await;
    assert_eq!(all_chunks(&mut session).await, all_boards(Order::Descending)[90 * 8..]);
    let prefix = Some(v1::Prefix::of_first_rows(Size::new(8).unwrap(), &[7]));
    session.say(Message::Listing(v1::Listing { prefix, ..listing(3, 3) })).await;
    assert_eq!(all_chunks(&mut session).await, all_boards(Order::Ascending)[88 * 8..]);
}

#[tokio::test]
async fn no_chunk_comes_without_credit_and_listings_take_turns() {
    let mut coordinator = Coordinator::start().await;
    let _worker = start(config(), &coordinator.uri(), real_pool());
    let mut session = coordinator.session().await;
    session.say(Message::Listing(listing(1, 2))).await;
    assert_eq!(session.chunk().await.listing_id, 1);
    assert_eq!(session.chunk().await.listing_id, 1);
    // All of another listing goes by, and the first does not stir.
    session.say(Message::Listing(listing(2, 10))).await;
    for _ in 0..10 {
        assert_eq!(session.chunk().await.listing_id, 2);
    }
    session.say(Message::Credit(v1::Credit { listing_id: 1, chunks: 1 })).await;
    let third = session.chunk().await;
    assert_eq!((third.listing_id, &third.boards[..]), (1, &all_boards(Order::Ascending)[160..240]));
}

#[tokio::test]
async fn a_stopped_listing_is_silent() {
    let mut coordinator = Coordinator::start().await;
    let _worker = start(config(), &coordinator.uri(), real_pool());
    let mut session = coordinator.session().await;
    session.say(Message::Listing(listing(1, 1))).await;
    session.chunk().await;
    session.say(Message::StopListing(v1::StopListing { listing_id: 1 })).await;
    session.say(Message::Credit(v1::Credit { listing_id: 1, chunks: 5 })).await;
    session.say(Message::Listing(listing(2, 5))).await;
    for _ in 0..5 {
        assert_eq!(session.chunk().await.listing_id, 2);
    }
}

#[tokio::test]
async fn a_new_session_knows_nothing_of_the_listings_of_the_last() {
    let mut coordinator = Coordinator::start().await;
    let _worker = start(config(), &coordinator.uri(), real_pool());
    let mut session = coordinator.session().await;
    session.say(Message::Listing(listing(1, 1))).await;
    session.chunk().await;
    drop(session);
    let mut session = coordinator.session().await;
    session.say(Message::Listing(listing(1, 1))).await;
    assert_eq!(all_chunks(&mut session).await, all_boards(Order::Ascending));
}

#[tokio::test]
async fn someone_who_waits_for_boards_goes_before_jobs() {
    let mut coordinator = Coordinator::start().await;
    let (mut gate, pool) = Gate::pool(1);
    let _worker = start(config(), &coordinator.uri(), pool);
    let mut session = coordinator.session().await;
    session.lend(1, 8, any_jobs(0..2)).await;
    assert_eq!(gate.begun().await, 0);
    session.say(Message::Listing(listing(1, 1))).await;
    // An answer to this shows that the worker has heard what came before.
    session.revoke(1, vec![1], false).await;
    session.handed_back().await;
    session.lend(1, 8, any_jobs([2])).await;
    gate.open([0]);
    assert_eq!(session.chunk().await.listing_id, 1);
    assert_eq!(gate.begun().await, 2);
}
