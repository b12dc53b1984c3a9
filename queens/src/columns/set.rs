//! One job of the column split: the set S of columns that the upper rows use, and which solutions count.
//!
//! The rows are cut between row h - 1 and row h, h = floor(n / 2). In a solution the h upper rows use some set S of h
//! columns and the lower rows use the rest, so the sets S part the solutions. Mirror images and upside-down images only
//! exchange whole sets, and [`super::split`] keeps one set of each such class. The transposition exchanges solutions of
//! different sets, so it is used inside the sets: with f(board) and F(board) two numbers that the transposition
//! swaps, #(f < F) = #(f > F) over all boards, hence Q(n) = #(f <= F) + #(f < F). A job's result is this sum for its set.
//!
//! For even n, F is the larger distance from the centre of the two queens in the two middle rows, and f that of the two
//! queens in the two middle columns. For odd n, the same with one middle row and one middle column, but only boards whose
//! middle queen of the row stands left of the middle and of the column above it; a queen in the very centre makes a job
//! of its own, whose boards count once.
//!
//! Every distance here is at least 1: 1 is next to the central line or on it.

use std::{error::Error, fmt};

use crate::size::Size;

/// The smallest and the largest n that the column split serves.
///
/// Below, a half has too few rows to be worth cutting. Above, 2(n - 1) diagonals and a distance no longer fit a 64-bit
/// mask with room to spare, and the lists of one job outgrow the memory that one thread should take.
pub const SERVED: std::ops::RangeInclusive<u32> = 6..=27;

/// The columns that the upper floor(n / 2) rows use: a job of the column split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnSet {
    size: Size,
    columns: u32,
}

impl ColumnSet {
    /// Returns the set whose bit `c` says that the upper rows use column `c`, or an error if n is not served or there
    /// are not exactly floor(n / 2) columns, all below n.
    pub fn new(size: Size, columns: u32) -> Result<Self, NotAColumnSet> {
        check_served(size)?;
        if columns & !size.full_row() != 0 || columns.count_ones() != size.get() / 2 {
            return Err(NotAColumnSet::Columns(size));
        }
        Ok(Self { size, columns })
    }

    /// Returns the size of the board.
    pub const fn size(self) -> Size {
        self.size
    }

    /// Returns the columns of the upper rows: bit `c` for column `c`.
    pub const fn columns(self) -> u32 {
        self.columns
    }

    /// Returns the columns of the lower rows.
    pub const fn complement(self) -> u32 {
        !self.columns & self.size.full_row()
    }

    /// Returns the set with left and right exchanged.
    pub const fn mirrored(self) -> Self {
        Self { size: self.size, columns: mirrored(self.columns, self.size) }
    }

    /// Tells whether this is a job of odd n that counts the boards with a queen in the very centre.
    pub const fn is_centre(self) -> bool {
        self.size.get() % 2 == 1 && self.columns & middle_columns(self.size) == 0
    }

    /// Returns F for boards whose queens next to the cut stand in column `upper` of row h - 1 and column `lower` of row
    /// h; none if such boards do not belong to the job.
    ///
    /// A board counts twice if f < F and once if f = F. For odd n, f = F happens only with a queen in the centre.
    pub const fn limit(self, upper: u32, lower: u32) -> Option<u32> {
        let (n, middle) = (self.size.get(), self.size.get() / 2);
        if n.is_multiple_of(2) {
            let (a, b) = (distance(upper, n), distance(lower, n));
            return Some(if a > b { a } else { b });
        }
        match (self.is_centre(), lower) {
            (true, column) if column == middle => Some(1),
            (false, column) if column < middle => Some(middle - column),
            _ => None,
        }
    }
}

/// Returns the two middle columns of an even board, or the one of an odd board.
pub(super) const fn middle_columns(size: Size) -> u32 {
    let n = size.get();
    if n.is_multiple_of(2) { 3 << (n / 2 - 1) } else { 1 << (n / 2) }
}

/// Returns the row mask with left and right exchanged.
pub(super) const fn mirrored(columns: u32, size: Size) -> u32 {
    columns.reverse_bits() >> (32 - size.get())
}

/// Returns an error unless the column split serves boards of this size.
pub(super) fn check_served(size: Size) -> Result<(), NotAColumnSet> {
    if SERVED.contains(&size.get()) { Ok(()) } else { Err(NotAColumnSet::Size(size)) }
}

/// The distance of a column of an even board from the central line: 1 next to it, n / 2 at the border.
const fn distance(column: u32, n: u32) -> u32 {
    let half = n / 2;
    if column < half { half - column } else { column - half + 1 }
}

/// Why a number is not a job of the column split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAColumnSet {
    /// The column split does not serve boards of this size.
    Size(Size),
    /// Not floor(n / 2) columns of a board of this size.
    Columns(Size),
}

impl fmt::Display for NotAColumnSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = (SERVED.start(), SERVED.end());
        match self {
            Self::Size(n) => {
                write!(
                    f,
                    "the column split serves n = {low} to {high}, not n = {n}; count with the cross split"
                )
            }
            Self::Columns(n) => write!(
                f,
                "a column set of n = {n} must have exactly {} bits, all of them among the lowest {n}",
                n.get() / 2
            ),
        }
    }
}

impl Error for NotAColumnSet {}
