//! What a coordinator costs and carries: simulated workers, which answer at once with made-up results, over real gRPC
//! sessions on loopback, and a real ledger on a disk, where every commit is synced.
//!
//! `cargo bench -p coordinator --bench load -- [SESSIONS [RESULTS [N [DEPTH [SECONDS]]]]]` prints the rate of durable results, the processor time
//! that each costs the coordinator (its services, and its driver with scheduler and ledger) and memory; then it opens the
//! ledger again and exports the run. With MTLS=1 in the environment, all of it goes over mutual TLS. Processor times and memory are
//! read from /proc, so on Linux only.

mod mtls;

use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use coordinator::{Coordinator, LedgerPlace, Settings};
use mtls::Material;
use nqueens_proto::{PROTOCOL, v1};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
    sync::{Notify, mpsc},
    task::JoinHandle,
};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::{Status, transport::Channel};
use v1::{work_request::Message as Say, work_response::Message as Heard};

/// Results in one message, as a quick worker sends them.
const BATCH: usize = 1024;
/// What each result claims to have taken, in microseconds, unless SECONDS says otherwise.
const ELAPSED_US: u64 = 50;
/// Slots that each simulated worker claims to have.
const SLOTS: u32 = 16;

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let number = |place: usize, otherwise| numbers.get(place).copied().unwrap_or(otherwise);
    let results = number(1, if cfg!(debug_assertions) { 10_000 } else { 1_000_000 });
    let request = v1::CreateRunRequest {
        n: number(2, 24) as u32,
        depth: numbers.get(3).map_or(numbers.get(2).is_none().then_some(2), |&depth| Some(depth as u32)),
        goal: v1::Goal::Count.into(),
        ..v1::CreateRunRequest::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ledger.db");
    let clients = threads("client");
    let elapsed_us = numbers.get(4).map_or(ELAPSED_US, |seconds| seconds * 1_000_000);
    let crowd = Crowd { sessions: number(0, 4), results, elapsed_us };
    let before = fill(&file, &clients, crowd, request);
    read(&file, &clients, before);
}

fn threads(name: &str) -> Runtime {
    Builder::new_multi_thread().worker_threads(2).thread_name(name).enable_all().build().unwrap()
}

/// A coordinator on threads of its own.
struct Server {
    runtime: Runtime,
    address: String,
    material: Option<Material>,
    stop: CancellationToken,
    serving: JoinHandle<Result<(), coordinator::Error>>,
}

impl Server {
    fn start(ledger: &Path) -> Self {
        let runtime = threads("serve");
        let settings = Settings { ledger: LedgerPlace::File(ledger.to_owned()), ..Settings::default() };
        let mut coordinator = Coordinator::open(settings).unwrap();
        let material = std::env::var_os("MTLS").map(|_| Material::new());
        let mut scheme = "http";
        if let Some(material) = &material {
            coordinator = coordinator.with_access(material.access());
            scheme = "https";
        }
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = format!("{scheme}://localhost:{}", listener.local_addr().unwrap().port());
        let stop = CancellationToken::new();
        let serving = runtime.spawn(coordinator.serve(listener, stop.clone()));
        Self { runtime, address, material, stop, serving }
    }

    /// Connects as a caller with this role.
    async fn channel(&self, role: &str) -> Channel {
        let endpoint = Channel::from_shared(self.address.clone()).unwrap();
        match &self.material {
            Some(material) => endpoint.tls_config(material.caller(role)).unwrap().connect().await.unwrap(),
            None => endpoint.connect().await.unwrap(),
        }
    }

    async fn runs(&self) -> v1::run_service_client::RunServiceClient<Channel> {
        v1::run_service_client::RunServiceClient::new(self.channel("client").await)
    }

    fn stop(self) {
        self.stop.cancel();
        self.runtime.block_on(self.serving).unwrap().unwrap();
    }
}

/// The simulated workers, and what they do.
struct Crowd {
    sessions: u64,
    results: u64,
    elapsed_us: u64,
}

/// Results that were acknowledged, over all sessions.
struct Tally {
    acknowledged: AtomicU64,
    wanted: u64,
    reached: Notify,
}

impl Tally {
    fn add(&self, results: u64) {
        if self.acknowledged.fetch_add(results, Relaxed) + results >= self.wanted {
            self.reached.notify_one();
        }
    }
}

