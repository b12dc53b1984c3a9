//! The jobs of a plan as a forest: roots, and below each root its jobs. Only the roots are stored.

use super::{
    Job, MOST_JOBS, TooDeep, Work,
    below::{Below, count, count_within},
    cross::Presets,
    rows::FirstRows,
    sums::Sums,
};
use crate::{
    position::{Position, Square},
    size::Size,
};

/// Roots, the number of rows filled below each, and the number of jobs before each.
#[derive(Debug)]
pub(super) struct Forest {
    roots: Roots,
    below: u32,
    sums: Sums,
}

#[derive(Debug)]
enum Roots {
    Presets(Presets),
    FirstRows(FirstRows),
}

impl Forest {
    /// Returns the forest whose roots are the presets, with `depth` rows below.
    pub(super) fn of_presets(size: Size, depth: u32) -> Result<Self, TooDeep> {
        let deepest = Presets::most_free_rows(size);
        if depth > deepest {
            return Err(too_deep(deepest, &Roots::Presets(Presets::new(size))));
        }
        let roots = Roots::Presets(Presets::new(size));
        match sums(&roots, depth) {
            Some(sums) => Ok(Self { roots, below: depth, sums }),
            None => Err(too_deep(depth - 1, &roots)),
        }
    }

    /// Returns the forest of the first `depth` rows.
    pub(super) fn of_first_rows(size: Size, depth: u32) -> Result<Self, TooDeep> {
        let fixed = depth.min(FirstRows::MOST).min(size.get());
        let roots = Roots::FirstRows(FirstRows::new(size, fixed));
        if depth > size.get() {
            return Err(deeper_by(fixed, too_deep(size.get() - fixed, &roots)));
        }
        match sums(&roots, depth - fixed) {
            Some(sums) => Ok(Self { roots, below: depth - fixed, sums }),
            None => Err(deeper_by(fixed, too_deep(depth - fixed - 1, &roots))),
        }
    }

    /// Returns the number of jobs.
    pub(super) fn jobs(&self) -> u64 {
        self.sums.total()
    }

    /// Returns the weight of the job at `index`, which must be below the number of jobs.
    pub(super) fn weight(&self, index: u64) -> u32 {
        let (root, _) = self.find(index).expect("the index of a job of this plan");
        self.roots.weight(root)
    }

    /// Lists the jobs from `index` on.
    pub(super) fn jobs_from(&self, index: u64) -> impl Iterator<Item = Job> + '_ {
        let (first, skipped) = self.find(index).unwrap_or((self.roots.len(), 0));
        let lists = (first..self.roots.len()).flat_map(move |root| {
            let weight = self.roots.weight(root);
            let skipped = if root == first { skipped } else { 0 };
            let below = Below::new(self.roots.position(root), self.roots.queens(root), self.below, skipped);
            below.map(move |queens| (weight, queens))
        });
        lists.zip(index..).map(|((weight, queens), index)| Job {
            index,
            work: Work::Complete(queens),
            weight,
        })
    }

    fn find(&self, index: u64) -> Option<(usize, u64)> {
        self.sums.find(index, |root| count(self.roots.position(root), self.below))
    }
}

/// Returns the sums of the jobs with `below` rows below each root, or `None` if there are more than [`MOST_JOBS`].
fn sums(roots: &Roots, below: u32) -> Option<Sums> {
    // The deeper, the more a root costs to count again, and the fewer must be passed on the way to an index.
    let stride = [64, 64, 8].get(below as usize).copied().unwrap_or(1);
    let mut budget = MOST_JOBS;
    Sums::new(stride, (0..roots.len()).map(|root| count_within(roots.position(root), below, &mut budget)))
}

/// Returns the greatest depth up to `deepest` at which the plan is not too large.
fn too_deep(deepest: u32, roots: &Roots) -> TooDeep {
    let deepest = (1..=deepest).take_while(|&below| sums(roots, below).is_some()).last();
    TooDeep { deepest: deepest.unwrap_or(0) }
}

fn deeper_by(rows: u32, TooDeep { deepest }: TooDeep) -> TooDeep {
    TooDeep { deepest: deepest + rows }
}

impl Roots {
    fn len(&self) -> usize {
        match self {
            Self::Presets(presets) => presets.len(),
            Self::FirstRows(rows) => rows.len(),
        }
    }

    fn position(&self, root: usize) -> Position {
        match self {
            Self::Presets(presets) => presets.position(root),
            Self::FirstRows(rows) => rows.position(root),
        }
    }

    fn queens(&self, root: usize) -> Vec<Square> {
        match self {
            Self::Presets(presets) => presets.queens(root),
            Self::FirstRows(rows) => rows.queens(root),
        }
    }

    fn weight(&self, root: usize) -> u32 {
        match self {
            Self::Presets(presets) => presets.weight(root),
            Self::FirstRows(_) => 1,
        }
    }
}
