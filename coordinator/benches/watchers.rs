//! What many watchers of one run cost it: processor time that the kernel does not get, and memory.
//!
//! `cargo bench -p coordinator --bench watchers -- [WATCHERS [SECONDS]]` lets the coordinator, a worker and its one kernel
//! thread share one processor, and the watchers have another. It looks at them for so many seconds each: without watchers,
//! with watchers of `WatchRun`, with as many readers of `/api/v1/runs/1/events`, and with watchers of both kinds that read
//! nothing. All of it in one process, on Linux only: the processor times of the threads are read from /proc.

use std::{
    fs,
    num::NonZeroUsize,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    thread::sleep,
    time::{Duration, Instant},
};

use coordinator::{Coordinator, Settings};
use nqueens_proto::v1::{self, run_service_client::RunServiceClient};
use queens::kernel::Kernel;
use rustix::thread::{CpuSet, sched_setaffinity};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::{Builder, Runtime},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;
use tonic::transport::Channel;
use worker::{Config, Pool, Stop};

#[path = "../tests/cluster/raw.rs"]
mod raw;

/// What the run counts; long enough for all of this.
const N: u32 = 23;
/// How long watchers that came have to settle.
const SETTLE: Duration = Duration::from_secs(5);

/// Updates that watchers got.
static UPDATES: AtomicU64 = AtomicU64::new(0);

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let quick = cfg!(debug_assertions);
    let watchers = numbers.first().copied().unwrap_or(if quick { 10 } else { 1000 });
    let span = Duration::from_secs(numbers.get(1).copied().unwrap_or(if quick { 1 } else { 30 }));
    stay_on(0);
    let cluster = Cluster::start();
    stay_on(1);
    let clients = runtime("client", 1);
    let run_id = clients.block_on(cluster.create());
    // The thread that made the plan has ended by then.
    sleep(3 * SETTLE);
    look("no watchers", span);
    for (name, kind) in [
        ("that follow WatchRun", Kind::Calls),
        ("that read events", Kind::Events),
        ("that read nothing, half of each kind", Kind::Silent),
    ] {
        let mut watching = JoinSet::new();
        for place in 0..watchers {
            watching.spawn_on(cluster.watch(run_id, kind, place), clients.handle());
        }
        sleep(SETTLE);
        look(&format!("{watchers} {name}"), span);
        clients.block_on(watching.shutdown());
        sleep(SETTLE);
    }
    look("none again", span);
    // The rest of the run is of no interest.
    std::process::exit(0);
}

/// Lets this thread, and those that it starts from now on, run on one processor only.
fn stay_on(processor: usize) {
    let mut set = CpuSet::new();
    set.set(processor % std::thread::available_parallelism().map_or(1, NonZeroUsize::get));
    if let Err(error) = sched_setaffinity(None, &set) {
        eprintln!("threads stay where they are: {error}");
    }
}

fn runtime(name: &str, threads: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(threads).thread_name(name).enable_all().build().unwrap()
}

/// A coordinator and a worker with one kernel thread, on threads of their own.
struct Cluster {
    grpc: String,
    http: String,
    _serving: Runtime,
    _working: Runtime,
}

/// How a watcher watches.
#[derive(Clone, Copy)]
enum Kind {
    Calls,
    Events,
    Silent,
}

impl Cluster {
    fn start() -> Self {
        let serving = runtime("serve", 2);
        let bind = || serving.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let (listener, web) = (bind(), bind());
        let grpc = listener.local_addr().unwrap().to_string();
        let http = web.local_addr().unwrap().to_string();
        let coordinator = Coordinator::open(Settings::default()).unwrap().with_http(web);
        serving.spawn(coordinator.serve(listener, CancellationToken::new()));
        let working = runtime("work", 1);
        let pool = Pool::threads(NonZeroUsize::MIN, Kernel::best()).unwrap();
        let config = Config::new("one".into(), "here".into(), NonZeroUsize::MIN, Kernel::best());
        let dial = worker::client::endpoint(&format!("http://{grpc}")).unwrap();
        working.spawn(worker::run(config, dial, pool, Stop::default()));
        Self { grpc, http, _serving: serving, _working: working }
    }

