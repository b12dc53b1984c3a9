//! What every job really comes to, by the plainest kernel.

use std::time::Duration;

use queens::{
    plain,
    split::{Job, Kind, Plan, Work},
};

use crate::{
    random::mix,
    scenario::{Goal, Scenario, WorkerPart},
};

/// Returns the plans of the parts of a run, in the order in which its job indices count through them.
pub(crate) fn parts(scenario: &Scenario) -> Vec<Plan> {
    let turns: &[Kind] = match scenario.goal {
        Goal::Count => &[Kind::HalfTurn, Kind::QuarterTurn],
        Goal::Boards => &[],
    };
    let depth =
        |kind: Kind| if matches!(kind, Kind::Cross | Kind::Rows) { scenario.depth.unwrap_or(0) } else { 0 };
    let kinds = turns.iter().copied().chain(scenario.kinds());
    kinds.map(|kind| Plan::new(scenario.size, kind, depth(kind)).expect("a plan that fits")).collect()
}

/// Returns every job of a run, numbered through its parts, with the place of its part.
pub(crate) fn jobs(parts: &[Plan]) -> Vec<(usize, Job)> {
    let places = parts.iter().enumerate();
    let listed = places.flat_map(|(place, part)| part.jobs_from(0).map(move |job| (place, job)));
    (0..).zip(listed).map(|(index, (place, job))| (place, Job { index, ..job })).collect()
}

/// Returns what a job comes to.
pub(crate) fn count(size: queens::Size, work: &Work) -> Result<u64, String> {
    plain::count(size, work).map_err(|error| error.to_string())
}

/// Tells whether a liar lies about this job.
pub(crate) fn is_lied_about(seed: u64, index: u64) -> bool {
    mix(seed ^ mix(index ^ 0x11e5)).is_multiple_of(3)
}

/// Tells whether a worker that fails does so at this job.
pub(crate) fn is_failed_at(seed: u64, index: u64) -> bool {
    mix(seed ^ mix(index ^ 0xfa11)).is_multiple_of(5)
}

/// Returns how long a job takes a worker: half to one and a half times its usual time.
pub(crate) fn duration(seed: u64, worker: &WorkerPart, index: u64) -> Duration {
    let drawn = mix(seed ^ mix(index)) % 1000;
    worker.job.mul_f64(0.5 + drawn as f64 / 1000.0)
}
