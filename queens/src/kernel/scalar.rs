//! The specification: plain recursion over the free rows from the top down.

use crate::position::Position;

/// Returns the number of ways to complete `position` to a solution.
pub fn count(position: &Position) -> u64 {
    let rows = position.free_rows();
    if rows == 0 {
        return 1;
    }
    let row = rows.trailing_zeros();
    columns(position.free(row)).map(|column| count(&position.with_queen(row, column))).sum()
}

/// Positions with so many free rows or fewer are counted without a pause, which takes a millisecond at most.
const SHORT: u32 = 9;

/// Does the same as long as `go_on` says so; `None` once it says no.
pub fn count_while(position: &Position, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
    let rows = position.free_rows();
    if rows.count_ones() <= SHORT {
        return Some(count(position));
    }
    if !go_on() {
        return None;
    }
    let row = rows.trailing_zeros();
    columns(position.free(row)).map(|column| count_while(&position.with_queen(row, column), go_on)).sum()
}

/// Returns the columns of a row mask, from the left.
fn columns(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let column = (mask != 0).then(|| mask.trailing_zeros())?;
        mask &= mask - 1;
        Some(column)
    })
}
