//! Counts, for every lane of a block at once, how often its bit is set.

#![allow(unsafe_code)]

use super::{
    block::{Line, WORDS},
    vector::Vector,
};

/// Vertical counters: how many partners each lane has had.
#[derive(Debug)]
pub(super) struct Partners {
    places: [Line; 32 * WORDS / 8],
    /// The number of places that may hold a bit.
    used: usize,
}

impl Partners {
    pub(super) fn new() -> Self {
        Self { places: [Line([0; 8]); 32 * WORDS / 8], used: 0 }
    }

    /// Adds one bit of every lane at `place` and above.
    #[inline(always)]
    pub(super) unsafe fn carry<V: Vector, const VECTORS: usize>(&mut self, bits: [V; VECTORS], place: usize) {
        // SAFETY: as of the caller; the place is checked.
        unsafe {
            let mut union = bits[0];
            for &more in &bits[1..] {
                union = union.or(more);
            }
            if !union.is_zero() {
                self.ripple(bits, place);
            }
        }
    }

    #[inline(always)]
    unsafe fn ripple<V: Vector, const VECTORS: usize>(&mut self, mut bits: [V; VECTORS], mut place: usize) {
        // SAFETY: as of the caller; the place is checked.
        unsafe {
            loop {
                assert!(place < 32, "fewer than 2^32 probes");
                self.used = self.used.max(place + 1);
                let counter = self.places.as_mut_ptr().cast::<u64>().add(place * WORDS);
                let mut more = V::splat(0);
                for (i, bits) in bits.iter_mut().enumerate() {
                    let old = V::load(counter.add(i * V::WORDS));
                    old.xor(*bits).store(counter.add(i * V::WORDS));
                    *bits = old.and(*bits);
                    more = more.or(*bits);
                }
                if more.is_zero() {
                    return;
                }
                place += 1;
            }
        }
    }

    /// Returns the sum over some lanes.
    #[inline(always)]
    pub(super) fn sum(&self, lanes: &[u64]) -> u64 {
        let places = self.places.chunks_exact(WORDS / 8).take(self.used).rev();
        places.fold(0, |sum, place| {
            let words = place.iter().flat_map(|Line(words)| words);
            2 * sum
                + words.zip(lanes).map(|(word, lanes)| u64::from((word & lanes).count_ones())).sum::<u64>()
        })
    }

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.places[..self.used * (WORDS / 8)].fill(Line([0; 8]));
        self.used = 0;
    }
}
