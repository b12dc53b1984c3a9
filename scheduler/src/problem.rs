//! What is asked of the cluster.

use queens::{Size, split::Kind};

/// What a run wants to know about the n x n board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// The number of solutions Q(n), of solutions up to symmetry U(n), and of symmetric solutions.
    Count,
    /// The boards themselves in lexicographic order. The run counts the boards under each prefix, which makes an index
    /// of the boards; the boards are then enumerated from it on demand.
    Boards,
}

impl Goal {
    /// Tells whether a run with this goal can have parts of these kinds, in this order.
    pub fn has_parts(self, kinds: &[Kind]) -> bool {
        use Kind::{Columns, Cross, HalfTurn, QuarterTurn, Rows};
        match self {
            Self::Boards => kinds == [Rows],
            Self::Count => matches!(
                kinds,
                [HalfTurn, QuarterTurn, Cross | Columns]
                    | [HalfTurn, QuarterTurn, Cross, Columns]
                    | [HalfTurn, QuarterTurn, Columns, Cross]
            ),
        }
    }
}

/// One problem: a board and a question about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    /// The size of the board.
    pub size: Size,
    /// What is asked about it.
    pub goal: Goal,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The answer to [`Goal::Count`].
    Count {
        /// Q(n), the number of solutions.
        total: u128,
        /// U(n), the number of solutions up to rotation and reflection.
        fundamental: u128,
        /// R180(n), the number of solutions that a half turn leaves unchanged.
        half_turn: u128,
        /// R90(n), the number of solutions that a quarter turn leaves unchanged.
        quarter_turn: u128,
    },
    /// The answer to [`Goal::Boards`].
    Boards {
        /// The number of boards.
        total: u128,
    },
}

impl Answer {
    /// Returns the number of solutions.
    pub const fn total(self) -> u128 {
        match self {
            Self::Count { total, .. } | Self::Boards { total } => total,
        }
    }
}
