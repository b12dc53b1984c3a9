//! A preset in 30 bits: where each central line has its queen, five bits a line.
//!
//! So the 8 symmetries are a few shifts and subtractions, and 5.37 million presets (n = 27) take 21 MB.

use crate::{
    position::{Position, Square},
    size::Size,
    symmetry::Symmetry,
};

/// The central lines of a board: one, two or three rows, and the columns at the same places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cross {
    size: Size,
    // The central rows from the highest field to the lowest; `count` of them.
    lines: [Line; 3],
    count: usize,
    // n - 1 in the field of every central row.
    last_in_rows: u32,
}

/// A set of queens that fills every central line. From the highest field to the lowest: middle row, upper row, lower
/// row, middle column, left column, right column; 0 for lines that the cross does not have.
///
/// The least code of the 8 images stands for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Preset(u32);

/// A central row: its place among the rows of the board, and the lowest bit of its field. The field of the column at
/// the same place begins [`HALF`] bits below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) place: u32,
    shift: u32,
}

/// The bits of the rows' fields, and of the columns' fields.
const HALF: u32 = 15;
const FIELD: u32 = 31;
const COLUMNS: u32 = (1 << HALF) - 1;
const MIDDLE_COLUMN: u32 = FIELD << 10;

impl Cross {
    /// Returns the cross that suits the board: two rows and columns if n is even, else one up to n = 15 and then three.
    ///
    /// Three leave less to search, but give as many presets as a small board has work for; one kernel, vectors of 8:
    /// n = 13 takes 5.2 ms with three (5,471 presets) and 0.8 ms with one (16), n = 15 42 ms and 23 ms, but n = 17
    /// 0.82 s and 1.11 s.
    pub(super) fn new(size: Size) -> Self {
        match size.get() {
            n if n.is_multiple_of(2) => Self::of_two(size),
            0..=15 => Self::of_one(size),
            _ => Self::of_three(size),
        }
    }

    fn of_one(size: Size) -> Self {
        let [middle, ..] = lines(size);
        Self::of_lines(size, [middle; 3], 1)
    }

    fn of_two(size: Size) -> Self {
        let [_, upper, lower] = lines(size);
        Self::of_lines(size, [upper, lower, lower], 2)
    }

    /// Returns the cross of three rows and columns; n must be odd and at least 3.
    pub(super) fn of_three(size: Size) -> Self {
        Self::of_lines(size, lines(size), 3)
    }

    fn of_lines(size: Size, lines: [Line; 3], count: usize) -> Self {
        let last_in_rows = lines[..count].iter().map(|line| (size.get() - 1) << line.shift).sum();
        Self { size, lines, count, last_in_rows }
    }

    /// Returns the size of the board.
    pub(super) fn size(&self) -> Size {
        self.size
    }

    /// Returns the central rows from the highest field to the lowest. The columns have the same places.
    pub(super) fn rows(&self) -> &[Line] {
        &self.lines[..self.count]
    }

    /// Returns the queens of `preset`, turned so that they stand near the top; see [`Queens::best_turn`].
    pub(super) fn queens(&self, preset: Preset) -> impl Iterator<Item = Square> {
        let queens = self.unturned(preset);
        let turn = queens.best_turn(self.size);
        queens.into_iter().map(move |queen| turn.square(self.size, queen))
    }

    /// Returns the position of the queens of `preset`, turned likewise.
    pub(super) fn position(&self, preset: Preset) -> Position {
        self.queens(preset).fold(Position::empty(self.size), |position, queen| {
            position.with_queen(queen.row.into(), queen.column.into())
        })
    }

    fn unturned(&self, preset: Preset) -> Queens {
        let mut queens = Queens { squares: [Square::new(0, 0); 6], count: 0 };
        let mut central_rows = 0_u32;
        for &line in self.rows() {
            queens.push(line.place, preset.in_row(line));
            central_rows |= 1 << line.place;
        }
        for &line in self.rows() {
            let row = preset.in_column(line);
            if central_rows >> row & 1 == 0 {
                queens.push(row, line.place);
            }
        }
        queens
    }

