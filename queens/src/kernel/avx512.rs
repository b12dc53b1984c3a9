//! The steps of the level-queue search with AVX-512: two sets of 16 lanes, worked in turn so that one computes while the
//! other waits. Functions have the same names and tasks as in [`avx2`](super::avx2).
//!
//! The processor's compress and expand instructions move one vector of indices; the three masks of the states then follow
//! with one permutation each, which is cheaper than to compress all three.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{
    level::{CAPACITY, FULL, LANES, Level, MOST, PADDING, States},
    level_queue::{Step, Until},
    rows::{Row, WINDOW},
};

/// The lanes of one register.
const WIDTH: usize = 16;
/// Registers worked in turn.
const SETS: usize = 2;
const _: () = assert!(SETS * WIDTH <= LANES && SETS * WIDTH <= PADDING);

/// Proof that this processor has the instructions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512(());

impl Avx512 {
    /// Returns the proof, if it holds.
    pub(super) fn new() -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("popcnt");
        has.then_some(Self(()))
    }
}

impl Step for Avx512 {
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
    open: __m512i,
    gap: __m512i,
}

/// A state in every lane.
#[derive(Clone, Copy)]
struct WideState {
    columns: __m512i,
    left: __m512i,
    right: __m512i,
}

/// Sixteen lanes.
#[derive(Clone, Copy)]
struct Set {
    state: WideState,
    free: __m512i,
}

#[target_feature(enable = "avx512f,popcnt")]
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

#[target_feature(enable = "avx512f,popcnt")]
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
#[target_feature(enable = "avx512f,popcnt")]
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
#[target_feature(enable = "avx512f,popcnt")]
fn take_child(set: &mut Set, gap: __m512i) -> WideState {
    let minus = _mm512_sub_epi32(_mm512_setzero_si512(), set.free);
    // x | (free & -free), in which free & -free is the lowest square
    let columns = _mm512_ternarylogic_epi32::<0xF8>(set.state.columns, set.free, minus);
    let left = _mm512_ternarylogic_epi32::<0xF8>(set.state.left, set.free, minus);
    let right = _mm512_ternarylogic_epi32::<0xF8>(set.state.right, set.free, minus);
    // free & !minus, in one operation: the compiler would turn andnot into two
    set.free = _mm512_ternarylogic_epi32::<0x30>(set.free, minus, minus);
    down(WideState { columns, left, right }, gap)
}

/// Returns the states as seen `gap` rows further down.
#[inline]
#[target_feature(enable = "avx512f,popcnt")]
fn down(state: WideState, gap: __m512i) -> WideState {
    WideState {
        columns: state.columns,
        left: _mm512_srlv_epi32(state.left, gap),
        right: _mm512_sllv_epi32(state.right, gap),
    }
}

/// Returns the lanes whose child can live.
#[inline]
#[target_feature(enable = "avx512f,popcnt")]
fn look_ahead<const AHEAD: usize, const COVER: bool>(
    child: WideState,
    rows: &[WideRow; WINDOW],
    columns: __m512i,
) -> __mmask16 {
    let mut ahead = Ahead { state: child, keep: !0, cover: _mm512_setzero_si512() };
    look(&mut ahead, rows[1].open);
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
    if !COVER {
        return ahead.keep;
    }
    // columns & !child.columns & !cover
    let missed = _mm512_ternarylogic_epi32::<0x02>(child.columns, ahead.cover, columns);
    _mm512_mask_testn_epi32_mask(ahead.keep, missed, missed)
}

/// What the look-ahead knows so far.
struct Ahead {
    state: WideState,
    /// The lanes in which no row was without a free square.
    keep: __mmask16,
    /// The columns that were free in some row.
    cover: __m512i,
}

#[inline]
#[target_feature(enable = "avx512f,popcnt")]
fn look(ahead: &mut Ahead, open: __m512i) {
    let WideState { columns, left, right } = ahead.state;
    let unattacked = _mm512_ternarylogic_epi32::<0x01>(columns, left, right);
    ahead.keep = _mm512_mask_test_epi32_mask(ahead.keep, unattacked, open);
    // cover | (unattacked & open)
    ahead.cover = _mm512_ternarylogic_epi32::<0xF8>(ahead.cover, unattacked, open);
}

/// Returns in how many ways the last two rows can be filled, summed over all lanes.
#[inline]
#[target_feature(enable = "avx512f,popcnt")]
fn ways(child: WideState, rows: &[WideRow; WINDOW], columns: __m512i) -> u32 {
    let two = _mm512_andnot_si512(child.columns, columns);
    let minus = _mm512_sub_epi32(_mm512_setzero_si512(), two);
    let low = _mm512_and_si512(two, minus);
    let high = _mm512_andnot_si512(minus, two);
    let upper = unattacked(child, rows[1].open);
    let lower = unattacked(down(child, rows[1].gap), rows[2].open);
    let apart = _mm512_cmpneq_epi32_mask(_mm512_sllv_epi32(low, rows[1].gap), high);
    // !(low ? upper : lower), and with the rows swapped: what stops the low queen in one row, the high queen in the other
    let falling = _mm512_ternarylogic_epi32::<0x35>(low, upper, lower);
    let rising = _mm512_ternarylogic_epi32::<0x35>(low, lower, upper);
    let falling = _mm512_mask_testn_epi32_mask(apart, falling, two);
    let rising = _mm512_mask_testn_epi32_mask(apart, rising, two);
    falling.count_ones() + rising.count_ones()
}

