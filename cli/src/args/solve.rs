//! `count` and `boards`, and `verify` for what they came to.

use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

use clap::Args;
use queens::{Size, enumerate::Order, format::Format, kernel::Kernel};

use super::{
    shared::{HowArgs, JsonArgs, PlaceArgs, SampleArgs, threads_or_allowed},
    values::{self, Algorithms, Choice},
};

#[derive(Debug, Args)]
pub(crate) struct CountArgs {
    /// The board has N x N squares; 1 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) size: Size,
    /// Rows to fix below the preset: more rows, more and smaller jobs [default: chosen by the coordinator]
    #[arg(long, env = "NQUEENS_DEPTH", value_name = "ROWS")]
    pub(crate) depth: Option<u32>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) json: JsonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BoardsArgs {
    /// The board has N x N squares; 1 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) size: Size,
    /// How to write the boards
    #[arg(long, env = "NQUEENS_FORMAT", default_value = "leetcode", value_parser = values::format_parser())]
    pub(crate) format: Format,
    /// From the first board to the last, or from the last to the first
    #[arg(long, env = "NQUEENS_ORDER", default_value = "ascending", value_parser = values::order_parser())]
    pub(crate) order: Order,
    /// Boards to leave out at the beginning
    #[arg(
        long,
        env = "NQUEENS_OFFSET",
        value_name = "BOARDS",
        default_value = "0",
        value_parser = values::board_count,
        allow_negative_numbers = true
    )]
    pub(crate) offset: u64,
    /// The most boards to list [default: all]
    #[arg(
        long,
        env = "NQUEENS_LIMIT",
        value_name = "BOARDS",
        value_parser = values::board_count,
        allow_negative_numbers = true
    )]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The board has N x N squares; 1 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) size: Size,
    /// The number of workers to share the work
    #[arg(
        long,
        env = "NQUEENS_WORKERS",
        default_value = "1",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub(crate) workers: u32,
    /// Kernel threads of each worker [default: as many as this machine would lend to one]
    #[arg(long, env = "NQUEENS_THREADS", value_parser = values::threads, allow_negative_numbers = true)]
    threads: Option<NonZeroUsize>,
    /// What to count with; `auto` is the fastest that this processor supports
    #[arg(long, env = "NQUEENS_KERNEL", default_value = "auto", value_parser = values::kernel_parser())]
    pub(crate) kernel: Kernel,
    /// Rows to fix below the preset [default: as a coordinator would choose]
    #[arg(long, env = "NQUEENS_DEPTH", value_name = "ROWS")]
    pub(crate) depth: Option<u32>,
    /// What to count with; `auto` is the faster one for the board and the kernel
    #[arg(long, env = "NQUEENS_ALGORITHM", default_value = "auto", value_parser = values::algorithm_parser())]
    pub(crate) algorithm: Choice,
    /// How long a job should take on one thread, about
    #[arg(
        long,
        env = "NQUEENS_JOB_SECONDS",
        value_name = "SECONDS",
        default_value = "5",
        value_parser = values::seconds
    )]
    pub(crate) job_seconds: Duration,
    /// How long to measure: the longer, the narrower the intervals
    #[arg(
        long,
        env = "NQUEENS_SECONDS",
        value_name = "SECONDS",
        default_value = "8",
        value_parser = values::seconds
    )]
    pub(crate) seconds: Duration,
    #[command(flatten)]
    pub(crate) json: JsonArgs,
}

impl PlanArgs {
    /// Returns the number of kernel threads of one worker.
    pub(crate) fn threads(&self) -> usize {
        threads_or_allowed(self.threads).get()
    }

    /// Returns the number of kernel threads of all workers.
    pub(crate) fn all_threads(&self) -> u64 {
        u64::from(self.workers) * self.threads() as u64
    }
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// The board has N x N squares; 1 to 32. Algorithms that would take too long are run on a smaller one
    #[arg(long, env = "NQUEENS_N", default_value = "16", allow_negative_numbers = true)]
    pub(crate) n: Size,
    /// Measure only this kernel, beside the textbook algorithms [default: all that the processor supports]
    #[arg(long, env = "NQUEENS_KERNEL", value_parser = values::kernel_parser())]
    pub(crate) kernel: Option<Kernel>,
    /// Compare the algorithms that count whole boards instead, on random jobs
    #[arg(long, env = "NQUEENS_ALGORITHM", value_name = "ALGORITHM", value_parser = values::algorithms_parser())]
    pub(crate) algorithm: Option<Algorithms>,
    /// With --algorithm: how many random jobs of each to run
    #[arg(
        long,
        env = "NQUEENS_SAMPLE",
        value_name = "JOBS",
        default_value = "100",
        value_parser = clap::value_parser!(u32).range(1..=10_000_000)
    )]
    pub(crate) sample: u32,
    /// How often to run each; the median counts. What takes longer than 10 seconds is run once
    #[arg(
        long,
        env = "NQUEENS_REPEATS",
        value_name = "TIMES",
        default_value = "5",
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    pub(crate) repeats: u32,
    #[command(flatten)]
    pub(crate) json: JsonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// What `nqueens runs export` wrote, in either format
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) sample: SampleArgs,
    #[command(flatten)]
    pub(crate) json: JsonArgs,
}
