//! Random numbers for request ids, jitter and the choice of samples. None of them is a secret, so the keys that the standard
//! library draws from the system for its hash tables are enough and no dependency is needed.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

/// Returns 128 random bits as 32 hexadecimal digits.
pub(crate) fn hex() -> String {
    format!("{:016x}{:016x}", bits(), bits())
}

/// Returns a random part of `most`, so that those who were cut off together do not come back together.
pub(crate) fn part_of(most: Duration) -> Duration {
    most.mul_f64(bits() as f64 / u64::MAX as f64)
}

/// Returns 64 random bits.
pub(crate) fn bits() -> u64 {
    RandomState::new().hash_one(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_are_alike() {
        let mut drawn: Vec<_> = (0..1000).map(|_| hex()).collect();
        assert!(drawn.iter().all(|hex| hex.len() == 32));
        drawn.sort();
        drawn.dedup();
        assert_eq!(drawn.len(), 1000);
    }

    #[test]
    fn a_part_is_not_more_than_the_whole() {
        let most = Duration::from_millis(100);
        assert!((0..1000).all(|_| part_of(most) <= most));
    }
}
