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

/// Returns the columns of a row mask, from the left.
fn columns(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let column = (mask != 0).then(|| mask.trailing_zeros())?;
        mask &= mask - 1;
        Some(column)
    })
}
