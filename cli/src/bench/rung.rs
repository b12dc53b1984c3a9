//! The rungs: every algorithm as a function that counts all solutions of one board on one thread.

use std::collections::BTreeSet;

use queens::{
    Position, Size,
    kernel::{Counter, Kernel},
    split::{Kind, Plan, Work},
    textbook::{self, Algorithm},
};

/// One algorithm on one board.
pub(crate) struct Rung {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) size: Size,
    count: Box<dyn FnMut() -> u64>,
}

impl Rung {
    pub(crate) fn new(
        name: &'static str,
        kind: &'static str,
        size: Size,
        count: impl FnMut() -> u64 + 'static,
    ) -> Self {
        Self { name, kind, size, count: Box::new(count) }
    }

    /// Counts the solutions.
    pub(crate) fn climb(&mut self) -> u64 {
        (self.count)()
    }
}

/// Returns all rungs, from the slowest up: the textbook algorithms, on smaller boards where they would take too long,
/// `mirror` on each of these boards, and the kernels that this processor supports, or only one of them.
pub(crate) fn rungs(size: Size, only: Option<Kernel>) -> Vec<Rung> {
    let slow = textbook::ALL.into_iter().filter(|algorithm| algorithm.name != "mirror");
    let mut rungs: Vec<_> =
        slow.map(|algorithm| of_textbook(algorithm, size.min(largest(algorithm.name)))).collect();
    let sizes: BTreeSet<_> = rungs.iter().map(|rung| rung.size).chain([size]).collect();
    let mirror = textbook::ALL.into_iter().filter(|algorithm| algorithm.name == "mirror");
    rungs.extend(mirror.flat_map(|mirror| sizes.iter().map(move |&size| of_textbook(mirror, size))));
    let kernels = Kernel::ALL.into_iter().filter(|&kernel| only.is_none_or(|only| only == kernel));
    rungs.extend(kernels.filter_map(|kernel| of_kernel(kernel, size)));
    rungs
}

/// Returns the largest board on which a slow textbook algorithm takes no more than a second or so.
fn largest(name: &str) -> Size {
    let n = if name == "square_by_square" { 9 } else { 12 };
    Size::new(n).expect("9 and 12 are sizes")
}

fn of_textbook(algorithm: Algorithm, size: Size) -> Rung {
    Rung::new(algorithm.name, "textbook", size, move || algorithm.count(size))
}

fn of_kernel(kernel: Kernel, size: Size) -> Option<Rung> {
    let mut counter = kernel.counter().ok()?;
    Some(Rung::new(kernel.name(), "kernel", size, move || count(&mut counter, size)))
}

/// Counts as a cluster with one thread would, without the cluster.
fn count(counter: &mut Counter, size: Size) -> u64 {
    let plan = Plan::new(size, Kind::Cross, 0).expect("every board can be split at depth 0");
    let completions = |work: &Work| match work {
        Work::Complete(queens) => Position::with_queens(size, queens.iter().copied()).ok(),
        Work::Turn(_) | Work::Columns(_) => None,
    };
    plan.jobs_from(0)
        .filter_map(|job| Some(u64::from(job.weight) * counter.count(&completions(&job.work)?)))
        .sum()
}
