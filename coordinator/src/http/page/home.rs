//! The home page: all runs, a form for a new one, and the workers.

use maud::{Markup, html};
use scheduler::{RunState, RunView, WorkerState};

use super::run;
use crate::{
    driver::{ClusterView, WorkerSeen},
    http::{feed::RUNS_SHOWN, words},
};

/// Workers that the page lists.
const WORKERS_SHOWN: usize = 200;

/// Returns the content of the page around its changing part.
pub(super) fn home(live: &Markup) -> Markup {
    html! {
        h1.hidden { "Runs and workers" }
        (live)
        (form())
    }
}

/// Returns the part that changes.
pub(super) fn live(cluster: &ClusterView, runs: &[RunView], workers: &[WorkerSeen]) -> Markup {
    html! {
        div #live data-title="Runs and workers" {
            dl.figures {
                (run::figure("Workers", &words::number(cluster.workers)))
                (run::figure("Threads", &words::number(cluster.threads)))
                (run::figure("Open runs", &words::number(cluster.open_runs)))
            }
            @if let Some(reason) = &cluster.stuck {
                p.alarm { "The ledger cannot be written: " (reason) ". Results wait with the workers until there is room." }
            }
            section aria-labelledby="runs" {
                h2 #runs { "Runs" }
                @if runs.is_empty() { p { "There are no runs yet. Create one below." } }
                @else { (runs_table(runs)) }
                @if runs.len() >= RUNS_SHOWN {
                    p.note { "The newest " (RUNS_SHOWN) " runs. All of them: " a href="/api/v1/runs" { "/api/v1/runs" } }
                }
            }
            section aria-labelledby="workers" {
                h2 #workers { "Workers" }
                @if workers.is_empty() {
                    p { "No worker has joined. Start one with " code { "nqueens worker --coordinator http://HOST:7117" } "." }
                }
                @else { (workers_table(workers)) }
            }
        }
    }
}

fn runs_table(runs: &[RunView]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Table of runs" {
            table {
                thead { tr {
                    th scope="col" { "Run" } th scope="col" { "State" } th scope="col" { "Done" }
                    th.right scope="col" { "Solutions" } th.right scope="col" { "A second" } th.right scope="col" { "Time left" }
                } }
                tbody { @for view in runs { (run_row(view)) } }
            }
        }
    }
}

fn run_row(view: &RunView) -> Markup {
    let (run, progress) = (view.run, &view.progress);
    let rate = if view.state == RunState::Running {
        words::rate(progress.solutions_per_second)
    } else {
        String::new()
    };
    html! {
        tr id=(format!("run-{run}")) {
            th scope="row" { a href=(format!("/runs/{run}")) { (run::problem(view)) } " " small { "run " (run) } }
            td { (run::state(view)) }
            td.bar { (run::bar(view)) " " (words::percent(progress.share)) }
            td.right { (words::number(progress.tally)) }
            td.right { (rate) }
            td.right { @if let Some(left) = progress.time_left { (words::time(left.expected_s)) } }
        }
    }
}

fn workers_table(workers: &[WorkerSeen]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Table of workers" {
            table {
                thead { tr {
                    th scope="col" { "Worker" } th scope="col" { "State" } th scope="col" { "Host" } th scope="col" { "Kernel" }
                    th.right scope="col" { "Threads" } th.right scope="col" { "Holds" } th.right scope="col" { "Done" }
                    th.right scope="col" { "Checks" } th.right scope="col" { "Jobs a second" } th.right scope="col" { "Silent for" }
                    th scope="col" { "Drain" }
                } }
                tbody { @for worker in workers.iter().take(WORKERS_SHOWN) { (worker_row(worker)) } }
            }
        }
        @if workers.len() > WORKERS_SHOWN {
            p.note { "The first " (WORKERS_SHOWN) " of " (words::number(workers.len())) " workers. All of them: "
                a href="/api/v1/workers" { "/api/v1/workers" } }
        }
    }
}

fn worker_row(WorkerSeen { view, heard_ago, .. }: &WorkerSeen) -> Markup {
    let state = words::worker_state(view.state);
    html! {
        tr id=(format!("worker-{}", view.worker)) {
            th scope="row" { (view.who.name) " " small { (view.who.version) } }
            td { span.state data-state=(state) { (state) } @if !view.reason.is_empty() { " " (view.reason) } }
            td { (view.who.host) }
            td { (view.who.kernel) }
            td.right { (view.who.threads) }
            td.right { (words::number(view.jobs_held)) }
            td.right { (words::number(view.jobs_done)) }
            td.right { (words::number(view.checks)) }
            td.right { (words::rate(view.jobs_per_second)) }
            td.right { @if let Some(ago) = heard_ago { (words::time(ago.as_secs_f64())) } }
            td { @if view.state == WorkerState::Active {
                form method="post" action=(format!("/workers/{}/drain", view.worker)) {
                    button aria-label=(format!("Drain {}", view.who.name)) { "Drain" }
                }
            } }
        }
    }
}

fn form() -> Markup {
    html! {
        section aria-labelledby="new" {
            h2 #new { "New run" }
            form.new method="post" action="/runs" {
                label { "What" select name="goal" { option value="count" { "Count the solutions" } option value="boards" { "List the boards" } } }
                label { "Queens" input name="n" type="number" min="1" max="32" value="16" required; }
                label { "Count by" select name="algorithm" {
                    option value="auto" { "The faster algorithm" } option value="cross" { "Search" } option value="columns" { "Columns" }
                } }
                label { "Rows to fix" input name="depth" type="number" min="0" max="32" placeholder="automatic"; }
                label { "Audit, %" input name="audit_percent" type="number" min="0" max="100" step="any" placeholder="0"; }
                label { "Count by both" input name="full_audit" type="checkbox" value="yes"; }
                button.first { "Create the run" }
            }
        }
    }
}
