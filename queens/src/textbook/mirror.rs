//! The classic bitmask recursion with mirror half: only counts, and is the yardstick of the bench.
//!
//! Three masks hold what a row's columns are attacked by; going down a row shifts the diagonals by one. Boards whose
//! first queen is in the left half are counted twice, for their mirror images; the middle column of an odd board
//! once.

use crate::size::Size;

/// Returns the number of boards.
pub fn count(size: Size) -> u64 {
    let (n, full) = (size.get(), size.full_row());
    let below = |column: u32| {
        let queen = 1 << column;
        place(full, queen, queen << 1, queen >> 1)
    };
    let left_half: u64 = (0..n / 2).map(below).sum();
    let middle = if n % 2 == 1 { below(n / 2) } else { 0 };
    2 * left_half + middle
}

fn place(full: u32, columns: u32, left: u32, right: u32) -> u64 {
    if columns == full {
        return 1;
    }
    let mut count = 0;
    let mut free = full & !(columns | left | right);
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        count += place(full, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    count
}
