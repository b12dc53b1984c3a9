//! How many instructions the kernels take, counted under Valgrind, so that noise cannot hide a loss:
//! `cargo bench -p queens --bench instructions`. This needs Valgrind and `cargo install gungraun-runner` of the version
//! that Cargo.lock has for `gungraun`. Valgrind knows no AVX-512, so the kernel `avx512` is left out.

// The macros make items that nobody documents.
#![allow(missing_docs, unreachable_pub)]

use std::hint::black_box;

use gungraun::{library_benchmark, library_benchmark_group, main};
use queens::{
    Position, Size,
    kernel::{Counter, Kernel},
    split::{Kind, Plan, Work},
};

/// Returns a counter that has its memory already, and every twentieth preset of n = 14.
fn prepare(kernel: Kernel) -> (Counter, Vec<Position>) {
    let size = Size::new(14).expect("14 is a size");
    let plan = Plan::new(size, Kind::Cross, 0).expect("every size has a plan of depth 0");
    let jobs = plan.jobs_from(0).step_by(20).map(|job| match job.work {
        Work::Complete(queens) => Position::with_queens(size, queens).expect("the queens of a job fit"),
        Work::Turn(_) | Work::Columns(_) => unreachable!("a cross plan has prefixes"),
    });
    let mut counter = kernel.counter().expect("Valgrind has the instructions of this kernel");
    let positions: Vec<Position> = jobs.collect();
    counter.count(&positions[0]);
    (counter, positions)
}

#[library_benchmark(setup = prepare)]
#[bench::scalar(Kernel::Scalar)]
#[bench::queue(Kernel::Queue)]
#[bench::avx2(Kernel::Avx2)]
fn presets((mut counter, positions): (Counter, Vec<Position>)) -> u64 {
    black_box(positions.iter().map(|position| counter.count(position)).sum())
}

library_benchmark_group!(name = kernels, benchmarks = presets);
main!(library_benchmark_groups = kernels);
