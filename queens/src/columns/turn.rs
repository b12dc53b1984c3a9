//! Turns masks on their side.

#![allow(unsafe_code)]

use super::vector::Vector;

/// Turns 64 rows of one vector's width, 8 words apart: bit `first_plane + p` of row i becomes bit i of plane p, p in
/// 0..16. Planes are stored `words` words apart.
///
/// # Safety
/// The instructions; 64 rows must be readable at `from`, 16 planes writable at `to`.
#[inline(always)]
pub(super) unsafe fn turn<V: Vector>(from: *const u64, first_plane: u32, to: *mut u64, words: usize) {
    // SAFETY: as of the caller.
    unsafe {
        let low = V::splat(0xffff);
        let field = |row: usize| V::load(from.add(8 * row)).shr(first_plane).and(low);
        let mut rows = [low; 16];
        for (i, row) in rows.iter_mut().enumerate() {
            let pair = field(i).or(field(i + 16).shl(16));
            *row = V::or3(pair, field(i + 32).shl(32), field(i + 48).shl(48));
        }
        exchange::<V, 8>(&mut rows, 0x00ff_00ff_00ff_00ff);
        exchange::<V, 4>(&mut rows, 0x0f0f_0f0f_0f0f_0f0f);
        exchange::<V, 2>(&mut rows, 0x3333_3333_3333_3333);
        exchange::<V, 1>(&mut rows, 0x5555_5555_5555_5555);
        for (plane, row) in rows.into_iter().enumerate() {
            row.store(to.add(plane * words));
        }
    }
}

/// One step of a bit matrix transposition (Warren, Hacker's Delight, section 7-3).
#[inline(always)]
unsafe fn exchange<V: Vector, const STEP: usize>(rows: &mut [V; 16], low: u64) {
    // SAFETY: as of the caller.
    unsafe {
        let low = V::splat(low);
        for i in 0..16 {
            if i & STEP == 0 {
                let differing = rows[i].shr(STEP as u32).xor(rows[i + STEP]).and(low);
                rows[i + STEP] = rows[i + STEP].xor(differing);
                rows[i] = rows[i].xor(differing.shl(STEP as u32));
            }
        }
    }
}
