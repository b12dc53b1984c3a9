//! Drains: finish what is begun, hand back the rest, deliver everything, leave.

use std::time::Duration;

use nqueens_proto::{v1, v1::work_response::Message};
use worker::Error;

use crate::{SHORT, any_jobs, config, coordinator::Coordinator, gate::Gate, start};

#[tokio::test]
async fn a_drain_hands_back_what_waits_and_delivers_what_is_begun() {
    let mut coordinator = Coordinator::start().await;
    let (mut gate, pool) = Gate::pool(1);
    let (stop, worker) = start(config(), &coordinator.uri(), pool);
    let mut session = coordinator.session().await;
    assert_eq!(session.capacity().await, 65_536);
    session.lend(1, 8, any_jobs(0..4)).await;
    assert_eq!(gate.begun().await, 0);
    stop.drain.cancel();
    assert_eq!(session.handed_back().await.indices, [1, 2, 3]);
    // A lease that crossed the drain on its way goes back too.
    session.lend(1, 8, any_jobs([4])).await;
    assert_eq!(session.handed_back().await.indices, [4]);
    gate.open([0]);
    let results = session.results().await;
    assert_eq!(results.results.len(), 1);
    assert!(!worker.is_finished(), "the result is not acknowledged");
    session.acknowledge(results.batch).await;
    session.rest().await;
    drop(session);
    worker.await.unwrap().unwrap();
}

#[tokio::test]
async fn the_coordinator_can_ask_for_a_drain() {
    let mut coordinator = Coordinator::start().await;
    let (mut gate, pool) = Gate::pool(1);
    let (_, worker) = start(config(), &coordinator.uri(), pool);
    let mut session = coordinator.session().await;
    session.lend(1, 8, any_jobs(0..2)).await;
    assert_eq!((session.capacity().await, gate.begun().await), (65_536, 0));
    session.say(Message::Drain(v1::Drain {})).await;
    let mut said = Vec::new();
    said.push(format!("{:?}", session.hear_only(not_a_heartbeat).await));
    said.push(format!("{:?}", session.hear_only(not_a_heartbeat).await));
    assert!(said.iter().any(|said| said.contains("Capacity { jobs: 0 }")), "{said:?}");
    assert!(said.iter().any(|said| said.contains("indices: [1]")), "{said:?}");
    gate.open([0]);
    session.take_results(1).await;
    session.rest().await;
    drop(session);
    worker.await.unwrap().unwrap();
}

fn not_a_heartbeat(said: v1::work_request::Message) -> Option<v1::work_request::Message> {
    (!matches!(said, v1::work_request::Message::Heartbeat(_))).then_some(said)
}

#[tokio::test]
async fn what_fits_in_the_grace_time_is_finished() {
    let mut coordinator = Coordinator::start().await;
    let (mut gate, pool) = Gate::pool(1);
    let mut config = config();
    config.grace = Duration::from_secs(3600);
    let (stop, worker) = start(config, &coordinator.uri(), pool);
    let mut session = coordinator.session().await;
    session.lend(1, 8, any_jobs(0..5)).await;
    gate.open([0]);
    session.take_results(1).await;
    assert_eq!((gate.begun().await, gate.begun().await), (0, 1));
    stop.drain.cancel();
    assert_eq!(session.capacity().await, 0);
    gate.open(0..5);
    assert_eq!(session.take_results(4).await.len(), 4);
    session.rest().await;
    drop(session);
    worker.await.unwrap().unwrap();
}

#[tokio::test]
async fn after_the_grace_time_begun_jobs_go_back_too() {
    let mut coordinator = Coordinator::start().await;
    let (mut gate, pool) = Gate::pool(1);
    let mut config = config();
    config.grace = SHORT;
    let (stop, worker) = start(config, &coordinator.uri(), pool);
    let mut session = coordinator.session().await;
    session.lend(1, 8, any_jobs(0..2)).await;
    assert_eq!(gate.begun().await, 0);
    stop.drain.cancel();
    assert_eq!(session.handed_back().await.indices, [1]);
    assert_eq!(session.handed_back().await.indices, [0]);
    session.rest().await;
    drop(session);
    worker.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_drain_delivers_through_an_outage() {
    let mut coordinator = Coordinator::start().await;
    let (mut gate, pool) = Gate::pool(1);
    let (stop, worker) = start(config(), &coordinator.uri(), pool);
    let session = coordinator.session().await;
    session.lend(1, 8, any_jobs(0..3)).await;
    assert_eq!(gate.begun().await, 0);
    drop(session);
    // Its hello is heard and not answered, so it has no session when the drain begins.
    let _unanswered = coordinator.hello().await;
    stop.drain.cancel();
    let mut session = coordinator.session().await;
    assert_eq!(session.hello.held, [v1::JobSet { run_id: 1, indices: vec![0, 1, 2] }]);
    assert_eq!(session.handed_back().await.indices, [1, 2]);
    gate.open([0]);
    assert_eq!(session.take_results(1).await, [(0, 100)]);
    session.rest().await;
    drop(session);
    worker.await.unwrap().unwrap();
}

#[tokio::test]
async fn an_idle_worker_leaves_at_once() {
    let mut coordinator = Coordinator::start().await;
    let (_gate, pool) = Gate::pool(1);
    let (stop, worker) = start(config(), &coordinator.uri(), pool);
    let mut session = coordinator.session().await;
    stop.drain.cancel();
    session.rest().await;
    drop(session);
    worker.await.unwrap().unwrap();
}

#[tokio::test]
async fn without_a_coordinator_it_leaves_when_the_grace_time_is_over() {
    let mut coordinator = Coordinator::start().await;
    let (mut gate, pool) = Gate::pool(1);
    let mut config = config();
    config.grace = SHORT;
    let (stop, worker) = start(config, &coordinator.uri(), pool);
    let mut session = coordinator.session().await;
    session.lend(1, 8, any_jobs(0..2)).await;
    gate.open([0]);
    session.results().await;
    assert_eq!((gate.begun().await, gate.begun().await), (0, 1));
    coordinator.kill().await;
    drop(session);
    stop.drain.cancel();
    assert!(matches!(worker.await.unwrap(), Err(Error::Undelivered { results: 1 })));
}

#[tokio::test]
async fn a_worker_that_never_had_a_session_leaves_at_once() {
    let address = Coordinator::start().await.kill().await;
    let (_gate, pool) = Gate::pool(1);
    let (stop, worker) = start(config(), &format!("http://{address}"), pool);
    stop.drain.cancel();
    worker.await.unwrap().unwrap();
}
