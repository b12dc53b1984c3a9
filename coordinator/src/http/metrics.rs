//! `/metrics`: the same views as everywhere else, in the text format of Prometheus. The number of series is bounded: the
//! newest runs, and so many workers.

use std::{
    fmt::Write,
    sync::atomic::AtomicU64,
    time::{SystemTime, UNIX_EPOCH},
};

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use prometheus_client::{
    encoding::{EncodeLabelSet, prometheus_text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};
use scheduler::{RunState, RunView};

use super::{Web, failure::Failure, words};
use crate::{
    driver::{ClusterView, WorkerSeen},
    settings::LedgerPlace,
};

/// The newest runs have series.
const RUNS_MAX: usize = 50;
/// So many workers have series; the sums count all.
const WORKERS_MAX: usize = 1000;

type Number = Gauge<f64, AtomicU64>;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfRun {
    run: u64,
    goal: &'static str,
    n: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfRunState {
    run: u64,
    goal: &'static str,
    n: u32,
    state: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfWorker {
    worker: u64,
    name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfState {
    state: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfBuild {
    version: &'static str,
}

pub(super) async fn metrics(State(web): State<Web>) -> Result<Response, Failure> {
    let (cluster, runs, workers) =
        (web.cluster().await?, web.newest_runs(RUNS_MAX).await?, web.workers().await?);
    let mut registry = Registry::with_prefix("nqueens");
    register_cluster(&mut registry, &cluster, &web.ledger);
    register_runs(&mut registry, &runs);
    register_workers(&mut registry, &workers);
    web.meter.register(&mut registry);
    let mut text = String::new();
    encode(&mut text, &registry).map_err(|_| Failure::busy("the metrics could not be written; try again"))?;
    let content_type = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, content_type)], text).into_response())
}

fn register_cluster(registry: &mut Registry, cluster: &ClusterView, ledger: &LedgerPlace) {
    let mut number = |name: &str, help: &str, value: f64| {
        let gauge = Number::default();
        gauge.set(value);
        registry.register(name, help, gauge);
    };
    let started = cluster.started.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    number("start_time_seconds", "When the coordinator was started, in seconds since 1970", started);
    number("time_seconds", "What the coordinator's clock shows, in seconds since 1970", now);
    number("threads", "Threads of the workers with a session", cluster.threads.into());
    number("runs_open", "Runs that are running or paused", cluster.open_runs.into());
    let writable = f64::from(u8::from(cluster.stuck.is_none()));
    number("ledger_writable", "1 while the ledger can be written, else 0", writable);
    if let LedgerPlace::File(path) = ledger
        && let Ok(file) = std::fs::metadata(path)
    {
        number("ledger_size_bytes", "The size of the ledger's file", file.len() as f64);
    }
    let build = Family::<OfBuild, Number>::default();
    build.get_or_create(&OfBuild { version: env!("CARGO_PKG_VERSION") }).set(1.0);
    registry.register("build", "The version of the coordinator; always 1", build);
}

fn register_runs(registry: &mut Registry, runs: &[RunView]) {
    let state = Family::<OfRunState, Number>::default();
    for view in runs {
        let OfRun { run, goal, n } = of_run(view);
        state.get_or_create(&OfRunState { run, goal, n, state: words::run_state(view.state) }).set(1.0);
    }
    registry.register("run_state", "1 for the state that the run is in", state);
    let mut gauge = |name: &str, help: &str, value: fn(&RunView) -> Option<f64>| {
        let family = Family::<OfRun, Number>::default();
        for view in runs {
            if let Some(value) = value(view) {
                family.get_or_create(&of_run(view)).set(value);
            }
        }
        registry.register(name, help, family);
    };
    gauge("run_jobs", "Jobs of the run", |view| Some(view.progress.jobs as f64));
    gauge("run_jobs_leased", "Jobs that are lent now", |view| Some(view.progress.jobs_leased as f64));
    gauge("run_share_done", "The share of the work that is done, 0 to 1", |view| Some(view.progress.share));
    gauge("run_solutions", "Solutions found so far", |view| Some(view.progress.tally as f64));
    gauge("run_solutions_per_second", "Solutions found a second lately", |view| {
        Some(view.progress.solutions_per_second)
    });
    gauge("run_threads_busy", "Threads at work on the run", |view| Some(view.progress.threads_busy));
    gauge("run_workers", "Workers that hold jobs of the run", |view| Some(view.progress.workers.into()));
    gauge("run_alarms_open", "Jobs whose results differ and are not settled", |view| {
        Some(view.progress.alarms_open as f64)
    });
    gauge("run_time_left_seconds", "The best guess of the time left; absent while unknown", |view| {
        view.progress.time_left.map(|left| left.expected_s).filter(|_| view.state == RunState::Running)
    });
    let mut counter = |name: &str, help: &str, value: fn(&RunView) -> u64| {
        let family = Family::<OfRun, Counter>::default();
        for view in runs {
            family.get_or_create(&of_run(view)).inc_by(value(view));
        }
        registry.register(name, help, family);
    };
    counter("run_jobs_done", "Jobs that have a result", |view| view.progress.jobs_done);
    counter("run_jobs_lent_again", "Jobs that were lent again", |view| view.progress.jobs_lent_again);
    counter("run_free_checks", "Second results that came unasked and agreed", |view| {
        view.progress.free_checks
    });
    counter("run_audits_done", "Jobs that were computed a second time as asked", |view| {
        view.progress.audits_done
    });
    counter("run_alarms", "Jobs for which two results differed", |view| view.progress.alarms);
}

fn of_run(view: &RunView) -> OfRun {
    OfRun { run: view.run.0, goal: words::goal(view.problem.goal), n: view.problem.size.get() }
}

fn register_workers(registry: &mut Registry, workers: &[WorkerSeen]) {
    let states = Family::<OfState, Number>::default();
    for state in words::WORKER_STATES {
        let workers = workers.iter().filter(|worker| worker.view.state == state).count();
        states.get_or_create(&OfState { state: words::worker_state(state) }).set(workers as f64);
    }
    registry.register(
        "workers",
        "Workers in each state; those that are gone for an hour are left out",
        states,
    );
    let shown = &workers[workers.len().saturating_sub(WORKERS_MAX)..];
    let mut gauge = |name: &str, help: &str, value: fn(&WorkerSeen) -> Option<f64>| {
        let family = Family::<OfWorker, Number>::default();
        for worker in shown {
            if let Some(value) = value(worker) {
                family.get_or_create(&of_worker(worker)).set(value);
            }
        }
        registry.register(name, help, family);
    };
    gauge("worker_threads", "Threads of the worker", |worker| Some(worker.view.who.threads.into()));
    gauge("worker_jobs_held", "Jobs lent to the worker now", |worker| Some(worker.view.jobs_held as f64));
    gauge("worker_jobs_per_second", "Results a second lately", |worker| Some(worker.view.jobs_per_second));
    gauge("worker_silent_seconds", "Time since the worker's last sign of life", |worker| {
        worker.heard_ago.map(|ago| ago.as_secs_f64())
    });
    let mut counter = |name: &str, help: &str, value: fn(&WorkerSeen) -> u64| {
        let family = Family::<OfWorker, Counter>::default();
        for worker in shown {
            family.get_or_create(&of_worker(worker)).inc_by(value(worker));
        }
        registry.register(name, help, family);
    };
    counter("worker_jobs_done", "Results that the worker was the first to deliver", |worker| {
        worker.view.jobs_done
    });
    counter("worker_checks", "Checks and audits that the worker passed", |worker| worker.view.checks);
}

fn of_worker(worker: &WorkerSeen) -> OfWorker {
    OfWorker { worker: worker.view.worker.0, name: plain(&worker.view.who.name) }
}

/// Keeps a label on its line, whatever a worker calls itself.
fn plain(name: &str) -> String {
    name.chars().fold(String::new(), |mut plain, character| {
        let keep = !character.is_control() && !matches!(character, '"' | '\\');
        let _ = plain.write_char(if keep { character } else { '_' });
        plain
    })
}
