//! Many seeds, each a cluster with its own faults.
//!
//! `SEEDS=2000` runs the seeds from 0 to 1999, `SEEDS=500..700` those; `SEED=7` runs one and shows what happens.

use std::{
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use simulation::{Outcome, Scenario};

/// The seeds of a plain `cargo test`.
const FEW: Range<u64> = 0..20;

#[test]
fn every_seed_comes_out_exact() {
    if let Some(seed) = std::env::var("SEED").ok().map(|seed| seed.parse().expect("SEED is a number")) {
        let scenario = Scenario::of(seed);
        eprintln!("{scenario:#?}");
        let outcome = simulation::run(&scenario, true);
        assert!(outcome.violations.is_empty(), "seed {seed}: {:#?}", outcome.violations);
        return;
    }
    let failed = run_all(seeds());
    for (seed, violations) in &failed {
        println!("seed {seed} fails: {violations:#?}\n  repeat it with: SEED={seed} {COMMAND}");
    }
    assert!(failed.is_empty(), "{} seeds fail", failed.len());
}

const COMMAND: &str = "RUSTFLAGS='--cfg tokio_unstable' cargo test --profile simulation -p simulation seed_comes -- --nocapture";

fn seeds() -> Range<u64> {
    let Ok(wanted) = std::env::var("SEEDS") else { return FEW };
    let number = |text: &str| text.parse().expect("SEEDS is a number, or two numbers with .. between them");
    match wanted.split_once("..") {
        Some((first, end)) => number(first)..number(end),
        None => 0..number(&wanted),
    }
}

/// Runs the seeds on all processors; returns those that fail.
fn run_all(seeds: Range<u64>) -> Vec<(u64, Vec<String>)> {
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let mine = std::iter::from_fn(|| {
            Some(next.fetch_add(1, Ordering::Relaxed)).filter(|seed| *seed < seeds.end)
        });
        mine.filter_map(|seed| Some((seed, violations(seed)?))).collect::<Vec<_>>()
    };
    let processors = thread::available_parallelism().map_or(1, |number| number.get());
    let mut failed = thread::scope(|scope| {
        let threads: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("no seed ends a thread"))
            .collect::<Vec<_>>()
    });
    failed.sort_unstable();
    failed
}

fn violations(seed: u64) -> Option<Vec<String>> {
    let run = || simulation::run(&Scenario::of(seed), false);
    let violations = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Outcome { violations, .. }) => violations,
        Err(panic) => vec![format!("it panicked: {:?}", panic.downcast_ref::<String>())],
    };
    (!violations.is_empty()).then_some(violations)
}
