//! Time, which the scheduler never reads but is told: the coordinator's monotonic clock passes in a [`Moment`], and tests
//! pass in whatever they like. Clocks of other machines play no part in any decision.

use std::{ops::Add, time::Duration};

/// An instant on the coordinator's monotonic clock: the time since some origin, the same for all calls on one scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(Duration);

impl Moment {
    /// Returns the instant that is `since_origin` after the origin.
    pub const fn new(since_origin: Duration) -> Self {
        Self(since_origin)
    }

    /// Returns the time from the origin to this instant.
    pub const fn since_origin(self) -> Duration {
        self.0
    }

    /// Returns the time from `earlier` to this instant; zero if `earlier` is in fact later.
    pub const fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// Returns the instant that is `span` later.
    pub const fn plus(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span))
    }

    /// Returns the instant that is `span` earlier; the origin if that is not so long ago.
    pub const fn minus(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(span))
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, span: Duration) -> Self {
        self.plus(span)
    }
}
