//! One square after another, each left empty first and then filled, with flags for rows, columns and diagonals.
//!
//! Since "empty" comes before "filled", boards whose first queen stands far to the right come first: the order is
//! descending. It never asks whether a row stayed empty, so it also goes through every way to place fewer than n queens.

use super::EachBoard;
use crate::size::Size;

/// Shows every board to `each`, in descending order.
pub fn boards(size: Size, each: EachBoard<'_>) {
    let n = size.index();
    let mut search = Search {
        n,
        queens: Vec::with_capacity(n),
        rows: vec![false; n],
        columns: vec![false; n],
        diagonals: vec![false; 2 * n - 1],
        antidiagonals: vec![false; 2 * n - 1],
    };
    search.decide(0, 0, each);
}

struct Search {
    n: usize,
    // The columns of the queens so far. Squares are visited row by row, so those of a full board are in order.
    queens: Vec<u8>,
    rows: Vec<bool>,
    columns: Vec<bool>,
    diagonals: Vec<bool>,
    antidiagonals: Vec<bool>,
}

impl Search {
    fn decide(&mut self, row: usize, column: usize, each: EachBoard<'_>) {
        if column == self.n {
            return self.decide(row + 1, 0, each);
        }
        if row == self.n {
            if self.queens.len() == self.n {
                each(&self.queens);
            }
            return;
        }
        self.decide(row, column + 1, each);
        if self.is_safe(row, column) {
            self.mark(row, column, true);
            self.queens.push(column as u8);
            self.decide(row, column + 1, each);
            self.queens.pop();
            self.mark(row, column, false);
        }
    }

    fn is_safe(&self, row: usize, column: usize) -> bool {
        let (diagonal, antidiagonal) = (row + column, column + self.n - 1 - row);
        let taken = self.rows[row] || self.columns[column];
        !(taken || self.diagonals[diagonal] || self.antidiagonals[antidiagonal])
    }

    fn mark(&mut self, row: usize, column: usize, taken: bool) {
        self.rows[row] = taken;
        self.columns[column] = taken;
        self.diagonals[row + column] = taken;
        self.antidiagonals[column + self.n - 1 - row] = taken;
    }
}
