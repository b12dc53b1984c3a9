//! How large a tree is, from random looks into it: nobody wants to count for centuries to learn that it takes centuries.
//!
//! [`probe`] goes down a few rows at random and says how many positions the one that it reaches stands for. The count
//! below it, times that number, is on average the count of the whole tree, however uneven the tree is. (Knuth, "Estimating
//! the efficiency of backtrack programs", Mathematics of Computation 29, 1975.) A [`Sample`] sums up many such looks.

use crate::position::{Position, bits};

/// Random numbers from a seed (SplitMix64; Steele, Lea and Flood, 2014). The same seed gives the same numbers.
#[derive(Clone, Debug)]
pub struct Draws(u64);

impl Draws {
    /// Returns the numbers of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a whole number from 0 to `end` - 1; `end` must not be 0.
    pub fn below(&mut self, end: u32) -> u32 {
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u32
    }
}

/// A position that was reached by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// The position.
    pub position: Position,
    /// One over the probability of coming there.
    pub stands_for: f64,
}

/// Fills the first `rows` free rows of `position` (all of them if there are fewer), each with a queen on a square drawn
/// from those that are free. `None` if it comes to a row without one: such a look found nothing, and counts as 0.
pub fn probe(position: Position, rows: u32, draws: &mut Draws) -> Option<Probe> {
    let mut reached = Probe { position, stands_for: 1.0 };
    for _ in 0..rows.min(position.free_rows().count_ones()) {
        let row = reached.position.free_rows().trailing_zeros();
        let free = reached.position.free(row);
        let choices = free.count_ones();
        if choices == 0 {
            return None;
        }
        let column = bits(free).nth(draws.below(choices) as usize)?;
        reached.position = reached.position.with_queen(row, column);
        reached.stands_for *= f64::from(choices);
    }
    Some(reached)
}

/// Numbers that were drawn from some greater set.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    values: Vec<f64>,
}

impl Sample {
    /// Adds a number.
    pub fn push(&mut self, value: f64) {
        self.values.push(value);
    }

    /// Returns all of them, in the order in which they were added.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().copied()
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Tells whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the mean; 0 if there is no number.
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len().max(1) as f64
    }

    /// Returns by how much the mean of the greater set may differ from this mean, with a probability of 95 % that it differs
    /// by no more; infinite for fewer than two numbers.
    pub fn error(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.values.iter().map(|value| (value - mean).powi(2)).sum();
        let count = self.values.len() as f64;
        if count < 2.0 { f64::INFINITY } else { 1.96 * (squares / (count - 1.0) / count).sqrt() }
    }

    /// Returns the number that the share `share`, 0 to 1, of all numbers do not exceed; 0 if there is no number.
    pub fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let place = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(place.saturating_sub(1)).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{kernel::scalar, known, size::Size};

    fn empty(n: u64) -> Position {
        Position::empty(Size::new(n).unwrap())
    }

    /// Looks `looks` times into the whole tree of `n`, each `rows` deep.
    fn looks(n: u64, rows: u32, looks: u32) -> Sample {
        let mut draws = Draws::new(n);
        let mut sample = Sample::default();
        for _ in 0..looks {
            let probe = probe(empty(n), rows, &mut draws);
            sample.push(probe.map_or(0.0, |probe| probe.stands_for * scalar::count(&probe.position) as f64));
        }
        sample
    }

    #[test]
    fn the_mean_of_many_looks_is_the_count_of_the_tree() {
        for (n, rows) in [(8, 1), (8, 3), (8, 8), (9, 4), (10, 5)] {
            let sample = looks(n, rows, 20_000);
            let known = known::total(Size::new(n).unwrap()).unwrap() as f64;
            // Twice the interval, so that only an error of the method makes this fail.
            assert!(
                (sample.mean() - known).abs() <= 2.0 * sample.error(),
                "n = {n}, {rows} rows: {sample:?}"
            );
            assert!(sample.error() < known / 4.0);
        }
    }

    #[test]
    fn every_position_stands_for_one_over_its_probability() {
        // By the number of looks that come to it, each position of two rows must appear as often as it says.
        let (mut draws, mut seen) = (Draws::new(1), std::collections::HashMap::new());
        for _ in 0..60_000 {
            let probe = probe(empty(6), 2, &mut draws).unwrap();
            seen.entry(probe.position).or_insert((0_u32, probe.stands_for)).0 += 1;
        }
        assert_eq!(seen.len(), 20);
        for (times, stands_for) in seen.into_values() {
            let share = f64::from(times) / 60_000.0;
            assert!((share * stands_for - 1.0).abs() < 0.15, "{times} times, stands for {stands_for}");
        }
    }

    #[test]
    fn a_look_of_no_rows_is_the_position_itself() {
        let mut draws = Draws::new(1);
        assert_eq!(probe(empty(5), 0, &mut draws), Some(Probe { position: empty(5), stands_for: 1.0 }));
        // Where three queens do not fit, a look finds nothing.
        assert_eq!(probe(empty(3), 9, &mut draws), None);
    }

    #[test]
    fn a_sample_knows_its_mean_its_error_and_its_tail() {
        let mut sample = Sample::default();
        assert_eq!((sample.mean(), sample.quantile(0.99), sample.is_empty()), (0.0, 0.0, true));
        assert_eq!(sample.error(), f64::INFINITY);
        (1..=100).for_each(|value| sample.push(value.into()));
        assert_eq!((sample.len(), sample.mean()), (100, 50.5));
        assert_eq!((sample.quantile(0.99), sample.quantile(0.5), sample.quantile(1.0)), (99.0, 50.0, 100.0));
        assert!((sample.error() - 1.96 * 2.901_149).abs() < 1e-4);
    }
}
