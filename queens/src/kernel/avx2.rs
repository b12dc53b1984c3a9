//! The steps of the level-queue search with AVX2: two sets of 8 lanes, worked in turn so that one computes while the other
//! waits. Functions have the same names and tasks as in [`avx512`](super::avx512).
//!
//! AVX2 has no compress and no expand instruction, so that tables of 256 permutations stand in for them.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{
    level::{CAPACITY, FULL, LANES, Level, MOST, PADDING, States},
    level_queue::{Step, Until},
    rows::{Row, WINDOW},
};

/// The lanes of one register.
const WIDTH: usize = 8;
/// Registers worked in turn.
const SETS: usize = 2;
const _: () = assert!(SETS * WIDTH <= LANES && SETS * WIDTH <= PADDING);

/// Proof that this processor has the instructions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(());

impl Avx2 {
    /// Returns the proof, if it holds.
    pub(super) fn new() -> Option<Self> {
        let has = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt");
        has.then_some(Self(()))
    }
}

impl Step for Avx2 {
    fn descend<const AHEAD: usize, const COVER: bool>(
        self,
        rows: &[Row; WINDOW],
        columns: u32,
        from: &mut Level,
        into: &mut Level,
        until: Until,
    ) {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe { descend::<AHEAD, COVER>(rows, columns, from, into, until) }
    }

    fn close(self, rows: &[Row; WINDOW], columns: u32, from: &mut Level, until: Until) -> u64 {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe { close(rows, columns, from, until) }
    }
}

/// A row in every lane.
#[derive(Clone, Copy)]
struct WideRow {
    open: __m256i,
    gap: __m256i,
}

/// A state in every lane.
#[derive(Clone, Copy)]
struct WideState {
    columns: __m256i,
    left: __m256i,
    right: __m256i,
}

/// Eight lanes.
#[derive(Clone, Copy)]
struct Set {
    state: WideState,
    free: __m256i,
}

#[target_feature(enable = "avx2,popcnt")]
fn descend<const AHEAD: usize, const COVER: bool>(
    rows: &[Row; WINDOW],
    columns: u32,
    from: &mut Level,
    into: &mut Level,
    until: Until,
) {
    assert!(from.head <= from.tail && from.tail <= MOST);
    let rows = splat_rows(rows);
    let columns = splat(columns);
    let mut sets = take_up(from);
    let (mut head, mut tail) = (from.head, into.tail);
    while tail < FULL && is_work_left(&mut head, from.tail, &sets, until) {
        for set in &mut sets {
            let child = take_child(set, rows[0].gap);
            let keep = look_ahead::<AHEAD, COVER>(child, &rows, columns);
            // SAFETY: `tail` was less than FULL at the head of the loop, and each set adds at most WIDTH to it.
            unsafe { append(&mut into.queue, &mut tail, child, keep) };
            // SAFETY: `head` was at most `from.tail`, so at most MOST, at the head of the loop; each set adds at most WIDTH.
            unsafe { refill(set, &from.queue, &mut head, rows[0].open) };
        }
    }
    into.tail = tail;
    lay_down(from, sets, head);
}

#[target_feature(enable = "avx2,popcnt")]
fn close(rows: &[Row; WINDOW], columns: u32, from: &mut Level, until: Until) -> u64 {
    assert!(from.head <= from.tail && from.tail <= MOST);
    let rows = splat_rows(rows);
    let columns = splat(columns);
    let mut sets = take_up(from);
    let (mut head, mut sum) = (from.head, 0);
    while is_work_left(&mut head, from.tail, &sets, until) {
        for set in &mut sets {
            let child = take_child(set, rows[0].gap);
            sum += u64::from(ways(child, &rows, columns));
            // SAFETY: `head` was at most `from.tail`, so at most MOST, at the head of the loop; each set adds at most WIDTH.
            unsafe { refill(set, &from.queue, &mut head, rows[0].open) };
        }
    }
    lay_down(from, sets, head);
    sum
}

/// Tells whether the visit goes on. A `head` past the end of the queue is set back to it.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn is_work_left(head: &mut usize, tail: usize, sets: &[Set; SETS], until: Until) -> bool {
    if *head < tail {
        return true;
    }
    *head = tail;
    until == Until::Empty && live(sets) > 0
}

/// Places a queen on the lowest free square of every lane, and returns what that leads to. A dead lane gives back its own
/// state.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn take_child(set: &mut Set, gap: __m256i) -> WideState {
    let minus = _mm256_sub_epi32(_mm256_setzero_si256(), set.free);
    let square = _mm256_and_si256(set.free, minus);
    let columns = _mm256_or_si256(set.state.columns, square);
    let left = _mm256_or_si256(set.state.left, square);
    let right = _mm256_or_si256(set.state.right, square);
    set.free = _mm256_xor_si256(set.free, square);
    down(WideState { columns, left, right }, gap)
}

