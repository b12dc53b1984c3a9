//! The audit of a prefix job: its boards counted by joining halves, as the column split does, among those with its queens.
//!
//! The free rows are cut in two. All placements of either half are listed and grouped by the columns that they use; an
//! upper placement meets the lower ones on the columns that it leaves, and a pair is a board exactly if no diagonal is
//! used by both. Where more rows are free than the lists can take, the rows next to the cut are filled one by one
//! first. It shares nothing with the search of [`crate::kernel`] but the position.

use crate::position::{Position, bits};

/// So many rows are listed in halves: with more the lists grow out of the cache, with fewer the join saves less.
const LISTED: u32 = 14;

/// Returns the number of ways to complete `position`, as the kernels must give it.
pub fn count(position: &Position) -> u64 {
    count_while(position, &mut || true).expect("it goes on to the end")
}

/// Does the same as long as `go_on` says so, which is asked every few milliseconds or more often; `None` once it says no.
pub fn count_while(position: &Position, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
    Join::default().fill(position, go_on)
}

/// The lists of both halves, kept from one join to the next.
#[derive(Default)]
struct Join {
    upper: Vec<Placement>,
    lower: Vec<Placement>,
    masks: Vec<u64>,
}

/// A placement of one half: the columns that it uses, and of the diagonals that cross the cut those that it uses.
#[derive(Clone, Copy)]
struct Placement {
    columns: u32,
    mask: u64,
}

impl Join {
    /// Fills the middle one of the free rows until few enough are left.
    fn fill(&mut self, position: &Position, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
        let free = position.free_rows();
        if free.count_ones() <= LISTED {
            return go_on().then(|| self.join(position));
        }
        let row = middle(free);
        bits(position.free(row)).map(|column| self.fill(&position.with_queen(row, column), go_on)).sum()
    }

    fn join(&mut self, position: &Position) -> u64 {
        let free = position.free_rows();
        let cut = if free == 0 { 0 } else { middle(free) };
        let above = (1_u32 << cut) - 1;
        self.upper.clear();
        list(position, free & above, cut, &mut self.upper);
        self.lower.clear();
        list(position, free & !above, cut, &mut self.lower);
        self.lower.sort_unstable_by_key(|placement| placement.columns);
        self.upper.sort_unstable_by_key(|placement| placement.columns);
        self.masks.clear();
        self.masks.extend(self.lower.iter().map(|placement| placement.mask));
        let open = !position.columns() & position.size().full_row();
        let mut sum = 0;
        for group in self.upper.chunk_by(|a, b| a.columns == b.columns) {
            let rest = open & !group[0].columns;
            let begin = self.lower.partition_point(|placement| placement.columns < rest);
            let end = begin + self.lower[begin..].partition_point(|placement| placement.columns == rest);
            sum += group.iter().map(|upper| disjoint(upper.mask, &self.masks[begin..end])).sum::<u64>();
        }
        sum
    }
}

/// Returns the row that has as many free rows above as below, or one more.
fn middle(free: u32) -> u32 {
    bits(free).nth(free.count_ones() as usize / 2).unwrap_or(0)
}

/// Lists all placements on `rows`; the cut is above row `cut`.
fn list(start: &Position, rows: u32, cut: u32, out: &mut Vec<Placement>) {
    fill(start, start, rows, cut, out);
}

fn fill(start: &Position, position: &Position, rows: u32, cut: u32, out: &mut Vec<Placement>) {
    if rows == 0 {
        return out.push(placement(start, position, cut));
    }
    let row = rows.trailing_zeros();
    for column in bits(position.free(row)) {
        fill(start, &position.with_queen(row, column), rows & (rows - 1), cut, out);
    }
}

/// Returns what the queens of `position` use that `start` does not have. A diagonal of either direction crosses the cut
/// in one of n - 1 places: 2 (n - 1) bits.
fn placement(start: &Position, position: &Position, cut: u32) -> Placement {
    let n = start.size().get();
    let crossing = (1_u64 << (n - 1)) - 1;
    let diagonals = (position.diagonals() & !start.diagonals()) >> cut & crossing;
    let antidiagonals = (position.antidiagonals() & !start.antidiagonals()) >> (n - cut) & crossing;
    Placement { columns: position.columns() & !start.columns(), mask: diagonals | antidiagonals << (n - 1) }
}

/// Returns how many of the masks share no bit with this one.
fn disjoint(mask: u64, others: &[u64]) -> u64 {
    others.iter().map(|other| u64::from(other & mask == 0)).sum()
}
