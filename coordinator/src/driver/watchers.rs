//! Who follows which run. Each watcher sees the newest state; nothing piles up for one that is slow.

use std::{collections::HashMap, time::Duration};

use scheduler::{Moment, RunId, RunView, Scheduler};
use tokio::{sync::watch, time::Instant};

/// The least time between two states of one run, unless it changes from running to something else.
const INTERVAL: Duration = Duration::from_millis(250);

struct Watched {
    out: watch::Sender<RunView>,
    published: Instant,
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
            let due = now >= watched.published + INTERVAL;
            if !due && scheduler.run_state(run) == Some(watched.out.borrow().state) {
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
        self.runs.values().map(|watched| watched.published + INTERVAL).min()
    }
}
