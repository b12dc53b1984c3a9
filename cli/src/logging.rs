//! Log lines on stderr; stdout belongs to results.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

use crate::args::{LogArgs, LogFormat};

/// Starts logging. `default_level` applies unless the user set a filter.
pub(crate) fn start(args: &LogArgs, default_level: &str) {
    let wanted = args.log.as_deref().unwrap_or(default_level);
    let lines = tracing_subscriber::fmt().with_env_filter(EnvFilter::new(wanted)).with_writer(io::stderr);
    match args.log_format {
        LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).init(),
        LogFormat::Json => lines.json().init(),
    }
}
