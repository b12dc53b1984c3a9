//! A partly filled board, reduced to what its queens block.

use std::{error::Error, fmt};

use crate::size::Size;

/// One square of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square {
    /// Its row from the top, counted from 0.
    pub row: u8,
    /// Its column from the left, counted from 0.
    pub column: u8,
}

impl Square {
    /// Returns the square at `row` and `column`, both counted from 0.
    pub const fn new(row: u8, column: u8) -> Self {
        Self { row, column }
    }
}

/// What the queens on a partly filled board block. Two sets of queens that block the same lines are the same position.
///
/// Bit `i` of a mask stands for line `i`: a row `r`, a column `c`, a diagonal `r + c` (it falls to the left), or an
/// antidiagonal `c - r + n - 1` (it falls to the right).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    size: Size,
    rows: u32,
    columns: u32,
    diagonals: u64,
    antidiagonals: u64,
}

impl Position {
    /// Returns the empty board.
    pub const fn empty(size: Size) -> Self {
        Self { size, rows: 0, columns: 0, diagonals: 0, antidiagonals: 0 }
    }

    /// Returns the position of these queens, or an error if one of them is off the board or attacked by another.
    pub fn with_queens(size: Size, queens: impl IntoIterator<Item = Square>) -> Result<Self, CannotPlace> {
        queens.into_iter().try_fold(Self::empty(size), Self::place)
    }

    /// Returns this position with one more queen, or an error if its square is off the board or attacked.
    pub fn place(self, square: Square) -> Result<Self, CannotPlace> {
        let n = self.size.get() as u8;
        if square.row >= n || square.column >= n {
            return Err(CannotPlace::OffTheBoard(square));
        }
        if !self.is_free(square) {
            return Err(CannotPlace::Attacked(square));
        }
        Ok(self.with_queen(square.row.into(), square.column.into()))
    }

    /// Returns this position with a queen in `row` and `column`, which the caller knows to be free.
    pub(crate) const fn with_queen(self, row: u32, column: u32) -> Self {
        Self {
            size: self.size,
            rows: self.rows | 1 << row,
            columns: self.columns | 1 << column,
            diagonals: self.diagonals | 1 << (row + column),
            antidiagonals: self.antidiagonals | 1 << (column + self.size.get() - 1 - row),
        }
    }

    /// Returns the same position with rows and columns changed for each other.
    pub(crate) const fn transposed(self) -> Self {
        let unused = 64 - (2 * self.size.get() - 1);
        let antidiagonals = self.antidiagonals.reverse_bits() >> unused;
        Self { rows: self.columns, columns: self.rows, antidiagonals, ..self }
    }

    /// Tells whether a queen on `square`, which must be on the board, would be attacked by none.
    pub fn is_free(self, square: Square) -> bool {
        let row = u32::from(square.row);
        self.rows >> row & 1 == 0 && self.free(row) >> square.column & 1 == 1
    }

    /// Returns the size of the board.
    pub const fn size(self) -> Size {
        self.size
    }

    /// Returns the rows that hold a queen.
    pub const fn rows(self) -> u32 {
        self.rows
    }

    /// Returns the columns that hold a queen.
    pub const fn columns(self) -> u32 {
        self.columns
    }

    /// Returns the diagonals `r + c` that hold a queen.
    pub const fn diagonals(self) -> u64 {
        self.diagonals
    }

    /// Returns the antidiagonals `c - r + n - 1` that hold a queen.
    pub const fn antidiagonals(self) -> u64 {
        self.antidiagonals
    }

    /// Returns the rows that hold no queen yet.
    pub const fn free_rows(self) -> u32 {
        !self.rows & self.size.full_row()
    }

    /// Returns the columns of `row`, 0 to n - 1, that no queen attacks along a column or diagonal. Whether the row
    /// itself holds a queen is not looked at.
    pub const fn free(self, row: u32) -> u32 {
        let falling_left = (self.diagonals >> row) as u32;
        let falling_right = (self.antidiagonals >> (self.size.get() - 1 - row)) as u32;
        !(self.columns | falling_left | falling_right) & self.size.full_row()
    }
}

/// Returns the places of the bits that are set, from the lowest.
pub(crate) fn bits(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros())?;
        mask &= mask - 1;
        Some(bit)
    })
}

/// Why a queen cannot be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CannotPlace {
    /// The square is not on the board.
    OffTheBoard(Square),
    /// Another queen attacks the square.
    Attacked(Square),
}

impl fmt::Display for CannotPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (square, why) = match self {
            Self::OffTheBoard(square) => (square, "is not on the board"),
            Self::Attacked(square) => (square, "is attacked by another queen"),
        };
        write!(f, "the square in row {}, column {} (counted from 0) {why}", square.row, square.column)
    }
}

impl Error for CannotPlace {}

#[cfg(test)]
mod tests {
    use super::*;

    fn attack(a: Square, b: Square) -> bool {
        let (rows, columns) = (a.row.abs_diff(b.row), a.column.abs_diff(b.column));
        rows == 0 || columns == 0 || rows == columns
    }

    #[test]
    fn one_queen_blocks_exactly_what_it_attacks() {
        for size in Size::all() {
            let n = size.get() as u8;
            let squares = || (0..n).flat_map(|row| (0..n).map(move |column| Square::new(row, column)));
            for queen in squares() {
                let position = Position::empty(size).place(queen).unwrap();
                for square in squares() {
                    assert_eq!(
                        position.is_free(square),
                        !attack(queen, square),
                        "{size} {queen:?} {square:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn squares_off_the_board_and_attacked_squares_are_refused() {
        let size = Size::new(8).unwrap();
        let off = Square::new(8, 0);
        assert_eq!(Position::with_queens(size, [off]), Err(CannotPlace::OffTheBoard(off)));
        let attacked = Square::new(3, 3);
        let queens = [Square::new(0, 0), attacked];
        assert_eq!(Position::with_queens(size, queens), Err(CannotPlace::Attacked(attacked)));
    }
}
