//! What kernel threads reach with nothing around them: the yardstick for what a cluster costs.
//!
//! `cargo bench -p queens --bench threads -- [N [THREADS [KERNEL]]]` counts Q(N) by threads that take the jobs of a plan from
//! a shared number, with one thread and with THREADS in turn, and prints the seconds of each repeat.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    thread,
    time::Instant,
};

use queens::{
    Position, Size,
    kernel::{Counter, Kernel},
    known,
    split::{Job, Kind, Plan, Work},
};

const REPEATS: usize = 7;
/// Jobs that a thread takes at a time.
const SLICE: u64 = 8;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|text| !text.starts_with('-')).collect();
    let argument = |place: usize| arguments.get(place).map(String::as_str);
    let n = argument(0).map_or(16, |text| text.parse().expect("N is a number"));
    let threads = argument(1).map_or(2, |text| text.parse().expect("THREADS is a number"));
    let kernel =
        argument(2).map_or_else(Kernel::best, |text| text.parse().expect("KERNEL is the name of one"));
    let size = Size::new(n).expect("N is 1 to 32");
    for repeat in 1..=REPEATS {
        let [alone, together] = [1, threads].map(|threads| seconds(size, threads, kernel));
        let share = together * threads as f64 / alone;
        println!(
            "{repeat}: Q({n}) with {kernel}: 1 thread {alone:.4} s, {threads} threads {together:.4} s ({share:.3} of the ideal)"
        );
    }
}

/// Counts with so many threads, checks the answer, and returns how long it took, the plan included.
fn seconds(size: Size, threads: usize, kernel: Kernel) -> f64 {
    let begun = Instant::now();
    let plan = Plan::new(size, Kind::Cross, 0).expect("every board can be split so");
    let next = AtomicU64::new(0);
    let total: u64 = thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(|| part(&plan, &next, kernel))).collect();
        all.into_iter().map(|thread| thread.join().expect("a kernel thread has ended")).sum()
    });
    let took = begun.elapsed().as_secs_f64();
    assert!(known::total(size).is_none_or(|known| known == total), "Q({size}) came to {total}");
    took
}

/// Counts the jobs that one thread gets hold of.
fn part(plan: &Plan, next: &AtomicU64, kernel: Kernel) -> u64 {
    let mut counter = kernel.counter().expect("the processor has what the kernel needs");
    let mut sum = 0;
    loop {
        let first = next.fetch_add(SLICE, Relaxed);
        if first >= plan.jobs() {
            return sum;
        }
        sum += plan
            .jobs_from(first)
            .take(SLICE as usize)
            .map(|job| weighted(plan, &mut counter, &job))
            .sum::<u64>();
    }
}

fn weighted(plan: &Plan, counter: &mut Counter, job: &Job) -> u64 {
    let Work::Complete(queens) = &job.work else { unreachable!("a cross plan has no turns") };
    let position = Position::with_queens(plan.size(), queens.iter().copied()).expect("a job is a position");
    counter.count(&position) * u64::from(job.weight)
}
