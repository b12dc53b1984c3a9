//! The vector operations in AVX2: four words.

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

/// Proof that the processor has AVX2 and BMI2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(());

impl Avx2 {
    /// Returns the proof, if it holds.
    pub(super) fn new() -> Option<Self> {
        let here = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        here.then_some(Self(()))
    }
}

instructions!(Avx2, __m256i, "avx2,bmi1,bmi2,lzcnt,popcnt");

/// For each choice of words, the 32-bit halves that move it to the front.
static TO_THE_FRONT: [[u32; 8]; 16] = to_the_front();

const fn to_the_front() -> [[u32; 8]; 16] {
    let mut halves = [[0; 8]; 16];
    let mut choice = 0;
    while choice < 16 {
        let (mut word, mut place) = (0, 0);
        while word < 4 {
            if choice >> word & 1 == 1 {
                halves[choice][place] = 2 * word as u32;
                halves[choice][place + 1] = 2 * word as u32 + 1;
                place += 2;
            }
            word += 1;
        }
        choice += 1;
    }
    halves
}

/// Read from `4 - count`: all ones in the first `count` words.
static FIRST: [u64; 8] = [u64::MAX, u64::MAX, u64::MAX, u64::MAX, 0, 0, 0, 0];

impl Vector for __m256i {
    const WORDS: usize = 4;
    type Choice = __m256i;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        _mm256_set1_epi64x(word as i64)
    }

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        _mm256_loadu_si256(from.cast())
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        _mm256_storeu_si256(to.cast(), self)
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        _mm256_and_si256(self, other)
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        _mm256_or_si256(self, other)
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        _mm256_xor_si256(self, other)
    }

    #[inline(always)]
    unsafe fn not(self) -> Self {
        _mm256_xor_si256(self, _mm256_set1_epi64x(-1))
    }

    #[inline(always)]
    unsafe fn shl(self, bits: u32) -> Self {
        _mm256_sll_epi64(self, _mm_cvtsi32_si128(bits as i32))
    }

    #[inline(always)]
    unsafe fn shr(self, bits: u32) -> Self {
        _mm256_srl_epi64(self, _mm_cvtsi32_si128(bits as i32))
    }

    #[inline(always)]
    unsafe fn or3(a: Self, b: Self, c: Self) -> Self {
        a.or(b).or(c)
    }

    #[inline(always)]
    unsafe fn add3(a: Self, b: Self, c: Self) -> (Self, Self) {
        let half = a.xor(b);
        (half.xor(c), a.and(b).or(half.and(c)))
    }

    #[inline(always)]
    unsafe fn is_zero(self) -> bool {
        _mm256_testz_si256(self, self) == 1
    }

    #[inline(always)]
    unsafe fn union(self) -> u64 {
        let mut words = [0; 4];
        self.store(words.as_mut_ptr());
        words[0] | words[1] | words[2] | words[3]
    }

    #[inline(always)]
    unsafe fn others(choice: __m256i) -> __m256i {
        choice.not()
    }

    #[inline(always)]
    unsafe fn disjoint(self, other: Self) -> __m256i {
        _mm256_cmpeq_epi64(self.and(other), _mm256_setzero_si256())
    }

    #[inline(always)]
    unsafe fn first(choice: __m256i, count: usize) -> __m256i {
        choice.and(Self::load(FIRST.as_ptr().add(4 - count)))
    }

    #[inline(always)]
    unsafe fn store_chosen(self, choice: __m256i, to: *mut u64) -> usize {
        let choice = _mm256_movemask_pd(_mm256_castsi256_pd(choice)) as usize;
        let halves = Self::load(TO_THE_FRONT.as_ptr().add(choice).cast());
        _mm256_permutevar8x32_epi32(self, halves).store(to);
        choice.count_ones() as usize
    }

    #[inline(always)]
    unsafe fn chosen(self, choice: __m256i) -> Self {
        self.and(choice)
    }
}
