//! The mathematics of the N-Queens problem: n queens on an n x n board, no two in one row, column or diagonal.
//!
//! Everything here is a pure function or a plain value: no dependency, no I/O, no clock, no thread. A [`Position`] says
//! what the queens placed so far block; a [`kernel`] turns a position into the number of ways to complete it;
//! [`enumerate`] turns it into the boards themselves; [`split`] cuts a whole problem into many positions whose numbers
//! add up to the answer; [`columns`] is a second way to count them, and [`audit`] computes any job by the other way;
//! [`turns`] counts the symmetric boards, which U(n) needs; [`textbook`] keeps the slow, readable
//! algorithms that all of the others are held against.

pub mod audit;
pub mod board;
pub mod columns;
pub mod enumerate;
pub mod estimate;
pub mod format;
pub mod kernel;
pub mod known;
pub mod plain;
pub mod position;
pub mod size;
pub mod split;
pub mod symmetry;
pub mod textbook;
pub mod turns;

pub use board::Board;
pub use position::{Position, Square};
pub use size::Size;
