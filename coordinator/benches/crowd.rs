//! What a crowd of workers costs a coordinator: simulated workers with real gRPC sessions on loopback, whose jobs take
//! seconds, as on a cluster that counts a large board. The coordinator is a process by itself with its ledger on a disk, so
//! that its processor time and memory can be told from the clients'.
//!
//! `cargo bench -p coordinator --bench crowd -- [SESSIONS [SECONDS [A_CONNECTION]]]` lets them work for so long, then cuts all
//! connections at once and prints how long it takes until everyone is served again. A_CONNECTION sessions share one
//! connection: 1 if each worker comes by itself, more if they come through a proxy, which tells what sessions cost from what
//! connections do. Each connection takes two open files here and one in the coordinator (`ulimit -n`). Linux only.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, VecDeque},
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use coordinator::{Coordinator, LedgerPlace, Limits, Settings};
use nqueens_proto::{PROTOCOL, v1};
use tokio::{
    net::TcpListener,
    sync::{Mutex, mpsc, watch},
    time::{interval, sleep},
};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::{Status, transport::Channel};
use v1::{work_request::Message as Say, work_response::Message as Heard};

/// Slots of each worker, and what a job takes one of them.
const SLOTS: u32 = 16;
const JOB: Duration = Duration::from_secs(5);
/// A worker says what it has finished once in this time.
const NEWS: Duration = Duration::from_secs(1);
/// Cut workers come back within this time, each at a moment of its own, as real ones do.
const BACK_WITHIN: Duration = Duration::from_secs(5);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|text| text != "--bench").collect();
    if arguments.first().is_some_and(|first| first == "serve") {
        return serve(&arguments[1]);
    }
    let number = |place: usize, otherwise| {
        arguments.get(place).and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let (sessions, seconds) = if cfg!(debug_assertions) { (100, 12) } else { (10_000, 60) };
    let (sessions, seconds, a_connection) = (number(0, sessions), number(1, seconds), number(2, 1).max(1));
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("ledger.db").display().to_string());
    let clients = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    clients.block_on(crowd(&server, sessions, Duration::from_secs(seconds), a_connection));
}

/// Is the coordinator, until it is killed.
fn serve(ledger: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        // All workers come from one address here.
        let limits = Limits { connections_per_peer: 1 << 16, calls_per_peer: 1 << 16, ..Limits::default() };
        let settings = Settings { ledger: LedgerPlace::File(ledger.into()), limits, ..Settings::default() };
        let coordinator = Coordinator::open(settings).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("http://{}", listener.local_addr().unwrap());
        coordinator.serve(listener, CancellationToken::new()).await.unwrap();
    });
}