/// Returns the states as seen `gap` rows further down.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn down(state: WideState, gap: __m256i) -> WideState {
    WideState {
        columns: state.columns,
        left: _mm256_srlv_epi32(state.left, gap),
        right: _mm256_sllv_epi32(state.right, gap),
    }
}

/// Returns the lanes whose child can live, as bits.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn look_ahead<const AHEAD: usize, const COVER: bool>(
    child: WideState,
    rows: &[WideRow; WINDOW],
    columns: __m256i,
) -> u32 {
    let first = unattacked(child, rows[1].open);
    let mut ahead = Ahead { state: child, fewest: first, cover: first };
    // Spelled out, since the compiler would keep a loop.
    if AHEAD >= 2 {
        ahead.state = down(ahead.state, rows[1].gap);
        look(&mut ahead, rows[2].open);
    }
    if AHEAD >= 3 {
        ahead.state = down(ahead.state, rows[2].gap);
        look(&mut ahead, rows[3].open);
    }
    if AHEAD >= 4 {
        ahead.state = down(ahead.state, rows[3].gap);
        look(&mut ahead, rows[4].open);
    }
    if AHEAD >= 5 {
        ahead.state = down(ahead.state, rows[4].gap);
        look(&mut ahead, rows[5].open);
    }
    let drop = is_zero(ahead.fewest);
    if !COVER {
        return !bits(drop) & 0xFF;
    }
    let missed = _mm256_andnot_si256(_mm256_or_si256(child.columns, ahead.cover), columns);
    bits(_mm256_andnot_si256(drop, is_zero(missed)))
}

/// What the look-ahead knows so far.
struct Ahead {
    state: WideState,
    /// The least of the rows' masks of free squares: 0 if one of them has none.
    fewest: __m256i,
    /// The columns that were free in some row.
    cover: __m256i,
}

#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn look(ahead: &mut Ahead, open: __m256i) {
    let free = unattacked(ahead.state, open);
    ahead.fewest = _mm256_min_epu32(ahead.fewest, free);
    ahead.cover = _mm256_or_si256(ahead.cover, free);
}

/// Returns in how many ways the last two rows can be filled, summed over all lanes.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn ways(child: WideState, rows: &[WideRow; WINDOW], columns: __m256i) -> u32 {
    let two = _mm256_andnot_si256(child.columns, columns);
    let minus = _mm256_sub_epi32(_mm256_setzero_si256(), two);
    let low = _mm256_and_si256(two, minus);
    let high = _mm256_xor_si256(two, low);
    let upper = unattacked(child, rows[1].open);
    let lower = unattacked(down(child, rows[1].gap), rows[2].open);
    let touch = _mm256_cmpeq_epi32(_mm256_sllv_epi32(low, rows[1].gap), high);
    // the low queen in one row, the high queen in the other; and with the rows swapped
    let falling = _mm256_or_si256(_mm256_and_si256(low, upper), _mm256_and_si256(high, lower));
    let rising = _mm256_or_si256(_mm256_and_si256(low, lower), _mm256_and_si256(high, upper));
    let falling = _mm256_andnot_si256(touch, _mm256_cmpeq_epi32(falling, two));
    let rising = _mm256_andnot_si256(touch, _mm256_cmpeq_epi32(rising, two));
    bits(falling).count_ones() + bits(rising).count_ones()
}

/// Returns `open` without the squares that the states block.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn unattacked(state: WideState, open: __m256i) -> __m256i {
    let attacked = _mm256_or_si256(_mm256_or_si256(state.columns, state.left), state.right);
    _mm256_andnot_si256(attacked, open)
}

/// Writes the lanes in `keep`, 8 bits, to places from `tail` on, and moves `tail` past them. Places up to `tail + WIDTH`
/// may change.
///
/// # Safety
///
/// `tail + WIDTH` must be at most CAPACITY.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
unsafe fn append(states: &mut States<CAPACITY>, tail: &mut usize, child: WideState, keep: u32) {
    let from = permutation(&COMPRESS, keep);
    let store = |array: &mut [u32; CAPACITY], mask| {
        debug_assert!(*tail + WIDTH <= CAPACITY);
        // SAFETY: the caller promises that the WIDTH places from `tail` lie in the array.
        unsafe {
            _mm256_storeu_si256(array.as_mut_ptr().add(*tail).cast(), _mm256_permutevar8x32_epi32(mask, from))
        }
    };
    store(&mut states.columns, child.columns);
    store(&mut states.left, child.left);
    store(&mut states.right, child.right);
    *tail += keep.count_ones() as usize;
}

