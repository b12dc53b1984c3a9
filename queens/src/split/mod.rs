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
//!
//! The jobs of a columns plan are those of [`crate::columns`], and a turn is one job.

mod below;
mod cross;
mod forest;
mod preset;
mod rows;
mod sums;

use std::{error::Error, fmt};

use self::forest::Forest;
use crate::{
    columns::{ColumnSet, Columns, NotAColumnSet},
    position::Square,
    size::Size,
    turns::Turn,
};

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
    /// The sets of columns that the upper half of the rows uses, one for each class. The sum is Q(n). Not for every n.
    Columns,
    /// One job: the boards that a half turn leaves unchanged.
    HalfTurn,
    /// One job: the boards that a quarter turn leaves unchanged.
    QuarterTurn,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Cross, Self::Rows, Self::Columns, Self::HalfTurn, Self::QuarterTurn];

    /// Returns a short name, fit for a log line or a file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cross => "cross",
            Self::Rows => "rows",
            Self::Columns => "columns",
            Self::HalfTurn => "half_turn",
            Self::QuarterTurn => "quarter_turn",
        }
    }

    /// Returns the turn whose boards this kind counts, if it is one of the two that do.
    pub const fn turn(self) -> Option<Turn> {
        match self {
            Self::Cross | Self::Rows | Self::Columns => None,
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
    /// What is the result of this job of the column split?
    Columns(ColumnSet),
}

impl Work {
    /// Returns the queens that are fixed; none for what is not a prefix.
    pub fn queens(&self) -> &[Square] {
        match self {
            Self::Complete(queens) => queens,
            Self::Turn(_) | Self::Columns(_) => &[],
        }
    }

    /// Returns the set of columns, if this is a job of the column split.
    pub const fn column_set(&self) -> Option<ColumnSet> {
        match self {
            Self::Columns(set) => Some(*set),
            Self::Complete(_) | Self::Turn(_) => None,
        }
    }
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
    jobs: Jobs,
}

enum Jobs {
    Forest(Forest),
    Columns(Columns),
    Turn(Turn),
}

impl Plan {
    /// Returns the plan of `kind` at `depth`: the rows fixed below the preset (cross), or the first rows fixed (rows);
    /// columns and turns have depth 0. Where a cross preset leaves fewer rows free than `depth`, all of them are fixed.
    ///
    /// An error if no preset leaves so many rows free, if the plan would have more than [`MOST_JOBS`] jobs, or if the column
    /// split does not serve this size.
    pub fn new(size: Size, kind: Kind, depth: u32) -> Result<Self, CannotSplit> {
        let is_flat = !matches!(kind, Kind::Cross | Kind::Rows);
        if is_flat && depth > 0 {
            return Err(TooDeep { deepest: 0 }.into());
        }
        let jobs = match kind {
            Kind::Cross => Jobs::Forest(Forest::of_presets(size, depth)?),
            Kind::Rows => Jobs::Forest(Forest::of_first_rows(size, depth)?),
            Kind::Columns => Jobs::Columns(Columns::new(size)?),
            Kind::HalfTurn => Jobs::Turn(Turn::Half),
            Kind::QuarterTurn => Jobs::Turn(Turn::Quarter),
        };
        Ok(Self { size, kind, depth, jobs })
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
        match &self.jobs {
            Jobs::Forest(forest) => forest.jobs(),
            Jobs::Columns(columns) => columns.jobs(),
            Jobs::Turn(_) => 1,
        }
    }

    /// Returns the job at `index`, if there is one.
    pub fn job(&self, index: u64) -> Option<Job> {
        self.jobs_from(index).next()
    }

    /// Lists the jobs from `index` on; much cheaper than finding each by its index.
    pub fn jobs_from(&self, index: u64) -> impl Iterator<Item = Job> + '_ {
        let (forest, columns, turn) = match &self.jobs {
            Jobs::Forest(forest) => (Some(forest.jobs_from(index)), None, None),
            Jobs::Columns(columns) => (None, Some(columns.jobs_from(index).map(Job::from)), None),
            Jobs::Turn(turn) => (None, None, (index == 0).then_some(Work::Turn(*turn))),
        };
        let turn = turn.map(|work| Job { index, work, weight: 1 });
        turn.into_iter().chain(forest.into_iter().flatten()).chain(columns.into_iter().flatten())
    }

    /// Returns the weight of the job at `index`, which must be below the number of jobs.
    pub fn weight(&self, index: u64) -> u32 {
        match &self.jobs {
            Jobs::Forest(forest) => forest.weight(index),
            Jobs::Columns(columns) => columns.job(index).map_or(1, |job| job.weight),
            Jobs::Turn(_) => 1,
        }
    }
}

impl From<crate::columns::Job> for Job {
    fn from(job: crate::columns::Job) -> Self {
        Self { index: job.index, work: Work::Columns(job.set), weight: job.weight }
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

/// Why a problem cannot be split in some way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CannotSplit {
    /// Too deep.
    TooDeep(TooDeep),
    /// The column split does not serve this size.
    NotServed(NotAColumnSet),
}

impl fmt::Display for CannotSplit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooDeep(reason) => reason.fmt(f),
            Self::NotServed(reason) => reason.fmt(f),
        }
    }
}

impl Error for CannotSplit {}

impl From<TooDeep> for CannotSplit {
    fn from(reason: TooDeep) -> Self {
        Self::TooDeep(reason)
    }
}

impl From<NotAColumnSet> for CannotSplit {
    fn from(reason: NotAColumnSet) -> Self {
        Self::NotServed(reason)
    }
}
