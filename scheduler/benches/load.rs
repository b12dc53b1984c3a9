//! What the scheduler costs: microseconds of one core a job for report, apply, due and dispatch together, with workers that
//! answer at once, in virtual time. It prints a line for each size of cluster; there is no limit that could fail.
//!
//! `cargo bench -p scheduler`

use std::{collections::VecDeque, fs, sync::Arc, time::Duration};

use queens::Size;
use scheduler::*;

/// A cluster whose workers answer with made-up results.
struct Cluster {
    scheduler: Scheduler,
    held: Vec<VecDeque<JobId>>,
    commands: Vec<Command>,
    now: Moment,
    events: u64,
}

impl Cluster {
    fn new(workers: u64, threads: u32) -> Self {
        let mut cluster = Self {
            scheduler: Scheduler::new(Settings::default()),
            held: vec![VecDeque::new(); workers as usize],
            commands: Vec::new(),
            now: Moment::default(),
            events: 0,
        };
        (0..workers).for_each(|worker| cluster.start(worker, threads));
        cluster
    }

    fn start(&mut self, place: u64, threads: u32) {
        let mut instance = [0; 16];
        instance[..8].copy_from_slice(&place.to_le_bytes());
        let [name, host, kernel, version] = ["worker", "host", "scalar", "1"].map(String::from);
        let who = NewWorker { instance, name, host, kernel, version, threads };
        let Ok(Registered::New(worker, event)) = self.scheduler.register(who) else { panic!("it is new") };
        self.scheduler.apply(&event, self.now);
        self.scheduler.join(worker, &[], self.now);
        self.scheduler.set_capacity(worker, 65_536, self.now);
    }

    fn create(&mut self, n: u64, depth: u32) -> u64 {
        let problem = Problem { size: Size::new(n).unwrap(), goal: Goal::Count };
        let plan =
            Arc::new(RunPlan::choose(problem, &Split::new(Duration::from_secs(5)).at_depth(depth)).unwrap());
        let jobs = plan.jobs();
        let new = NewRun { plan, request_id: String::new(), audit_share: 0.0, at_ms: 0 };
        let Ok(Created::New(_, event)) = self.scheduler.create(new) else { panic!("it is new") };
        self.scheduler.apply(&event, self.now);
        jobs
    }

    /// Does what is due and tells the workers.
    fn settle(&mut self) {
        loop {
            while let Some(event) = self.scheduler.due(self.now) {
                self.scheduler.apply(&event, self.now);
                self.events += 1;
            }
            self.scheduler.dispatch(self.now, &mut self.commands);
            for command in self.commands.drain(..) {
                if let Command::Lease { worker, run, jobs, .. } = command {
                    let jobs = jobs.into_iter().map(|job| JobId::new(run, job.index));
                    self.held[worker.0 as usize - 1].extend(jobs);
                }
            }
            if self.scheduler.due(self.now).is_none() {
                return;
            }
        }
    }

    /// Lets a worker deliver up to `most` results in one batch.
    fn deliver(&mut self, place: usize, most: usize, elapsed: Duration) -> u64 {
        let worker = WorkerId(place as u64 + 1);
        self.scheduler.heard(worker, self.now);
        let jobs: Vec<JobId> = {
            let held = &mut self.held[place];
            held.drain(..most.min(held.len())).collect()
        };
        for &job in &jobs {
            let result = JobResult { job, count: 1, elapsed, audit: false };
            if let Ok(Report::Add(event)) = self.scheduler.report(worker, &result, None) {
                self.scheduler.apply(&event, self.now);
            }
        }
        self.settle();
        jobs.len() as u64
    }
}

/// Returns the processor time of this program so far, in nanoseconds (Linux), so that other programs do not matter.
fn processor_ns() -> u64 {
    let stat = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0)
}

/// Returns the memory of this program, in megabytes (Linux).
fn memory_mb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// Lets `workers` finish `wanted` jobs, which take `elapsed` each, and prints what that cost the scheduler.
fn measure(workers: u64, threads: u32, elapsed: Duration, batch: usize, wanted: u64) {
    let mut cluster = Cluster::new(workers, threads);
    let jobs = cluster.create(if cfg!(debug_assertions) { 10 } else { 24 }, 2);
    cluster.settle();
    let begun = processor_ns();
    let (mut done, mut place) = (0, 0);
    while done < wanted.min(jobs) {
        let round = done;
        for _ in 0..workers {
            done += cluster.deliver(place, batch, elapsed);
            place = (place + 1) % workers as usize;
        }
        cluster.now = cluster.now.plus(elapsed);
        cluster.scheduler.tick(cluster.now);
        cluster.settle();
        if round == done {
            break;
        }
    }
    let ns = (processor_ns() - begun) as f64 / done as f64;
    println!(
        "{workers:>6} workers x {threads:>2} slots, jobs of {elapsed:>6.0?}: {done:>8} jobs, {:.3} us a job, {} events of its own, {} MB",
        ns / 1000.0,
        cluster.events,
        memory_mb()
    );
}

fn main() {
    let wanted = if cfg!(debug_assertions) { 1000 } else { 1_000_000 };
    measure(3, 2, Duration::from_micros(50), 256, wanted);
    measure(16, 16, Duration::from_millis(1), 256, wanted);
    measure(1000, 4, Duration::from_millis(100), 16, wanted);
    measure(10_000, 16, Duration::from_secs(5), 16, wanted);
    measure(10_000, 16, Duration::from_secs(5), 1, wanted);
}
