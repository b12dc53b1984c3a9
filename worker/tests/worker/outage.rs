//! Outages: a lost session loses nothing.

use nqueens_proto::{v1, v1::work_request::Message as Said, v1::work_response::Message};
use tonic::Status;
use worker::Error;

use crate::{any_jobs, config, coordinator::Coordinator, gate::Gate, start};

#[tokio::test]
async fn after_an_outage_the_worker_says_what_it_holds_and_delivers() {
    let mut coordinator = Coordinator::start().await;
    let (mut gate, pool) = Gate::pool(1);
    let _worker = start(config(), &coordinator.uri(), pool);
    let mut session = coordinator.session().await;
    session.lend(1, 8, any_jobs(0..2)).await;
    session.lend(2, 8, any_jobs(10..13)).await;
    gate.open([0]);
    let acknowledged = session.results().await;
    session.acknowledge(acknowledged.batch).await;
    gate.begun().await;
    assert_eq!(gate.begun().await, 1);
    gate.open([1]);
    let lost = session.results().await;
    assert_eq!(lost.results.len(), 1);
    drop(session);

    let mut session = coordinator.session().await;
    let held = |run_id, indices: &[u64]| v1::JobSet { run_id, indices: indices.to_vec() };
    // The acknowledged one is named only if its acknowledgement was lost with the session.
    assert_eq!(session.hello.held.last(), Some(&held(2, &[10, 11, 12])));
    assert!(session.hello.held[0].indices.ends_with(&[1]));
    assert!(matches!(session.hear().await, Said::Capacity(_)));
    let mut again = session.results().await;
    while again.batch != lost.batch {
        again = session.results().await;
    }
    assert_eq!(again, lost);
    session.acknowledge(again.batch).await;
    gate.open(10..13);
    assert_eq!(session.take_results(3).await, [(10, 110), (11, 111), (12, 112)]);
}

#[tokio::test]
async fn work_goes_on_while_the_coordinator_is_away() {
    let mut coordinator = Coordinator::start().await;
    let (mut gate, pool) = Gate::pool(1);
    let _worker = start(config(), &coordinator.uri(), pool);
    let session = coordinator.session().await;
    session.lend(1, 8, any_jobs(0..3)).await;
    assert_eq!(gate.begun().await, 0);
    session.say(Message::Shutdown(v1::Shutdown { reason: "back soon".to_owned() })).await;
    drop(session);
    gate.open(0..3);
    // Each begins although no session has been welcomed since.
    assert_eq!((gate.begun().await, gate.begun().await), (1, 2));
    let mut session = coordinator.session().await;
    assert_eq!(session.hello.held, [v1::JobSet { run_id: 1, indices: vec![0, 1, 2] }]);
    assert_eq!(session.take_results(3).await.len(), 3);
}

#[tokio::test]
async fn a_broken_session_is_tried_again_whatever_passing_status_ended_it() {
    let mut coordinator = Coordinator::start().await;
    let (_gate, pool) = Gate::pool(1);
    let _worker = start(config(), &coordinator.uri(), pool);
    for status in [Status::unavailable("x"), Status::cancelled("x"), Status::internal("x")] {
        coordinator.session().await.fail(status).await;
    }
    coordinator.session().await;
}

#[tokio::test]
async fn messages_that_make_no_sense_end_the_session_but_not_the_worker() {
    let listing = |n, squares| v1::Listing {
        listing_id: 1,
        n,
        prefix: Some(v1::Prefix { squares }),
        order: v1::Order::Ascending.into(),
        ..Default::default()
    };
    let nonsense = [
        Message::Welcome(v1::Welcome::default()),
        Message::Lease(v1::Lease { run_id: 1, n: 33, jobs: vec![] }),
        Message::Listing(listing(0, vec![])),
        Message::Listing(listing(8, vec![8])),
        Message::Listing(listing(8, vec![0, 8])),
        Message::Listing(v1::Listing { order: 99, ..listing(8, vec![]) }),
    ];
    for message in nonsense {
        let mut coordinator = Coordinator::start().await;
        let (_gate, pool) = Gate::pool(1);
        let (stop, _) = start(config(), &coordinator.uri(), pool);
        let mut session = coordinator.session().await;
        session.say(message).await;
        session.rest().await;
        coordinator.session().await;
        stop.now.cancel();
    }
}

#[tokio::test]
async fn told_to_stop_at_once_it_says_what_is_lost() {
    let mut coordinator = Coordinator::start().await;
    let (gate, pool) = Gate::pool(1);
    let (stop, worker) = start(config(), &coordinator.uri(), pool);
    let mut session = coordinator.session().await;
    session.lend(1, 8, any_jobs(0..2)).await;
    gate.open([0]);
    session.results().await;
    stop.now.cancel();
    assert!(matches!(worker.await.unwrap(), Err(Error::Stopped { results: 1 })));
}

#[tokio::test]
async fn what_is_held_for_another_ledger_is_forgotten() {
    let mut coordinator = Coordinator::start().await;
    let (mut gate, pool) = Gate::pool(1);
    let _worker = start(config(), &coordinator.uri(), pool);
    let mut session = coordinator.session_of(5).await;
    assert_eq!(session.hello.ledger_id, 0);
    session.lend(1, 8, any_jobs(0..2)).await;
    gate.open([0]);
    session.results().await;
    drop(session);

    // Job 1 of run 1 is another job there, and the one that a slot is at must not be taken for it.
    let mut session = coordinator.session_of(6).await;
    assert_eq!(session.hello.ledger_id, 5);
    session.lend(1, 8, any_jobs(1..2)).await;
    while gate.begun().await != 1 {}
    gate.open([1]);
    assert_eq!(gate.begun().await, 1, "the job of the new ledger is computed itself");
    gate.open([1]);
    let results = session.results().await.results;
    assert_eq!(results.iter().map(|result| result.index).collect::<Vec<_>>(), [1]);
}
