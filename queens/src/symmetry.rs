//! The 8 symmetries of the square board: each turns solutions into solutions.

use crate::{board::Board, position::Square, size::Size};

/// A symmetry: rows and columns changed for each other or not, and then the rows and the columns each reversed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry {
    transposed: bool,
    rows_reversed: bool,
    columns_reversed: bool,
}

impl Symmetry {
    /// Leaves everything where it is.
    pub const IDENTITY: Self = Self::new(false, false, false);
    /// Turns the board by 90 degrees, clockwise.
    pub const QUARTER_TURN: Self = Self::new(true, false, true);
    /// Turns the board by 180 degrees.
    pub const HALF_TURN: Self = Self::new(false, true, true);
    /// Turns the board by 90 degrees, counterclockwise.
    pub const QUARTER_TURN_BACK: Self = Self::new(true, true, false);
    /// Changes left and right.
    pub const MIRROR: Self = Self::new(false, false, true);
    /// Changes top and bottom.
    pub const FLIP: Self = Self::new(false, true, false);
    /// Changes rows and columns.
    pub const TRANSPOSE: Self = Self::new(true, false, false);
    /// Changes rows and columns, counted from the other end.
    pub const ANTITRANSPOSE: Self = Self::new(true, true, true);

    /// The four turns, the identity first; each is the one before and then a quarter turn.
    pub const TURNS: [Self; 4] =
        [Self::IDENTITY, Self::QUARTER_TURN, Self::HALF_TURN, Self::QUARTER_TURN_BACK];

    /// All 8: the turns, then the reflections.
    pub const ALL: [Self; 8] = [
        Self::IDENTITY,
        Self::QUARTER_TURN,
        Self::HALF_TURN,
        Self::QUARTER_TURN_BACK,
        Self::MIRROR,
        Self::FLIP,
        Self::TRANSPOSE,
        Self::ANTITRANSPOSE,
    ];

    const fn new(transposed: bool, rows_reversed: bool, columns_reversed: bool) -> Self {
        Self { transposed, rows_reversed, columns_reversed }
    }

    /// Returns the symmetry that does the same as `self` and then `next`.
    pub const fn then(self, next: Self) -> Self {
        let (rows, columns) = if next.transposed {
            (self.columns_reversed, self.rows_reversed)
        } else {
            (self.rows_reversed, self.columns_reversed)
        };
        Self::new(
            self.transposed != next.transposed,
            rows != next.rows_reversed,
            columns != next.columns_reversed,
        )
    }

    /// Returns the symmetry that undoes this one.
    pub const fn inverse(self) -> Self {
        if self.transposed { Self::new(true, self.columns_reversed, self.rows_reversed) } else { self }
    }

    /// Returns where `square`, which must be on the board, goes.
    pub const fn square(self, size: Size, square: Square) -> Square {
        let (row, column) =
            if self.transposed { (square.column, square.row) } else { (square.row, square.column) };
        let last = size.get() as u8 - 1;
        Square {
            row: if self.rows_reversed { last - row } else { row },
            column: if self.columns_reversed { last - column } else { column },
        }
    }

    /// Returns the image of `board`.
    pub fn board(self, board: &Board) -> Board {
        let mut columns = [0; 32];
        for (row, &column) in (0..).zip(board.columns()) {
            let image = self.square(board.size(), Square::new(row, column));
            columns[usize::from(image.row)] = image.column;
        }
        let columns = &columns[..board.size().index()];
        Board::new(board.size(), columns).expect("the image of a solution is a solution")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(symmetry: Symmetry) -> (Square, Square) {
        // Two squares with no symmetry between them tell all 8 symmetries apart.
        let size = Size::new(5).unwrap();
        (symmetry.square(size, Square::new(0, 0)), symmetry.square(size, Square::new(0, 1)))
    }

    #[test]
    fn the_eight_are_different_and_are_a_group() {
        for (i, a) in Symmetry::ALL.into_iter().enumerate() {
            assert!(Symmetry::ALL[..i].iter().all(|&b| corner(a) != corner(b)));
            assert_eq!(a.then(a.inverse()), Symmetry::IDENTITY);
            assert_eq!(a.inverse().then(a), Symmetry::IDENTITY);
            for b in Symmetry::ALL {
                assert!(Symmetry::ALL.contains(&a.then(b)));
                assert!(Symmetry::ALL.into_iter().all(|c| a.then(b).then(c) == a.then(b.then(c))));
            }
        }
    }

    #[test]
    fn one_after_another_moves_squares_one_after_another() {
        for size in [1, 4, 7, 32].map(|n| Size::new(n).unwrap()) {
            let n = size.get() as u8;
            for square in (0..n).flat_map(|row| (0..n).map(move |column| Square::new(row, column))) {
                for a in Symmetry::ALL {
                    for b in Symmetry::ALL {
                        let image = b.square(size, a.square(size, square));
                        assert_eq!(a.then(b).square(size, square), image);
                    }
                }
            }
        }
    }

    #[test]
    fn the_names_say_what_they_do() {
        let size = Size::new(8).unwrap();
        let image = |symmetry: Symmetry| symmetry.square(size, Square::new(1, 2));
        assert_eq!(image(Symmetry::QUARTER_TURN), Square::new(2, 6));
        assert_eq!(image(Symmetry::HALF_TURN), Square::new(6, 5));
        assert_eq!(image(Symmetry::QUARTER_TURN_BACK), Square::new(5, 1));
        assert_eq!(image(Symmetry::MIRROR), Square::new(1, 5));
        assert_eq!(image(Symmetry::FLIP), Square::new(6, 2));
        assert_eq!(image(Symmetry::TRANSPOSE), Square::new(2, 1));
        assert_eq!(image(Symmetry::ANTITRANSPOSE), Square::new(5, 6));
        let turn = Symmetry::QUARTER_TURN;
        assert_eq!(Symmetry::TURNS.map(|each| each.then(turn)), {
            let mut turns = Symmetry::TURNS;
            turns.rotate_left(1);
            turns
        });
    }

    #[test]
    fn the_image_of_a_board_has_the_images_of_its_queens() {
        let size = Size::new(6).unwrap();
        let board = Board::new(size, &[1, 3, 5, 0, 2, 4]).unwrap();
        for symmetry in Symmetry::ALL {
            let image = symmetry.board(&board);
            for (row, &column) in (0..).zip(board.columns()) {
                let queen = symmetry.square(size, Square::new(row, column));
                assert_eq!(image.columns()[usize::from(queen.row)], queen.column);
            }
            assert_eq!(symmetry.inverse().board(&image), board);
        }
    }
}
