//! How long to wait before the next attempt to reach the coordinator.
//!
//! When a coordinator comes back, hundreds of workers want it at once. Exponential backoff with full jitter (M. Brooker,
//! "Exponential Backoff and Jitter", AWS Architecture Blog, 2015) spreads them evenly over the whole waiting time.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(10);

/// Waiting times, each drawn evenly from zero to a ceiling that doubles up to 10 s.
#[derive(Debug)]
pub(crate) struct Backoff {
    random: u64,
    ceiling: Duration,
}

impl Backoff {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: seed, ceiling: FIRST }
    }

    pub(crate) fn next(&mut self) -> Duration {
        let delay = self.ceiling.mul_f64(self.draw());
        self.ceiling = LONGEST.min(self.ceiling * 2);
        delay
    }

    /// Starts again with short waits, after something went well.
    pub(crate) fn reset(&mut self) {
        self.ceiling = FIRST;
    }

    // SplitMix64 (G. Steele, D. Lea, C. Flood, 2014); the upper 53 bits make an even number in 0..1.
    fn draw(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_10_s_and_are_spread_evenly() {
        let mut late = Vec::new();
        for seed in 0..1000 {
            let mut backoff = Backoff::new(seed);
            let waits: Vec<_> = (0..10).map(|_| backoff.next()).collect();
            assert!(waits[0] <= FIRST && waits[1] <= FIRST * 2 && waits[9] <= LONGEST);
            late.push(waits[9].as_secs_f64());
        }
        let tenths = |tenth: usize| late.iter().filter(|&&wait| wait as usize == tenth).count();
        assert!((0..10).all(|tenth| (60..140).contains(&tenths(tenth))));
    }

    #[test]
    fn a_seed_repeats_and_a_reset_shortens() {
        let (mut one, mut two) = (Backoff::new(7), Backoff::new(7));
        assert!((0..20).all(|_| one.next() == two.next()));
        one.reset();
        assert!(one.next() <= FIRST);
    }
}
