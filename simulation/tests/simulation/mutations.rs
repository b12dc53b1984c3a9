//! The checks themselves: an invariant that is broken on purpose must be noticed.

use simulation::Scenario;

#[test]
fn a_disk_that_forgets_acknowledged_results_is_noticed() {
    let caught = (0..5).filter(|&seed| {
        let scenario = Scenario { forgetful_disk: true, ..Scenario::of(seed) };
        !simulation::run(&scenario, false).violations.is_empty()
    });
    assert_eq!(caught.count(), 5);
}
