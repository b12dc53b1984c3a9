//! A hash map for keys that the scheduler itself gives out (ranks and numbers in sequence). No outsider chooses them, so
//! the standard library's protection against chosen keys would only cost time.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// A map from ranks or other small numbers of our own making.
pub(crate) type NumberMap<V> = HashMap<u64, V, BuildHasherDefault<Mix>>;

/// Mixes a number by one multiplication (Fibonacci hashing, Knuth, TAOCP vol. 3, 6.4).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, number: u64) {
        let product = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }
}