/// Lets so many sessions deliver the results of a run; returns how many the ledger has at least.
fn fill(file: &Path, clients: &Runtime, crowd: Crowd, request: v1::CreateRunRequest) -> u64 {
    let Crowd { sessions, results: wanted, elapsed_us } = crowd;
    let server = Server::start(file);
    let begun = Instant::now();
    let mut runs = clients.block_on(server.runs());
    let run = clients.block_on(runs.create_run(request)).unwrap().into_inner().run.unwrap();
    let jobs: u64 = run.plan.iter().map(|part| part.jobs).sum();
    println!("count {}: {jobs} jobs, created in {:.2?}", run.n, begun.elapsed());
    // Of a small plan, less than all: the two turns would come to nonsense.
    let tally = Tally { acknowledged: 0.into(), wanted: wanted.min(jobs / 10 * 9), reached: Notify::new() };
    let tally = Arc::new(tally);
    let (begun, before) = (Instant::now(), Costs::now());
    for place in 0..sessions {
        let channel = clients.block_on(server.channel("worker"));
        clients.spawn(work(channel, place, Arc::clone(&tally), elapsed_us));
    }
    clients.block_on(async {
        let reached = tally.reached.notified();
        tokio::pin!(reached);
        let mut every = tokio::time::interval(Duration::from_secs(10));
        every.tick().await;
        while tokio::time::timeout(Duration::from_secs(10), reached.as_mut()).await.is_err() {
            println!("  {} results, {} MB", tally.acknowledged.load(Relaxed), memory_mb("VmRSS:"));
        }
    });
    let (took, costs) = (begun.elapsed().as_secs_f64(), Costs::now().since(before));
    let done = tally.acknowledged.load(Relaxed);
    println!(
        "{sessions} sessions: {done} durable results in {took:.1} s, {:.0}/s; coordinator {:.2} us a result (services {:.2}, \
         driver {:.2}), clients {:.2}; {} MB with the clients, at most {}",
        done as f64 / took,
        (costs.serve_ns + costs.driver_ns) / 1e3 / done as f64,
        costs.serve_ns / 1e3 / done as f64,
        costs.driver_ns / 1e3 / done as f64,
        costs.client_ns / 1e3 / done as f64,
        memory_mb("VmRSS:"),
        memory_mb("VmHWM:"),
    );
    server.stop();
    done
}

/// Opens the ledger again, and exports the run.
fn read(file: &Path, clients: &Runtime, at_least: u64) {
    let bytes = fs::metadata(file).unwrap().len();
    let begun = Instant::now();
    let server = Server::start(file);
    println!("opened again in {:.2?}, {} MB with the clients", begun.elapsed(), memory_mb("VmRSS:"));
    let (begun, mut exported) = (Instant::now(), 0_u64);
    clients.block_on(async {
        let mut runs = server.runs().await;
        let request = v1::ExportLedgerRequest { run_id: 1 };
        let mut pages = runs.export_ledger(request).await.unwrap().into_inner();
        while let Some(page) = pages.message().await.unwrap() {
            exported += page.results.len() as u64;
        }
    });
    assert!(exported >= at_least, "{exported} results came back of {at_least} that were acknowledged");
    println!(
        "ledger: {exported} results, {:.1} bytes each, exported in {:.2?}, {} MB with the clients",
        bytes as f64 / exported as f64,
        begun.elapsed(),
        memory_mb("VmRSS:"),
    );
    server.stop();
}

/// Does as a worker does whose jobs take no time.
async fn work(channel: Channel, place: u64, tally: Arc<Tally>, elapsed_us: u64) -> Result<(), Status> {
    let (say, said) = mpsc::channel(64);
    let say = async |message| {
        let _ = say.send(v1::WorkRequest { message: Some(message) }).await;
    };
    say(hello(place)).await;
    let mut client = v1::worker_service_client::WorkerServiceClient::new(channel);
    let mut heard = client.work(ReceiverStream::new(said)).await?.into_inner();
    let (mut batch, mut waiting) = (0, VecDeque::new());
    while let Some(message) = heard.message().await? {
        match message.message {
            Some(Heard::Welcome(_)) => say(Say::Capacity(v1::Capacity { jobs: 65_536 })).await,
            Some(Heard::Lease(lease)) => {
                for jobs in lease.jobs.chunks(BATCH) {
                    batch += 1;
                    waiting.push_back(jobs.len() as u64);
                    say(answers(batch, lease.run_id, jobs, elapsed_us)).await;
                }
            }
            Some(Heard::Acknowledged(_)) => tally.add(waiting.pop_front().unwrap_or(0)),
            Some(Heard::Shutdown(_)) => break,
            _ => {}
        }
    }
    Ok(())
}

fn hello(place: u64) -> Say {
    let mut instance = vec![0; 16];
    instance[..8].copy_from_slice(&place.to_le_bytes());
    Say::Hello(v1::Hello {
        protocol: PROTOCOL,
        instance,
        name: format!("worker-{place}"),
        host: "here".to_owned(),
        threads: SLOTS,
        kernel: "scalar".to_owned(),
        version: "1".to_owned(),
        ..v1::Hello::default()
    })
}

fn answers(batch: u64, run_id: u64, jobs: &[v1::Job], elapsed_us: u64) -> Say {
    let result = |job: &v1::Job| v1::JobResult {
        run_id,
        index: job.index,
        count: 1_000_000_000 + job.index,
        elapsed_us,
        audit: false,
    };
    Say::Results(v1::Results { batch, results: jobs.iter().map(result).collect() })
}

/// Processor time so far, in nanoseconds.
#[derive(Clone, Copy)]
struct Costs {
    serve_ns: f64,
    driver_ns: f64,
    client_ns: f64,
}

impl Costs {
    fn now() -> Self {
        Self { serve_ns: ran_ns("serve"), driver_ns: ran_ns("driver"), client_ns: ran_ns("client") }
    }

    fn since(self, before: Self) -> Self {
        Self {
            serve_ns: self.serve_ns - before.serve_ns,
            driver_ns: self.driver_ns - before.driver_ns,
            client_ns: self.client_ns - before.client_ns,
        }
    }
}

/// Returns how long the threads of this name have run.
fn ran_ns(name: &str) -> f64 {
    let threads = fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
    let read = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
    let named = threads.filter(|thread| read(thread.join("comm")).trim() == name);
    let ran = named.map(|thread| read(thread.join("schedstat")));
    ran.filter_map(|stat| stat.split(' ').next()?.parse::<f64>().ok()).sum()
}

/// Returns a figure of this program's memory, in megabytes.
fn memory_mb(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1024
}
