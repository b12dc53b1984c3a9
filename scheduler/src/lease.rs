//! How many jobs to lend to a worker at once.
//!
//! Too few, and its threads wait for the next message; too many, and others have nothing left to do while it works through
//! its heap. Jobs take from microseconds to minutes, so the measure is time: a worker should hold a few seconds of work for
//! each slot, at the rate that it has shown itself. Five rules, the later ones stronger:
//!
//! 1. At most the target's worth of work.
//! 2. At first only what should take ten milliseconds by the estimate, then at most twice as much with each lease: an
//!    estimate may be wrong, and a worker slow.
//! 3. At least two jobs for each slot, so that a thread that ends one finds the next.
//! 4. Towards the end of a run at most a fair part of what is left (guided self-scheduling, Polychronopoulos and Kuck 1987:
//!    half of what each would get if all were shared out), but no less than a few milliseconds' worth, since a message
//!    costs that.
//! 5. Never more than the worker will hold.

/// What the first lease should take, in seconds for each slot.
const FIRST_S: f64 = 0.01;

/// What is not worth sharing out, in seconds for each slot.
const SMALL_S: f64 = 0.005;

/// What the size of a lease depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask {
    /// The worker's slots, and those of all workers that take jobs.
    pub(crate) slots: u64,
    pub(crate) all_slots: u64,
    /// The most jobs that it will hold, and what it holds: jobs, and seconds of work.
    pub(crate) capacity: u64,
    pub(crate) held: u64,
    pub(crate) held_s: f64,
    /// Jobs of this run that it holds, and the most that it may hold for now.
    pub(crate) run_held: u64,
    pub(crate) limit: u64,
    /// Seconds a job of this run takes on it.
    pub(crate) job_s: f64,
    /// Jobs of this run that are neither done nor lent.
    pub(crate) left: u64,
    /// Runs that have jobs for it, this one included.
    pub(crate) runs: u64,
    /// Seconds of work that it should hold for each slot.
    pub(crate) target_s: f64,
}

impl Ask {
    /// Returns how many more jobs of the run to lend.
    pub(crate) fn size(&self) -> u64 {
        let busy = (2 * self.slots).saturating_sub(self.held);
        let wish = self.by_time().min(self.limit.saturating_sub(self.run_held)).div_ceil(self.runs.max(1));
        wish.max(busy).min(self.fair_part()).min(self.capacity.saturating_sub(self.held))
    }

    fn by_time(&self) -> u64 {
        let room_s = self.target_s * self.slots as f64 - self.held_s;
        (room_s / self.job_s).max(0.0) as u64
    }

    fn fair_part(&self) -> u64 {
        if self.slots >= self.all_slots {
            return u64::MAX;
        }
        let half =
            (u128::from(self.left) * u128::from(self.slots)).div_ceil(2 * u128::from(self.all_slots)) as u64;
        let small = self.slots * ((SMALL_S / self.job_s) as u64).max(1);
        half.max(small).saturating_sub(self.run_held).max(self.slots.saturating_sub(self.held))
    }
}

/// Returns the most jobs that a worker may hold at first.
pub(crate) fn first_limit(slots: u64, job_s: f64) -> u64 {
    slots * ((FIRST_S / job_s) as u64).clamp(2, 1024)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ASK: Ask = Ask {
        slots: 2,
        all_slots: 20,
        capacity: 1 << 16,
        held: 0,
        held_s: 0.0,
        run_held: 0,
        limit: 1 << 20,
        job_s: 1.0,
        left: 1 << 30,
        runs: 1,
        target_s: 4.0,
    };

    #[test]
    fn a_worker_holds_a_few_seconds_of_work() {
        assert_eq!(ASK.size(), 8);
        assert_eq!(Ask { job_s: 0.001, ..ASK }.size(), 8000);
        assert_eq!(Ask { job_s: 20e-6, ..ASK }.size(), 1 << 16);
        assert_eq!(Ask { held: 6, held_s: 6.0, run_held: 6, ..ASK }.size(), 2);
    }

    #[test]
    fn long_jobs_come_two_to_a_slot() {
        assert_eq!(Ask { job_s: 60.0, ..ASK }.size(), 4);
        assert_eq!(Ask { job_s: 60.0, held: 3, held_s: 180.0, run_held: 3, ..ASK }.size(), 1);
    }

    #[test]
    fn the_end_is_shared_out() {
        assert_eq!(Ask { left: 100, ..ASK }.size(), 5);
        assert_eq!(Ask { left: 10, ..ASK }.size(), 2);
        assert_eq!(Ask { left: 10, held: 2, run_held: 2, ..ASK }.size(), 0);
        assert_eq!(Ask { left: 100, job_s: 0.001, ..ASK }.size(), 10);
        assert_eq!(Ask { left: 10, all_slots: 2, ..ASK }.size(), 8);
    }

    #[test]
    fn the_first_lease_is_cautious() {
        assert_eq!(first_limit(2, 5.0), 4);
        assert_eq!(first_limit(2, 50e-6), 400);
        assert_eq!(Ask { job_s: 50e-6, limit: 400, ..ASK }.size(), 400);
    }

    proptest! {
        #[test]
        fn no_lease_is_larger_than_the_worker_will_hold(
            slots in 1_u64..5000, others in 0_u64..100_000, capacity in 0_u64..100_000, held in 0_u64..100_000,
            limit in 0_u64..1 << 32, job_s in 1e-6_f64..1e6, left in 0_u64..1 << 40, runs in 1_u64..10,
        ) {
            let held_s = held as f64 * job_s;
            let ask = Ask { slots, all_slots: slots + others, capacity, held, held_s, run_held: held, limit, job_s, left, runs, ..ASK };
            prop_assert!(ask.size() + held <= capacity.max(held));
            prop_assert!(held > 0 || capacity == 0 || ask.size() > 0, "an idle worker gets something");
        }
    }
}
