//! The placements of a half as masks, in runs that share their queens next to the cut.
//!
//! Runs follow one another in the order of their columns, those of row 0 first. So the placements with a given queen in
//! row 0, or given queens in rows 0 and 1, are consecutive, and leaving out what some queen of the other half attacks
//! keeps the order. Lists lie one after another in one buffer, the newest at the end, and are taken away in reverse
//! order.

#![allow(unsafe_code)]

use std::ops::Range;

use super::{
    strip::make_room,
    vector::{Instructions, Vector, disjoint, for_vectors},
};

/// The most rows by which runs are told apart.
pub(super) const DEPTH: usize = 4;

/// Placements that share their queens in the rows next to the cut.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// The columns of these queens, as many as the lists' depth; then zeros.
    columns: [u8; DEPTH],
    start: usize,
    end: usize,
    /// All bits of their masks, or more.
    union: u64,
}

/// Lists of one half.
#[derive(Debug, Default)]
pub(super) struct Lists {
    masks: Vec<u64>,
    end: usize,
    runs: Vec<Run>,
}

/// Some consecutive runs.
pub(super) type View = Range<usize>;

/// What a filter keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) count: usize,
    /// All bits of the kept masks.
    pub(super) union: u64,
}

impl Lists {
    /// Takes all lists away.
    pub(super) fn clear(&mut self) {
        self.end = 0;
        self.runs.clear();
    }

    /// Takes away a list and all newer ones.
    pub(super) fn take_away(&mut self, view: &View) {
        if let Some(run) = self.runs.get(view.start) {
            self.end = run.start;
            self.runs.truncate(view.start);
        }
    }

    /// The place for the next list.
    pub(super) fn next(&self) -> usize {
        self.runs.len()
    }

    /// Returns the number of placements of a view.
    pub(super) fn len(&self, view: &View) -> usize {
        match &self.runs[view.clone()] {
            [first, .., last] => last.end - first.start,
            [only] => only.end - only.start,
            [] => 0,
        }
    }

    /// Returns the placements of a view, and what follows them.
    pub(super) fn masks_from(&self, view: &View) -> &[u64] {
        self.runs.get(view.start).map_or(&[], |run| &self.masks[run.start..])
    }

    /// Returns all bits of the placements of a view; more if it has not been filtered.
    pub(super) fn union(&self, view: &View) -> u64 {
        self.runs[view.clone()].iter().fold(0, |union, run| union | run.union)
    }

    /// Returns the part of a view, whose queens above `row` are the same, with the queen of `row` in this column.
    pub(super) fn part(&self, view: &View, row: usize, column: u32) -> View {
        let runs = &self.runs[view.clone()];
        let start = runs.partition_point(|run| u32::from(run.columns[row]) < column);
        let end = runs.partition_point(|run| u32::from(run.columns[row]) <= column);
        view.start + start..view.start + end
    }

    /// Adds a list of those placements of a view that share no bit with `blocked`.
    pub(super) fn filter<I: Instructions>(&mut self, instructions: I, view: &View, blocked: u64) -> View {
        let first = self.runs.len();
        let count = self.len(view);
        make_room(&mut self.masks, self.end + count);
        for index in view.clone() {
            let Run { columns, start, end, .. } = self.runs[index];
            let kept = instructions.filter(&mut self.masks, start..end, blocked, self.end);
            self.push(columns, kept);
        }
        first..self.runs.len()
    }

    /// Makes room for more placements and returns where they go.
    pub(super) fn room(&mut self, count: usize) -> &mut [u64] {
        make_room(&mut self.masks, self.end + count);
        &mut self.masks[self.end..]
    }

    /// Makes placements that have been written to the room a run, unless there are none.
    pub(super) fn push(&mut self, columns: [u8; DEPTH], kept: Kept) {
        if kept.count > 0 {
            let (start, end) = (self.end, self.end + kept.count);
            self.runs.push(Run { columns, start, end, union: kept.union });
            self.end = end;
        }
    }
}

/// Copies the words that share no bit with `blocked`.
///
/// # Safety
/// The processor must have the instructions; whole vectors covering `count` words must be readable at `from` and writable
/// at `to`, which is not before the last word read.
#[inline(always)]
pub(super) unsafe fn filter<V: Vector>(from: *const u64, count: usize, blocked: u64, to: *mut u64) -> Kept {
    // SAFETY: as of the caller; what has been stored never exceeds what has been read.
    unsafe {
        let blocked = V::splat(blocked);
        let mut union = V::splat(0);
        let mut stored = 0;
        for_vectors!(V, count, |read, left| {
            let masks = V::load(from.add(read));
            let choice = disjoint(masks, blocked, left);
            union = union.or(masks.chosen(choice));
            stored += masks.store_chosen(choice, to.add(stored));
        });
        Kept { count: stored, union: union.union() }
    }
}
