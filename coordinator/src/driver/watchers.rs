//! Who follows which run. Each watcher sees the newest state; nothing piles up for one that is slow.

use std::{collections::HashMap, time::Duration};

use scheduler::{Moment, RunId, RunView, Scheduler};
use tokio::{sync::watch, time::Instant};

/// The least time between two states of one run, unless it changes from running to something else.
const INTERVAL: Duration = Duration::from_millis(250);
/// What each watcher adds to that where it comes to more: many are told less often, so that all of them together cost a
/// run no more than a hundred would.
const EACH: Duration = Duration::from_micros(2500);

/// Returns the least time between two states that so many watchers are told.
pub(crate) fn interval(watchers: usize) -> Duration {
    INTERVAL.max(EACH.saturating_mul(watchers.try_into().unwrap_or(u32::MAX)))
}

struct Watched {
    out: watch::Sender<RunView>,
    published: Instant,
}

impl Watched {
    fn due(&self) -> Instant {
        self.published + interval(self.out.receiver_count())
    }
}

#[derive(Default)]
pub(super) struct Watchers {
    runs: HashMap<RunId, Watched>,
}

impl Watchers {
    /// Returns what changes with the run; it holds `view` at once and closes after the final state.
    pub(super) fn watch(&mut self, view: RunView) -> watch::Receiver<RunView> {
        if view.state.is_over() {
            return watch::channel(view).1;
        }
        let new = || Watched { out: watch::channel(view.clone()).0, published: Instant::now() };
        self.runs.entry(view.run).or_insert_with(new).out.subscribe()
    }

    /// Publishes the runs that are due or have changed their state, and forgets those that nobody watches.
    pub(super) fn publish(&mut self, scheduler: &Scheduler, moment: Moment, now: Instant) {
        self.runs.retain(|&run, watched| {
            if watched.out.is_closed() {
                return false;
            }
            if now < watched.due() && scheduler.run_state(run) == Some(watched.out.borrow().state) {
                return true;
            }
            let Some(view) = scheduler.run_view(run, moment) else { return false };
            let over = view.state.is_over();
            watched.published = now;
            watched.out.send_if_modified(|old| {
                let modified = *old != view;
                *old = view;
                modified
            });
            !over
        });
    }

    /// Returns when the next run is due.
    pub(super) fn next_wake(&self) -> Option<Instant> {
        self.runs.values().map(Watched::due).min()
    }
}
