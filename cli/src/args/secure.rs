//! `certs` and `health`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::shared::{ConnectArgs, DEFAULT_COORDINATOR};
use crate::url::Url;

#[derive(Debug, Args)]
pub(crate) struct CertsArgs {
    #[command(subcommand)]
    pub(crate) command: CertsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CertsCommand {
    /// Make an authority, and certificates and tokens for a coordinator, a worker, a client and a viewer
    Init(InitArgs),
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The folder to make, with a folder in it for each role; what is there already is never overwritten
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// A name or address by which the coordinator will be reached, besides those of this machine's loopback; may be
    /// given several times
    #[arg(long = "host", env = "NQUEENS_HOST", value_name = "NAME", value_delimiter = ',')]
    pub(crate) hosts: Vec<String>,
    /// Days after which the certificates expire
    #[arg(
        long,
        env = "NQUEENS_DAYS",
        value_name = "DAYS",
        default_value = "365",
        value_parser = clap::value_parser!(u32).range(1..=3650)
    )]
    pub(crate) days: u32,
}

#[derive(Debug, Args)]
pub(crate) struct HealthArgs {
    /// The coordinator to ask
    #[arg(long, env = "NQUEENS_COORDINATOR", value_name = "URL", default_value = DEFAULT_COORDINATOR)]
    pub(crate) coordinator: Url,
    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
}
