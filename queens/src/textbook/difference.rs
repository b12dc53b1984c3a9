//! Row by row, with a queen compared to every queen above: they attack each other if they share a column, or if their
//! rows differ by as much as their columns.

use super::EachBoard;
use crate::size::Size;

/// Shows every board to `each`, in ascending order.
pub fn boards(size: Size, each: EachBoard<'_>) {
    place(size.index(), &mut Vec::with_capacity(size.index()), each);
}

fn place(n: usize, queens: &mut Vec<u8>, each: EachBoard<'_>) {
    if queens.len() == n {
        return each(queens);
    }
    for column in 0..n as u8 {
        if is_safe(queens, column) {
            queens.push(column);
            place(n, queens, each);
            queens.pop();
        }
    }
}

/// Tells whether a queen in the next row at `column` is safe.
fn is_safe(queens: &[u8], column: u8) -> bool {
    let row = queens.len();
    queens.iter().enumerate().all(|(above, &other)| {
        let columns = usize::from(other.abs_diff(column));
        columns != 0 && columns != row - above
    })
}
