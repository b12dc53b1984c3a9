//! Boards that a turn leaves unchanged, and U(n), the number of solutions up to rotation and reflection.
//!
//! Such a board is made of orbits: with one queen, the turn also puts down its images. So the search places whole
//! orbits, two queens for the half turn and four for the quarter turn, and sees about the square root, or the fourth
//! root, of the nodes that all boards need.
//!
//! For the half turn this is still work (11 million boards at n = 24), so it also begins with the central lines, where
//! queens block most, and takes one start of each class under the symmetries that keep the half turn.

use crate::{
    position::{Position, Square, bits},
    size::Size,
    symmetry::Symmetry,
};

/// A turn of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// By 180 degrees.
    Half,
    /// By 90 degrees.
    Quarter,
}

/// Returns the number of solutions that `turn` leaves unchanged: R180(n) or R90(n), sequences A032522 and A033148 of the
/// On-Line Encyclopedia of Integer Sequences.
pub fn count(size: Size, turn: Turn) -> u64 {
    count_while(size, turn, &mut || true).expect("it goes on to the end")
}

/// Does the same as long as `go_on` says so, which is asked some n^2 / 8 times; `None` once it says no.
pub fn count_while(size: Size, turn: Turn, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
    let n = size.get();
    let empty = Position::empty(size);
    // A queen in the middle row goes to the middle row again: it must be its own image.
    let start = if n % 2 == 1 { empty.with_queen(n / 2, n / 2) } else { empty };
    match turn {
        _ if n == 1 => Some(1),
        Turn::Half => half_turn_starts(start)
            .map(|start| go_on().then(|| start.weight * complete_by_pairs(start.position)))
            .sum(),
        Turn::Quarter => go_on().then(|| complete_by_fours(start)),
    }
}

/// A position in which the lines next to the middle, or the two middle lines if n is even, have their queens.
struct Start {
    position: Position,
    // How many starts of its class there are.
    weight: u64,
}

/// Returns one start of each class. `middle` is the empty board, or the board with only a queen in its middle.
fn half_turn_starts(middle: Position) -> impl Iterator<Item = Start> {
    let n = middle.size().get() as u8;
    let line = n / 2 - 1;
    let in_row =
        (0..n).filter_map(move |column| with_pair(middle, Square::new(line, column)).map(|p| (column, p)));
    in_row.flat_map(move |(column, with_row)| {
        let squares = (0..n).map(move |row| Square::new(row, line));
        let in_column = squares.filter_map(move |square| Some((square.row, with_pair(with_row, square)?)));
        in_column.filter_map(move |(row, position)| {
            let weight = class_if_least(n, column, row)?;
            Some(Start { position, weight })
        })
    })
}

/// Returns the position with a queen on `square` and its image under the half turn, if neither is attacked.
fn with_pair(position: Position, square: Square) -> Option<Position> {
    position
        .place(square)
        .and_then(|first| first.place(Symmetry::HALF_TURN.square(position.size(), square)))
        .ok()
}

fn class_if_least(n: u8, column: u8, row: u8) -> Option<u64> {
    let mut images =
        [(column, row), (row, column), (n - 1 - column, n - 1 - row), (n - 1 - row, n - 1 - column)];
    images.sort_unstable();
    let different = 1 + images.windows(2).filter(|pair| pair[0] != pair[1]).count();
    (images[0] == (column, row)).then_some(different as u64)
}

/// Returns in how many ways `position`, which a half turn leaves unchanged, can be completed so that this stays true.
///
/// Always goes on with the row that has the fewest free squares: four times as fast as from the top down (n = 24).
fn complete_by_pairs(position: Position) -> u64 {
    let n = position.size().get();
    // A row of the lower half has the free squares of its image.
    let upper_rows = position.free_rows() & ((1 << (n / 2)) - 1);
    // On the two main diagonals a queen and its image attack each other.
    let free = |row| position.free(row) & !(1 << row | 1 << (n - 1 - row));
    let Some(row) = bits(upper_rows).min_by_key(|&row| free(row).count_ones()) else { return 1 };
    let pairs = bits(free(row)).map(|column| {
        let first = position.with_queen(row, column);
        first.with_queen(n - 1 - row, n - 1 - column)
    });
    pairs.map(complete_by_pairs).sum()
}

/// Returns in how many ways `position`, which a quarter turn leaves unchanged, can be completed so that this stays true.
fn complete_by_fours(position: Position) -> u64 {
    let rows = position.free_rows();
    if rows == 0 {
        return 1;
    }
    let (row, n) = (rows.trailing_zeros() as u8, position.size().get() as u8);
    let orbit = |column| Symmetry::TURNS.map(|turn| turn.square(position.size(), Square::new(row, column)));
    let positions =
        (0..n).filter_map(|column| orbit(column).into_iter().try_fold(position, Position::place).ok());
    positions.map(complete_by_fours).sum()
}

/// Returns U(n) = (Q + R180 + 2 R90) / 8 (Burnside's lemma: no reflection leaves a board of n > 1 unchanged), or `None`
/// if the three numbers cannot belong together.
pub fn fundamental(size: Size, total: u128, half_turn: u128, quarter_turn: u128) -> Option<u128> {
    if size == Size::MIN {
        // Here every reflection leaves the one board unchanged too.
        return ((total, half_turn, quarter_turn) == (1, 1, 1)).then_some(1);
    }
    if quarter_turn > half_turn || half_turn > total {
        return None;
    }
    let unchanged = quarter_turn.checked_mul(2)?.checked_add(half_turn)?.checked_add(total)?;
    (unchanged % 8 == 0).then_some(unchanged / 8)
}
