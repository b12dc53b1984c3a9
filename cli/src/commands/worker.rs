//! `nqueens worker`: joins a cluster and computes for it until it is asked to leave.

use std::fs;

use tokio_util::sync::CancellationToken;
use worker::{Config, Pool, Stop};

use crate::{args::WorkerArgs, credentials::Way, exit::Interrupted, signals};

/// The most bytes of a host's name that a coordinator takes.
const HOST_BYTES: usize = 255;

pub(crate) async fn run(args: &WorkerArgs) -> anyhow::Result<()> {
    let (drain, now) = (CancellationToken::new(), CancellationToken::new());
    signals::listen(drain.clone(), now.clone());
    let dial = Way::new(args.coordinator.clone(), args.credentials.clone())?;
    let pool = Pool::threads(args.kernel.threads(), args.kernel.kernel)?;
    let stop = Stop { drain, now: now.clone() };
    match worker::run(config(args), dial, pool, stop).await {
        Err(error) if now.is_cancelled() => Err(Interrupted(error.to_string()).into()),
        outcome => Ok(outcome?),
    }
}

fn config(args: &WorkerArgs) -> Config {
    let host = host();
    let name = args.name.clone().unwrap_or_else(|| default_name(&host));
    let config = Config::new(name, host, args.kernel.threads(), args.kernel.kernel);
    Config { grace: args.grace, connect_timeout: args.connect_timeout, ..config }
}

/// Returns the name of this machine.
fn host() -> String {
    let asked =
        fs::read_to_string("/proc/sys/kernel/hostname").or_else(|_| fs::read_to_string("/etc/hostname"));
    let name = asked.ok().or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default();
    match name.trim() {
        "" => "unknown".into(),
        name => cut(name, HOST_BYTES).into(),
    }
}

/// Returns a name that tells workers of one machine apart.
fn default_name(host: &str) -> String {
    format!("{}-{}", cut(host, 48), std::process::id())
}

/// Returns the beginning of a text, at most `bytes` long and without half a letter.
fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_their_limits() {
        assert!(default_name(&"ä".repeat(200)).len() <= 64);
        assert!((1..=HOST_BYTES).contains(&host().len()));
    }
}