    /// Returns how many presets are equivalent to this one under the 8 symmetries, itself included, if it is the least
    /// of them; else `None`.
    pub(super) fn class_if_least(&self, preset: Preset) -> Option<u32> {
        let mut image = preset;
        let mut unchanged = 0;
        for _ in 0..4 {
            let mirrored = self.mirrored(image);
            image = mirrored.transposed();
            if mirrored < preset || image < preset {
                return None;
            }
            unchanged += u32::from(mirrored == preset) + u32::from(image == preset);
        }
        Some(8 / unchanged)
    }

    /// Returns the image under the reflection that changes left and right.
    fn mirrored(&self, Preset(code): Preset) -> Preset {
        let rows = self.last_in_rows - (code & !COLUMNS);
        let columns = code & MIDDLE_COLUMN | (code & FIELD) << 5 | code >> 5 & FIELD;
        Preset(rows | columns)
    }
}

/// Returns the middle row of a board of odd n, and the rows beside the middle.
fn lines(size: Size) -> [Line; 3] {
    let n = size.get();
    let above = (n / 2).saturating_sub(1);
    let line = |place, field: u32| Line { place, shift: HALF + 5 * field };
    [line(n / 2, 2), line(above, 1), line(n - 1 - above, 0)]
}

/// The at most six queens of a preset.
struct Queens {
    squares: [Square; 6],
    count: usize,
}

impl Queens {
    fn push(&mut self, row: u32, column: u32) {
        self.squares[self.count] = Square::new(row as u8, column as u8);
        self.count += 1;
    }

    /// Returns the turn after which the squares of the queens' rows have the least sum.
    ///
    /// The free rows are filled from the top, so queens near the top keep the tree narrow from the start: 9 to 11 %
    /// (n = 14, 16) and 10 to 13 % (n = 13, 15, cross of three) fewer queens are placed than if the image with the least
    /// list of squares is taken. The best of the four turns, known only after counting, would save 14 % and 21 %.
    fn best_turn(&self, size: Size) -> Symmetry {
        let last = size.get() - 1;
        let mut sums = [0; 4];
        for queen in &self.squares[..self.count] {
            let (row, column) = (u32::from(queen.row), u32::from(queen.column));
            let rows = [row, column, last - row, last - column];
            sums.iter_mut().zip(rows).for_each(|(sum, row)| *sum += row * row);
        }
        let best = (0..4).min_by_key(|&turn| sums[turn]).unwrap_or(0);
        Symmetry::TURNS[best]
    }

    fn into_iter(self) -> impl Iterator<Item = Square> {
        self.squares.into_iter().take(self.count)
    }
}

impl Preset {
    /// The preset of no queens, to begin with.
    pub(super) const EMPTY: Self = Self(0);

    /// Returns this preset with the queen of the central row `line` in `column`.
    pub(super) fn with_row(self, line: Line, column: u32) -> Self {
        Self(self.0 | column << line.shift)
    }

    /// Returns this preset with the queen of the central column `line` in `row`.
    pub(super) fn with_column(self, line: Line, row: u32) -> Self {
        Self(self.0 | row << (line.shift - HALF))
    }

    /// Returns the column of the queen in the central row `line`.
    pub(super) fn in_row(self, line: Line) -> u32 {
        self.0 >> line.shift & FIELD
    }

    /// Returns the row of the queen in the central column `line`.
    pub(super) fn in_column(self, line: Line) -> u32 {
        self.0 >> (line.shift - HALF) & FIELD
    }

    /// Returns the image under the reflection that changes rows and columns.
    fn transposed(self) -> Self {
        Self(self.0 >> HALF | (self.0 & COLUMNS) << HALF)
    }
}
