//! The `nqueens` program: one binary for users, coordinators and workers.
//!
//! `args` says what can be asked for, `commands` has a file for each answer, `place` and `local` decide where the work
//! is done, `client` and `follow` speak to a coordinator, `output` and `progress` speak to the user.

mod access;
mod args;
mod backoff;
mod bench;
mod certs;
mod client;
mod commands;
mod credentials;
mod estimate;
mod exit;
mod export;
mod follow;
mod forecast;
mod local;
mod logging;
mod output;
mod place;
mod progress;
mod random;
mod signals;
#[cfg(feature = "otel")]
mod traces;
mod url;
mod verify;

use std::process::ExitCode;

use clap::Parser;

use crate::{
    args::{Command, CommandLine},
    signals::until_interrupted,
};

fn main() -> ExitCode {
    match CommandLine::try_parse() {
        Ok(line) => exit::code(run(&line)),
        Err(error) => exit::usage(&error),
    }
}

fn run(line: &CommandLine) -> anyhow::Result<()> {
    #[cfg(feature = "otel")]
    let traces = traces(&line.command)?;
    #[cfg(feature = "otel")]
    let listener = traces.as_ref().map(traces::Traces::listener);
    #[cfg(not(feature = "otel"))]
    let listener = None;
    logging::start(&line.log, default_log_level(&line.command), listener);
    match &line.command {
        Command::Count(args) => wait_for(commands::count::run(args)),
        Command::Boards(args) => wait_for(commands::boards::run(args)),
        Command::Plan(args) => commands::plan::run(args),
        Command::Coordinator(args) => wait_for(commands::coordinator::run(args)),
        Command::Worker(args) => wait_for(commands::worker::run(args)),
        Command::Runs(args) => wait_for(until_interrupted(String::new(), commands::runs::run(args))),
        Command::Workers(args) => wait_for(until_interrupted(String::new(), commands::workers::run(args))),
        Command::Top(args) => wait_for(until_interrupted(String::new(), commands::top::run(args))),
        Command::Verify(args) => commands::verify::run(args),
        Command::Bench(args) => commands::bench::run(args),
        Command::Certs(args) => commands::certs::run(args),
        Command::Health(args) => wait_for(commands::health::run(args)),
        Command::Completions(args) => commands::completions::run(args),
        Command::Man(args) => commands::man::run(args),
    }
}

/// Servers tell what they do; the others speak up only when something is wrong.
fn default_log_level(command: &Command) -> &'static str {
    match command {
        Command::Coordinator(_) | Command::Worker(_) => "info",
        _ => "warn",
    }
}

/// Returns the way to a collector, if spans are to be sent to one.
#[cfg(feature = "otel")]
fn traces(command: &Command) -> anyhow::Result<Option<traces::Traces>> {
    let (args, service) = match command {
        Command::Coordinator(args) => (&args.traces, "nqueens-coordinator"),
        Command::Worker(args) => (&args.traces, "nqueens-worker"),
        _ => return Ok(None),
    };
    args.otlp_endpoint.as_ref().map(|endpoint| traces::Traces::to(endpoint, service)).transpose()
}

fn wait_for(command: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(command);
    // What is left has no more to say: kernel threads in the middle of a job that nobody waits for.
    runtime.shutdown_background();
    outcome
}
