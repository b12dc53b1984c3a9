//! The outermost rows of a half, closed by a table.
//!
//! The last rows of a backtracking search are its widest levels. Here a table gives, for each set of columns that may be
//! left, all placements of the outermost rows on it, so that whole vectors of them are held against the queens further in
//! at once. A placement is a mask of the diagonals that cross the line where the strip begins; how it is moved to the cut is
//! the same for all, and costs less than the memory for keeping both. The table is made anew for each half of a job, row
//! by row from the outside in, which takes some microseconds.

#![allow(unsafe_code)]

use super::{
    block::LANES,
    half::Half,
    split::next_with_as_many_bits,
    vector::{Vector, disjoint, for_vectors},
};

/// All placements of the outermost rows of one half.
#[derive(Debug, Default)]
pub(super) struct Strip {
    /// The diagonals that cross the line where the strip, or a shorter strip, begins.
    masks: Vec<u64>,
    /// From the line where the full strip begins.
    to_the_cut: Move,
    /// Where the placements on a set begin and end; sets are masks of places in the half's list of columns.
    ranges: Vec<(u32, u32)>,
}

/// The placements of a strip on one set of columns, followed by some words more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closings<'a> {
    pub(super) count: usize,
    pub(super) masks: &'a [u64],
    pub(super) to_the_cut: Move,
}

impl Strip {
    /// Returns the placements on one set of as many places as the strip has rows.
    pub(super) fn closings(&self, set: u32) -> Closings<'_> {
        let (start, end) = self.range(set);
        Closings { count: end - start, masks: &self.masks[start..], to_the_cut: self.to_the_cut }
    }

    /// Makes the table of the outermost `rows` rows of a half.
    ///
    /// # Safety
    /// The processor must have the instructions.
    #[inline(always)]
    pub(super) unsafe fn fill<V: Vector>(&mut self, half: &Half, rows: u32) {
        self.to_the_cut = Move::new(half, half.rows - rows);
        self.ranges.clear();
        self.ranges.resize(1 << half.rows, (0, 0));
        make_room(&mut self.masks, 1);
        self.masks[0] = 0;
        self.ranges[0] = (0, 1);
        let mut end = 1;
        for rows in 1..=rows {
            let queens = FirstQueens::new(half, half.rows - rows);
            let mut set = (1u32 << rows) - 1;
            while set < 1 << half.rows {
                // SAFETY: as of the caller.
                end = unsafe { self.add_set::<V>(&queens, set, end) };
                set = next_with_as_many_bits(set);
            }
        }
    }

    /// Adds the placements on one set; they begin at `start`. Returns their end.
    ///
    /// # Safety
    /// The processor must have the instructions.
    #[inline(always)]
    unsafe fn add_set<V: Vector>(&mut self, queens: &FirstQueens, set: u32, start: usize) -> usize {
        let mut end = start;
        let mut places = set & queens.allowed;
        while places != 0 {
            let place = places.trailing_zeros();
            places &= places - 1;
            let (first, last) = self.range(set ^ 1 << place);
            make_room(&mut self.masks, end + last - first);
            let masks = self.masks.as_mut_ptr();
            // SAFETY: as of the caller; ranges end before `end`, after which there is room for as many masks again.
            end += unsafe { queens.put_before::<V>(place, masks.add(first), last - first, masks.add(end)) };
        }
        self.ranges[set as usize] = (start as u32, end as u32);
        end
    }

    fn range(&self, set: u32) -> (usize, usize) {
        let (start, end) = self.ranges[set as usize];
        (start as usize, end as usize)
    }
}

/// Makes room up to a word, and a block more, so that whole vectors and blocks can be read.
pub(super) fn make_room(masks: &mut Vec<u64>, end: usize) {
    if masks.len() < end + LANES {
        masks.resize(end + end / 8 + LANES, 0);
    }
}

/// How masks change when the line at which diagonals are looked at moves some rows in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Move {
    rows: u32,
    /// The left and the right diagonals that are still on the board, and the bits that do not move.
    left: u64,
    right: u64,
    unmoved: u64,
}

impl Move {
    fn new(half: &Half, rows: u32) -> Self {
        let (left, right) = (half.left_diagonals(), half.right_diagonals());
        Self { rows, left: left & left >> rows, right: right & right << rows, unmoved: !(left | right) }
    }

    /// # Safety
    /// The processor must have the instructions.
    #[inline(always)]
    pub(super) unsafe fn of<V: Vector>(&self, masks: V) -> V {
        // SAFETY: as of the caller.
        unsafe {
            let left = masks.shr(self.rows).and(V::splat(self.left));
            let right = masks.shl(self.rows).and(V::splat(self.right));
            V::or3(left, right, masks.and(V::splat(self.unmoved)))
        }
    }
}

/// The queens that can stand in the first row of a strip.
struct FirstQueens {
    one_row: Move,
    /// The places where they may stand.
    allowed: u32,
    /// By place: the diagonals of the shorter strip that the queen takes, and its own bits.
    blocked: [u64; 16],
    queen: [u64; 16],
}

impl FirstQueens {
    fn new(half: &Half, row: u32) -> Self {
        let mut queens = Self { one_row: Move::new(half, 1), allowed: 0, blocked: [0; 16], queen: [0; 16] };
        for (place, column) in half.places() {
            queens.allowed |= (half.allowed(row) >> column & 1) << place;
            queens.blocked[place as usize] = half.mask_beyond(0, column);
            queens.queen[place as usize] = half.mask(0, column) | half.middle_bit(row, column);
        }
        queens
    }

    /// Puts a queen before placements of the shorter strip, those that it does not attack; returns their number.
    ///
    /// # Safety
    /// The processor must have the instructions; whole vectors covering `count` words must be readable at `from` and
    /// writable at `to`, which is not before the last word read.
    #[inline(always)]
    unsafe fn put_before<V: Vector>(
        &self,
        place: u32,
        from: *const u64,
        count: usize,
        to: *mut u64,
    ) -> usize {
        // SAFETY: as of the caller; what has been stored never exceeds what has been read.
        unsafe {
            let blocked = V::splat(self.blocked[place as usize]);
            let queen = V::splat(self.queen[place as usize]);
            let mut stored = 0;
            for_vectors!(V, count, |read, left| {
                let masks = V::load(from.add(read));
                let choice = disjoint(masks, blocked, left);
                stored += self.one_row.of(masks).or(queen).store_chosen(choice, to.add(stored));
            });
            stored
        }
    }
}
