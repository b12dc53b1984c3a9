//! The vector operations in AVX-512: eight words.

#![allow(unsafe_code)]
// Every operation of the vector is an instruction that its caller vouches for.
#![allow(unsafe_op_in_unsafe_fn)]

use std::{arch::x86_64::*, ops::Range};

use super::{
    block::{Block, Lanes},
    half::Half,
    join, listing,
    lists::{self, Kept},
    partners::Partners,
    strip::{Closings, Strip},
    vector::{Instructions, SLACK, Vector, instructions},
};

/// Proof that the processor has AVX-512 F and BW, and BMI2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512(());

impl Avx512 {
    /// Returns the proof, if it holds.
    pub(super) fn new() -> Option<Self> {
        let here = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        here.then_some(Self(()))
    }
}

instructions!(Avx512, __m512i, "avx512f,avx512bw,bmi1,bmi2,lzcnt,popcnt");

impl Vector for __m512i {
    const WORDS: usize = 8;
    type Choice = __mmask8;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        _mm512_set1_epi64(word as i64)
    }

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        _mm512_loadu_si512(from.cast())
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        _mm512_storeu_si512(to.cast(), self)
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        _mm512_and_si512(self, other)
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        _mm512_or_si512(self, other)
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        _mm512_xor_si512(self, other)
    }

    #[inline(always)]
    unsafe fn not(self) -> Self {
        _mm512_ternarylogic_epi64::<0x0f>(self, self, self)
    }

    #[inline(always)]
    unsafe fn shl(self, bits: u32) -> Self {
        _mm512_sll_epi64(self, _mm_cvtsi32_si128(bits as i32))
    }

    #[inline(always)]
    unsafe fn shr(self, bits: u32) -> Self {
        _mm512_srl_epi64(self, _mm_cvtsi32_si128(bits as i32))
    }

    #[inline(always)]
    unsafe fn or3(a: Self, b: Self, c: Self) -> Self {
        _mm512_ternarylogic_epi64::<0xfe>(a, b, c)
    }

    #[inline(always)]
    unsafe fn add3(a: Self, b: Self, c: Self) -> (Self, Self) {
        (_mm512_ternarylogic_epi64::<0x96>(a, b, c), _mm512_ternarylogic_epi64::<0xe8>(a, b, c))
    }

    #[inline(always)]
    unsafe fn is_zero(self) -> bool {
        _mm512_test_epi64_mask(self, self) == 0
    }

    #[inline(always)]
    unsafe fn union(self) -> u64 {
        _mm512_reduce_or_epi64(self) as u64
    }

    #[inline(always)]
    unsafe fn others(choice: __mmask8) -> __mmask8 {
        !choice
    }

    #[inline(always)]
    unsafe fn disjoint(self, other: Self) -> __mmask8 {
        _mm512_testn_epi64_mask(self, other)
    }

    #[inline(always)]
    unsafe fn first(choice: __mmask8, count: usize) -> __mmask8 {
        choice & ((1 << count) - 1) as u8
    }

    #[inline(always)]
    unsafe fn store_chosen(self, choice: __mmask8, to: *mut u64) -> usize {
        // Compressing in a register and storing whole is faster than a compressing store on several processors.
        _mm512_maskz_compress_epi64(choice, self).store(to);
        choice.count_ones() as usize
    }

    #[inline(always)]
    unsafe fn chosen(self, choice: __mmask8) -> Self {
        _mm512_maskz_mov_epi64(choice, self)
    }
}
