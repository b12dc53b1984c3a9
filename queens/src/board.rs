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
        let queens = (0..).zip(columns).map(|(row, &column)| Square::new(row, column));
        Position::with_queens(size, queens)?;
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
