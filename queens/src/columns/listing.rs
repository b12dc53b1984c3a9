//! Lists all placements of a half: a search over the inner rows, whose leaves the table of the outer rows closes.

#![allow(unsafe_code)]

use super::{
    half::Half,
    lists::{DEPTH, Kept, Lists, View},
    strip::{Closings, Strip},
    vector::{Instructions, Vector, disjoint, for_vectors},
};
use crate::position::bits;

/// Adds the list of all placements whose queen in row 0 stands in one of these columns, in runs told apart by `depth`
/// rows, at most those above the strip. `None` once `go_on` says no; the lists must then be cleared.
pub(super) fn list<I: Instructions>(
    instructions: I,
    strip: &Strip,
    squares: &Squares,
    first_columns: u32,
    depth: usize,
    lists: &mut Lists,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<View> {
    let first = lists.next();
    let mut listing = Listing { instructions, strip, squares, lists, depth, run: 0, columns: [0; 16], go_on };
    let nothing = Prefix { taken: !first_columns, free_places: squares.places, ..Prefix::default() };
    listing.descend(0, nothing)?;
    Some(first..lists.next())
}

/// The squares of the rows above the strip.
pub(super) struct Squares {
    rows: usize,
    /// All places of the half's columns.
    places: u32,
    /// By row: the columns where a queen may stand.
    allowed: [u32; 16],
    squares: [[Square; 32]; 16],
}

/// What a queen on a square adds.
#[derive(Clone, Copy, Default)]
struct Square {
    /// The diagonals that cross the cut, and the middle bit.
    queen: u64,
    /// The strip's diagonals.
    blocked: u64,
    /// The place of its column.
    place: u32,
}

impl Squares {
    pub(super) fn new(half: &Half, strip_rows: u32) -> Self {
        let rows = half.rows - strip_rows;
        let places = (1 << half.rows) - 1;
        let mut squares =
            Self { rows: rows as usize, places, allowed: [0; 16], squares: [[Square::default(); 32]; 16] };
        for row in 0..rows {
            squares.allowed[row as usize] = half.allowed(row);
            for (place, column) in half.places() {
                squares.squares[row as usize][column as usize] = Square {
                    queen: half.mask(row, column) | half.middle_bit(row, column),
                    blocked: half.mask_beyond(rows - 1 - row, column),
                    place: 1 << place,
                };
            }
        }
        squares
    }
}

/// The queens of the rows so far.
#[derive(Clone, Copy, Default)]
struct Prefix {
    /// The columns that the next queen cannot have, and the diagonals taken as seen from its row.
    taken: u32,
    left: u32,
    right: u32,
    free_places: u32,
    /// The diagonals that cross the cut, and the middle bits.
    queens: u64,
    /// The strip's diagonals taken.
    blocked: u64,
}

struct Listing<'a, I> {
    instructions: I,
    strip: &'a Strip,
    squares: &'a Squares,
    lists: &'a mut Lists,
    depth: usize,
    /// The number of placements of the run being listed so far.
    run: usize,
    columns: [u8; 16],
    go_on: &'a mut dyn FnMut() -> bool,
}

impl<I: Instructions> Listing<'_, I> {
    fn descend(&mut self, row: usize, prefix: Prefix) -> Option<()> {
        if row == self.squares.rows {
            self.close(prefix);
            return Some(());
        }
        let free = self.squares.allowed[row] & !(prefix.taken | prefix.left | prefix.right);
        for column in bits(free) {
            let (queen, square) = (1 << column, self.squares.squares[row][column as usize]);
            self.columns[row] = column as u8;
            let next = Prefix {
                // In row 0, only the first columns of the list are not taken.
                taken: if row == 0 { queen } else { prefix.taken | queen },
                left: (prefix.left | queen) >> 1,
                right: (prefix.right | queen) << 1,
                free_places: prefix.free_places ^ square.place,
                queens: prefix.queens | square.queen,
                blocked: prefix.blocked | square.blocked,
            };
            self.descend(row + 1, next)?;
            if row + 1 == self.depth {
                self.end_run()?;
            }
        }
        Some(())
    }

    fn close(&mut self, prefix: Prefix) {
        let closings = self.strip.closings(prefix.free_places);
        let room = &mut self.lists.room(self.run + closings.count)[self.run..];
        self.run += self.instructions.close(closings, prefix.blocked, prefix.queens, room);
    }

    fn end_run(&mut self) -> Option<()> {
        let mut columns = [0; DEPTH];
        columns[..self.depth].copy_from_slice(&self.columns[..self.depth]);
        let count = std::mem::take(&mut self.run);
        self.lists.push(columns, Kept { count, union: u64::MAX });
        (self.go_on)().then_some(())
    }
}

