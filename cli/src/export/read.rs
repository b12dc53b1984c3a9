//! Reading an exported run line by line, in either format. The file may be longer than memory; a line may not.

use std::io::{self, BufRead, Read};

use super::{
    Format, csv, ndjson,
    record::{Header, Row},
};

/// The longest line. The header and a job with 32 queens take far less.
const LINE_MAX: u64 = 64 << 10;

/// Reads an exported run.
pub(crate) struct Reader<R> {
    input: R,
    format: Format,
    line: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Reader<R> {
    /// Reads the header; the format is seen from it. An error says which line is wrong, and how.
    pub(crate) fn new(input: R) -> Result<(Self, Header), String> {
        let mut reader = Self { input, format: Format::Ndjson, line: Vec::new(), number: 0 };
        let first = reader.next_line()?.ok_or("the file is empty")?;
        let header = match first.strip_prefix(csv::MARK) {
            None => ndjson::header(first),
            Some(header) => ndjson::header(header),
        };
        let is_csv = first.starts_with(csv::MARK);
        let header = header.map_err(|error| reader.wrong(&error))?;
        if is_csv {
            reader.format = Format::Csv;
            if reader.next_line()? != Some(csv::COLUMNS) {
                return Err(reader.wrong(&format!("it must name the columns: {}", csv::COLUMNS)));
            }
        }
        Ok((reader, header))
    }

    /// Reads the next job; `None` at the end.
    pub(crate) fn row(&mut self) -> Result<Option<Row>, String> {
        let read = match self.format {
            Format::Ndjson => ndjson::row,
            Format::Csv => csv::row,
        };
        let Some(line) = self.next_line()? else { return Ok(None) };
        read(line).map(Some).map_err(|error| self.wrong(&error))
    }

    /// Returns a sentence that names the present line.
    pub(crate) fn wrong(&self, error: &str) -> String {
        format!("line {}: {error}", self.number)
    }

    fn next_line(&mut self) -> Result<Option<&str>, String> {
        self.number += 1;
        self.line.clear();
        let read = self.input.by_ref().take(LINE_MAX).read_until(b'\n', &mut self.line);
        if read.map_err(|error: io::Error| self.wrong(&error.to_string()))? == 0 {
            return Ok(None);
        }
        let is_whole = self.line.pop_if(|byte| *byte == b'\n').is_some();
        if !is_whole {
            return Err(self.wrong("it is cut short, or too long"));
        }
        self.line.pop_if(|byte| *byte == b'\r');
        match std::str::from_utf8(&self.line) {
            Ok(line) => Ok(Some(line)),
            Err(_) => Err(self.wrong("it is not text")),
        }
    }
}
