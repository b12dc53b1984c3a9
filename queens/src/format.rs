//! Boards as text, in the formats that users pick by name.
//!
//! Every format writes a board as a heading, then one text for each row, then a closing. A row's text depends only on
//! the queen's column and ends with what stands between two rows. So the n texts are made once, and writing a board is
//! copying n of them.

use std::{error::Error, fmt, str::FromStr};

use crate::size::Size;

/// A way to write boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One JSON array of boards, each an array of strings of `.` and `Q`.
    Leetcode,
    /// n lines of `.` and `Q` and a blank line for each board.
    Text,
    /// A numbered heading and n lines of `* ` and `Q` for each board.
    Numbered,
    /// A line of 1-based columns for each board.
    Columns,
    /// A line of JSON with index and 0-based columns for each board.
    Ndjson,
    /// A line with the piece placement of Forsyth-Edwards notation for each board.
    Fen,
}

impl Format {
    /// Every format, the default first.
    pub const ALL: [Self; 6] =
        [Self::Leetcode, Self::Text, Self::Numbered, Self::Columns, Self::Ndjson, Self::Fen];

    /// Returns the name by which users pick the format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Leetcode => "leetcode",
            Self::Text => "text",
            Self::Numbered => "numbered",
            Self::Columns => "columns",
            Self::Ndjson => "ndjson",
            Self::Fen => "fen",
        }
    }

    /// Returns the text of a row with its queen in `column` (from 0), and then one byte that separates rows.
    fn row(self, size: Size, column: usize) -> Vec<u8> {
        let (left, right) = (column, size.index() - 1 - column);
        let text = match self {
            Self::Leetcode => format!("\"{}Q{}\",", ".".repeat(left), ".".repeat(right)),
            Self::Text => format!("{}Q{}\n", ".".repeat(left), ".".repeat(right)),
            Self::Numbered => format!("{}Q{}\n", "* ".repeat(left), "* ".repeat(right)),
            Self::Columns => format!("{} ", column + 1),
            Self::Ndjson => format!("{column},"),
            Self::Fen => format!("{}Q{}/", run(left), run(right)),
        };
        text.into_bytes()
    }

    /// Returns what stands in the place of the last row's separator.
    const fn closing(self) -> &'static [u8] {
        match self {
            Self::Leetcode => b"]",
            Self::Text => b"\n\n",
            Self::Numbered | Self::Columns | Self::Fen => b"\n",
            Self::Ndjson => b"]}\n",
        }
    }
}

/// Returns the notation of a run of empty squares.
fn run(squares: usize) -> String {
    if squares == 0 { String::new() } else { squares.to_string() }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or(UnknownFormat)
    }
}

/// Writes boards of one size in one format, as a stream: `begin`, then any number of boards, then `end`.
#[derive(Debug)]
pub struct BoardWriter {
    format: Format,
    size: Size,
    // For each column, the text of a row with its queen there.
    rows: Vec<Vec<u8>>,
    index: u64,
    // Whether a board was written already.
    begun: bool,
}

impl BoardWriter {
    /// Returns a writer whose first board will have the index `first_index`, counted from 0. `ndjson` shows the index
    /// and `numbered` shows one more; the other formats do not number boards.
    pub fn new(format: Format, size: Size, first_index: u64) -> Self {
        let rows = (0..size.index()).map(|column| format.row(size, column)).collect();
        Self { format, size, rows, index: first_index, begun: false }
    }

    /// Appends what comes before the first board.
    pub fn begin(&mut self, text: &mut Vec<u8>) {
        if self.format == Format::Leetcode {
            text.push(b'[');
        }
    }

    /// Appends any number of boards: n bytes each, the column of the queen of each row, counted from 0.
    ///
    /// # Panics
    ///
    /// If a column is not on the board.
    pub fn boards(&mut self, columns: &[u8], text: &mut Vec<u8>) {
        debug_assert_eq!(columns.len() % self.size.index(), 0, "whole boards");
        for board in columns.chunks_exact(self.size.index()) {
            self.heading(text);
            for &column in board {
                text.extend_from_slice(&self.rows[usize::from(column)]);
            }
            text.pop();
            text.extend_from_slice(self.format.closing());
            self.index = self.index.wrapping_add(1);
            self.begun = true;
        }
    }

    fn heading(&self, text: &mut Vec<u8>) {
        match self.format {
            Format::Leetcode => text.extend_from_slice(if self.begun { b",[" } else { b"[" }),
            Format::Numbered => {
                text.extend_from_slice(b"**************");
                append_decimal(u128::from(self.index) + 1, text);
                text.extend_from_slice(b" solution is :\n");
            }
            Format::Ndjson => {
                text.extend_from_slice(b"{\"index\":\"");
                append_decimal(self.index.into(), text);
                text.extend_from_slice(b"\",\"columns\":[");
            }
            Format::Text | Format::Columns | Format::Fen => {}
        }
    }

    /// Appends what comes after the last board.
    pub fn end(&mut self, text: &mut Vec<u8>) {
        if self.format == Format::Leetcode {
            text.extend_from_slice(b"]\n");
        }
    }
}

fn append_decimal(number: u128, text: &mut Vec<u8>) {
    text.extend_from_slice(number.to_string().as_bytes());
}

/// No format has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown format; choose one of: {}", Format::ALL.map(Format::name).join(", "))
    }
}

impl Error for UnknownFormat {}
