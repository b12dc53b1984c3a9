//! Until when the silence of workers means something.
//!
//! While a disk keeps the driver waiting, signs of life wait in its mailbox. They must be heard before leases expire. All
//! that had come by some moment is heard once the mailbox is empty, or once as many reports were read as it can hold.

use scheduler::Moment;

/// What was heard of what has come.
#[derive(Debug, Default)]
pub(super) struct Hearing {
    until: Moment,
    mark: Moment,
    read_since: usize,
}

impl Hearing {
    /// Returns the moment by which all that had come was heard.
    pub(super) fn until(&self) -> Moment {
        self.until
    }

    /// Notes that so many reports were read from a mailbox that holds `capacity` and is empty now or not.
    pub(super) fn note(&mut self, read: usize, capacity: usize, is_empty: bool, now: Moment) {
        self.read_since += read;
        if is_empty {
            self.until = now;
        } else if self.read_since >= capacity {
            self.until = self.mark;
        } else {
            return;
        }
        *self = Self { until: self.until, mark: now, read_since: 0 };
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(seconds: u64) -> Moment {
        Moment::new(Duration::from_secs(seconds))
    }

    #[test]
    fn what_waits_is_not_heard() {
        let mut hearing = Hearing::default();
        hearing.note(3, 100, true, at(5));
        assert_eq!(hearing.until(), at(5));
        hearing.note(60, 100, false, at(9));
        assert_eq!(hearing.until(), at(5));
        hearing.note(0, 100, true, at(10));
        assert_eq!(hearing.until(), at(10));
    }

    #[test]
    fn a_mailbox_that_is_never_empty_is_heard_a_mailbox_at_a_time() {
        let mut hearing = Hearing::default();
        hearing.note(0, 100, true, at(1));
        (2..=4).for_each(|second| hearing.note(50, 100, false, at(second)));
        assert_eq!(hearing.until(), at(1), "100 were read since");
        hearing.note(50, 100, false, at(5));
        assert_eq!(hearing.until(), at(3), "what had come by then is among the 100 after it");
    }
}
