//! A set of ranks that is almost always "all up to here, and a few beyond": the jobs that are done.
//!
//! It is kept as a bitmap in pages. A page that is full takes no room, nor does one that is empty, and full pages in front
//! are only counted. So a run of any length costs a few kilobytes while its results come about in order, and never more than
//! an eighth of a byte a job, also while a ledger is read in another order. Every operation takes constant time.

use std::collections::VecDeque;

/// Ranks of one page.
const PAGE: u64 = 4096;

/// A set of ranks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranks {
    /// The number of full pages in front of `pages`.
    full: u64,
    pages: VecDeque<Page>,
    len: u64,
}

#[derive(Clone, Debug)]
enum Page {
    Empty,
    Full,
    Part(Box<Bits>),
}

#[derive(Clone, Debug)]
struct Bits {
    words: [u64; PAGE as usize / 64],
    len: u64,
}

impl Ranks {
    /// Returns the number of ranks in the set.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Tells whether `rank` is in the set.
    pub(crate) fn contains(&self, rank: u64) -> bool {
        let Some(page) = (rank / PAGE).checked_sub(self.full) else { return true };
        match self.pages.get(page as usize) {
            None | Some(Page::Empty) => false,
            Some(Page::Full) => true,
            Some(Page::Part(bits)) => bits.contains(rank % PAGE),
        }
    }

    /// Adds `rank`, and tells whether it was missing.
    pub(crate) fn insert(&mut self, rank: u64) -> bool {
        let Some(place) = (rank / PAGE).checked_sub(self.full) else { return false };
        let place = place as usize;
        if place >= self.pages.len() {
            self.pages.resize(place + 1, Page::Empty);
        }
        let added = self.pages[place].insert(rank % PAGE);
        self.len += u64::from(added);
        while let Some(Page::Full) = self.pages.front() {
            self.pages.pop_front();
            self.full += 1;
        }
        added
    }

    /// Returns the first rank at or after `from` that is not in the set. There is always one; it may be past the last job.
    pub(crate) fn next_missing(&self, from: u64) -> u64 {
        let mut rank = from.max(self.full * PAGE);
        loop {
            match self.pages.get((rank / PAGE - self.full) as usize) {
                None | Some(Page::Empty) => return rank,
                Some(Page::Full) => {}
                Some(Page::Part(bits)) => {
                    if let Some(within) = bits.next_missing(rank % PAGE) {
                        return rank - rank % PAGE + within;
                    }
                }
            }
            rank = (rank / PAGE + 1) * PAGE;
        }
    }
}

impl Page {
    fn insert(&mut self, within: u64) -> bool {
        match self {
            Self::Full => return false,
            Self::Empty => *self = Self::Part(Box::new(Bits { words: [0; PAGE as usize / 64], len: 0 })),
            Self::Part(_) => {}
        }
        let Self::Part(bits) = self else { return false };
        let added = bits.insert(within);
        if bits.len == PAGE {
            *self = Self::Full;
        }
        added
    }
}

impl Bits {
    fn contains(&self, within: u64) -> bool {
        self.words[(within / 64) as usize] >> (within % 64) & 1 == 1
    }

    fn insert(&mut self, within: u64) -> bool {
        let word = &mut self.words[(within / 64) as usize];
        let bit = 1 << (within % 64);
        let added = *word & bit == 0;
        *word |= bit;
        self.len += u64::from(added);
        added
    }

    fn next_missing(&self, from: u64) -> Option<u64> {
        let first = (from / 64) as usize;
        let before = (1_u64 << (from % 64)) - 1;
        let masked =
            std::iter::once(self.words[first] | before).chain(self.words[first + 1..].iter().copied());
        let (offset, word) = masked.enumerate().find(|&(_, word)| word != u64::MAX)?;
        Some((first + offset) as u64 * 64 + u64::from(word.trailing_ones()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn missing(naive: &BTreeSet<u64>, from: u64) -> u64 {
        (from..).find(|rank| !naive.contains(rank)).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn it_is_a_set(spans in prop::collection::vec((0_u64..20_000, 1_u64..6000), 1..8), probes in prop::collection::vec(0_u64..30_000, 20)) {
            let (mut ranks, mut naive) = (Ranks::default(), BTreeSet::new());
            for (from, count) in spans {
                for rank in from..from + count {
                    prop_assert_eq!(ranks.insert(rank), naive.insert(rank));
                }
                prop_assert_eq!(ranks.len(), naive.len() as u64);
            }
            for probe in probes {
                prop_assert_eq!(ranks.contains(probe), naive.contains(&probe));
                prop_assert_eq!(ranks.next_missing(probe), missing(&naive, probe));
            }
        }
    }

    #[test]
    fn ranks_in_order_take_next_to_no_room() {
        let mut ranks = Ranks::default();
        for rank in 0..1_000_000 {
            ranks.insert(rank);
            assert!(ranks.pages.len() <= 1);
        }
        assert_eq!((ranks.len(), ranks.next_missing(0)), (1_000_000, 1_000_000));
    }

    #[test]
    fn full_pages_beyond_a_gap_take_no_bits() {
        let mut ranks = Ranks::default();
        for rank in 1..PAGE * 100 {
            ranks.insert(rank);
        }
        let parts = ranks.pages.iter().filter(|page| matches!(page, Page::Part(_))).count();
        assert_eq!((parts, ranks.next_missing(0), ranks.next_missing(1)), (1, 0, PAGE * 100));
    }
}
