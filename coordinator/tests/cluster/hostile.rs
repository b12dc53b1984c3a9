//! Clients that mean harm, or behave as if they did: each is refused, and a cluster beside them goes on working.

use std::time::Duration;

use coordinator::{LedgerPlace, Settings};
use nqueens_proto::{
    PROTOCOL,
    v1::{
        BoardChunk, Capacity, CreateRunRequest, Goal, Hello, WorkRequest, work_request::Message,
        worker_service_client::WorkerServiceClient,
    },
};
use queens::{Size, known};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tokio_stream::StreamExt;
use tonic::{
    Code, Status,
    codegen::{Service, http},
    transport::Channel,
};

use crate::cluster::{Cluster, settings};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Shows that the cluster still works: an honest worker, a count, the right answer.
async fn still_works(cluster: &Cluster) {
    let worker = cluster.work("honest", 1);
    let run = cluster.create(9, Goal::Count).await;
    let known = known::total(Size::new(9).unwrap()).unwrap();
    assert_eq!(cluster.answer(run).await.0, known.to_string());
    worker.drain().await;
}

/// SplitMix64, for bytes that make no sense.
fn nonsense(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (z ^ (z >> 27)) as u8
    };
    (0..len).map(|_| next()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn random_bytes_end_their_connection_and_nothing_else() {
    let cluster = Cluster::start().await;
    for seed in 0..100 {
        let mut stream = TcpStream::connect(&cluster.address).await.unwrap();
        let mut bytes = nonsense(seed, 1 + 37 * seed as usize);
        if seed % 3 == 0 {
            // Some know how to begin.
            bytes.splice(0..0, *b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        }
        // The other side may have closed already.
        let _ = stream.write_all(&bytes).await;
        let _ = stream.shutdown().await;
        let mut rest = Vec::new();
        let closed = timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
        assert!(closed.is_ok(), "the connection with seed {seed} stays open");
    }
    still_works(&cluster).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn half_open_connections_harm_nobody_and_do_not_hold_up_the_end() {
    let cluster = Cluster::with(
        Settings { stop_timeout: Duration::from_millis(300), ..settings(LedgerPlace::Memory) },
        "127.0.0.1:0",
    );
    let cluster = cluster.await;
    let mut silent = Vec::new();
    for number in 0..300 {
        let mut stream = TcpStream::connect(&cluster.address).await.unwrap();
        let beginning = &b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..number % 25];
        stream.write_all(beginning).await.unwrap();
        silent.push(stream);
    }
    still_works(&cluster).await;
    timeout(PATIENCE, cluster.stop()).await.expect("silent clients hold up the end");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_of_100_mb_is_refused() {
    let cluster = Cluster::start().await;
    let huge = CreateRunRequest { request_id: "x".repeat(100 << 20), n: 8, ..CreateRunRequest::default() };
    let refused = cluster.runs().await.create_run(huge).await.unwrap_err();
    assert!(matches!(refused.code(), Code::OutOfRange | Code::ResourceExhausted), "{refused}");
    let chunk = BoardChunk { listing_id: 1, boards: vec![0; 100 << 20].into(), last: true };
    let refused = session(&cluster, vec![Message::Hello(hello(0)), Message::BoardChunk(chunk)]).await;
    assert!(refused.is_err());
    still_works(&cluster).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_only_claims_to_be_huge_takes_no_memory() {
    let cluster = Cluster::start().await;
    // A gRPC message begins with a flag and its length; this one says two gigabytes.
    let body = "\0\x7f\x7f\x7f\x7fand then little".to_owned();
    let request = http::Request::post(format!("{}/nqueens.v1.RunService/CreateRun", cluster.url()))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(tonic::body::Body::new(body))
        .unwrap();
    let mut channel = Channel::from_shared(cluster.url()).unwrap().connect().await.unwrap();
    let ready =
        std::future::poll_fn(|cx| Service::<http::Request<tonic::body::Body>>::poll_ready(&mut channel, cx));
    ready.await.unwrap();
    let refused = channel.call(request).await.unwrap();
    let status = refused.headers().get("grpc-status").expect("a status instead of an answer");
    assert_eq!(status, &(Code::OutOfRange as i32).to_string());
    still_works(&cluster).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_opens_a_session_and_says_nothing_is_sent_away() {
    let settings = Settings { hello_timeout: Duration::from_millis(100), ..settings(LedgerPlace::Memory) };
    let cluster = Cluster::with(settings, "127.0.0.1:0").await;
    let refused = session(&cluster, vec![]).await.unwrap_err();
    assert_eq!(refused.code(), Code::DeadlineExceeded, "{refused}");
    still_works(&cluster).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_idle_sessions_leave_room_for_work() {
    let cluster = Cluster::start().await;
    let mut sessions = Vec::new();
    for connection in 0..5 {
        let channel = Channel::from_shared(cluster.url()).unwrap().connect().await.unwrap();
        for place in 0..200 {
            let mut client = WorkerServiceClient::new(channel.clone());
            let first =
                [Message::Hello(hello(1000 * connection + place)), Message::Capacity(Capacity { jobs: 0 })];
            let said = tokio_stream::iter(first.map(|message| WorkRequest { message: Some(message) }));
            sessions.push(client.work(said.chain(tokio_stream::pending())).await.unwrap());
        }
    }
    still_works(&cluster).await;
    assert_eq!(sessions.len(), 1000);
}

fn hello(number: u64) -> Hello {
    let mut instance = vec![9; 16];
    instance[..8].copy_from_slice(&number.to_le_bytes());
    Hello {
        protocol: PROTOCOL,
        instance,
        name: "idle".to_owned(),
        threads: 1,
        kernel: "scalar".to_owned(),
        ..Hello::default()
    }
}

/// Says all of this in one session and returns how the session ended.
async fn session(cluster: &Cluster, messages: Vec<Message>) -> Result<(), Status> {
    let mut client = WorkerServiceClient::connect(cluster.url()).await.unwrap();
    let messages = messages.into_iter().map(|message| WorkRequest { message: Some(message) });
    let said = tokio_stream::iter(messages).chain(tokio_stream::pending());
    let ended = async {
        let mut heard = client.work(said).await?.into_inner();
        while heard.message().await?.is_some() {}
        Ok(())
    };
    timeout(PATIENCE, ended).await.expect("the session does not end")
}
