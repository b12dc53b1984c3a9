//! The audit of a column job: the same boards counted by search, row after row.
//!
//! It shares nothing with the kernels of the column split but the set. The upper rows are filled on the columns of the set
//! and the lower ones on the rest. Of a job of the column split this checks the shifts of diagonals, the masks, the
//! filters, the join and the class rule; the weights are checked by the sum over all jobs.
//!
//! [`count`] is short and plain: whether a full board counts twice, once or not at all is told from the board itself.
//! [`search_while`] is the fast one, with a kernel of [`crate::kernel`]: it places the queens of the middle rows, which say
//! how far from the middle the queens of the middle columns may stand, and leaves the rest to the kernel.

use std::cmp::Ordering;

use super::set::ColumnSet;
use crate::{
    kernel::Counter,
    position::{Position, bits},
};

/// Returns the result of a job, as the kernels of the column split must give it.
pub fn count(set: ColumnSet) -> u64 {
    count_while(set, &mut || true).expect("it goes on to the end")
}

/// Does the same as long as `go_on` says so, which is asked every millisecond or more often; `None` once it says no.
pub fn count_while(set: ColumnSet, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
    Search { set, columns: [0; 32], rows: 0, go_on }.fill(0, [0; 3])
}

/// Does the same with a kernel of the search.
pub fn search_while(counter: &mut Counter, set: ColumnSet, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
    let boards = Boards { set, last: set.size().get() - 1 };
    boards.starts().iter().map(|start| boards.count(counter, start, go_on)).sum()
}

/// The boards of a job. Distances from the centre are doubled, so that they are whole numbers for even and odd n.
struct Boards {
    set: ColumnSet,
    last: u32,
}

/// A position with a queen in each middle row.
struct Start {
    position: Position,
    /// The larger distance of these queens from the centre.
    farthest: u32,
}

impl Boards {
    /// Returns every way to place the queens of the two middle rows, or of the one middle row.
    fn starts(&self) -> Vec<Start> {
        let mut starts = vec![Start { position: Position::empty(self.set.size()), farthest: 0 }];
        for row in self.last / 2..=self.last - self.last / 2 {
            starts = starts.iter().flat_map(|start| self.with_row(start, row)).collect();
        }
        starts
    }

    fn with_row(&self, start: &Start, row: u32) -> Vec<Start> {
        let columns = bits(start.position.free(row) & self.columns_of(row));
        let with = |column| Start {
            position: start.position.with_queen(row, column),
            farthest: start.farthest.max(self.distance(column)),
        };
        columns.map(with).collect()
    }

    /// Counts the boards that begin so: twice those whose queens of the middle columns are nearer to the middle than those of
    /// the middle rows, once those that are as near.
    fn count(&self, counter: &mut Counter, start: &Start, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
        let is_odd = self.last.is_multiple_of(2);
        let mut within = |farthest: i32| {
            let allowed = |row| self.allowed(row, farthest);
            counter.count_within_while(&start.position, allowed, go_on)
        };
        let farthest = start.farthest as i32;
        match is_odd {
            true if farthest == 0 => within(0),
            true => self
                .is_left(&start.position)
                .then(|| within(farthest - 1))
                .map_or(Some(0), |count| Some(2 * count?)),
            false => Some(within(farthest)? + within(farthest - 1)?),
        }
    }

    /// Tells whether the queen of the middle row of an odd board is left of the middle.
    fn is_left(&self, position: &Position) -> bool {
        position.columns().trailing_zeros() < self.last / 2
    }

    /// Returns the columns of a row, without the middle columns if the row is farther from the middle than this, or, on an
    /// odd board, below it.
    fn allowed(&self, row: u32, farthest: i32) -> u32 {
        let is_below = self.last.is_multiple_of(2) && row > self.last / 2;
        let middle = 1 << (self.last / 2) | 1 << (self.last - self.last / 2);
        let excluded = if is_below || self.distance(row) as i32 > farthest { middle } else { 0 };
        self.columns_of(row) & !excluded
    }

    fn columns_of(&self, row: u32) -> u32 {
        if row < self.set.size().get() / 2 { self.set.columns() } else { self.set.complement() }
    }

    /// Returns the distance of a line from the centre, doubled.
    fn distance(&self, line: u32) -> u32 {
        (2 * line).abs_diff(self.last)
    }
}

/// So many rows are filled without a pause.
const SHORT: u32 = 10_000;

struct Search<'a> {
    set: ColumnSet,
    /// The column of the queen of each row so far.
    columns: [u8; 32],
    rows: u32,
    go_on: &'a mut dyn FnMut() -> bool,
}

impl Search<'_> {
    /// Fills the rows from `row` on. `blocked` has the columns and, as seen from `row`, the diagonals taken.
    fn fill(&mut self, row: usize, [taken, left, right]: [u32; 3]) -> Option<u64> {
        let n = self.set.size().index();
        if row == n {
            return Some(times(&self.columns[..n]));
        }
        self.rows = (self.rows + 1) % SHORT;
        if self.rows == 0 && !(self.go_on)() {
            return None;
        }
        let allowed = if row < n / 2 { self.set.columns() } else { self.set.complement() };
        bits(allowed & !(taken | left | right))
            .map(|column| {
                let queen = 1 << column;
                self.columns[row] = column as u8;
                self.fill(row + 1, [taken | queen, (left | queen) >> 1, (right | queen) << 1])
            })
            .sum()
    }
}

/// How often a board counts. Distances from the centre are doubled, so that they are whole numbers for even and odd n.
fn times(columns: &[u8]) -> u64 {
    let last = columns.len() - 1;
    let from_the_centre = |line: usize| 2 * line as i32 - last as i32;
    let row_of =
        |column: usize| columns.iter().position(|&c| usize::from(c) == column).expect("a full board");
    let middle = [last / 2, last - last / 2];
    let in_middle_rows = middle.map(|row| from_the_centre(columns[row].into()));
    let in_middle_columns = middle.map(|column| from_the_centre(row_of(column)));
    let is_even = last % 2 == 1;
    if !is_even && (in_middle_rows[0] > 0 || in_middle_columns[0] > 0) {
        return 0;
    }
    let farthest = |distances: [i32; 2]| distances.map(i32::abs).into_iter().max();
    match farthest(in_middle_columns).cmp(&farthest(in_middle_rows)) {
        Ordering::Less => 2,
        Ordering::Equal => 1,
        Ordering::Greater => 0,
    }
}
