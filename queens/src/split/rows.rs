//! The first rows in lexicographic order: the roots of plans whose jobs are also ranges of boards.

use super::below::Below;
use crate::{
    position::{Position, Square},
    size::Size,
};

/// Every way to fill the first rows.
#[derive(Debug)]
pub(super) struct FirstRows {
    size: Size,
    prefixes: Vec<Vec<Square>>,
}

impl FirstRows {
    /// The most rows that are stored: at most 32 x 31 prefixes. Further rows are counted when they are needed.
    pub(super) const MOST: u32 = 2;

    /// Returns every way to fill the first `rows` rows (all rows if there are fewer).
    pub(super) fn new(size: Size, rows: u32) -> Self {
        let prefixes = Below::new(Position::empty(size), Vec::new(), rows, 0).collect();
        Self { size, prefixes }
    }

    /// Returns the number of prefixes.
    pub(super) fn len(&self) -> usize {
        self.prefixes.len()
    }

    /// Returns the queens of the prefix at `root`, from the top row down.
    pub(super) fn queens(&self, root: usize) -> Vec<Square> {
        self.prefixes[root].clone()
    }

    /// Returns the position of the prefix at `root`.
    pub(super) fn position(&self, root: usize) -> Position {
        let queens = self.prefixes[root].iter();
        queens.fold(Position::empty(self.size), |position, queen| {
            position.with_queen(queen.row.into(), queen.column.into())
        })
    }
}

/// Returns the columns of `queens` if they stand in rows 0, 1, 2, … in this order, as those of a rows job do; else
/// `None`.
pub fn prefix_columns(queens: &[Square]) -> Option<Vec<u8>> {
    (0..).zip(queens).map(|(row, queen)| (queen.row == row).then_some(queen.column)).collect()
}
