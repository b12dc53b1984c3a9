//! Splitting a problem into jobs.
//!
//! A [`Plan`] addresses its jobs by index in a fixed order and can list or find any of them without storing them. The
//! sum of weight x result over all jobs of a plan is the number that the plan is for.
//!
//! ```text
//! cross:  preset (one for each class under the 8 symmetries)  ->  the next free rows from the top  ->  job
//! rows:   the first rows, at most two of them                 ->  the next free rows from the top  ->  job
//!         `----------------- roots ----------------------'        `------------ below -----------'
//! ```

mod below;
mod cross;
mod forest;
mod preset;
mod rows;
mod sums;

use std::{error::Error, fmt};

use self::forest::Forest;
use crate::{position::Square, size::Size, turns::Turn};

pub use self::rows::prefix_columns;

/// The most jobs, together with the prefixes above them, that a plan may have: 2^27. More would take longer to number
/// than anyone wants to wait, and no problem needs them.
pub const MOST_JOBS: u64 = 1 << 27;

/// How a problem is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Central-cross presets, one for each class under the 8 symmetries, and then the first free rows. The sum is Q(n).
    Cross,
    /// The first rows in lexicographic order, without symmetry. The sum is Q(n), and each job is also a range of boards.
    Rows,
    /// One job: the boards that a half turn leaves unchanged.
    HalfTurn,
    /// One job: the boards that a quarter turn leaves unchanged.
    QuarterTurn,
}

impl Kind {
    /// Returns a short name, fit for a log line or a file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cross => "cross",
            Self::Rows => "rows",
            Self::HalfTurn => "half_turn",
            Self::QuarterTurn => "quarter_turn",
        }
    }

    /// Returns the turn whose boards this kind counts, if it is one of the two that do.
    pub const fn turn(self) -> Option<Turn> {
        match self {
            Self::Cross | Self::Rows => None,
            Self::HalfTurn => Some(Turn::Half),
            Self::QuarterTurn => Some(Turn::Quarter),
        }
    }
}

/// What a job has to compute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// In how many ways can these queens be completed?
    Complete(Vec<Square>),
    /// How many boards does this turn leave unchanged?
    Turn(Turn),
}

/// One job of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Job {
    /// Its place in the plan, from 0.
    pub index: u64,
    /// What it has to compute.
    pub work: Work,
    /// How many boards of the whole problem one board under this job stands for: 1, 2, 4 or 8.
    pub weight: u32,
}

/// How one problem is split: kind, depth, number of jobs.
pub struct Plan {
    size: Size,
    kind: Kind,
    depth: u32,
    // None for the turns, which are one job each.
    forest: Option<Forest>,
}

impl Plan {
    /// Returns the plan of `kind` at `depth`: the rows fixed below the preset (cross), or the first rows fixed (rows);
    /// turns have depth 0. Where a cross preset leaves fewer rows free than `depth`, all of them are fixed.
    ///
    /// An error if no preset leaves so many rows free, or if the plan would have more than [`MOST_JOBS`] jobs.
    pub fn new(size: Size, kind: Kind, depth: u32) -> Result<Self, TooDeep> {
        let forest = match kind {
            Kind::Cross => Some(Forest::of_presets(size, depth)?),
            Kind::Rows => Some(Forest::of_first_rows(size, depth)?),
            Kind::HalfTurn | Kind::QuarterTurn if depth == 0 => None,
            Kind::HalfTurn | Kind::QuarterTurn => return Err(TooDeep { deepest: 0 }),
        };
        Ok(Self { size, kind, depth, forest })
    }

    /// Returns the size of the board.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns how the problem is split.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the number of rows fixed below the preset.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns the number of jobs.
    pub fn jobs(&self) -> u64 {
        self.forest.as_ref().map_or(1, Forest::jobs)
    }

    /// Returns the job at `index`, if there is one.
    pub fn job(&self, index: u64) -> Option<Job> {
        self.jobs_from(index).next()
    }

    /// Lists the jobs from `index` on; much cheaper than finding each by its index.
    pub fn jobs_from(&self, index: u64) -> impl Iterator<Item = Job> + '_ {
        let turn = self.kind.turn().filter(|_| index == 0);
        let turn = turn.map(|turn| Job { index, work: Work::Turn(turn), weight: 1 });
        turn.into_iter().chain(self.forest.iter().flat_map(move |forest| forest.jobs_from(index)))
    }

    /// Returns the weight of the job at `index`, which must be below the number of jobs.
    pub fn weight(&self, index: u64) -> u32 {
        self.forest.as_ref().map_or(1, |forest| forest.weight(index))
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("size", &self.size)
            .field("kind", &self.kind)
            .field("depth", &self.depth)
            .field("jobs", &self.jobs())
            .finish()
    }
}

/// The plan would fix more rows than the board has free, or have more than [`MOST_JOBS`] jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooDeep {
    /// The deepest plan of this kind for this board.
    pub deepest: u32,
}

impl fmt::Display for TooDeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the depth of this plan can be at most {}", self.deepest)
    }
}

impl Error for TooDeep {}
