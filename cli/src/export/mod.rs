//! An exported run: every result of it as text, which anybody can check without the cluster.
//!
//! The first line says what was asked, how it was split, and what it came to; each further line is one job. Reading is
//! strict, since the text may come from anywhere.

mod csv;
mod ndjson;
mod read;
mod record;
mod wire;

pub(crate) use read::Reader;
#[cfg(test)]
pub(crate) use record::Symmetric;
pub(crate) use record::{Answer, Goal, Header, Part, Row};

use std::io::{self, Write};

/// The ways to write an exported run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A JSON object a line.
    Ndjson,
    /// A table for spreadsheets; its first line is a comment that holds the header.
    Csv,
}

impl Format {
    /// Writes the lines before the first job.
    pub(crate) fn write_header(self, out: &mut impl Write, header: &Header) -> io::Result<()> {
        let line = ndjson::header_line(header);
        match self {
            Self::Ndjson => writeln!(out, "{line}"),
            Self::Csv => writeln!(out, "{}{line}\n{}", csv::MARK, csv::COLUMNS),
        }
    }

    /// Writes the line of a job.
    pub(crate) fn write_row(self, out: &mut impl Write, row: &Row) -> io::Result<()> {
        let line = match self {
            Self::Ndjson => ndjson::row_line(row),
            Self::Csv => csv::row_line(row),
        };
        writeln!(out, "{line}")
    }
}

#[cfg(test)]
mod tests;
