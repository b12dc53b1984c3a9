//! What several commands have in common: where the work is done, how it is computed, how it is shown.

use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

use clap::{Args, builder::FalseyValueParser};
use queens::kernel::Kernel;

use super::values::{self, Audit, Choice};
use crate::url::Url;

/// Where a coordinator listens unless it is told otherwise.
pub(super) const DEFAULT_COORDINATOR: &str = "http://127.0.0.1:7117";

/// Where the work is done: on a cluster, or in this process.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// Let the cluster of this coordinator do it [default: a cluster inside this process]
    #[arg(long, env = "NQUEENS_COORDINATOR", value_name = "URL")]
    pub(crate) coordinator: Option<Url>,
    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
    #[command(flatten)]
    pub(crate) kernel: KernelArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ConnectArgs {
    /// Seconds to wait for the coordinator to answer
    #[arg(
        long,
        global = true,
        env = "NQUEENS_CONNECT_TIMEOUT",
        value_name = "SECONDS",
        default_value = "10",
        value_parser = values::seconds
    )]
    pub(crate) connect_timeout: Duration,
    #[command(flatten)]
    pub(crate) credentials: CredentialArgs,
}

/// Files that say who this process is to a coordinator, and which coordinator it believes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Security")]
pub(crate) struct CredentialArgs {
    /// The authority that signed the certificate of the coordinator, as PEM; https needs it
    #[arg(long, global = true, env = "NQUEENS_CA", value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// The certificate that says who this process is, as PEM
    #[arg(long, global = true, env = "NQUEENS_CERT", value_name = "FILE", requires = "key")]
    pub(crate) cert: Option<PathBuf>,
    /// The key of this certificate, as PEM
    #[arg(long, global = true, env = "NQUEENS_KEY", value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
    /// A file with nothing but the token that says who this process is
    #[arg(long, global = true, env = "NQUEENS_TOKEN_FILE", value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
}

/// How this process computes.
#[derive(Debug, Args)]
pub(crate) struct KernelArgs {
    /// Kernel threads of this process [default: as many as the machine lets this process use]
    #[arg(
        long,
        env = "NQUEENS_THREADS",
        value_name = "THREADS",
        value_parser = values::threads,
        allow_negative_numbers = true
    )]
    threads: Option<NonZeroUsize>,
    /// What this process counts with; `auto` is the fastest that this processor supports
    #[arg(long, env = "NQUEENS_KERNEL", default_value = "auto", value_parser = values::kernel_parser())]
    pub(crate) kernel: Kernel,
}

impl KernelArgs {
    /// Returns the number of kernel threads: what was asked for, else what affinity and CPU quota allow.
    pub(crate) fn threads(&self) -> NonZeroUsize {
        threads_or_allowed(self.threads)
    }
}

/// Returns the number of threads that was asked for, else what affinity and CPU quota allow.
pub(super) fn threads_or_allowed(threads: Option<NonZeroUsize>) -> NonZeroUsize {
    threads.unwrap_or_else(|| std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
}

/// How a count is made and checked.
#[derive(Debug, Args)]
pub(crate) struct HowArgs {
    /// What a count counts with; `auto` is the faster one for the board and the workers' kernels
    #[arg(long, env = "NQUEENS_ALGORITHM", default_value = "auto", value_parser = values::algorithm_parser())]
    pub(crate) algorithm: Choice,
    /// What to compute a second time before the answer is given: a share of the jobs, such as 1% or 0.01, each by the other
    /// algorithm and another worker where there is one; or `full`, to count by both algorithms and compare
    #[arg(
        long,
        env = "NQUEENS_AUDIT",
        value_name = "SHARE|full",
        default_value = "0",
        value_parser = values::audit,
        allow_negative_numbers = true
    )]
    pub(crate) audit: Audit,
}

/// The cluster that a command is for.
#[derive(Debug, Args)]
pub(crate) struct ClusterArgs {
    /// The coordinator of the cluster
    #[arg(
        long,
        global = true,
        env = "NQUEENS_COORDINATOR",
        value_name = "URL",
        default_value = DEFAULT_COORDINATOR
    )]
    pub(crate) coordinator: Url,
    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
    #[command(flatten)]
    pub(crate) json: JsonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct JsonArgs {
    /// Print JSON
    #[arg(long, global = true, env = "NQUEENS_JSON", value_parser = FalseyValueParser::new())]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    /// How many jobs, drawn at random, to compute again with the plainest kernel
    #[arg(long, env = "NQUEENS_SAMPLE", value_name = "JOBS", default_value = "100")]
    pub(crate) sample: usize,
}
