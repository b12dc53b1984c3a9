//! `coordinator` and `worker`.

use std::{path::PathBuf, time::Duration};

use clap::Args;

use super::{
    shared::{DEFAULT_COORDINATOR, KernelArgs},
    values,
};
use crate::url::Url;

#[derive(Debug, Args)]
pub(crate) struct CoordinatorArgs {
    /// The address to serve gRPC on; port 0 picks a free one, which the log names
    #[arg(
        long,
        env = "NQUEENS_LISTEN",
        value_name = "HOST:PORT",
        default_value = "127.0.0.1:7117",
        value_parser = values::host_and_port
    )]
    pub(crate) listen: String,
    /// The address to serve pages, JSON and metrics on, such as 127.0.0.1:7118 [default: none of these]
    #[arg(long, env = "NQUEENS_HTTP", value_name = "HOST:PORT", value_parser = values::host_and_port)]
    pub(crate) http: Option<String>,
    /// The file that keeps runs and results; `:memory:` keeps them until the process ends
    #[arg(long, env = "NQUEENS_LEDGER", value_name = "FILE", default_value = "nqueens.db")]
    pub(crate) ledger: PathBuf,
    /// Seconds without a sign of life after which a worker's jobs are lent to others
    #[arg(
        long,
        env = "NQUEENS_LEASE_SECONDS",
        value_name = "SECONDS",
        default_value = "20",
        value_parser = values::seconds
    )]
    pub(crate) lease_seconds: Duration,
    /// How long a job should take on one thread, about; runs that are created from now on are split accordingly
    #[arg(
        long,
        env = "NQUEENS_JOB_SECONDS",
        value_name = "SECONDS",
        default_value = "5",
        value_parser = values::seconds
    )]
    pub(crate) job_seconds: Duration,
    #[cfg(feature = "otel")]
    #[command(flatten)]
    pub(crate) traces: TraceArgs,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    /// The coordinator to work for
    #[arg(
        long,
        env = "NQUEENS_COORDINATOR",
        value_name = "URL",
        default_value = DEFAULT_COORDINATOR
    )]
    pub(crate) coordinator: Url,
    /// Seconds to wait for the coordinator at the start [default: as long as it takes]
    #[arg(long, env = "NQUEENS_CONNECT_TIMEOUT", value_name = "SECONDS", value_parser = values::seconds)]
    pub(crate) connect_timeout: Option<Duration>,
    #[command(flatten)]
    pub(crate) kernel: KernelArgs,
    /// A name for people, at most 64 bytes [default: host name and process number]
    #[arg(long, env = "NQUEENS_NAME", value_parser = values::worker_name)]
    pub(crate) name: Option<String>,
    /// Seconds in which to finish what is held when asked to stop
    #[arg(long, env = "NQUEENS_GRACE", value_name = "SECONDS", default_value = "20", value_parser = values::seconds)]
    pub(crate) grace: Duration,
    #[cfg(feature = "otel")]
    #[command(flatten)]
    pub(crate) traces: TraceArgs,
}

/// Where spans go.
#[cfg(feature = "otel")]
#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// Send a span for each lease and job to this OpenTelemetry collector, by OTLP over gRPC, such as
    /// http://127.0.0.1:4317 [default: none]
    #[arg(
        long,
        env = "NQUEENS_OTLP_ENDPOINT",
        value_name = "URL",
        value_parser = values::collector,
        help_heading = "Logging"
    )]
    pub(crate) otlp_endpoint: Option<Url>,
}
