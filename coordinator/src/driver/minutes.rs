//! A line a minute in the log for each run that is running, so that a log alone tells how things went.

use std::time::Duration;

use scheduler::{Moment, RunState, RunView, Scheduler};
use tokio::time::Instant;
use tracing::info;

const MINUTE: Duration = Duration::from_secs(60);
/// The newest runs get lines.
const RUNS: usize = 20;

/// When the next lines are due; never while no run is open.
#[derive(Default)]
pub(super) struct Minutes {
    due: Option<Instant>,
}

impl Minutes {
    /// Returns when the next lines are due.
    pub(super) fn next_wake(&self) -> Option<Instant> {
        self.due
    }

    /// Writes the lines if they are due.
    pub(super) fn note(&mut self, scheduler: &Scheduler, moment: Moment, now: Instant) {
        if scheduler.open_runs().len() == 0 {
            self.due = None;
        } else if now >= *self.due.get_or_insert(now + MINUTE) {
            self.due = Some(now + MINUTE);
            let views = scheduler.runs(None).filter_map(|run| scheduler.run_view(run, moment));
            views.filter(|view| view.state == RunState::Running).take(RUNS).for_each(|view| line(&view));
        }
    }
}

fn line(view: &RunView) {
    let progress = &view.progress;
    let left_s = progress.time_left.map(|left| left.expected_s.round());
    info!(
        run = view.run.0,
        done = format!("{:.2}%", progress.share * 100.0),
        jobs_left = progress.jobs - progress.jobs_done,
        left_s,
        workers = progress.workers,
        alarms_open = progress.alarms_open,
        "run goes on"
    );
}
