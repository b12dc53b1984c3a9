//! A block of up to 1024 masks, turned on their side, so that one mask can be held against all of them at once.
//!
//! Plane p has bit p of every mask, one lane a mask. For each window of 5 neighbouring planes the block has a table of the
//! union of every subset of them. A mask of the other half, a probe, takes one entry of each table; the lanes that are
//! zero in all of them are its partners. They are counted lane by lane in vertical counters: bit i of all lanes' counts
//! is one wide word. Lanes beyond the block's masks are ones in every entry of the first table, so that they are nobody's
//! partners, whatever bits the probe has.

#![allow(unsafe_code)]

use super::{partners::Partners, turn::turn, vector::Vector};

/// The lanes of a block at most, and of a narrow block, which is used where that many suffice.
pub(super) const LANES: usize = 1024;
pub(super) const NARROW: usize = 512;
/// The wide words of a block: 64-bit words at most.
pub(super) const WORDS: usize = LANES / 64;
/// Planes a table, entries a table, and tables at most: n = 27 has 52 planes.
const WINDOW: u32 = 5;
const ENTRIES: usize = 1 << WINDOW;
const TABLES: usize = 11;
/// Tables at least: fewer are not worth code of their own.
const FEWEST: usize = 4;

/// A wide word: one bit for each lane of a block.
pub(super) type Lanes = [u64; WORDS];

/// One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Line(pub(super) [u64; 8]);

/// A block of masks.
#[derive(Debug)]
pub(super) struct Block {
    /// By plane and word.
    planes: Vec<Line>,
    /// By table, entry and word.
    entries: Vec<Line>,
    /// The number of tables in use, and the first plane of each.
    tables: usize,
    shifts: [u32; TABLES],
    /// The 64-bit words of a wide word in use: 8 or 16.
    words: usize,
    /// The lanes that hold no mask.
    empty: Lanes,
}

impl Block {
    pub(super) fn new() -> Self {
        Self {
            planes: vec![Line([0; 8]); 64 * WORDS / 8],
            entries: vec![Line([0; 8]); TABLES * ENTRIES * WORDS / 8],
            tables: 0,
            shifts: [0; TABLES],
            words: 0,
            empty: [0; WORDS],
        }
    }

    /// Says how many masks the block will have.
    pub(super) fn set_count(&mut self, count: usize) {
        self.words = if count <= NARROW { NARROW / 64 } else { LANES / 64 };
        self.empty = lanes(count).map(|lanes| !lanes);
    }

    /// Returns the lanes whose masks have none of these bits. They must have been relevant.
    pub(super) fn without(&self, mut bits: u64) -> Lanes {
        let mut lanes = self.empty.map(|empty| !empty);
        while bits != 0 {
            let plane = bits.trailing_zeros() as usize;
            for (word, lanes) in lanes[..self.words].iter_mut().enumerate() {
                let at = plane * self.words + word;
                *lanes &= !self.planes[at / 8].0[at % 8];
            }
            bits &= bits - 1;
        }
        lanes
    }

    /// Makes the tables of the masks, of which only the relevant bits count, and at least the planes of the bits `also`.
    /// What follows the masks must fill up 512 or 1024.
    ///
    /// # Safety
    /// The processor must have the instructions.
    #[inline(always)]
    pub(super) unsafe fn fill<V: Vector>(&mut self, masks: &[u64], relevant: u64, also: u64) {
        assert!(masks.len() >= 64 * self.words);
        self.set_windows(relevant);
        let planes: *mut u64 = self.planes.as_mut_ptr().cast();
        let mut rest = relevant | also;
        while rest != 0 {
            let first_plane = rest.trailing_zeros().min(48);
            rest &= !(0xffff << first_plane);
            for word in (0..self.words).step_by(V::WORDS) {
                let from = word / 8 * 512 + word % 8;
                // SAFETY: 64 rows of 8 words are within 512 masks, and 64 planes of wide words within `planes`.
                unsafe {
                    let to = planes.add(first_plane as usize * self.words + word);
                    turn::<V>(masks.as_ptr().add(from), first_plane, to, self.words);
                }
            }
        }
        for table in 0..self.tables {
            // SAFETY: as of the caller; all 64 planes are readable.
            unsafe { self.unite::<V>(planes, relevant, table) };
        }
    }

    /// Covers the relevant bits with windows.
    fn set_windows(&mut self, relevant: u64) {
        let mut rest = relevant;
        self.tables = 0;
        while rest != 0 || self.tables < FEWEST {
            let shift = rest.trailing_zeros().min(63);
            self.shifts[self.tables] = shift;
            self.tables += 1;
            rest &= !((ENTRIES as u64 - 1) << shift);
        }
    }

    /// Makes a table: the unions of the relevant planes of its window.
    ///
    /// # Safety
    /// The processor must have the instructions; all 64 planes must be readable at `planes`.
    #[inline(always)]
    unsafe fn unite<V: Vector>(&mut self, planes: *const u64, relevant: u64, table: usize) {
        let shift = self.shifts[table];
        let entries: *mut u64 = self.entries.as_mut_ptr().cast();
        for word in (0..self.words).step_by(V::WORDS) {
            // SAFETY: entries below `ENTRIES` of a table below `TABLES`; relevant planes are below 64.
            unsafe {
                let entries = entries.add(table * ENTRIES * self.words + word);
                let nothing = if table == 0 { V::load(self.empty.as_ptr().add(word)) } else { V::splat(0) };
                nothing.store(entries);
                for bit in 0..WINDOW {
                    let plane = (shift + bit) as usize;
                    let lanes = match relevant.checked_shr(shift + bit) {
                        Some(bits) if bits & 1 == 1 => V::load(planes.add(plane * self.words + word)),
                        _ => V::splat(0),
                    };
                    for subset in 0..1 << bit {
                        let union = V::load(entries.add(subset * self.words)).or(lanes);
                        union.store(entries.add((1 << bit | subset) * self.words));
                    }
                }
            }
        }
    }