    async fn runs(&self) -> RunServiceClient<Channel> {
        let channel = Channel::from_shared(format!("http://{}", self.grpc)).unwrap().connect().await;
        RunServiceClient::new(channel.unwrap())
    }

    async fn create(&self) -> u64 {
        let request =
            v1::CreateRunRequest { n: N, goal: v1::Goal::Count.into(), ..v1::CreateRunRequest::default() };
        self.runs().await.create_run(request).await.unwrap().into_inner().run.unwrap().run_id
    }

    /// Watches a run, for ever, over a connection of its own.
    fn watch(&self, run_id: u64, kind: Kind, place: u64) -> impl Future<Output = ()> + Send + 'static {
        let (grpc, http) = (self.grpc.clone(), self.http.clone());
        let get = format!("GET /api/v1/runs/{run_id}/events HTTP/1.1\r\nhost: {http}\r\n\r\n").into_bytes();
        async move {
            match kind {
                Kind::Calls => follow(&grpc, run_id).await,
                Kind::Events => ask(&http, &get, true).await,
                Kind::Silent if place.is_multiple_of(2) => ask(&grpc, &raw::watch_run(run_id), false).await,
                Kind::Silent => ask(&http, &get, false).await,
            }
        }
    }
}

async fn follow(grpc: &str, run_id: u64) {
    let channel = Channel::from_shared(format!("http://{grpc}")).unwrap().connect().await.unwrap();
    let request = v1::WatchRunRequest { run_id };
    let mut updates = RunServiceClient::new(channel).watch_run(request).await.unwrap().into_inner();
    while updates.message().await.unwrap().is_some() {
        UPDATES.fetch_add(1, Relaxed);
    }
}

async fn ask(address: &str, request: &[u8], reads: bool) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut buffer = [0; 4096];
    while reads && stream.read(&mut buffer).await.unwrap() > 0 {
        UPDATES.fetch_add(1, Relaxed);
    }
    std::future::pending::<()>().await;
}

/// Looks at the threads for so long and says what they did.
fn look(what: &str, span: Duration) {
    let (begun, before) = (Instant::now(), Costs::now());
    UPDATES.store(0, Relaxed);
    sleep(span);
    let wall_ns = begun.elapsed().as_nanos() as f64;
    let (now, updates) = (Costs::now(), UPDATES.load(Relaxed) as f64 / wall_ns * 1e9);
    let [kernel, coordinator, rest, clients] = [
        now.kernel_ns - before.kernel_ns,
        now.coordinator_ns - before.coordinator_ns,
        now.worker_ns - before.worker_ns,
        now.client_ns - before.client_ns,
    ]
    .map(|ns| ns / wall_ns * 100.0);
    println!(
        "{what}: kernel {kernel:.2}% of its processor, coordinator {coordinator:.2}%, worker {rest:.2}%; \
         of those three the kernel {:.2}%; clients {clients:.1}% of theirs; {updates:.0} updates a second; {} kB with the clients",
        kernel / (kernel + coordinator + rest) * 100.0,
        memory_kb(),
    );
}

/// Processor time so far, in nanoseconds.
struct Costs {
    kernel_ns: f64,
    coordinator_ns: f64,
    worker_ns: f64,
    client_ns: f64,
}

impl Costs {
    fn now() -> Self {
        Self {
            kernel_ns: ran_ns("slot-0"),
            coordinator_ns: ran_ns("serve") + ran_ns("driver"),
            worker_ns: ran_ns("work"),
            client_ns: ran_ns("client"),
        }
    }
}

/// Returns how long the threads of this name have run.
fn ran_ns(name: &str) -> f64 {
    let threads = fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let named = threads.filter(|thread| read(thread.join("comm")).trim() == name);
    let ran = named.map(|thread| read(thread.join("schedstat")));
    ran.filter_map(|stat| stat.split(' ').next()?.parse::<f64>().ok()).sum()
}

/// Returns the memory that this program has, in kilobytes.
fn memory_kb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
