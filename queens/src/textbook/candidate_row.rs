//! Row by row: from the path of queens so far, first work out the whole next row of candidates, then try each.

use super::EachBoard;
use crate::size::Size;

/// Shows every board to `each`, in ascending order.
pub fn boards(size: Size, each: EachBoard<'_>) {
    extend(size.index(), &mut Vec::with_capacity(size.index()), each);
}

fn extend(n: usize, path: &mut Vec<u8>, each: EachBoard<'_>) {
    if path.len() == n {
        return each(path);
    }
    let candidates = candidates(n, path);
    for column in (0..n).filter(|&column| candidates[column]) {
        path.push(column as u8);
        extend(n, path, each);
        path.pop();
    }
}

/// Returns which columns of the next row no queen of the path attacks.
fn candidates(n: usize, path: &[u8]) -> Vec<bool> {
    let mut candidates = vec![true; n];
    for (row, &column) in path.iter().enumerate() {
        let (column, distance) = (usize::from(column), path.len() - row);
        let attacked = [Some(column), column.checked_sub(distance), column.checked_add(distance)];
        for column in attacked.into_iter().flatten().filter(|&column| column < n) {
            candidates[column] = false;
        }
    }
    candidates
}
