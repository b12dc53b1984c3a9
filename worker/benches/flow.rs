//! How many short jobs a second flow from leases through the slots to acknowledged results, over gRPC on loopback.
//!
//! `cargo bench -p worker` prints, for several lengths of a job, the rate; the share of their time in which the slots had
//! nothing to do; and the processor time that one result costs in the slots, the job included, and in the session. None
//! of these but the rate depends much on what else the machine does. They are read from /proc, so on Linux only.

#[allow(dead_code)]
#[path = "../tests/worker/coordinator.rs"]
mod coordinator;

use std::{
    fs,
    hint::black_box,
    num::NonZeroUsize,
    path::PathBuf,
    time::{Duration, Instant},
};

use coordinator::Coordinator;
use queens::{Square, kernel::Kernel, split::Work};
use worker::{Config, Job, Pool, Stop};

const SLOTS: NonZeroUsize = NonZeroUsize::new(2).unwrap();
const SECONDS: u64 = 2;
/// Queens of a job, so that messages have their usual size.
const QUEENS: u8 = 8;

fn main() {
    println!("turns a job     held   results/s   slots idle   slots, ns   session, ns");
    for (turns, held) in [(0, 8192), (10_000, 8192), (50_000, 8192), (500_000, 512), (5_000_000, 64)] {
        let Flow { rate, idle, slots_ns, session_ns } = coordinate(turns, held);
        println!("{turns:>11} {held:>8} {rate:>11.0} {idle:>11.1}% {slots_ns:>11.0} {session_ns:>13.0}");
    }
}

fn spin(turns: u64) {
    (0..turns).for_each(|turn| {
        black_box(turn);
    });
}

/// Results a second, the idle share of the slots, and processor time for each result.
struct Flow {
    rate: f64,
    idle: f64,
    slots_ns: f64,
    session_ns: f64,
}

/// Lends jobs of so many turns to a worker in a runtime of its own, always the same number at a time.
#[tokio::main(flavor = "current_thread")]
async fn coordinate(turns: u64, held: u64) -> Flow {
    let mut coordinator = Coordinator::start().await;
    let (uri, stop) = (coordinator.uri(), Stop::default());
    let stop_worker = stop.clone();
    let session = std::thread::Builder::new().name("session".to_owned());
    let session_thread = session.spawn(move || work(&uri, turns, stop_worker)).unwrap();

    let mut session = coordinator.session().await;
    let mut next = lend(&session, 0, held).await;
    let (begin, before) = (Instant::now(), Times::of("slot-"));
    let session_before = Times::of("session");
    let mut results = 0;
    while begin.elapsed() < Duration::from_secs(SECONDS) {
        let batch = session.results().await;
        session.acknowledge(batch.batch).await;
        results += batch.results.len() as u64;
        next = lend(&session, next, batch.results.len() as u64).await;
    }
    let wall = begin.elapsed().as_secs_f64();
    let (slots, session) = (Times::of("slot-").since(before), Times::of("session").since(session_before));
    let busy = (slots.ran_ns + slots.queued_ns) / 1e9 / SLOTS.get() as f64;
    let results = results as f64;
    let flow = Flow {
        rate: results / wall,
        idle: 100.0 * (1.0 - busy / wall).max(0.0),
        slots_ns: slots.ran_ns / results,
        session_ns: session.ran_ns / results,
    };
    stop.now.cancel();
    session_thread.join().unwrap();
    while Times::of("slot-").ran_ns > 0.0 {
        std::thread::yield_now();
    }
    flow
}

#[tokio::main(flavor = "current_thread")]
async fn work(uri: &str, turns: u64, stop: Stop) {
    let count = move |_: &Job| {
        spin(turns);
        Ok(1)
    };
    let pool = Pool::threads_with(SLOTS, move || count).unwrap();
    let config = Config::new("bench".to_owned(), "here".to_owned(), SLOTS, Kernel::Scalar);
    let dial = worker::client::endpoint(uri).unwrap();
    let _ = worker::run(config, dial, pool, stop).await;
}

/// How long threads ran, and how long they were ready to run but the processor was not theirs.
#[derive(Clone, Copy, Default)]
struct Times {
    ran_ns: f64,
    queued_ns: f64,
}

impl Times {
    /// Returns the times of all threads whose name begins so.
    fn of(name: &str) -> Self {
        let threads = fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
        let read = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
        let named = threads.filter(|thread| read(thread.join("comm")).starts_with(name));
        named.fold(Self::default(), |sum, thread| sum.and(&read(thread.join("schedstat"))))
    }

    fn and(self, schedstat: &str) -> Self {
        let mut times = schedstat.split_whitespace().map(|time| time.parse::<f64>().unwrap_or(0.0));
        let (ran, queued) = (times.next().unwrap_or(0.0), times.next().unwrap_or(0.0));
        Self { ran_ns: self.ran_ns + ran, queued_ns: self.queued_ns + queued }
    }

    fn since(self, before: Self) -> Self {
        Self { ran_ns: self.ran_ns - before.ran_ns, queued_ns: self.queued_ns - before.queued_ns }
    }
}

async fn lend(session: &coordinator::Session, from: u64, jobs: u64) -> u64 {
    let work = Work::Complete((0..QUEENS).map(|row| Square::new(row, row)).collect());
    session.lend(1, 20, (from..from + jobs).map(|index| (index, work.clone()))).await;
    from + jobs
}
