//! What the fast kernels need of an instruction set: operations on vectors of 64-bit words, and the inner loops compiled
//! for it.
//!
//! The loops are written once, generic over [`Vector`], and inlined into the functions of an [`Instructions`] type, which
//! carry the `target_feature` attribute. Holding a value of such a type proves that the processor has the instructions.

#![allow(unsafe_code)]

use std::ops::Range;

use super::{
    block::{Block, Lanes},
    half::Half,
    lists::Kept,
    partners::Partners,
    strip::{Closings, Strip},
};

/// The words of the longest vector: what buffers keep free past their end.
pub(super) const SLACK: usize = 8;

/// A vector of 64-bit words.
///
/// # Safety
///
/// Every operation may be called only where the processor has the instructions. Loads and stores need `WORDS` words
/// readable or writable at the pointer, at any alignment.
pub(super) trait Vector: Copy {
    /// The number of words.
    const WORDS: usize;
    /// A choice of words.
    type Choice: Copy;

    /// Returns a vector of equal words.
    unsafe fn splat(word: u64) -> Self;
    unsafe fn load(from: *const u64) -> Self;
    unsafe fn store(self, to: *mut u64);
    unsafe fn and(self, other: Self) -> Self;
    unsafe fn or(self, other: Self) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    unsafe fn not(self) -> Self;
    /// Shifts every word, by fewer than 64 bits.
    unsafe fn shl(self, bits: u32) -> Self;
    unsafe fn shr(self, bits: u32) -> Self;
    unsafe fn or3(a: Self, b: Self, c: Self) -> Self;
    /// Adds three bits in every place: returns the sums and the carries.
    unsafe fn add3(a: Self, b: Self, c: Self) -> (Self, Self);
    unsafe fn is_zero(self) -> bool;
    /// Returns the union of all words.
    unsafe fn union(self) -> u64;

    /// Chooses the words that share no bit with `other`.
    unsafe fn disjoint(self, other: Self) -> Self::Choice;
    /// Returns what a choice has among the first `count` words.
    unsafe fn first(choice: Self::Choice, count: usize) -> Self::Choice;
    /// Returns the words that a choice leaves.
    unsafe fn others(choice: Self::Choice) -> Self::Choice;
    /// Returns the chosen words, and zero in place of the others.
    unsafe fn chosen(self, choice: Self::Choice) -> Self;
    /// Stores the chosen words next to one another, and anything in the rest of `WORDS` words; returns their number.
    unsafe fn store_chosen(self, choice: Self::Choice, to: *mut u64) -> usize;
}

/// Runs a block for the place of every whole vector of `count` words and then, if some words are left, for the last place,
/// where `left` is their number. A macro, since a closure might not be inlined and then lacks the instructions.
macro_rules! for_vectors {
    ($vector:ty, $count:expr, |$place:ident, $left:ident| $body:block) => {
        let (count, mut $place): (usize, usize) = ($count, 0);
        while $place + <$vector>::WORDS <= count {
            let $left: Option<usize> = None;
            $body
            $place += <$vector>::WORDS;
        }
        if $place < count {
            let $left = Some(count - $place);
            $body
        }
    };
}
pub(super) use for_vectors;

/// The words of a vector at a place of [`for_vectors`] that share no bit with `other`.
///
/// # Safety
/// The processor must have the instructions.
#[inline(always)]
pub(super) unsafe fn disjoint<V: Vector>(words: V, other: V, left: Option<usize>) -> V::Choice {
    // SAFETY: as of the caller.
    unsafe {
        let choice = words.disjoint(other);
        match left {
            Some(count) => V::first(choice, count),
            None => choice,
        }
    }
}

