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

use nqueens_proto::v1::Goal;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, Interest},
    net::{TcpSocket, TcpStream},
    time::{Instant, sleep, timeout},
};

use cluster::Cluster;

/// Watchers of each kind that read nothing.
const SILENT: u64 = 100;
/// What each may cost, in bytes.
const EACH_MAX: u64 = 200_000;
/// Far more than anything here takes.
const PATIENCE: Duration = Duration::from_secs(120);

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

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watchers_that_read_nothing_cost_little_and_are_cut() {
    let cluster = Cluster::start().await;
    let run = cluster.create(20, Goal::Count).await;
    let page = format!("GET /runs/{run}/live HTTP/1.1\r\nhost: {}\r\n\r\n", cluster.http);
    let sent = Arc::new(AtomicU64::new(0));
    tokio::spawn(count(connect(&cluster.http, page.as_bytes(), false).await, Arc::clone(&sent)));
    let before = memory();
    let (mut calls, mut pages) = (Vec::new(), Vec::new());
    for _ in 0..SILENT {
        calls.push(connect(&cluster.address, &raw::watch_run(run), false).await);
        pages.push(connect(&cluster.http, page.as_bytes(), true).await);
    }
    // A call whose client answers no ping is cut; until then, and until the pages would have filled any bound, memory is
    // looked at.
    let cut = tokio::spawn(async move {
        for call in &calls {
            while !call.ready(Interest::READABLE).await.unwrap().is_read_closed() {
                sleep(Duration::from_millis(100)).await;
            }
        }
    });
    let (bound, begun) = (2 * SILENT * EACH_MAX, Instant::now());
    while !cut.is_finished() || sent.load(Relaxed) * SILENT < 4 * bound {
        assert!(begun.elapsed() < PATIENCE, "{} bytes, {}", sent.load(Relaxed), cut.is_finished());
        let more = memory().saturating_sub(before);
        assert!(more < bound, "{more} bytes for {SILENT} watchers of each kind");
        sleep(Duration::from_millis(100)).await;
    }
    drop(pages);
    timeout(PATIENCE, cluster.stop()).await.expect("silent watchers do not hold up the end");
}
