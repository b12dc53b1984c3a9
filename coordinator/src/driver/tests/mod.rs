//! What the driver's parts log, and when; without the driver itself, in a time that the tests make up.

mod leases;
mod minutes;

use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use queens::{Size, split::Job};
use scheduler::{
    Command, Created, Goal, Moment, NewRun, NewWorker, Problem, Registered, RunId, RunPlan, Scheduler,
    Settings, Split, WorkerId,
};
use tracing::Level;
use tracing_subscriber::fmt::format::FmtSpan;

const START: Moment = Moment::new(Duration::ZERO);

/// A scheduler with one run, and one worker that was lent jobs of it.
struct World {
    scheduler: Scheduler,
    run: RunId,
    worker: WorkerId,
    jobs: Vec<Job>,
}

fn world() -> World {
    let mut scheduler = Scheduler::new(Settings::default());
    let problem = Problem { size: Size::new(8).unwrap(), goal: Goal::Count };
    let plan = Arc::new(RunPlan::choose(problem, &Split::new(Duration::from_secs(5)).at_depth(1)).unwrap());
    let new = NewRun { plan, request_id: String::new(), audit_share: 0.0, at_ms: 0 };
    let Created::New(run, event) = scheduler.create(new).unwrap() else { panic!("the run is new") };
    scheduler.apply(&event, START);
    let who = NewWorker {
        instance: [1; 16],
        name: "one".to_owned(),
        host: "here".to_owned(),
        kernel: "scalar".to_owned(),
        version: "1".to_owned(),
        threads: 4,
    };
    let Registered::New(worker, event) = scheduler.register(who).unwrap() else {
        panic!("the worker is new")
    };
    scheduler.apply(&event, START);
    scheduler.join(worker, &[], START);
    scheduler.set_capacity(worker, 100, START);
    let jobs = lent(&mut scheduler);
    assert!(jobs.len() >= 4, "{} jobs", jobs.len());
    World { scheduler, run, worker, jobs }
}

/// Returns the jobs that are lent now.
fn lent(scheduler: &mut Scheduler) -> Vec<Job> {
    let mut commands = Vec::new();
    scheduler.dispatch(START, &mut commands);
    while let Some(event) = scheduler.due(START) {
        scheduler.apply(&event, START);
        scheduler.dispatch(START, &mut commands);
    }
    let jobs = |command| match command {
        Command::Lease { jobs, .. } => jobs,
        _ => Vec::new(),
    };
    commands.into_iter().flat_map(jobs).collect()
}

/// What was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Returns what is logged meanwhile at `level` or above; a span is logged when it ends.
    fn of(level: Level, what: impl FnOnce(&Self)) {
        let log = Self::default();
        let lines = tracing_subscriber::fmt().with_max_level(level).with_span_events(FmtSpan::CLOSE);
        let writer = log.clone();
        let lines = lines.with_ansi(false).with_writer(move || writer.clone());
        tracing::subscriber::with_default(lines.finish(), || what(&log));
    }

    /// Returns the lines since the last call.
    fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut self.0.lock().unwrap())).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