/// Returns `open` without the squares that the states block.
#[inline]
#[target_feature(enable = "avx512f,popcnt")]
fn unattacked(state: WideState, open: __m512i) -> __m512i {
    let attacked = _mm512_or_si512(state.columns, state.left);
    _mm512_ternarylogic_epi32::<0x02>(attacked, state.right, open)
}

/// Writes the lanes in `keep` to places from `tail` on, and moves `tail` past them. Places up to `tail + WIDTH` may change.
///
/// # Safety
///
/// `tail + WIDTH` must be at most CAPACITY.
#[inline]
#[target_feature(enable = "avx512f,popcnt")]
unsafe fn append(states: &mut States<CAPACITY>, tail: &mut usize, child: WideState, keep: __mmask16) {
    let from = _mm512_maskz_compress_epi32(keep, lane_numbers());
    let store = |array: &mut [u32; CAPACITY], mask| {
        debug_assert!(*tail + WIDTH <= CAPACITY);
        // SAFETY: the caller promises that the WIDTH places from `tail` lie in the array.
        unsafe {
            _mm512_storeu_si512(array.as_mut_ptr().add(*tail).cast(), _mm512_permutexvar_epi32(from, mask))
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
#[target_feature(enable = "avx512f,popcnt")]
unsafe fn refill(set: &mut Set, states: &States<CAPACITY>, head: &mut usize, open: __m512i) {
    let dead = _mm512_testn_epi32_mask(set.free, set.free);
    let from = _mm512_maskz_expand_epi32(dead, lane_numbers());
    let load = |array: &[u32; CAPACITY], old| {
        debug_assert!(*head + WIDTH <= CAPACITY);
        // SAFETY: the caller promises that the WIDTH places from `head` lie in the array.
        let next = unsafe { _mm512_loadu_si512(array.as_ptr().add(*head).cast()) };
        _mm512_mask_permutexvar_epi32(old, dead, from, next)
    };
    let columns = load(&states.columns, set.state.columns);
    let left = load(&states.left, set.state.left);
    let right = load(&states.right, set.state.right);
    let unattacked = _mm512_ternarylogic_epi32::<0x01>(columns, left, right);
    set.free = _mm512_mask_and_epi32(set.free, dead, unattacked, open);
    set.state = WideState { columns, left, right };
    *head += dead.count_ones() as usize;
}

/// Returns the lanes as the last visit left them.
#[inline]
#[target_feature(enable = "avx512f,popcnt")]
fn take_up(level: &Level) -> [Set; SETS] {
    let load = |array: &[u32; LANES], set: usize| {
        debug_assert!(set < SETS);
        // SAFETY: `set` is less than SETS, and SETS * WIDTH at most LANES.
        unsafe { _mm512_loadu_si512(array.as_ptr().add(set * WIDTH).cast()) }
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
#[target_feature(enable = "avx512f,popcnt")]
fn lay_down(level: &mut Level, sets: [Set; SETS], head: usize) {
    let store = |array: &mut [u32; LANES], set: usize, mask| {
        debug_assert!(set < SETS);
        // SAFETY: `set` is less than SETS, and SETS * WIDTH at most LANES.
        unsafe { _mm512_storeu_si512(array.as_mut_ptr().add(set * WIDTH).cast(), mask) }
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
#[target_feature(enable = "avx512f,popcnt")]
fn live(sets: &[Set; SETS]) -> usize {
    sets.iter().map(|set| _mm512_test_epi32_mask(set.free, set.free).count_ones() as usize).sum()
}

#[inline]
#[target_feature(enable = "avx512f,popcnt")]
fn splat(mask: u32) -> __m512i {
    _mm512_set1_epi32(mask.cast_signed())
}

/// Returns the rows, each in every lane. (The compiler would not inline `map` here.)
#[inline]
#[target_feature(enable = "avx512f,popcnt")]
fn splat_rows(rows: &[Row; WINDOW]) -> [WideRow; WINDOW] {
    let [a, b, c, d, e, f] = *rows;
    let wide = |row: Row| WideRow { open: splat(row.open), gap: splat(row.gap) };
    [wide(a), wide(b), wide(c), wide(d), wide(e), wide(f)]
}

#[inline]
#[target_feature(enable = "avx512f,popcnt")]
fn lane_numbers() -> __m512i {
    _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
}
