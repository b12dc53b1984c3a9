//! A checksum for each row, since a flipped bit in a count would otherwise be just another number.

/// The checksum of a row, built up field by field: 32 bits, FNV-1a over the fields' bytes and then mixed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seal(u64);

impl Seal {
    /// Begins the seal of a row of `table`.
    pub(super) fn of(table: &str) -> Self {
        Self(0xcbf2_9ce4_8422_2325).bytes(table.as_bytes())
    }

    /// Adds a number.
    pub(super) fn number(self, number: u64) -> Self {
        self.fold(&number.to_le_bytes())
    }

    /// Adds text or bytes of any length.
    pub(super) fn bytes(self, bytes: &[u8]) -> Self {
        self.fold(bytes).number(bytes.len() as u64)
    }

    fn fold(self, bytes: &[u8]) -> Self {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Self(bytes.iter().fold(self.0, step))
    }

    /// Returns the seal as it is stored.
    pub(super) fn finish(self) -> i64 {
        let mixed = (self.0 ^ self.0 >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        i64::from((mixed >> 32) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_single_bit_changes_the_seal() {
        let seal = |a: u64, b: u64, c: &[u8]| Seal::of("t").number(a).number(b).bytes(c).finish();
        let whole = seal(7, 92, b"name");
        for bit in 0..64 {
            assert_ne!(whole, seal(7 ^ 1 << bit, 92, b"name"));
            assert_ne!(whole, seal(7, 92 ^ 1 << bit, b"name"));
        }
        for bit in 0..32 {
            let mut name = *b"name";
            name[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(whole, seal(7, 92, &name));
        }
        assert_ne!(whole, seal(92, 7, b"name"));
    }
}
