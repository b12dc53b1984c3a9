//! The size of a board, kept in range by its type.

use std::{error::Error, fmt, str::FromStr};

/// The n of an n x n board: 1 to 32, so that a row fits a `u32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(u8);

impl Size {
    /// The smallest board.
    pub const MIN: Self = Self(1);
    /// The largest board.
    pub const MAX: Self = Self(32);

    /// Returns the size, or an error if `n` is not in 1..=32.
    pub fn new(n: u64) -> Result<Self, SizeOutOfRange> {
        match u8::try_from(n) {
            Ok(small @ 1..=32) => Ok(Self(small)),
            _ => Err(SizeOutOfRange),
        }
    }

    /// Returns n.
    pub const fn get(self) -> u32 {
        self.0 as u32
    }

    /// Returns n for use as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the n lowest bits set: every column of one row, or every row of one column.
    pub const fn full_row(self) -> u32 {
        u32::MAX >> (32 - self.0)
    }

    /// Returns all sizes, the smallest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (Self::MIN.0..=Self::MAX.0).map(Self)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Size {
    type Err = SizeOutOfRange;

    fn from_str(text: &str) -> Result<Self, SizeOutOfRange> {
        text.parse().map_err(|_| SizeOutOfRange).and_then(Self::new)
    }
}

/// The number given is not a board size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeOutOfRange;

impl fmt::Display for SizeOutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n must be a whole number from {} to {}", Size::MIN, Size::MAX)
    }
}

impl Error for SizeOutOfRange {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_1_to_32_are_sizes() {
        for n in 0..100 {
            assert_eq!(Size::new(n).is_ok(), (1..=32).contains(&n), "n = {n}");
        }
        assert_eq!(Size::new(u64::MAX), Err(SizeOutOfRange));
        for text in ["0", "33", "-1", "eight", "99999999999", "", " 8", "8.0"] {
            assert_eq!(text.parse::<Size>(), Err(SizeOutOfRange), "{text:?}");
        }
    }

    #[test]
    fn a_full_row_has_n_bits() {
        for size in Size::all() {
            assert_eq!(size.full_row().count_ones(), size.get());
            assert_eq!(size.full_row().trailing_ones(), size.get());
        }
    }
}
