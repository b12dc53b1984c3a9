//! Whole scenarios in virtual time: a small world of workers and a ledger around the scheduler, stories told with it, and
//! random histories.

mod algorithms;
mod random;
mod slices;
mod stories;
mod world;
