//! Row by row, with a flag for each column and each diagonal: asking whether a square is attacked is three look-ups.

use super::EachBoard;
use crate::size::Size;

/// Shows every board to `each`, in ascending order.
pub fn boards(size: Size, each: EachBoard<'_>) {
    let n = size.index();
    let mut taken = Taken {
        columns: vec![false; n],
        diagonals: vec![false; 2 * n - 1],
        antidiagonals: vec![false; 2 * n - 1],
    };
    place(&mut taken, &mut Vec::with_capacity(n), each);
}

struct Taken {
    columns: Vec<bool>,
    diagonals: Vec<bool>,
    antidiagonals: Vec<bool>,
}

impl Taken {
    fn attacks(&self, row: usize, column: usize) -> bool {
        let n = self.columns.len();
        self.columns[column] || self.diagonals[row + column] || self.antidiagonals[column + n - 1 - row]
    }

    fn mark(&mut self, row: usize, column: usize, taken: bool) {
        let n = self.columns.len();
        self.columns[column] = taken;
        self.diagonals[row + column] = taken;
        self.antidiagonals[column + n - 1 - row] = taken;
    }
}

fn place(taken: &mut Taken, queens: &mut Vec<u8>, each: EachBoard<'_>) {
    let (n, row) = (taken.columns.len(), queens.len());
    if row == n {
        return each(queens);
    }
    for column in 0..n {
        if taken.attacks(row, column) {
            continue;
        }
        taken.mark(row, column, true);
        queens.push(column as u8);
        place(taken, queens, each);
        queens.pop();
        taken.mark(row, column, false);
    }
}
