//! One job: list the placements of both halves, fix the queens next to the cut, and join what is left.
//!
//! Fixing a queen of one half leaves out of the other half's list what it attacks. The queens of row 0 of both halves are
//! always fixed: they tell the limit for the reach. The upper half is listed whole, the lower half for one such queen at
//! a time, which keeps memory down. Then a list is parted by its next queen, and the other filtered by each, as long as
//! that costs less than joining the two as they are.
//!
//! What did not pay: sorting the lists by reach (a pass over all placements saves less than it costs); moving the relevant
//! bits of masks together before the join (windows over the bits where they are come to nearly as few tables); listing
//! the lower half anew for each upper queen, without what it attacks (at n = 25, 1.4 times the time).

use super::{
    half::Half,
    join::{self, Join, Side},
    listing::{self, Squares},
    lists::{DEPTH, Lists, View},
    set::ColumnSet,
    strip::Strip,
    vector::Instructions,
};
use crate::position::bits;

/// The memory that jobs are counted in, by half.
#[derive(Debug)]
pub(super) struct Search {
    strips: [Strip; 2],
    lists: [Lists; 2],
    join: Join,
}

impl Search {
    pub(super) fn new() -> Self {
        Self { strips: Default::default(), lists: Default::default(), join: Join::new() }
    }

    /// Returns the result of a job, or `None` once `go_on` says no.
    pub(super) fn count_while<I: Instructions>(
        &mut self,
        instructions: I,
        set: ColumnSet,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<u64> {
        let halves = [Half::upper(set), Half::lower(set)];
        let depth = depth(&halves);
        for (strip, half) in self.strips.iter_mut().zip(&halves) {
            instructions.fill(strip, half, strip_rows(half));
        }
        Job { instructions, set, halves, depth, memory: self, go_on }.count()
    }
}

/// The rows that the table of a half closes: of 5, 6 and 7, 6 is the fastest from n = 20 to 24.
fn strip_rows(half: &Half) -> u32 {
    6.min(half.rows - 2)
}

/// The rows by which runs are told apart: as many as are worth parting by, at most those above the strips.
fn depth(halves: &[Half; 2]) -> usize {
    let worth = match halves[0].n {
        ..21 => 1,
        21..23 => 2,
        23..26 => 3,
        _ => DEPTH as u32,
    };
    halves.iter().map(|half| half.rows - strip_rows(half)).fold(worth, u32::min) as usize
}

/// The placements of one half that are left, and the first row by which they can be parted.
#[derive(Clone, Debug)]
struct Left {
    view: View,
    row: usize,
}

struct Job<'a, I> {
    instructions: I,
    set: ColumnSet,
    halves: [Half; 2],
    depth: usize,
    memory: &'a mut Search,
    go_on: &'a mut dyn FnMut() -> bool,
}