/// The inner loops, compiled for one instruction set.
pub(super) trait Instructions: Copy {
    /// See [`Strip::fill`].
    fn fill(self, strip: &mut Strip, half: &Half, rows: u32);
    /// See [`super::listing::close`].
    fn close(self, closings: Closings<'_>, blocked: u64, queens: u64, to: &mut [u64]) -> usize;
    /// See [`super::lists::filter`]. `at` is not before the range's end.
    fn filter(self, masks: &mut [u64], range: Range<usize>, blocked: u64, at: usize) -> Kept;
    /// See [`super::join::choose`].
    fn choose(self, masks: &[u64], wanted: u64, to: &mut Vec<u64>);
    /// See [`Block::fill`].
    fn slice(self, block: &mut Block, masks: &[u64], relevant: u64, also: u64);
    /// See [`Block::probe`].
    fn probe(self, block: &Block, probes: &[u64], partners: &mut Partners, lanes: [&Lanes; 2]) -> [u64; 2];
}

/// Implements [`Instructions`] for a type by the loops compiled with the features that it stands for.
macro_rules! instructions {
    ($token:ty, $vector:ty, $features:literal) => {
        impl Instructions for $token {
            fn fill(self, strip: &mut Strip, half: &Half, rows: u32) {
                #[target_feature(enable = $features)]
                unsafe fn run(strip: &mut Strip, half: &Half, rows: u32) {
                    // SAFETY: this function has the features.
                    unsafe { strip.fill::<$vector>(half, rows) }
                }
                // SAFETY: `self` proves the features.
                unsafe { run(strip, half, rows) }
            }

            fn close(self, closings: Closings<'_>, blocked: u64, queens: u64, to: &mut [u64]) -> usize {
                #[target_feature(enable = $features)]
                unsafe fn run(closings: Closings<'_>, blocked: u64, queens: u64, to: *mut u64) -> usize {
                    // SAFETY: this function has the features; the rest as of the caller.
                    unsafe { listing::close::<$vector>(closings, blocked, queens, to) }
                }
                let words = closings.count + SLACK;
                assert!(closings.masks.len().min(to.len()) >= words);
                // SAFETY: `self` proves the features; the assertion leaves room for whole vectors.
                unsafe { run(closings, blocked, queens, to.as_mut_ptr()) }
            }

            fn filter(self, masks: &mut [u64], range: Range<usize>, blocked: u64, at: usize) -> Kept {
                #[target_feature(enable = $features)]
                unsafe fn run(from: *const u64, count: usize, blocked: u64, to: *mut u64) -> Kept {
                    // SAFETY: this function has the features; the rest as of the caller.
                    unsafe { lists::filter::<$vector>(from, count, blocked, to) }
                }
                assert!(range.end <= at && at + range.len() + SLACK <= masks.len());
                let masks = masks.as_mut_ptr();
                // SAFETY: `self` proves the features; the assertion leaves room for whole vectors.
                unsafe { run(masks.add(range.start), range.len(), blocked, masks.add(at)) }
            }

            fn choose(self, masks: &[u64], wanted: u64, to: &mut Vec<u64>) {
                #[target_feature(enable = $features)]
                unsafe fn run(from: *const u64, count: usize, wanted: u64, to: *mut u64) -> usize {
                    // SAFETY: this function has the features; the rest as of the caller.
                    unsafe { join::choose::<$vector>(from, count, wanted, to) }
                }
                assert!(masks.len() >= SLACK);
                let count = masks.len() - SLACK;
                to.resize(count + SLACK, 0);
                // SAFETY: `self` proves the features; both buffers have room for whole vectors.
                let chosen = unsafe { run(masks.as_ptr(), count, wanted, to.as_mut_ptr()) };
                to.truncate(chosen);
            }

            fn slice(self, block: &mut Block, masks: &[u64], relevant: u64, also: u64) {
                #[target_feature(enable = $features)]
                unsafe fn run(block: &mut Block, masks: &[u64], relevant: u64, also: u64) {
                    // SAFETY: this function has the features.
                    unsafe { block.fill::<$vector>(masks, relevant, also) }
                }
                // SAFETY: `self` proves the features.
                unsafe { run(block, masks, relevant, also) }
            }

            fn probe(
                self,
                block: &Block,
                probes: &[u64],
                partners: &mut Partners,
                lanes: [&Lanes; 2],
            ) -> [u64; 2] {
                #[target_feature(enable = $features)]
                unsafe fn run(
                    block: &Block,
                    probes: &[u64],
                    partners: &mut Partners,
                    lanes: [&Lanes; 2],
                ) -> [u64; 2] {
                    // SAFETY: this function has the features.
                    unsafe { block.probe::<$vector>(probes, partners, lanes) }
                }
                // SAFETY: `self` proves the features.
                unsafe { run(block, probes, partners, lanes) }
            }
        }
    };
}
pub(super) use instructions;
