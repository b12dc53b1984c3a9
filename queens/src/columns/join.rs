//! The join: how many pairs of placements, one of each half, do not attack each other.

#![allow(unsafe_code)]

use super::{
    block::{Block, LANES, NARROW},
    partners::Partners,
    vector::{Instructions, SLACK, Vector, for_vectors},
};

/// Placements of one half.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a> {
    /// Their masks, and at least a block of other words after them.
    pub(super) masks: &'a [u64],
    pub(super) count: usize,
    /// All bits of their masks.
    pub(super) union: u64,
}

/// The memory of a join.
#[derive(Debug)]
pub(super) struct Join {
    equal: Vec<u64>,
    block: Block,
    partners: Partners,
}

impl Join {
    pub(super) fn new() -> Self {
        Self { equal: Vec::new(), block: Block::new(), partners: Partners::new() }
    }

    /// Returns the number of pairs that share none of these diagonals, plus the number of those of them that both have
    /// none of the bits `equal`.
    pub(super) fn count<I: Instructions>(
        &mut self,
        instructions: I,
        [a, b]: [Side<'_>; 2],
        diagonals: u64,
        equal: u64,
    ) -> u64 {
        let relevant = a.union & b.union & diagonals;
        let (probes, sliced) = if cost(a.count, b.count) <= cost(b.count, a.count) { (a, b) } else { (b, a) };
        self.equal.clear();
        if probes.union & equal != 0 {
            instructions.choose(&probes.masks[..probes.count + SLACK], equal, &mut self.equal);
        }
        let probes = &probes.masks[..probes.count];
        let equal = equal & sliced.union;
        (0..sliced.count)
            .step_by(LANES)
            .map(|start| {
                self.block.set_count(sliced.count - start);
                instructions.slice(&mut self.block, &sliced.masks[start..], relevant, equal);
                self.probe(instructions, probes, equal)
            })
            .sum()
    }

    /// Counts the pairs with the masks of the block.
    fn probe<I: Instructions>(&mut self, instructions: I, probes: &[u64], equal: u64) -> u64 {
        let (all, less) = (self.block.without(0), self.block.without(equal));
        let lanes = [&all, &less];
        let [all, less] = instructions.probe(&self.block, probes, &mut self.partners, lanes);
        let [_, surplus] = instructions.probe(&self.block, &self.equal, &mut self.partners, lanes);
        all + less - surplus
    }
}

/// Copies the words that share a bit with `wanted`; returns their number.
///
/// # Safety
/// The processor must have the instructions; whole vectors covering `count` words must be readable at `from` and writable
/// at `to`.
#[inline(always)]
pub(super) unsafe fn choose<V: Vector>(from: *const u64, count: usize, wanted: u64, to: *mut u64) -> usize {
    // SAFETY: as of the caller; what has been stored never exceeds what has been read.
    unsafe {
        let (wanted, mut stored) = (V::splat(wanted), 0);
        for_vectors!(V, count, |read, left| {
            let masks = V::load(from.add(read));
            let mut choice = V::others(masks.disjoint(wanted));
            if let Some(count) = left {
                choice = V::first(choice, count);
            }
            stored += masks.store_chosen(choice, to.add(stored));
        });
        stored
    }
}

/// What a join costs about, in probes of 512 lanes; making a block of 512 costs as much as 300.
pub(super) fn cost(probes: usize, sliced: usize) -> usize {
    sliced.div_ceil(NARROW) * (probes + 300)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        columns::{avx2::Avx2, avx512::Avx512},
        estimate::Draws,
    };

    const DIAGONALS: u64 = (1 << 52) - 1;
    const EQUAL: u64 = 1 << 55;

    /// Random masks with few bits, some with none, and after them words that must not count.
    fn masks(count: usize, draws: &mut Draws) -> Vec<u64> {
        let few = |draws: &mut Draws| {
            draws.bits() & draws.bits() & draws.bits() & draws.bits() & (DIAGONALS | EQUAL)
        };
        let masks = (0..count).map(|_| if draws.below(20) == 0 { 0 } else { few(draws) }).collect::<Vec<_>>();
        masks.into_iter().chain(std::iter::repeat_n(0, LANES)).collect()
    }

    fn side(masks: &[u64]) -> Side<'_> {
        let count = masks.len() - LANES;
        Side { masks, count, union: masks.iter().fold(0, |union, mask| union | mask) }
    }

    fn pairs(a: Side<'_>, b: Side<'_>, diagonals: u64) -> u64 {
        let pair = |a: u64, b: u64| match (a & b & diagonals, (a | b) & EQUAL) {
            (0, 0) => 2,
            (0, _) => 1,
            _ => 0,
        };
        let (a, b) = (&a.masks[..a.count], &b.masks[..b.count]);
        a.iter().flat_map(|&a| b.iter().map(move |&b| pair(a, b))).sum()
    }

    fn check(instructions: impl Instructions) {
        let (mut join, mut draws) = (Join::new(), Draws::new(8));
        for case in 0..300 {
            let largest = [3, 20, 600, 1100, 2500][case % 5];
            let [a, b] =
                [0, 1].map(|_| 1 + draws.below(largest) as usize).map(|count| masks(count, &mut draws));
            // From all diagonals down to none.
            let diagonals = DIAGONALS >> (case % 54) as u32;
            let (a, b) = (side(&a), side(&b));
            let expected = pairs(a, b, diagonals);
            assert_eq!(
                join.count(instructions, [a, b], diagonals, EQUAL),
                expected,
                "{} x {}",
                a.count,
                b.count
            );
        }
    }

    #[test]
    fn a_join_counts_the_pairs_without_a_common_diagonal() {
        Avx2::new().into_iter().for_each(check);
        Avx512::new().into_iter().for_each(check);
    }
}
