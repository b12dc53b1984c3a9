//! The command line: every command, flag and environment variable.
//!
//! The parsers in `values` see to it that values are right by their type, so that the commands never check again.

mod secure;
mod serve;
mod shared;
mod solve;
mod steer;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use secure::{CertsArgs, CertsCommand, HealthArgs, InitArgs};
pub(crate) use serve::{AccessArgs, CoordinatorArgs, LimitArgs, WorkerArgs};
pub(crate) use shared::{ConnectArgs, CredentialArgs, PlaceArgs};
pub(crate) use solve::{BenchArgs, BoardsArgs, CountArgs, PlanArgs, VerifyArgs};
pub(crate) use steer::{
    CreateArgs, ExportFormat, RunsArgs, RunsCommand, TopArgs, WorkersArgs, WorkersCommand,
};
pub(crate) use values::{Algorithms, Audit};

/// Counts and lists the solutions of the N-Queens problem exactly, on one machine or on many.
#[derive(Debug, Parser)]
#[command(name = "nqueens", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    pub(crate) log: LogArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What the program is asked to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Count the solutions: prints Q(n), and U(n) up to rotation and reflection
    Count(CountArgs),
    /// List the boards in lexicographic order of their columns
    Boards(BoardsArgs),
    /// Estimate what a count will take, without starting it
    Plan(PlanArgs),
    /// Serve a cluster
    Coordinator(CoordinatorArgs),
    /// Join a cluster and compute for it
    Worker(WorkerArgs),
    /// Create, follow and steer the runs of a cluster
    Runs(RunsArgs),
    /// List and drain the workers of a cluster
    Workers(WorkersArgs),
    /// Show runs and workers in one live screen
    Top(TopArgs),
    /// Prove an exported run right, without any cluster
    Verify(VerifyArgs),
    /// Measure every kernel and every textbook algorithm on this machine
    Bench(BenchArgs),
    /// Make certificates and tokens for a trial
    Certs(CertsArgs),
    /// Ask a coordinator whether it serves: exit code 0 if so, else 1
    Health(HealthArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write the pages of all commands to a folder
    Man(ManArgs),
}

/// What is logged to stderr, and how.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// What to log: a level, or directives such as `info,worker=debug` [default: info for coordinator and worker,
    /// else warn]
    #[arg(long, global = true, env = "NQUEENS_LOG", value_name = "FILTER", value_parser = values::log_filter, help_heading = "Logging")]
    pub(crate) log: Option<String>,
    /// How to write log lines: for people, or one JSON object a line
    #[arg(
        long,
        global = true,
        env = "NQUEENS_LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "text",
        help_heading = "Logging"
    )]
    pub(crate) log_format: LogFormat,
}

/// A way to write log lines.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell to complete in
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write one page for each command into this folder instead
    #[arg(long, env = "NQUEENS_DIR", value_name = "FOLDER")]
    pub(crate) dir: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn every_flag_has_its_environment_variable() {
        fn check(command: &clap::Command) {
            let flags = command.get_arguments().filter(|arg| arg.get_long().is_some());
            for flag in flags.filter(|arg| !matches!(arg.get_id().as_str(), "help" | "version")) {
                let long = flag.get_long().unwrap_or_default();
                let variable = format!("NQUEENS_{}", long.to_uppercase().replace('-', "_"));
                assert_eq!(flag.get_env().and_then(|name| name.to_str()), Some(variable.as_str()));
            }
            command.get_subcommands().for_each(check);
        }
        check(&CommandLine::command());
    }
}
