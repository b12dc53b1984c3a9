//! `runs`, `workers` and `top`.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use nqueens_proto::v1;
use queens::Size;

use super::{
    shared::{ClusterArgs, HowArgs, SampleArgs},
    values,
};

#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(subcommand)]
    pub(crate) command: RunsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// Create a run and leave it to the cluster
    Create(CreateArgs),
    /// List runs, the newest first
    List {
        /// The most runs to list
        #[arg(long, env = "NQUEENS_LIMIT", value_name = "RUNS", default_value_t = 50)]
        limit: usize,
    },
    /// Show one run
    Get(RunArgs),
    /// Follow a run until it ends
    Watch(RunArgs),
    /// Stop lending jobs of a run
    Pause(RunArgs),
    /// Go on with a paused run
    Resume(RunArgs),
    /// End a run for good without an answer
    Cancel(RunArgs),
    /// Prove from the ledger that a run is right: each job once, sums equal to the answer, a sample computed again
    Verify {
        #[command(flatten)]
        run: RunArgs,
        #[command(flatten)]
        sample: SampleArgs,
    },
    /// Print every result of a run, for `nqueens verify` and for other programs
    Export {
        #[command(flatten)]
        run: RunArgs,
        /// How to write the results
        #[arg(long, env = "NQUEENS_FORMAT", default_value = "ndjson")]
        format: ExportFormat,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// What the run wants to know
    #[arg(value_name = "GOAL")]
    pub(crate) goal: Goal,
    /// The board has N x N squares; 1 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) size: Size,
    /// A word of your choice, at most 64 bytes: asking again with the same word creates no second run
    #[arg(long, env = "NQUEENS_REQUEST_ID", value_name = "WORD", value_parser = values::request_id)]
    pub(crate) request_id: Option<String>,
    /// Rows to fix below the preset (count) or first rows to fix (boards) [default: chosen by the coordinator]
    #[arg(long, env = "NQUEENS_DEPTH", value_name = "ROWS")]
    pub(crate) depth: Option<u32>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// A way to write the results of a run.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportFormat {
    /// One JSON object a line
    Ndjson,
    /// Comma-separated values
    Csv,
}

/// What a run wants to know.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Goal {
    /// The number of solutions
    Count,
    /// The boards
    Boards,
}

impl From<Goal> for v1::Goal {
    fn from(goal: Goal) -> Self {
        match goal {
            Goal::Count => Self::Count,
            Goal::Boards => Self::Boards,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The number of the run
    #[arg(value_name = "RUN", value_parser = values::run_id, allow_negative_numbers = true)]
    pub(crate) run_id: u64,
}

#[derive(Debug, Args)]
pub(crate) struct WorkersArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(subcommand)]
    pub(crate) command: WorkersCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorkersCommand {
    /// List the workers
    List,
    /// Ask a worker to finish what it holds, take no more, and leave
    Drain {
        /// The number of the worker
        #[arg(value_name = "WORKER", value_parser = values::worker_id, allow_negative_numbers = true)]
        worker_id: u64,
    },
}

#[derive(Debug, Args)]
pub(crate) struct TopArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    /// Seconds between two looks
    #[arg(long, env = "NQUEENS_INTERVAL", value_name = "SECONDS", default_value = "1", value_parser = values::seconds)]
    pub(crate) interval: Duration,
}
