//! The rows below a root: every way to fill the next free rows from the top, in lexicographic order.
//!
//! They are counted far more often than listed (to number the jobs, and to find one by its number), so counting looks
//! only at the level above the last and takes the popcount of what is free.

use crate::position::{Position, Square, bits};

/// Returns in how many ways the first `depth` free rows of `position` can be filled (all free rows if there are fewer).
pub(super) fn count(position: Position, depth: u32) -> u64 {
    count_within(position, depth, &mut { u64::MAX })
        .expect("no tree has 2^64 nodes that can be counted one by one")
}

/// Returns the same, or `None` once more than `budget` queens were tried, which is then left at 0.
pub(super) fn count_within(position: Position, depth: u32, budget: &mut u64) -> Option<u64> {
    let rows = position.free_rows();
    if depth == 0 || rows == 0 {
        return Some(1);
    }
    let row = rows.trailing_zeros();
    let free = position.free(row);
    spend(budget, free.count_ones().into())?;
    if depth == 1 {
        return Some(free.count_ones().into());
    }
    bits(free).try_fold(0, |sum, column| {
        Some(sum + count_within(position.with_queen(row, column), depth - 1, budget)?)
    })
}

fn spend(budget: &mut u64, queens: u64) -> Option<()> {
    let left = budget.checked_sub(queens);
    *budget = left.unwrap_or(0);
    left.map(|_| ())
}

/// Lists the queens of every way to fill the first free rows, each list behind the queens of the root.
#[derive(Clone, Debug)]
pub(super) struct Below {
    depth: usize,
    root_queens: usize,
    queens: Vec<Square>,
    open: Vec<OpenRow>,
    // A position that was reached and not looked at yet.
    reached: Option<Position>,
}

/// A row in the course of being filled: the columns that were not tried yet.
#[derive(Clone, Debug)]
struct OpenRow {
    position: Position,
    row: u32,
    untried: u32,
}

impl OpenRow {
    /// Returns the next column and the position with a queen there.
    fn next(&mut self) -> Option<(u32, Position)> {
        let column = bits(self.untried).next()?;
        self.untried &= self.untried - 1;
        Some((column, self.position.with_queen(self.row, column)))
    }
}

impl Below {
    /// Returns the list below `position`, whose queens are `queens`, from the list's entry `first` on.
    pub(super) fn new(position: Position, queens: Vec<Square>, depth: u32, first: u64) -> Self {
        let depth = depth as usize;
        let root_queens = queens.len();
        let mut below =
            Self { depth, root_queens, queens, open: Vec::with_capacity(depth), reached: Some(position) };
        if first > 0 {
            below.descend_to(first);
        }
        below
    }

    /// Goes down to the entry `first` by counting what is to its left.
    fn descend_to(&mut self, mut first: u64) {
        while self.open_reached() {
            let below = (self.depth - self.open.len()) as u32;
            while let Some((row, column, position)) = self.try_next() {
                let ways = count(position, below);
                if first < ways {
                    self.place(row, column, position);
                    break;
                }
                first -= ways;
            }
        }
    }

    /// Opens the next row of the position that was reached. Tells whether there was one to open.
    fn open_reached(&mut self) -> bool {
        let Some(position) = self.reached else { return false };
        let rows = position.free_rows();
        if self.open.len() == self.depth || rows == 0 {
            return false;
        }
        let row = rows.trailing_zeros();
        self.open.push(OpenRow { position, row, untried: position.free(row) });
        self.reached = None;
        true
    }

    fn try_next(&mut self) -> Option<(u32, u32, Position)> {
        let open = self.open.last_mut()?;
        let (column, position) = open.next()?;
        Some((open.row, column, position))
    }

    fn place(&mut self, row: u32, column: u32, position: Position) {
        self.queens.truncate(self.root_queens + self.open.len() - 1);
        self.queens.push(Square::new(row as u8, column as u8));
        self.reached = Some(position);
    }
}

impl Iterator for Below {
    type Item = Vec<Square>;

    fn next(&mut self) -> Option<Vec<Square>> {
        loop {
            if !self.open_reached() && self.reached.take().is_some() {
                return Some(self.queens.clone());
            }
            match self.try_next() {
                Some((row, column, position)) => self.place(row, column, position),
                None => {
                    self.open.pop()?;
                }
            }
        }
    }
}
