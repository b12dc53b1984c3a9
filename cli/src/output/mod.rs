//! Results on stdout, for people and for programs.

pub(crate) mod json;
mod table;
pub(crate) mod words;

pub(crate) use table::{bench_table, compared_table, facts, run_details, runs_table, workers_table};

use std::io::{self, Write};

use serde::Serialize;

/// Writes one line to stdout. An error if nobody reads it any more, which [`crate::exit`] takes for a quiet end.
pub(crate) fn line(text: impl AsRef<str>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", text.as_ref())?;
    out.flush()
}

/// Writes a value as one line of JSON to stdout.
pub(crate) fn json_line(value: &impl Serialize) -> anyhow::Result<()> {
    Ok(line(serde_json::to_string(value)?)?)
}
