//! The algorithms that people learn first, whole-board, slow and readable.
//!
//! They are the oracles that the fast code is held against, the rungs of the ladder that the bench prints, and the
//! explanation of why the kernels look as they do. Each file can be read alone. From one to the next, the question
//! "is this square attacked?" gets cheaper, until in `mirror` a whole row is answered by two operations.
//!
//! Nothing else in this crate uses them, and they use nothing but the size of the board.

pub mod candidate_row;
pub mod difference;
pub mod flags;
pub mod mirror;
pub mod square_by_square;
pub mod string_board;

use crate::{enumerate::Order, size::Size};

/// Is shown the columns of one board (from 0, from the top row down) after another.
pub type EachBoard<'a> = &'a mut dyn FnMut(&[u8]);

/// An algorithm with its name, for a listing.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// The name of its file.
    pub name: &'static str,
    /// What it gives, and the function.
    pub run: Run,
}

/// What an algorithm gives.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// Every board, in this order.
    Boards(Order, fn(Size, EachBoard<'_>)),
    /// Only the number of boards.
    Count(fn(Size) -> u64),
}

impl Algorithm {
    /// Returns the number of boards, found by running the algorithm.
    pub fn count(&self, size: Size) -> u64 {
        match self.run {
            Run::Boards(_, boards) => {
                let mut count = 0;
                boards(size, &mut |_| count += 1);
                count
            }
            Run::Count(count) => count(size),
        }
    }
}

/// All of them, roughly the slowest first.
pub const ALL: [Algorithm; 6] = [
    Algorithm { name: "string_board", run: Run::Boards(Order::Ascending, string_board::boards) },
    Algorithm { name: "square_by_square", run: Run::Boards(Order::Descending, square_by_square::boards) },
    Algorithm { name: "candidate_row", run: Run::Boards(Order::Ascending, candidate_row::boards) },
    Algorithm { name: "difference", run: Run::Boards(Order::Ascending, difference::boards) },
    Algorithm { name: "flags", run: Run::Boards(Order::Ascending, flags::boards) },
    Algorithm { name: "mirror", run: Run::Count(mirror::count) },
];
