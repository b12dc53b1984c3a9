//! What any job comes to, by the plainest way to compute it: what everything faster is held against.

use crate::{
    columns::restricted,
    kernel::scalar,
    position::{CannotPlace, Position},
    size::Size,
    split::Work,
    turns,
};

/// Returns the result of a job on a board of `size`, or an error if its queens cannot stand there.
pub fn count(size: Size, work: &Work) -> Result<u64, CannotPlace> {
    Ok(match work {
        Work::Complete(queens) => scalar::count(&Position::with_queens(size, queens.iter().copied())?),
        Work::Turn(turn) => turns::count(size, *turn),
        Work::Columns(set) => restricted::count(*set),
    })
}
