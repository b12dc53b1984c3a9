//! Simulated clusters: many seeds, the same seed twice, and invariants broken on purpose.

mod mutations;
mod replay;
mod seeds;
