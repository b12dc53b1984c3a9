//! What the searched queens block, seen from the row that gets the next queen: the unit that the level queues hold.

/// A partial solution of a job: three masks of one row, in which a set bit is a column that a searched queen blocks. The
/// fixed queens of the job are not in it, as they block the same squares for all states of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// The columns that hold a queen.
    pub(super) columns: u32,
    /// The squares under attack along diagonals that fall to the left: this mask moves to lower bits, row by row.
    pub(super) left: u32,
    /// The squares under attack along diagonals that fall to the right: this mask moves to higher bits, row by row.
    pub(super) right: u32,
}

impl State {
    /// No queen placed.
    pub(super) const ROOT: Self = Self { columns: 0, left: 0, right: 0 };

    /// Everything blocked: a state that has no child and no completion.
    pub(super) const BLOCKED: Self = Self { columns: !0, left: !0, right: !0 };

    /// Returns the squares for a queen, of those that the fixed queens leave open.
    pub(super) const fn free(self, open: u32) -> u32 {
        open & !(self.columns | self.left | self.right)
    }

    /// Returns the state after a queen on `square`, a mask of one bit, as seen `gap` rows further down, 0 to 31. Bits that
    /// leave the board fall out of the mask or stay on columns that are open in no row.
    pub(super) const fn child(self, square: u32, gap: u32) -> Self {
        Self { columns: self.columns | square, left: self.left | square, right: self.right | square }
            .down(gap)
    }

    /// Returns this state as seen `gap` rows further down, 0 to 31.
    pub(super) const fn down(self, gap: u32) -> Self {
        Self { columns: self.columns, left: self.left.wrapping_shr(gap), right: self.right.wrapping_shl(gap) }
    }
}
