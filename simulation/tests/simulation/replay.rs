//! A seed is worth something only if it repeats. Tokio repeats itself only with `--cfg tokio_unstable`.

use simulation::Scenario;

#[test]
#[cfg_attr(not(tokio_unstable), ignore = "needs --cfg tokio_unstable")]
fn a_seed_repeats_to_the_last_message() {
    for seed in 0..8 {
        let scenario = Scenario::of(seed);
        let (one, two) = (simulation::run(&scenario, false), simulation::run(&scenario, false));
        assert_eq!((one.trace, one.took), (two.trace, two.took), "seed {seed}");
    }
}

#[test]
fn seeds_differ() {
    let traces: std::collections::BTreeSet<_> =
        (0..4).map(|seed| simulation::run(&Scenario::of(seed), false).trace).collect();
    assert_eq!(traces.len(), 4);
}
