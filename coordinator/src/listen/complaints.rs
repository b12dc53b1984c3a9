//! Log lines about strangers, who must not be able to fill a disk with them.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;
use tracing::warn;

/// So many lines in so much time.
const LINES: u32 = 100;
const IN: Duration = Duration::from_secs(10);

/// Counts the lines.
pub(crate) struct Complaints(Mutex<Window>);

struct Window {
    began: Instant,
    lines: u32,
}

impl Complaints {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Window { began: Instant::now(), lines: 0 }))
    }

    /// Has a line written, unless there were too many lately.
    pub(crate) fn say(&self, line: impl FnOnce()) {
        if self.may_speak() {
            line();
        }
    }

    fn may_speak(&self) -> bool {
        let now = Instant::now();
        let mut window = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if now - window.began >= IN {
            if let Some(silent) = window.lines.checked_sub(LINES).filter(|&silent| silent > 0) {
                warn!("{silent} more refusals in the {} s before were not logged", IN.as_secs());
            }
            *window = Window { began: now, lines: 0 };
        }
        window.lines = window.lines.saturating_add(1);
        window.lines <= LINES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn too_many_lines_wait_for_the_next_window() {
        let complaints = Complaints::new();
        let said = || (0..2 * LINES).filter(|_| complaints.may_speak()).count();
        assert_eq!((said(), said()), (100, 0));
        tokio::time::advance(IN).await;
        assert_eq!(said(), 100);
    }
}
