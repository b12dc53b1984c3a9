//! A full board: one queen in every row.

use crate::{
    position::{CannotPlace, Position, Square},
    size::Size,
};

/// n queens, one in every row. Boards of one size are ordered lexicographically by their columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    size: Size,
    // Zero beyond n, so that the derived comparisons are right.
    columns: [u8; 32],
}

impl Board {
    /// Returns the board whose queen of row `r` stands in column `columns[r]`, or an error if one is off the board or
    /// two attack each other.
    ///
    /// # Panics
    ///
    /// If there are not exactly n columns.
    pub fn new(size: Size, columns: &[u8]) -> Result<Self, CannotPlace> {
        assert_eq!(columns.len(), size.index(), "a board has a queen in every row");
        if !is_solution(size, columns) {
            // Only now is it worth while to find out which queen is to blame.
            let queens = (0..).zip(columns).map(|(row, &column)| Square::new(row, column));
            Position::with_queens(size, queens)?;
        }
        let mut board = Self { size, columns: [0; 32] };
        board.columns[..columns.len()].copy_from_slice(columns);
        Ok(board)
    }

    /// Returns the size of the board.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// Returns the column of the queen of each row from the top, counted from 0.
    pub fn columns(&self) -> &[u8] {
        &self.columns[..self.size.index()]
    }
}

/// Tells whether n queens in these columns, one in each row, share no column and no diagonal: then they have n of each.
fn is_solution(size: Size, columns: &[u8]) -> bool {
    let n = size.get();
    let (mut taken, mut diagonals, mut antidiagonals) = (0_u64, 0_u64, 0_u64);
    for (row, &column) in (0..n).zip(columns) {
        let column = u32::from(column).min(32);
        taken |= 1 << column;
        diagonals |= 1 << (row + column);
        antidiagonals |= 1 << (column + n - 1 - row);
    }
    let on_the_board = taken & !u64::from(size.full_row()) == 0;
    on_the_board && [taken, diagonals, antidiagonals].into_iter().all(|lines| lines.count_ones() == n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_solutions_are_boards() {
        for n in 1..=5 {
            let size = Size::new(n).unwrap();
            let mut columns = vec![0; n as usize];
            loop {
                let queens = (0..).zip(&columns).map(|(row, &column)| Square::new(row, column));
                let position = Position::with_queens(size, queens);
                assert_eq!(Board::new(size, &columns).err(), position.err(), "{columns:?}");
                // The next number to the base n + 1, so that columns off the board are tried as well.
                let Some(digit) = columns.iter().rposition(|&column| u64::from(column) < n) else { break };
                columns[digit] += 1;
                columns[digit + 1..].fill(0);
            }
        }
        let size = Size::MAX;
        assert!(Board::new(size, &[255; 32]).is_err());
    }
}