/// Writes the closings that share no bit with `blocked`, each with the queens' bits added; returns their number.
///
/// # Safety
/// The processor must have the instructions; whole vectors covering the closings must be readable, and writable at `to`.
#[inline(always)]
pub(super) unsafe fn close<V: Vector>(
    closings: Closings<'_>,
    blocked: u64,
    queens: u64,
    to: *mut u64,
) -> usize {
    // SAFETY: as of the caller; what has been stored never exceeds what has been read.
    unsafe {
        let (blocked, queens) = (V::splat(blocked), V::splat(queens));
        let from = closings.masks.as_ptr();
        let mut stored = 0;
        for_vectors!(V, closings.count, |read, left| {
            let masks = V::load(from.add(read));
            let choice = disjoint(masks, blocked, left);
            stored += closings.to_the_cut.of(masks).or(queens).store_chosen(choice, to.add(stored));
        });
        stored
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        columns::{avx2::Avx2, avx512::Avx512, set::ColumnSet},
        estimate::Draws,
        size::Size,
    };

    /// The columns of the first queen and the masks, sorted; the reach as the highest middle bit.
    fn listed<I: Instructions>(
        instructions: I,
        half: &Half,
        strip_rows: u32,
        depth: usize,
    ) -> Vec<(u32, u32, u64)> {
        let (mut strip, mut lists) = (Strip::default(), Lists::default());
        instructions.fill(&mut strip, half, strip_rows);
        let squares = Squares::new(half, strip_rows);
        let view =
            list(instructions, &strip, &squares, half.columns, depth, &mut lists, &mut || true).unwrap();
        let mut placements = Vec::new();
        for first in bits(half.columns) {
            let view = lists.part(&view, 0, first);
            for &mask in &lists.masks_from(&view)[..lists.len(&view)] {
                let reach = (0..=half.rows).rev().find(|&r| r == 0 || mask & half.middle_bits_from(r) != 0);
                placements.push((first, reach.unwrap(), mask & half.diagonals()));
            }
        }
        assert_eq!(placements.len(), lists.len(&view));
        placements.sort_unstable();
        placements
    }

    fn check<I: Instructions>(instructions: I) {
        let mut draws = Draws::new(5);
        for case in 0..60 {
            let size = Size::new(6 + case % 9).unwrap();
            let mut columns = 0_u32;
            while columns.count_ones() < size.get() / 2 {
                columns |= 1 << draws.below(size.get());
            }
            let set = ColumnSet::new(size, columns).unwrap();
            for half in [Half::upper(set), Half::lower(set)] {
                let found = half.placements().into_iter().filter(|placement| half.may_count(placement));
                let mut expected: Vec<_> = found.map(|p| (p.first, p.reach, p.mask)).collect();
                expected.sort_unstable();
                let strip_rows = 1 + draws.below(half.rows - 1);
                let depth = 1 + draws.below((half.rows - strip_rows).min(DEPTH as u32)) as usize;
                assert_eq!(listed(instructions, &half, strip_rows, depth), expected, "{set:?}");
            }
        }
    }

    #[test]
    fn a_list_has_the_placements_that_can_count() {
        Avx2::new().into_iter().for_each(check);
        Avx512::new().into_iter().for_each(check);
    }
}
