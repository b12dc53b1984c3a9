//! How fast each run was over time, for the plot on its page. Looked at once a second while a run is running. A track that
//! is full gives up every other point and takes new ones half as often, so that it covers the run from its beginning (or
//! the coordinator's) in bounded memory.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use scheduler::{RunId, RunState, RunView};
use tokio::time::{MissedTickBehavior, interval};

use super::Web;

/// The most points of one track.
const POINTS_MAX: usize = 240;
/// The number of newest runs that have tracks.
const RUNS: usize = 100;
const INTERVAL: Duration = Duration::from_secs(1);

/// How fast a run was at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// For how long the run had been running, in seconds.
    pub(super) at_s: f64,
    /// Solutions found a second.
    pub(super) rate: f64,
}

#[derive(Debug)]
struct Track {
    points: Vec<Point>,
    /// Looks that one point stands for.
    stride: u32,
    skipped: u32,
}

/// The tracks of the newest runs.
#[derive(Debug, Default)]
pub(super) struct History(Mutex<HashMap<RunId, Track>>);

impl History {
    /// Returns the track of a run, oldest point first.
    pub(super) fn of(&self, run: RunId) -> Vec<Point> {
        let tracks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tracks.get(&run).map(|track| track.points.clone()).unwrap_or_default()
    }

    fn look(&self, views: &[RunView]) {
        let mut tracks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tracks.retain(|run, _| views.iter().any(|view| view.run == *run));
        for view in views.iter().filter(|view| view.state == RunState::Running) {
            let at_s = view.progress.ran.as_secs_f64();
            tracks.entry(view.run).or_default().add(Point { at_s, rate: view.progress.solutions_per_second });
        }
    }
}

impl Default for Track {
    fn default() -> Self {
        Self { points: Vec::new(), stride: 1, skipped: 0 }
    }
}

impl Track {
    fn add(&mut self, point: Point) {
        self.skipped += 1;
        if self.skipped < self.stride {
            return;
        }
        self.skipped = 0;
        self.points.push(point);
        if self.points.len() == POINTS_MAX {
            let mut place = 0;
            self.points.retain(|_| {
                place += 1;
                place % 2 == 0
            });
            self.stride = self.stride.saturating_mul(2);
        }
    }
}

/// Keeps the history until the coordinator stops.
pub(super) async fn keep(web: Web) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while web.stop.run_until_cancelled(ticks.tick()).await.is_some() {
        match web.newest_runs(RUNS).await {
            Ok(views) => web.history.look(&views),
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_covers_any_time_in_bounded_memory() {
        let mut track = Track::default();
        for second in 0..100_000 {
            track.add(Point { at_s: f64::from(second), rate: 1.0 });
            assert!(track.points.len() < POINTS_MAX);
        }
        assert!(track.points.is_sorted_by(|a, b| a.at_s < b.at_s));
        assert!(track.points.len() >= POINTS_MAX / 2 - 1);
        assert!(track.points[0].at_s < 1000.0 && track.points[track.points.len() - 1].at_s > 99_000.0);
    }
}