impl<I: Instructions> Job<'_, I> {
    fn count(&mut self) -> Option<u64> {
        let [upper, lower] =
            [0, 1].map(|half| Squares::new(&self.halves[half], strip_rows(&self.halves[half])));
        let upper = self.list(0, &upper, self.halves[0].columns)?;
        bits(self.halves[1].columns)
            .map(|second| {
                let lower = self.list(1, &lower, 1 << second)?;
                self.count_with(second, &upper, &lower)
            })
            .sum()
    }

    /// Lists a half in the place of what was listed of it.
    fn list(&mut self, half: usize, squares: &Squares, first_columns: u32) -> Option<View> {
        let Search { strips, lists, .. } = &mut *self.memory;
        lists[half].clear();
        listing::list(
            self.instructions,
            &strips[half],
            squares,
            first_columns,
            self.depth,
            &mut lists[half],
            self.go_on,
        )
    }

    /// Counts the boards whose lower half is in the list, all with the first queen in column `second`.
    fn count_with(&mut self, second: u32, upper: &View, lower: &View) -> Option<u64> {
        bits(self.halves[0].columns)
            .map(|first| {
                let queens = [self.halves[0].mask(0, first), self.halves[1].mask(0, second)];
                match self.set.limit(first, second) {
                    Some(limit) if queens[0] & queens[1] == 0 => {
                        let upper = self.memory.lists[0].part(upper, 0, first);
                        self.fix(queens, limit, &upper, lower)
                    }
                    _ => Some(0),
                }
            })
            .sum()
    }

    /// Counts the boards with these two queens next to the cut.
    fn fix(&mut self, queens: [u64; 2], limit: u32, upper: &View, lower: &View) -> Option<u64> {
        let beyond = self.halves[0].middle_bits_from(limit + 1);
        let equal = self.halves[0].middle_bits_from(limit) & !beyond;
        let upper = Left { view: self.filter(0, upper, queens[1] | beyond), row: 1 };
        let lower = Left { view: self.filter(1, lower, queens[0] | beyond), row: 1 };
        let sum = self.solve([&upper, &lower], equal)?;
        self.memory.lists[0].take_away(&upper.view);
        self.memory.lists[1].take_away(&lower.view);
        Some(sum)
    }

    fn filter(&mut self, half: usize, view: &View, blocked: u64) -> View {
        self.memory.lists[half].filter(self.instructions, view, blocked)
    }

    /// Counts the pairs of two lists, twice those that have no bit of `equal`.
    fn solve(&mut self, pair: [&Left; 2], equal: u64) -> Option<u64> {
        if !(self.go_on)() {
            return None;
        }
        let counts = [0, 1].map(|half| self.memory.lists[half].len(&pair[half].view));
        if counts.contains(&0) {
            return Some(0);
        }
        let can_be_parted = [0, 1].into_iter().filter(|&half| pair[half].row < self.depth);
        let cheapest = can_be_parted.map(|half| (cost_parted(counts[half], counts[1 - half]), half)).min();
        match cheapest {
            Some((cost, half)) if cost < cost_joined(counts[0], counts[1]) => self.part(half, pair, equal),
            _ => Some(self.join(pair, equal)),
        }
    }

    fn join(&mut self, pair: [&Left; 2], equal: u64) -> u64 {
        let Search { lists, join, .. } = &mut *self.memory;
        let sides = [0, 1].map(|half| {
            let (lists, view) = (&lists[half], &pair[half].view);
            Side { masks: lists.masks_from(view), count: lists.len(view), union: lists.union(view) }
        });
        join.count(self.instructions, sides, self.halves[0].diagonals(), equal)
    }

    /// Parts the list of a half by its next queen, and filters the other half's list by it.
    fn part(&mut self, half: usize, pair: [&Left; 2], equal: u64) -> Option<u64> {
        let (this, other) = (pair[half], pair[1 - half]);
        let mut sum = 0;
        for column in bits(self.halves[half].columns) {
            let view = self.memory.lists[half].part(&this.view, this.row, column);
            if view.is_empty() {
                continue;
            }
            let part = Left { view, row: this.row + 1 };
            let blocked = self.halves[half].mask(this.row as u32, column);
            let left = Left { view: self.filter(1 - half, &other.view, blocked), row: other.row };
            sum += self.solve(if half == 0 { [&part, &left] } else { [&left, &part] }, equal)?;
            self.memory.lists[1 - half].take_away(&left.view);
        }
        Some(sum)
    }
}

/// What joining two lists costs about, in probes of 512 lanes.
fn cost_joined(a: usize, b: usize) -> usize {
    join::cost(a, b).min(join::cost(b, a))
}

/// What parting a list by its next queen, and joining the parts with what they leave of another, costs about. There are some
/// 8 parts, each leaves 2 in 5 placements, and filtering 8 costs as much as a probe.
fn cost_parted(parted: usize, other: usize) -> usize {
    8 * (other / 8 + cost_joined(parted / 8, other * 2 / 5))
}
