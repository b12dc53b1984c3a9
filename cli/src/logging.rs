//! Log lines on stderr; stdout belongs to results. A span that was asked for, of a lease or a job, becomes a line when it
//! ends.

use std::io::{self, IsTerminal};

use tracing_subscriber::{
    EnvFilter, Layer, Registry,
    fmt::{self, format::FmtSpan},
    layer::SubscriberExt,
    registry,
    util::SubscriberInitExt,
};

use crate::args::{LogArgs, LogFormat};

/// Something else that listens beside the log.
pub(crate) type Listener = Box<dyn Layer<Lines> + Send + Sync>;
/// What it is put upon.
type Lines = tracing_subscriber::layer::Layered<Box<dyn Layer<Registry> + Send + Sync>, Registry>;

/// Starts logging. `default_level` applies unless the user set a filter.
pub(crate) fn start(args: &LogArgs, default_level: &str, listener: Option<Listener>) {
    let filter = EnvFilter::new(args.log.as_deref().unwrap_or(default_level));
    let lines = fmt::layer().with_writer(io::stderr).with_span_events(FmtSpan::CLOSE);
    let lines = match args.log_format {
        LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).with_filter(filter).boxed(),
        LogFormat::Json => lines.json().with_filter(filter).boxed(),
    };
    registry().with(lines).with(listener).init();
}
