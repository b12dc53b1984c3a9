//! How long the kernels take: `cargo bench -p queens --bench time`, on a quiet machine.
//!
//! `presets` counts a sample of the presets of each size, one after another, and reports positions per second. Jobs of
//! n = 16 take tens of microseconds, so that start-up shows there; those of n = 18 take a millisecond. `mirror` is the
//! yardstick: the classic program for the whole board.

use divan::{Bencher, counter::ItemsCount};
use queens::{
    Position, Size,
    kernel::Kernel,
    split::{Kind, Plan, Work},
    textbook,
};

fn main() {
    divan::main();
}

fn size(n: u64) -> Size {
    Size::new(n).expect("a size from 1 to 32")
}

/// Returns every `step`th preset of size n.
fn presets(n: u64, step: usize) -> Vec<Position> {
    let plan = Plan::new(size(n), Kind::Cross, 0).expect("every size has a plan of depth 0");
    let jobs = plan.jobs_from(0).step_by(step).map(|job| match job.work {
        Work::Complete(queens) => Position::with_queens(size(n), queens).expect("the queens of a job fit"),
        Work::Turn(_) | Work::Columns(_) => unreachable!("a cross plan has prefixes"),
    });
    jobs.collect()
}

#[divan::bench(args = [(Kernel::Scalar, 14), (Kernel::Queue, 16), (Kernel::Avx2, 16), (Kernel::Avx512, 16), (Kernel::Avx2, 18), (Kernel::Avx512, 18)])]
fn presets_of(bencher: Bencher<'_, '_>, (kernel, n): (Kernel, u64)) {
    let Ok(mut counter) = kernel.counter() else { return };
    let positions = presets(n, 1 << (n - 10));
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench_local(|| positions.iter().map(|position| counter.count(position)).sum::<u64>());
}

#[divan::bench(args = [12, 13])]
fn mirror(n: u64) -> u64 {
    textbook::mirror::count(size(n))
}
