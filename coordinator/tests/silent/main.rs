//! Watchers that read nothing cost the coordinator bounded memory. A program of its own, since it looks at its memory.

#[path = "../cluster/cluster.rs"]
#[allow(dead_code)]
mod cluster;
#[path = "../cluster/raw.rs"]
mod raw;

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use nqueens_proto::{
    PROTOCOL,
    v1::{Goal, Hello, WorkRequest, work_request::Message, worker_service_client::WorkerServiceClient},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, Interest},
    net::{TcpSocket, TcpStream},
    time::{Instant, sleep, timeout},
};

use cluster::Cluster;

/// Watchers of each kind that read nothing.
const SILENT: u64 = 50;
/// What one of each kind may cost, in bytes.
const EACH_MAX: u64 = 2 << 20;
/// What each is to be sent before this is believed: a few megabytes of it wait in the system, and not in the coordinator.
const EACH_SENT: u64 = 8 << 20;
/// Workers that were there once, with long names, so that there is much to be told.
const WORKERS: u64 = 500;
/// Far more than anything here takes.
const PATIENCE: Duration = Duration::from_secs(240);

/// Opens a connection; if `narrow`, this side of it holds as little as the system allows.
async fn connect(address: &str, request: &[u8], narrow: bool) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    if narrow {
        socket.set_recv_buffer_size(1).unwrap();
    }
    let mut stream = socket.connect(address.parse().unwrap()).await.unwrap();
    stream.write_all(request).await.unwrap();
    stream
}

fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    1024 * line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
}

/// Counts the bytes that a watcher gets who reads.
async fn count(mut stream: TcpStream, bytes: Arc<AtomicU64>) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        bytes.fetch_add(read as u64, Relaxed);
    }
}

/// Lets workers come and go.
async fn visit(cluster: &Cluster) {
    let mut client = WorkerServiceClient::connect(cluster.url()).await.unwrap();
    for number in 1..=WORKERS {
        let hello = Hello {
            protocol: PROTOCOL,
            instance: [[0; 8], number.to_le_bytes()].concat(),
            name: "n".repeat(64),
            host: "h".repeat(255),
            threads: 1,
            kernel: "scalar".to_owned(),
            ..Hello::default()
        };
        let said = tokio_stream::iter([WorkRequest { message: Some(Message::Hello(hello)) }]);
        let mut heard = client.work(said).await.unwrap().into_inner();
        while heard.message().await.unwrap().is_some() {}
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watchers_that_read_nothing_cost_little_and_are_cut() {
    let cluster = Cluster::start().await;
    let run = cluster.create(20, Goal::Count).await;
    visit(&cluster).await;
    let events = format!("GET /api/v1/events HTTP/1.1\r\nhost: {}\r\n\r\n", cluster.http);
    let sent = Arc::new(AtomicU64::new(0));
    tokio::spawn(count(connect(&cluster.http, events.as_bytes(), false).await, Arc::clone(&sent)));
    let before = memory();
    let (mut calls, mut readers) = (Vec::new(), Vec::new());
    for _ in 0..SILENT {
        calls.push(connect(&cluster.address, &raw::watch_run(run), false).await);
        readers.push(connect(&cluster.http, events.as_bytes(), true).await);
    }
    // A call whose client answers no ping is cut.
    let cut = tokio::spawn(async move {
        for call in &calls {
            while !call.ready(Interest::READABLE).await.unwrap().is_read_closed() {
                sleep(Duration::from_millis(100)).await;
            }
        }
    });
    let (bound, begun) = (SILENT * EACH_MAX, Instant::now());
    while !cut.is_finished() || sent.load(Relaxed) < EACH_SENT {
        let state = format!("{} bytes sent, calls cut: {}", sent.load(Relaxed), cut.is_finished());
        assert!(begun.elapsed() < PATIENCE, "{state}");
        let more = memory().saturating_sub(before);
        assert!(more < bound, "{more} bytes for {SILENT} watchers of each kind; {state}");
        sleep(Duration::from_millis(100)).await;
    }
    drop(readers);
    timeout(PATIENCE, cluster.stop()).await.expect("silent watchers do not hold up the end");
}
