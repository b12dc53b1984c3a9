//! `coordinator` and `worker`.

use std::{path::PathBuf, time::Duration};

use clap::{Args, builder::FalseyValueParser};
use coordinator::Limits;

use super::{
    shared::{CredentialArgs, DEFAULT_COORDINATOR, KernelArgs},
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
    #[command(flatten)]
    pub(crate) access: AccessArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Who may come in, and how connections are encrypted.
#[derive(Debug, Args)]
#[command(next_help_heading = "Security")]
pub(crate) struct AccessArgs {
    /// The certificate of this coordinator, as PEM: encrypts both ports
    #[arg(long, env = "NQUEENS_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The key of this certificate, as PEM
    #[arg(long, env = "NQUEENS_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// The authority whose certificates callers show; each names a role by the URI nqueens:worker, nqueens:client or
    /// nqueens:viewer. All callers need one, unless there are tokens too
    #[arg(long, env = "NQUEENS_CLIENT_CA", value_name = "FILE", requires = "tls_cert")]
    pub(crate) client_ca: Option<PathBuf>,
    /// Tokens that callers may show: lines of a role and a token, or a role and sha256:DIGEST
    #[arg(long, env = "NQUEENS_TOKENS", value_name = "FILE")]
    pub(crate) tokens: Option<PathBuf>,
    /// Listen for other machines without encryption, or without asking who calls
    #[arg(long, env = "NQUEENS_INSECURE", value_parser = FalseyValueParser::new())]
    pub(crate) insecure: bool,
}

/// How much of everything there may be at one time.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Sessions of workers
    #[arg(long, env = "NQUEENS_MAX_SESSIONS", value_name = "N", default_value_t = Limits::default().sessions, value_parser = values::limit)]
    pub(crate) max_sessions: usize,
    /// Connections on each port; those beyond wait
    #[arg(long, env = "NQUEENS_MAX_CONNECTIONS", value_name = "N", default_value_t = Limits::default().connections, value_parser = values::limit)]
    pub(crate) max_connections: usize,
    /// Connections on each port from one address
    #[arg(
        long,
        env = "NQUEENS_MAX_CONNECTIONS_PER_PEER",
        value_name = "N",
        default_value_t = Limits::default().connections_per_peer,
        value_parser = values::limit
    )]
    pub(crate) max_connections_per_peer: usize,
    /// Unfinished calls from one address; sessions and streams count too
    #[arg(
        long,
        env = "NQUEENS_MAX_CALLS_PER_PEER",
        value_name = "N",
        default_value_t = Limits::default().calls_per_peer,
        value_parser = values::limit
    )]
    pub(crate) max_calls_per_peer: usize,
    /// Unfinished gRPC calls on one connection
    #[arg(
        long,
        env = "NQUEENS_MAX_STREAMS",
        value_name = "N",
        default_value_t = Limits::default().streams,
        value_parser = clap::value_parser!(u32).range(1..=65536)
    )]
    pub(crate) max_streams: u32,
    /// Bytes of the largest gRPC message that is read
    #[arg(
        long,
        env = "NQUEENS_MAX_MESSAGE_BYTES",
        value_name = "BYTES",
        default_value_t = Limits::default().message_bytes,
        value_parser = values::message_bytes
    )]
    pub(crate) max_message_bytes: usize,
    /// Seconds that a TLS handshake may take
    #[arg(
        long,
        env = "NQUEENS_HANDSHAKE_TIMEOUT",
        value_name = "SECONDS",
        default_value = "10",
        value_parser = values::seconds
    )]
    pub(crate) handshake_timeout: Duration,
    /// Seconds that a worker may take to say hello once it has opened a session
    #[arg(
        long,
        env = "NQUEENS_HELLO_TIMEOUT",
        value_name = "SECONDS",
        default_value = "10",
        value_parser = values::seconds
    )]
    pub(crate) hello_timeout: Duration,
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
    pub(crate) credentials: CredentialArgs,
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
