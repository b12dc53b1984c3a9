//! The placements of one half of the board: all ways to put queens in its rows, on its columns, without attack.
//!
//! Both halves are looked at from the cut: row 0 of a half is next to it, and the lower half is turned upside down. Of a
//! queen in row k and column c only two lines can reach the other half: the one that meets the cut k columns further
//! left and the one that meets it k columns further right. 2(n - 1) diagonals cross the cut, and a queen's two are bit
//! c - k - 1 (left) and bit c + k (right), each if it is within 0..n - 1. What is left for one half is right for the other,
//! so with left bits first above and right bits first below, two placements attack each other exactly if their masks
//! share a bit.

use super::set::{ColumnSet, middle_columns};

/// One half of the board in one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Half {
    pub(super) n: u32,
    /// The number of its rows.
    pub(super) rows: u32,
    /// The columns that its queens use, one bit a column, as many as it has rows.
    pub(super) columns: u32,
    /// The columns in which a queen's distance from the cut matters for f.
    middle_columns: u32,
    /// The columns in which the queen of row 0 may stand in a board that counts.
    first_columns: u32,
    /// The rows, from the cut, in which a queen may stand in a middle column in a board that counts.
    middle_rows: u32,
    /// Where the bits of left diagonals begin in a mask, and where those of right diagonals do.
    left_at: u32,
    right_at: u32,
}

/// One placement of a half, as the other half sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placement {
    /// The column of the queen next to the cut.
    pub(super) first: u32,
    /// f of this half: the largest distance from the cut (1 = next to it) of its queens in middle columns, or 0.
    pub(super) reach: u32,
    /// The diagonals that it takes among those that cross the cut.
    pub(super) mask: u64,
}

impl Half {
    pub(super) fn upper(set: ColumnSet) -> Self {
        let n = set.size().get();
        Self {
            n,
            rows: n / 2,
            columns: set.columns(),
            middle_columns: middle_columns(set.size()),
            first_columns: set.columns(),
            middle_rows: if n.is_multiple_of(2) { n / 2 } else { n / 2 - 1 },
            left_at: 0,
            right_at: n - 1,
        }
    }

    pub(super) fn lower(set: ColumnSet) -> Self {
        let n = set.size().get();
        let columns = set.complement();
        let first_columns =
            (0..n).filter(|&column| set.limit(0, column).is_some()).map(|column| 1 << column).sum::<u32>();
        Self {
            rows: n - n / 2,
            columns,
            first_columns: columns & first_columns,
            middle_rows: if n.is_multiple_of(2) { n / 2 } else { 1 },
            left_at: n - 1,
            right_at: 0,
            ..Self::upper(set)
        }
    }

    /// The columns in which the queen of this row may stand in a board that counts. For odd n the queen of the middle
    /// column stands in row 0 below the cut, if it is there at all, and above the cut it is not as far from the centre as
    /// the border, since that of the middle row has to be farther.
    pub(super) fn allowed(&self, row: u32) -> u32 {
        let columns = if row == 0 { self.first_columns } else { self.columns };
        if row < self.middle_rows { columns } else { columns & !self.middle_columns }
    }

    /// The columns with their places in the list of them, from the left.
    pub(super) fn places(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let columns = self.columns;
        (0..).zip((0..32).filter(move |column| columns >> column & 1 == 1))
    }

    /// The bits of masks that stand for left diagonals.
    pub(super) fn left_diagonals(&self) -> u64 {
        ((1 << (self.n - 1)) - 1) << self.left_at
    }

    /// The bits of masks that stand for right diagonals.
    pub(super) fn right_diagonals(&self) -> u64 {
        ((1 << (self.n - 1)) - 1) << self.right_at
    }

    /// The bits of masks that stand for diagonals.
    pub(super) fn diagonals(&self) -> u64 {
        self.left_diagonals() | self.right_diagonals()
    }

    /// The diagonals through this square that cross the cut.
    pub(super) fn mask(&self, row: u32, column: u32) -> u64 {
        let left = if column > row { 1 << (self.left_at + column - row - 1) } else { 0 };
        let right = if column + row < self.n - 1 { 1 << (self.right_at + column + row) } else { 0 };
        left | right
    }