    /// Counts the partners of every probe and returns their number among some lanes and among others.
    ///
    /// # Safety
    /// The processor must have the instructions.
    #[inline(always)]
    pub(super) unsafe fn probe<V: Vector>(
        &self,
        probes: &[u64],
        partners: &mut Partners,
        lanes: [&Lanes; 2],
    ) -> [u64; 2] {
        partners.clear();
        // SAFETY: as of the caller.
        unsafe {
            match self.words / V::WORDS {
                1 => self.probe_wide::<V, 1>(probes, partners),
                2 => self.probe_wide::<V, 2>(probes, partners),
                4 => self.probe_wide::<V, 4>(probes, partners),
                _ => unreachable!("a block has 8 or 16 words"),
            }
        }
        // Not by `map`, whose closure would not have the instructions.
        [partners.sum(&lanes[0][..self.words]), partners.sum(&lanes[1][..self.words])]
    }

    #[inline(always)]
    unsafe fn probe_wide<V: Vector, const VECTORS: usize>(&self, probes: &[u64], partners: &mut Partners) {
        // SAFETY: as of the caller.
        unsafe {
            match self.tables {
                4 => self.probe_all::<V, VECTORS, 4>(probes, partners),
                5 => self.probe_all::<V, VECTORS, 5>(probes, partners),
                6 => self.probe_all::<V, VECTORS, 6>(probes, partners),
                7 => self.probe_all::<V, VECTORS, 7>(probes, partners),
                8 => self.probe_all::<V, VECTORS, 8>(probes, partners),
                9 => self.probe_all::<V, VECTORS, 9>(probes, partners),
                10 => self.probe_all::<V, VECTORS, 10>(probes, partners),
                11 => self.probe_all::<V, VECTORS, 11>(probes, partners),
                _ => unreachable!("a block has 4 to 11 tables"),
            }
        }
    }

    #[inline(always)]
    unsafe fn probe_all<V: Vector, const VECTORS: usize, const TABLES: usize>(
        &self,
        probes: &[u64],
        partners: &mut Partners,
    ) {
        let entries: *const u64 = self.entries.as_ptr().cast();
        let shifts: [u32; TABLES] = std::array::from_fn(|table| self.shifts[table]);
        // SAFETY: as of the caller; 5 bits of a probe name an entry of a table.
        unsafe {
            let mut counts = [[V::splat(0); VECTORS]; 3];
            let eights = probes.chunks_exact(8);
            let rest = eights.remainder();
            for eight in eights {
                let z = |i: usize| partners_of::<V, VECTORS, TABLES>(entries, shifts, eight[i]);
                let twos = [add(&mut counts[0], z(0), z(1)), add(&mut counts[0], z(2), z(3))];
                let low = add(&mut counts[1], twos[0], twos[1]);
                let twos = [add(&mut counts[0], z(4), z(5)), add(&mut counts[0], z(6), z(7))];
                let high = add(&mut counts[1], twos[0], twos[1]);
                let carry = add(&mut counts[2], low, high);
                partners.carry(carry, 3);
            }
            for &probe in rest {
                let mut carry = partners_of::<V, VECTORS, TABLES>(entries, shifts, probe);
                for count in &mut counts {
                    carry = add(count, carry, [V::splat(0); VECTORS]);
                }
                partners.carry(carry, 3);
            }
            for (place, count) in counts.into_iter().enumerate() {
                partners.carry(count, place);
            }
        }
    }
}

/// Adds two wide words to a place of the counters; returns the carries.
#[inline(always)]
unsafe fn add<V: Vector, const VECTORS: usize>(
    count: &mut [V; VECTORS],
    a: [V; VECTORS],
    b: [V; VECTORS],
) -> [V; VECTORS] {
    let mut carry = a;
    for i in 0..VECTORS {
        // SAFETY: as of the caller.
        (count[i], carry[i]) = unsafe { V::add3(count[i], a[i], b[i]) };
    }
    carry
}

/// The lanes that are zero in every table's entry for this probe.
#[inline(always)]
unsafe fn partners_of<V: Vector, const VECTORS: usize, const TABLES: usize>(
    entries: *const u64,
    shifts: [u32; TABLES],
    probe: u64,
) -> [V; VECTORS] {
    let words = VECTORS * V::WORDS;
    // Entries begin at multiples of a power of two, which the shift leaves their index at.
    let probe = probe << words.trailing_zeros();
    // SAFETY: as of the caller.
    unsafe {
        let entry = |table: usize, i: usize| {
            let index = (probe >> shifts[table]) as usize & ((ENTRIES - 1) * words);
            V::load(entries.add(table * ENTRIES * words + index + i * V::WORDS))
        };
        let mut lanes = [V::splat(0); VECTORS];
        for (i, lanes) in lanes.iter_mut().enumerate() {
            let mut union = entry(0, i);
            for pair in 0..(TABLES - 1) / 2 {
                union = V::or3(union, entry(2 * pair + 1, i), entry(2 * pair + 2, i));
            }
            if TABLES.is_multiple_of(2) {
                union = union.or(entry(TABLES - 1, i));
            }
            *lanes = union.not();
        }
        lanes
    }
}

/// The lanes of the first `count` masks: mask 512 g + 8 i + w is bit i of word 8 g + w.
pub(super) fn lanes(count: usize) -> Lanes {
    std::array::from_fn(|word| {
        let before = (word / 8) * 512 + word % 8;
        match count.saturating_sub(before).div_ceil(8) {
            64.. => u64::MAX,
            bits => (1 << bits) - 1,
        }
    })
}
