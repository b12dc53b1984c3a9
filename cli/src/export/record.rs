//! What an exported run says, whatever its format.

use queens::{Size, Square, split::Kind};

/// What was asked, how it was split, and what it came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) size: Size,
    pub(crate) goal: Goal,
    /// Job indices count through the parts in this order.
    pub(crate) parts: Vec<Part>,
    /// What the run came to; none if it is not done.
    pub(crate) answer: Option<Answer>,
}

/// What a run was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    Count,
    Boards,
}

/// A part of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) kind: Kind,
    pub(crate) depth: u32,
    pub(crate) jobs: u64,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Q(n), or the number of boards.
    pub(crate) total: u128,
    /// The rest of a count's answer.
    pub(crate) symmetric: Option<Symmetric>,
}

/// What a count says about symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symmetric {
    /// U(n).
    pub(crate) fundamental: u128,
    /// The boards that a half turn leaves unchanged.
    pub(crate) half_turn: u128,
    /// The boards that a quarter turn leaves unchanged.
    pub(crate) quarter_turn: u128,
}

/// One job with its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) index: u64,
    pub(crate) kind: Kind,
    /// The queens that the job fixes; none for turns and column sets.
    pub(crate) queens: Vec<Square>,
    /// The columns of the upper rows' queens in a job of a columns plan, else none.
    pub(crate) columns: Vec<u32>,
    /// How many boards of the whole problem each board of this job stands for.
    pub(crate) weight: u32,
    pub(crate) count: u64,
    /// The number of the worker whose result it is; 0 for the coordinator.
    pub(crate) worker: u64,
}

/// Returns the kind of this name.
pub(super) fn kind(name: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| kind.name() == name)
}