    /// The diagonals of this half that cross the cut and go through a square of row `row` beyond it.
    pub(super) fn mask_beyond(&self, row: u32, column: u32) -> u64 {
        self.with_left_and_right_exchanged().mask(row, column)
    }

    pub(super) fn with_left_and_right_exchanged(self) -> Self {
        Self { left_at: self.right_at, right_at: self.left_at, ..self }
    }

    /// The bit, above all diagonals, that says that the queen of `row` stands in a middle column; 0 if it does not.
    pub(super) fn middle_bit(&self, row: u32, column: u32) -> u64 {
        u64::from(self.middle_columns >> column & 1) << (2 * (self.n - 1) + row)
    }

    /// The middle bits of the placements that reach at least `reach`, 1 or more.
    pub(super) fn middle_bits_from(&self, reach: u32) -> u64 {
        u64::MAX.checked_shl(2 * (self.n - 1) + reach - 1).unwrap_or(0)
    }

    /// Lists all placements, by rows from the cut outwards.
    pub(super) fn placements(&self) -> Vec<Placement> {
        let mut found = Vec::new();
        self.extend(0, [0; 3], Placement { first: 0, reach: 0, mask: 0 }, &mut found);
        found
    }

    /// Fills the rows from `row` on; `blocked` has the columns and, as seen from `row`, the left and right diagonals taken.
    fn extend(&self, row: u32, blocked: [u32; 3], so_far: Placement, found: &mut Vec<Placement>) {
        if row == self.rows {
            found.push(so_far);
            return;
        }
        let [taken, left, right] = blocked;
        let mut free = self.columns & !(taken | left | right);
        while free != 0 {
            let column = free.trailing_zeros();
            let queen = free & free.wrapping_neg();
            free ^= queen;
            let blocked = [taken | queen, (left | queen) >> 1, (right | queen) << 1];
            self.extend(row + 1, blocked, self.with_queen(so_far, row, column), found);
        }
    }

    /// Tells whether a placement keeps to what [`Self::allowed`] says of its first queen and its reach.
    #[cfg(test)]
    pub(super) fn may_count(&self, placement: &Placement) -> bool {
        self.allowed(0) >> placement.first & 1 == 1 && placement.reach <= self.middle_rows
    }

    fn with_queen(&self, so_far: Placement, row: u32, column: u32) -> Placement {
        let in_the_middle = self.middle_columns >> column & 1 == 1;
        Placement {
            first: if row == 0 { column } else { so_far.first },
            reach: if in_the_middle { row + 1 } else { so_far.reach },
            mask: so_far.mask | self.mask(row, column),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{columns::set::SERVED, size::Size};

    #[test]
    fn two_queens_attack_each_other_across_the_cut_exactly_if_their_masks_share_a_bit() {
        for size in Size::all().filter(|size| SERVED.contains(&size.get())) {
            let n = size.get();
            let set = ColumnSet::new(size, (1 << (n / 2)) - 1).unwrap();
            let (upper, lower) = (Half::upper(set), Half::lower(set));
            for (a, b) in (0..upper.rows).flat_map(|a| (0..lower.rows).map(move |b| (a, b))) {
                for (c, d) in (0..n).flat_map(|c| (0..n).map(move |d| (c, d))) {
                    let attack = c.abs_diff(d) == a + b + 1;
                    assert_eq!(upper.mask(a, c) & lower.mask(b, d) != 0, attack, "n = {n}, {a} {c} {b} {d}");
                }
            }
        }
    }

    #[test]
    fn middle_bits_tell_the_reach_and_meet_no_diagonal() {
        for size in Size::all().filter(|size| SERVED.contains(&size.get())) {
            let set = ColumnSet::new(size, ((1 << (size.get() / 2)) - 1) << 1).unwrap();
            for half in [Half::upper(set), Half::lower(set)] {
                for row in 0..half.middle_rows {
                    let bit = half.middle_bit(row, size.get() / 2);
                    assert_eq!((bit.count_ones(), bit & half.diagonals()), (1, 0));
                    for reach in 1..=half.rows + 1 {
                        assert_eq!(
                            half.middle_bits_from(reach) & bit != 0,
                            row + 1 >= reach,
                            "{half:?} {row}"
                        );
                    }
                }
            }
        }
    }
}
