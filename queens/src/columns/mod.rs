//! The column split: a second algorithm for counts, which shares nothing with the search of [`crate::kernel`] but the
//! board, so that each can audit the other; and the faster one for large n, since its cost per solution falls as n grows.
//!
//! The rows are cut between row h - 1 and row h, h = floor(n / 2). In a solution the upper rows use a set S of h columns
//! and the lower rows the rest: a job for each S, up to symmetry ([`split`], [`set`]). Inside a job:
//!
//! ```text
//! S -> all placements of each half        half.rs; strip.rs, listing.rs: the outer rows from a table, 4 or 8 at a time
//!   -> masks of the diagonals at the cut  two placements attack each other exactly if their masks share a bit
//!   -> fix the queens next to the cut     search.rs, lists.rs: filter each half by the other's queens, and again if it pays
//!   -> count the disjoint pairs           join.rs, block.rs: 1024 masks of one half turned on their side are held against
//!                                         one of the other at once
//! ```
//!
//! Measured on one core of a Xeon of 2023 (family 6, model 207) shared with others; search is [`crate::kernel`] in the same
//! run; memory is the peak of a process that counts random jobs:
//!
//! | n | 18 | 20 | 22 | 23 | 24 | 25 | 26 | 27 |
//! |---|---|---|---|---|---|---|---|---|
//! | ns per solution, AVX-512 | 3.7 | 1.66 | 1.3 | 1.15 | 0.9 | 0.8 | 0.63 | 0.52 |
//! | of the search's | 1.33 | 0.59 | 0.43 | 0.37 | 0.29 | | | |
//! | of the search's, AVX2 | | 0.46 | 0.33 | | | | | |
//! | a job, AVX-512 | 0.2 ms | 1.4 ms | 17 ms | 40 ms | 0.3 s | 0.8 s | 7 s | 25 s |
//! | memory | 4 MB | 5 MB | 9 MB | | 40 MB | 68 MB | 0.21 GB | 0.53 GB |
//!
//! The largest lists of n = 27 take some 0.8 GB. A counter keeps the memory of its largest job.
//!
//! [`scalar`] is the specification, short and plain. The AVX2 and AVX-512 variants are one algorithm with the vector
//! operations of `avx2.rs` and `avx512.rs` under the same names (`vector.rs`), chosen at run time by [`Kernel`].
//! [`restricted`] counts the boards of a job by search, and [`halves`] counts the boards below a prefix as it is done here:
//! either way a job is audited by the other algorithm.
//!
//! Nothing wraps: a pair of lists has fewer than 2^58 pairs, and a job's result is below 2 Q(n), which fits 64 bits for
//! every n that is served.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod block;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod half;
pub mod halves;
#[cfg(target_arch = "x86_64")]
mod join;
pub mod kernel;
#[cfg(target_arch = "x86_64")]
mod listing;
#[cfg(target_arch = "x86_64")]
mod lists;
#[cfg(target_arch = "x86_64")]
mod partners;
pub mod restricted;
pub mod scalar;
#[cfg(target_arch = "x86_64")]
mod search;
pub mod set;
pub mod split;
#[cfg(target_arch = "x86_64")]
mod strip;
#[cfg(target_arch = "x86_64")]
mod turn;
#[cfg(target_arch = "x86_64")]
mod vector;

pub use kernel::{Counter, Kernel, memory_bytes};
pub use set::{ColumnSet, NotAColumnSet};
pub use split::{Columns, Job};