/// The coordinator's process.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(ledger: &str) -> Self {
        let program = std::env::current_exe().unwrap();
        let mut child = Command::new(program).args(["serve", ledger]).stdout(Stdio::piped()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Self { child, address: address.trim().to_owned() }
    }

    /// Returns the seconds of processor time that it has used.
    fn cpu_s(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        let ticks = |place: usize| fields[place].parse::<f64>().unwrap();
        (ticks(11) + ticks(12)) / 100.0
    }

    /// Returns a figure of its memory, in megabytes.
    fn memory_mb(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
    }

    async fn channel(&self) -> Channel {
        connect(&self.address).await.unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn connect(address: &str) -> Result<Channel, tonic::transport::Error> {
    Channel::from_shared(address.to_owned()).unwrap().connect().await
}

/// The connections of the crowd. Each serves some sessions, until all connections are cut.
struct Connections {
    address: String,
    sessions_each: u64,
    /// The connections of this life, by the first session of each.
    open: Mutex<(u32, HashMap<u64, Channel>)>,
}

impl Connections {
    /// Returns the connection of a session in one of the crowd's lives, which begin when all connections are cut.
    async fn get(&self, place: u64, life: u32) -> Result<Channel, tonic::transport::Error> {
        if self.sessions_each == 1 {
            return connect(&self.address).await;
        }
        let mut open = self.open.lock().await;
        if open.0 != life {
            *open = (life, HashMap::new());
        }
        let first = place - place % self.sessions_each;
        if let Some(channel) = open.1.get(&first) {
            return Ok(channel.clone());
        }
        let channel = connect(&self.address).await?;
        open.1.insert(first, channel.clone());
        Ok(channel)
    }
}

/// What has happened, over all sessions.
#[derive(Default)]
struct Tally {
    welcomed: AtomicU64,
    acknowledged: AtomicU64,
    lost: AtomicU64,
    refused: AtomicU64,
}

async fn crowd(server: &Server, sessions: u64, span: Duration, a_connection: u64) {
    let request =
        v1::CreateRunRequest { n: 27, depth: Some(1), goal: v1::Goal::Count.into(), ..Default::default() };
    let begun = Instant::now();
    let mut runs = v1::run_service_client::RunServiceClient::new(server.channel().await);
    runs.create_run(request).await.unwrap();
    println!("count 27 created in {:.2?}", begun.elapsed());
    let tally = Arc::new(Tally::default());
    let (cut, life) = watch::channel(0);
    let connections = Arc::new(Connections {
        address: server.address.clone(),
        sessions_each: a_connection,
        open: Mutex::default(),
    });
    for place in 0..sessions {
        tokio::spawn(live(Arc::clone(&connections), place, sessions, Arc::clone(&tally), life.clone()));
    }
    let joined = reach(&tally.welcomed, sessions).await;
    println!("{sessions} sessions began in {joined:.2?}; {} MB", server.memory_mb("VmRSS:"));
    measure(server, &tally, span).await;

    let (welcomed, before) = (tally.welcomed.load(Relaxed), tally.acknowledged.load(Relaxed));
    cut.send_replace(1);
    let back = reach(&tally.welcomed, welcomed + sessions).await;
    let served = back + reach(&tally.acknowledged, before + 3 * sessions).await;
    println!(
        "all cut at once: all back after {back:.2?}, three results of each durable after {served:.2?}; refused {}, lost {}",
        tally.refused.load(Relaxed),
        tally.lost.load(Relaxed),
    );
    measure(server, &tally, span / 4).await;
}

/// Prints what the coordinator uses while the crowd works.
async fn measure(server: &Server, tally: &Tally, span: Duration) {
    let (cpu, done, begun) = (server.cpu_s(), tally.acknowledged.load(Relaxed), Instant::now());
    sleep(span).await;
    let took = begun.elapsed().as_secs_f64();
    let done = (tally.acknowledged.load(Relaxed) - done) as f64;
    let cpu = server.cpu_s() - cpu;
    println!(
        "over {took:.0} s: {:.0} durable results/s, {:.2} of a core, {:.1} us a result; {} MB, at most {}",
        done / took,
        cpu / took,
        cpu / done * 1e6,
        server.memory_mb("VmRSS:"),
        server.memory_mb("VmHWM:"),
    );
}

/// Waits until a number is reached and returns how long it took.
async fn reach(number: &AtomicU64, wanted: u64) -> Duration {
    let begun = Instant::now();
    while number.load(Relaxed) < wanted {
        sleep(Duration::from_millis(20)).await;
    }
    begun.elapsed()
}

/// A worker: one session after another, with what it holds.
async fn live(
    connections: Arc<Connections>,
    place: u64,
    of: u64,
    tally: Arc<Tally>,
    mut life: watch::Receiver<u32>,
) {
    let mut worker = Worker::new(place);
    sleep(BACK_WITHIN * place as u32 / of as u32).await;
    loop {
        let present = *life.borrow_and_update();
        let session = worker.session(&connections, present, &tally);
        tokio::select! {
            ended = session => match ended {
                Err(status) if status.code() == tonic::Code::InvalidArgument => {
                    tally.refused.fetch_add(1, Relaxed);
                }
                _ => { tally.lost.fetch_add(1, Relaxed); }
            },
            _ = life.changed() => {}
        }
        // A number of its own from 0 to 1, the same in every run of this program.
        let share = (place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / (1_u64 << 24) as f64;
        sleep(BACK_WITHIN.mul_f64(share)).await;
    }
}

/// What a worker keeps from one session to the next.
struct Worker {
    place: u64,
    ledger_id: u64,
    batch: u64,
    /// When each slot is free.
    slots: BinaryHeap<Reverse<Instant>>,
    /// Jobs held, with the time at which they are finished, in that order.
    held: VecDeque<(Instant, u64, u64)>,
    /// Batches that were not acknowledged.
    sent: VecDeque<(u64, Vec<v1::JobResult>)>,
}

impl Worker {
    fn new(place: u64) -> Self {
        let slots = (0..SLOTS).map(|_| Reverse(Instant::now())).collect();
        Self { place, ledger_id: 0, batch: 0, slots, held: VecDeque::new(), sent: VecDeque::new() }
    }

    async fn session(&mut self, connections: &Connections, life: u32, tally: &Tally) -> Result<(), Status> {
        let channel = connections.get(self.place, life).await;
        let channel = channel.map_err(|error| Status::unavailable(error.to_string()))?;
        let (say, said) = mpsc::channel(16);
        let speak = async |message| {
            let _ = say.send(v1::WorkRequest { message: Some(message) }).await;
        };
        speak(self.hello()).await;
        let mut client = v1::worker_service_client::WorkerServiceClient::new(channel);
        let mut heard = client.work(ReceiverStream::new(said)).await?.into_inner();
        let mut news = interval(NEWS);
        let mut heartbeat = interval(Settings::default().heartbeat_interval());
        loop {
            tokio::select! {
                message = heard.message() => match message?.and_then(|message| message.message) {
                    Some(Heard::Welcome(welcome)) => {
                        self.ledger_id = welcome.ledger_id;
                        speak(Say::Capacity(v1::Capacity { jobs: 65_536 })).await;
                        for (batch, results) in &self.sent {
                            speak(Say::Results(v1::Results { batch: *batch, results: results.clone() })).await;
                        }
                        tally.welcomed.fetch_add(1, Relaxed);
                    }
                    Some(Heard::Lease(lease)) => self.begin(&lease),
                    Some(Heard::Acknowledged(_)) => {
                        let results = self.sent.pop_front().map_or(0, |(_, results)| results.len());
                        tally.acknowledged.fetch_add(results as u64, Relaxed);
                    }
                    Some(_) => {}
                    None => return Ok(()),
                },
                _ = news.tick() => {
                    if let Some(message) = self.finished() {
                        speak(message).await;
                    }
                }
                _ = heartbeat.tick() => speak(Say::Heartbeat(v1::Heartbeat::default())).await,
            }
        }
    }

    fn hello(&self) -> Say {
        let mut instance = vec![1; 16];
        instance[..8].copy_from_slice(&self.place.to_le_bytes());
        let unsent = self.held.iter().map(|&(_, _, index)| index);
        let undelivered = self.sent.iter().flat_map(|(_, results)| results).map(|result| result.index);
        let indices: Vec<u64> = unsent.chain(undelivered).collect();
        let held = if indices.is_empty() { vec![] } else { vec![v1::JobSet { run_id: 1, indices }] };
        Say::Hello(v1::Hello {
            protocol: PROTOCOL,
            instance,
            name: format!("worker-{}", self.place),
            host: "here".to_owned(),
            threads: SLOTS,
            kernel: "scalar".to_owned(),
            version: "1".to_owned(),
            held,
            ledger_id: self.ledger_id,
            held_audits: vec![],
        })
    }

    /// Gives each job to the slot that is free first.
    fn begin(&mut self, lease: &v1::Lease) {
        let now = Instant::now();
        for job in &lease.jobs {
            let Reverse(free) = self.slots.pop().unwrap();
            let end = free.max(now) + JOB;
            self.slots.push(Reverse(end));
            self.held.push_back((end, lease.run_id, job.index));
        }
    }

    fn finished(&mut self) -> Option<Say> {
        let now = Instant::now();
        let number = self.held.iter().take_while(|(end, ..)| *end <= now).count();
        let result = |(_, run_id, index)| v1::JobResult {
            run_id,
            index,
            count: 1_000_000_000 + index,
            elapsed_us: JOB.as_micros() as u64,
            audit: false,
        };
        let results: Vec<v1::JobResult> = self.held.drain(..number).map(result).collect();
        if results.is_empty() {
            return None;
        }
        self.batch += 1;
        self.sent.push_back((self.batch, results.clone()));
        Some(Say::Results(v1::Results { batch: self.batch, results }))
    }
}
