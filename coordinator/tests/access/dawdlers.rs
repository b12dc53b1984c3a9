//! Those who begin a handshake and do not end it, by the thousand.

use std::time::Duration;

use coordinator::Limits;
use futures_util::StreamExt;
use nqueens_proto::{
    PROTOCOL,
    v1::{Hello, WorkRequest, work_request, worker_service_client::WorkerServiceClient},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::watch,
    task::JoinHandle,
    time::{sleep, timeout},
};
use tonic::Code;

use crate::{
    ask::{Answer, Call, Caller, PATIENCE},
    cluster::{Cluster, Wants},
    log,
    material::VIEWER,
};

/// The beginning of a ClientHello of 512 bytes.
const HALF_OPEN: [u8; 9] = [22, 3, 1, 2, 0, 1, 0, 1, 252];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_of_them_hold_nobody_up() {
    let _together = log::together().await;
    let limits = Limits { handshake_timeout: Duration::from_secs(3600), ..Limits::default() };
    let cluster = Cluster::with(Wants::TokenOverTls, limits).await;
    let dawdlers = dawdlers(&cluster, 1000).await;
    let viewer = Caller { token: Some(VIEWER.to_owned()), pair: None };
    assert_eq!(cluster.over_grpc(&viewer, Call::Read).await, Answer::In);
    assert_eq!(cluster.over_http(&viewer, Call::Read).await, Answer::In);
    assert!(dawdlers.iter().all(|dawdler| !dawdler.is_finished()), "they are still there");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn they_are_cut_in_the_end() {
    let _together = log::together().await;
    let limits = Limits { handshake_timeout: Duration::from_secs(1), ..Limits::default() };
    let cluster = Cluster::with(Wants::TokenOverTls, limits).await;
    for dawdler in dawdlers(&cluster, 30).await {
        timeout(PATIENCE, dawdler).await.expect("it is cut").unwrap();
    }
}

/// Begins so many handshakes, on both ports in turn. Each is told when it is cut.
async fn dawdlers(cluster: &Cluster, count: usize) -> Vec<JoinHandle<()>> {
    let mut dawdlers = Vec::new();
    for place in 0..count {
        let port = if place % 2 == 0 { cluster.grpc } else { cluster.http };
        let (mut near, mut far) = TcpStream::connect(("127.0.0.1", port)).await.unwrap().into_split();
        dawdlers.push(tokio::spawn(async move {
            // A third says nothing, a third half a sentence, and a third goes on byte by byte.
            if place % 3 > 0 {
                far.write_all(&HALF_OPEN).await.unwrap();
            }
            while place % 3 == 2 && far.write_all(&[0]).await.is_ok() {
                sleep(Duration::from_millis(500)).await;
            }
            // A reset is as good as an end.
            let _ = near.read_to_end(&mut Vec::new()).await;
            drop(far);
        }));
    }
    dawdlers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_address_has_so_many_connections_and_calls() {
    let _together = log::together().await;
    let limits = Limits { connections_per_peer: 2, ..Limits::default() };
    let cluster = Cluster::with(Wants::Nothing, limits).await;
    let held = [cluster.channel(&Caller::default()).await, cluster.channel(&Caller::default()).await];
    assert_eq!(cluster.over_grpc(&Caller::default(), Call::Read).await, Answer::NoConnection);
    drop(held);
    while cluster.over_grpc(&Caller::default(), Call::Read).await != Answer::In {
        sleep(Duration::from_millis(20)).await;
    }
    let cluster = Cluster::with(Wants::Nothing, Limits { calls_per_peer: 1, ..Limits::default() }).await;
    let mut health = tonic_health::pb::health_client::HealthClient::new(
        cluster.channel(&Caller::default()).await.unwrap(),
    );
    // An answer without an end.
    let watched = health.watch(tonic_health::pb::HealthCheckRequest::default()).await.unwrap();
    let answer = cluster.http(&Caller::default(), "GET", "/api/v1/cluster", "").await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.0 429"), "{answer}");
    let status = health.check(tonic_health::pb::HealthCheckRequest::default()).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    drop(watched);
    let open =
        async || cluster.http(&Caller::default(), "GET", "/api/v1/cluster", "").await.expect("an answer");
    while !open().await.starts_with("HTTP/1.0 200") {
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn there_are_so_many_sessions() {
    let _together = log::together().await;
    let cluster = Cluster::with(Wants::Nothing, Limits { sessions: 1, ..Limits::default() }).await;
    let mut client = WorkerServiceClient::new(cluster.channel(&Caller::default()).await.unwrap());
    let hello = Hello { protocol: PROTOCOL, instance: vec![1; 16], threads: 1, ..Hello::default() };
    let hello = WorkRequest { message: Some(work_request::Message::Hello(hello)) };
    let (until, leaves) = watch::channel(false);
    let says = || {
        let mut leaves = leaves.clone();
        let silence = async move { drop(leaves.wait_for(|leaves| *leaves).await) };
        let silence = tokio_stream::pending().take_until(Box::pin(silence));
        tokio_stream::once(hello.clone()).chain(silence)
    };
    let mut first = client.work(says()).await.unwrap().into_inner();
    assert!(first.message().await.unwrap().is_some(), "it is welcome");
    assert_eq!(client.work(says()).await.unwrap_err().code(), Code::ResourceExhausted);
    until.send(true).unwrap();
    let again = async {
        while client.work(says()).await.is_err() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, again).await.expect("there is room again");
}