/// Gives the states from `head` on to the dead lanes, and moves `head` past them.
///
/// # Safety
///
/// `head + WIDTH` must be at most CAPACITY.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
unsafe fn refill(set: &mut Set, states: &States<CAPACITY>, head: &mut usize, open: __m256i) {
    let dead = is_zero(set.free);
    let from = permutation(&EXPAND, bits(dead));
    let load = |array: &[u32; CAPACITY], old| {
        debug_assert!(*head + WIDTH <= CAPACITY);
        // SAFETY: the caller promises that the WIDTH places from `head` lie in the array.
        let next = unsafe { _mm256_loadu_si256(array.as_ptr().add(*head).cast()) };
        _mm256_blendv_epi8(old, _mm256_permutevar8x32_epi32(next, from), dead)
    };
    let columns = load(&states.columns, set.state.columns);
    let left = load(&states.left, set.state.left);
    let right = load(&states.right, set.state.right);
    set.state = WideState { columns, left, right };
    let fresh = _mm256_and_si256(unattacked(set.state, open), dead);
    set.free = _mm256_or_si256(set.free, fresh);
    *head += bits(dead).count_ones() as usize;
}

/// Returns the lanes as the last visit left them.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn take_up(level: &Level) -> [Set; SETS] {
    let load = |array: &[u32; LANES], set: usize| {
        debug_assert!(set < SETS);
        // SAFETY: `set` is less than SETS, and SETS * WIDTH at most LANES.
        unsafe { _mm256_loadu_si256(array.as_ptr().add(set * WIDTH).cast()) }
    };
    let States { columns, left, right } = &level.lanes;
    let lanes = |set| Set {
        state: WideState { columns: load(columns, set), left: load(left, set), right: load(right, set) },
        free: load(&level.free, set),
    };
    [lanes(0), lanes(1)]
}

/// Keeps the lanes for the next visit.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn lay_down(level: &mut Level, sets: [Set; SETS], head: usize) {
    let store = |array: &mut [u32; LANES], set: usize, mask| {
        debug_assert!(set < SETS);
        // SAFETY: `set` is less than SETS, and SETS * WIDTH at most LANES.
        unsafe { _mm256_storeu_si256(array.as_mut_ptr().add(set * WIDTH).cast(), mask) }
    };
    for (index, set) in sets.iter().enumerate() {
        store(&mut level.lanes.columns, index, set.state.columns);
        store(&mut level.lanes.left, index, set.state.left);
        store(&mut level.lanes.right, index, set.state.right);
        store(&mut level.free, index, set.free);
    }
    level.leave(head, live(&sets));
}

/// Returns how many lanes are alive.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn live(sets: &[Set; SETS]) -> usize {
    sets.iter().map(|set| WIDTH - bits(is_zero(set.free)).count_ones() as usize).sum()
}

#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn splat(mask: u32) -> __m256i {
    _mm256_set1_epi32(mask.cast_signed())
}

/// Returns the rows, each in every lane. (The compiler would not inline `map` here.)
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn splat_rows(rows: &[Row; WINDOW]) -> [WideRow; WINDOW] {
    let [a, b, c, d, e, f] = *rows;
    let wide = |row: Row| WideRow { open: splat(row.open), gap: splat(row.gap) };
    [wide(a), wide(b), wide(c), wide(d), wide(e), wide(f)]
}

#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn is_zero(mask: __m256i) -> __m256i {
    _mm256_cmpeq_epi32(mask, _mm256_setzero_si256())
}

/// Returns the top bit of each lane.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn bits(lanes: __m256i) -> u32 {
    _mm256_movemask_ps(_mm256_castsi256_ps(lanes)).cast_unsigned()
}

/// Returns entry `mask`, at most 255, of a table of permutations.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn permutation(table: &[u64; 256], mask: u32) -> __m256i {
    let bytes = table[mask as usize & 0xFF].cast_signed();
    _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(bytes))
}

/// For each set of lanes, a byte for each lane of the result: where it comes from when the lanes of the set move to the front.
static COMPRESS: [u64; 256] = permutations(true);
/// For each set of lanes, a byte for each lane of the result: where it comes from when the first lanes move to those of the set.
static EXPAND: [u64; 256] = permutations(false);

const fn permutations(compress: bool) -> [u64; 256] {
    let mut table = [0; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut rank) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                let (from, to) = if compress { (lane, rank) } else { (rank, lane) };
                table[mask] |= from << (8 * to);
                rank += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_undo_each_other() {
        for mask in 0..256 {
            let byte = |table: &[u64; 256], lane: u32| (table[mask] >> (8 * lane) & 0xFF) as u32;
            let lanes = (0..8).filter(|lane| mask >> lane & 1 == 1);
            for (rank, lane) in (0..).zip(lanes) {
                assert_eq!(byte(&COMPRESS, rank), lane, "{mask:08b}");
                assert_eq!(byte(&EXPAND, lane), rank, "{mask:08b}");
            }
        }
    }
}
