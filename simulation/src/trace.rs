//! Everything that coordinator, workers and simulation log, with its virtual time, as one number: two runs of one seed
//! must come to the same.

use std::{
    fmt::{self, Write},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, PoisonError},
};

use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt},
    registry,
};

const TARGETS: [&str; 3] = ["coordinator", "worker", "simulation"];

/// Listens to what is logged.
#[derive(Clone, Default)]
pub(crate) struct Trace {
    hasher: Arc<Mutex<DefaultHasher>>,
    is_shown: bool,
}

impl Trace {
    /// Returns a trace that hears nothing yet; `is_shown`: it writes to stderr what it hears.
    pub(crate) fn new(is_shown: bool) -> Self {
        Self { is_shown, ..Self::default() }
    }

    /// Calls `run` and listens meanwhile.
    pub(crate) fn listen<T>(&self, run: impl FnOnce() -> T) -> T {
        tracing::subscriber::with_default(registry().with(self.clone()), run)
    }

    /// Adds something to what was heard.
    pub(crate) fn note(&self, what: impl Hash) {
        what.hash(&mut *self.hasher.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the number of all that was heard.
    pub(crate) fn sum(&self) -> u64 {
        self.hasher.lock().unwrap_or_else(PoisonError::into_inner).finish()
    }
}

impl<S: Subscriber> Layer<S> for Trace {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        metadata.is_event()
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let target = event.metadata().target();
        if !TARGETS.iter().any(|wanted| target.split("::").next() == Some(wanted)) {
            return;
        }
        let at = turmoil::sim_elapsed().unwrap_or_default();
        let mut line = Line(format!("{:>9.3} {:<5} {target}:", at.as_secs_f64(), event.metadata().level()));
        event.record(&mut line);
        if self.is_shown {
            eprintln!("{}", line.0);
        }
        self.note(without_ledger_id(&line.0));
    }
}

/// Returns a line without the number that each ledger draws for itself.
fn without_ledger_id(line: &str) -> String {
    let mut parts = line.split("ledger_id: ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |sum, part| sum + part.trim_start_matches(|letter: char| letter.is_ascii_digit()))
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
