//! Refusals, and coordinators that are not there.

use std::time::Duration;

use tokio::net::TcpListener;
use tonic::Status;
use worker::Error;

use crate::{SHORT, config, coordinator::Coordinator, gate::Gate, start};

#[tokio::test]
async fn a_refusal_is_final_and_gives_the_reason() {
    let refusals = [
        Status::failed_precondition("this coordinator speaks version 2; update the worker"),
        Status::unauthenticated("a token is needed"),
        Status::permission_denied("quarantined"),
        Status::invalid_argument("the instance must have 16 bytes"),
    ];
    for refusal in refusals {
        let coordinator = Coordinator::refusing(refusal.clone()).await;
        let (_gate, pool) = Gate::pool(1);
        let (_, worker) = start(config(), &coordinator.uri(), pool);
        let error = worker.await.unwrap().unwrap_err();
        assert!(matches!(&error, Error::Refused(reason) if reason == refusal.message()), "{error}");
    }
}

#[tokio::test]
async fn a_refusal_within_a_session_is_final_too() {
    let mut coordinator = Coordinator::start().await;
    let (_gate, pool) = Gate::pool(1);
    let (_, worker) = start(config(), &coordinator.uri(), pool);
    coordinator.session().await.fail(Status::permission_denied("quarantined")).await;
    assert!(matches!(worker.await.unwrap(), Err(Error::Refused(_))));
}

#[tokio::test]
async fn a_worker_that_was_accepted_once_comes_again_with_what_it_shows_then() {
    let mut coordinator = Coordinator::start().await;
    let (_gate, pool) = Gate::pool(1);
    let (stop, worker) = start(config(), &coordinator.uri(), pool);
    coordinator.session().await.fail(Status::unauthenticated("this token is no longer accepted")).await;
    let _again = coordinator.session().await;
    stop.now.cancel();
    assert!(matches!(worker.await.unwrap(), Err(Error::Stopped { .. })));
}

#[tokio::test]
async fn nobody_at_the_address_is_given_up_after_the_time_that_was_set() {
    let address = Coordinator::start().await.kill().await;
    let (_gate, pool) = Gate::pool(1);
    let mut config = config();
    let patience = Duration::from_millis(500);
    config.connect_timeout = Some(patience);
    let (_, worker) = start(config, &format!("http://{address}"), pool);
    let error = worker.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::GaveUp { waited, .. } if waited == patience), "{error}");
    assert!(error.to_string().contains("refused"), "{error}");
}

#[tokio::test]
async fn so_is_one_that_never_answers() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (_gate, pool) = Gate::pool(1);
    let mut config = config();
    config.connect_timeout = Some(SHORT);
    let (_, worker) = start(config, &format!("http://{}", silent.local_addr().unwrap()), pool);
    assert!(matches!(worker.await.unwrap(), Err(Error::GaveUp { .. })));
}
