//! Where each root's jobs begin: sums kept for every few roots only, so that millions of roots need little memory.

/// The number of jobs before each root, at every `stride`-th root.
#[derive(Debug)]
pub(super) struct Sums {
    stride: usize,
    before: Vec<u64>,
    total: u64,
}

impl Sums {
    /// Returns the sums of `counts`, one for each root; `None` as soon as one of them is `None`.
    pub(super) fn new(stride: usize, counts: impl Iterator<Item = Option<u64>>) -> Option<Self> {
        let mut sums = Self { stride, before: Vec::new(), total: 0 };
        for (root, count) in counts.enumerate() {
            if root % stride == 0 {
                sums.before.push(sums.total);
            }
            sums.total += count?;
        }
        Some(sums)
    }

    /// Returns the number of all jobs.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Returns the root that holds the job at `index`, and the job's place under it. `count` must give the same number
    /// for a root as it had when the sums were made.
    pub(super) fn find(&self, index: u64, count: impl Fn(usize) -> u64) -> Option<(usize, u64)> {
        if index >= self.total {
            return None;
        }
        let stretch = self.before.partition_point(|&before| before <= index) - 1;
        let mut rest = index - self.before[stretch];
        let mut root = stretch * self.stride;
        loop {
            let jobs = count(root);
            if rest < jobs {
                return Some((root, rest));
            }
            rest -= jobs;
            root += 1;
        }
    }
}
