//! How fast a run is and how long it will still take.
//!
//! Three measurements are kept: the cost of a job (mean and variance over all that were done), what came in lately (a
//! window that forgets), and for how long the run has been running. The time left is
//!
//! ```text
//!   jobs left x mean cost of a job / (slots of the workers at work x share of their time that went into jobs)
//! ```
//!
//! The mean cost may be taken from the past since jobs are lent in an order that makes the past an even sample (see
//! `order`). Rates measured by counting finished jobs would be noisier: job costs at one depth spread by a factor of ten. The
//! slots are those of this moment, so that workers that join or leave show at once.

use std::time::Duration;

use crate::{time::Moment, view::TimeLeft};

/// The least time constant of [`Window`], in seconds, and the number of jobs, one after another, that it spans at least.
const FORGET_S: f64 = 30.0;
const FORGET_JOBS: f64 = 20.0;

/// Workers say once a second what they have done, and can say nothing before a job is done, so what is not heard of for so
/// long, in seconds and in jobs, goes on all the same.
const UNHEARD_S: f64 = 1.0;
const UNHEARD_JOBS: f64 = 2.0;

/// Until this much was seen (in seconds, and at least one job's time), slots are taken to be busy all the time.
const TRUST_S: f64 = 2.0;

/// Until this many jobs came in lately, the lately measured cost leans on the mean of all.
const TRUST_JOBS: f64 = 50.0;

/// Sums of what came in lately, each result weighed by e^(-age / time constant), and the time seen, weighed in the same way.
/// A sum divided by the time is a rate that is right from the first moment on and falls to zero when nothing comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    at: Moment,
    seen_s: f64,
    /// The time that slots had: that seen, times those at work.
    slot_s: f64,
    jobs: f64,
    solutions: f64,
    cost_s: f64,
    /// What a job takes, about.
    job_s: f64,
}

impl Window {
    /// Returns a window that begins at `now` and has seen nothing; jobs take `job_s` seconds, as far as is known.
    pub(crate) fn new(now: Moment, job_s: f64) -> Self {
        Self { at: now, seen_s: 0.0, slot_s: 0.0, jobs: 0.0, solutions: 0.0, cost_s: 0.0, job_s }
    }

    /// Adds a result; since the last one, `slots` were at work. Results within a twentieth of a second are weighed alike, which
    /// spares an exponential for each.
    pub(crate) fn add(&mut self, now: Moment, slots: u64, solutions: f64, cost_s: f64) {
        if now.since(self.at) >= Duration::from_millis(50) {
            self.advance(now, slots);
        }
        self.jobs += 1.0;
        self.solutions += solutions;
        self.cost_s += cost_s;
    }

    /// Lets the time come to `now`; since the last result, `slots` were at work.
    pub(crate) fn advance(&mut self, now: Moment, slots: u64) {
        if self.jobs > 0.0 {
            self.job_s = self.cost_s / self.jobs;
        }
        *self = self.at(now, slots as f64);
    }

    /// Returns the jobs that came in a second.
    pub(crate) fn jobs_per_second(&self, now: Moment) -> f64 {
        self.per_second(now, |window| window.jobs)
    }

    /// Returns the solutions that came in a second.
    pub(crate) fn solutions_per_second(&self, now: Moment) -> f64 {
        self.per_second(now, |window| window.solutions)
    }

    /// Returns the seconds of job time that came in a second.
    pub(crate) fn threads(&self, now: Moment) -> f64 {
        self.per_second(now, |window| window.cost_s)
    }

    fn per_second(&self, now: Moment, sum: impl Fn(&Self) -> f64) -> f64 {
        let heard = self.heard(now, 0.0);
        sum(&heard) / heard.seen_s.max(1e-3)
    }

    /// Returns the window as it was when the last result came, or as long ago as one can go unheard of if that was later.
    fn heard(&self, now: Moment, slots: f64) -> Self {
        self.at(now.minus(self.unheard(now)), slots)
    }

    /// Returns for how long nothing has come, up to what one can go unheard of.
    fn unheard(&self, now: Moment) -> Duration {
        now.since(self.at).min(self.patience())
    }

    /// Tells whether nothing has come for longer than one can go unheard of.
    fn is_silent(&self, now: Moment) -> bool {
        now.since(self.at) > self.patience()
    }

    fn patience(&self) -> Duration {
        let most_s = UNHEARD_S.max(UNHEARD_JOBS * self.job_s);
        Duration::try_from_secs_f64(most_s).unwrap_or(Duration::MAX)
    }

    /// Returns the window as it is at `now`, with so many slots at work in between.
    fn at(&self, now: Moment, slots: f64) -> Self {
        let forget_s = FORGET_S.max(FORGET_JOBS * self.job_s);
        let keep = (-now.since(self.at).as_secs_f64() / forget_s).exp();
        let new_s = forget_s * (1.0 - keep);
        Self {
            at: now.max(self.at),
            seen_s: self.seen_s * keep + new_s,
            slot_s: self.slot_s * keep + slots * new_s,
            jobs: self.jobs * keep,
            solutions: self.solutions * keep,
            cost_s: self.cost_s * keep,
            job_s: self.job_s,
        }
    }
}

/// What jobs cost, in seconds of one thread.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    jobs: f64,
    mean_s: f64,
    /// The sum of squared distances from the mean (Welford's method, which does not lose digits).
    squares: f64,
}

impl Cost {
    /// Adds the cost of a job.
    pub(crate) fn add(&mut self, cost_s: f64) {
        self.jobs += 1.0;
        let off = cost_s - self.mean_s;
        self.mean_s += off / self.jobs;
        self.squares += off * (cost_s - self.mean_s);
    }

    /// Returns the mean cost, if any job was done.
    pub(crate) fn mean_s(&self) -> Option<f64> {
        (self.jobs > 0.0).then_some(self.mean_s)
    }

    /// Returns (standard deviation / mean)^2 of the cost of a job; 4 until two jobs were done.
    fn spread(&self) -> f64 {
        let known = self.jobs >= 2.0 && self.mean_s > 0.0;
        if known { self.squares / (self.jobs - 1.0) / (self.mean_s * self.mean_s) } else { 4.0 }
    }
}

/// For how long something has been running, pauses left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    before: Duration,
    since: Option<Moment>,
}

impl Clock {
    /// Returns a clock that has run for `before` and goes on at `now`.
    pub(crate) fn running(before: Duration, now: Moment) -> Self {
        Self { before, since: Some(now) }
    }

    /// Returns a clock that has run for `ran` and stands still.
    pub(crate) fn stopped(ran: Duration) -> Self {
        Self { before: ran, since: None }
    }

    /// Returns for how long it has run.
    pub(crate) fn ran(&self, now: Moment) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| now.since(since))
    }
}

/// What the time left depends on.
pub(crate) struct Outlook<'a> {
    /// Jobs still to be computed, audits included.
    pub(crate) jobs_left: f64,
    /// Slots of the workers that hold jobs of the run.
    pub(crate) slots: f64,
    /// The cost of a job before any was measured.
    pub(crate) job_estimate_s: f64,
    pub(crate) cost: &'a Cost,
    pub(crate) window: &'a Window,
}

impl Outlook<'_> {
    /// Returns the time left, unless nobody is at work.
    pub(crate) fn time_left(&self, now: Moment) -> Option<TimeLeft> {
        let window = self.window.heard(now, self.slots);
        let threads = if self.slots > 0.0 {
            self.slots * self.busy(&window)
        } else if self.window.is_silent(now) {
            0.0
        } else {
            // Workers may have nothing for a moment, between two leases.
            self.window.threads(now)
        };
        if threads < 1e-3 {
            return None;
        }
        let expected_s = self.jobs_left * self.job_s(&window) / threads;
        let expected_s = (expected_s - self.window.unheard(now).as_secs_f64()).max(expected_s / 2.0);
        let low_share = (1.0 - 2.0 * self.error()).max(0.0);
        let high_share = 1.0 + 2.0 * self.error();
        let left = TimeLeft { expected_s, low_s: expected_s * low_share, high_s: expected_s * high_share };
        left.high_s.is_finite().then_some(left)
    }

    /// Returns the share of the slots' time that goes into jobs: all of it while little was seen, and never more. (After an
    /// outage workers deliver a heap of results at once.) What is under way, half a job a slot, has not been heard of.
    fn busy(&self, window: &Window) -> f64 {
        let job_s = self.job_s(window);
        let begun_s = 0.5 * job_s * self.slots;
        let trust_s = TRUST_S.max(job_s) * self.slots;
        ((window.cost_s + trust_s) / ((window.slot_s - begun_s).max(0.0) + trust_s)).min(1.0)
    }

    /// Returns the cost of a job as the present workers show it.
    fn job_s(&self, window: &Window) -> f64 {
        let mean_s = self.cost.mean_s().unwrap_or(self.job_estimate_s);
        (window.cost_s + mean_s * TRUST_JOBS) / (window.jobs + TRUST_JOBS)
    }

    /// Returns the standard error of the time left, as a share of it: from the scatter of the jobs left, from that of the
    /// measured mean, and a twentieth for the threads.
    fn error(&self) -> f64 {
        let scatter = self.cost.spread() * (1.0 / self.jobs_left.max(1.0) + 1.0 / self.cost.jobs.max(1.0));
        (scatter + 0.05 * 0.05).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Moment {
        Moment::new(Duration::from_secs_f64(seconds))
    }

    /// Feeds `window` with a job of `cost_s` every `every_s` from `from_s` on.
    fn feed(window: &mut Window, cost: &mut Cost, from_s: f64, jobs: u32, every_s: f64, cost_s: f64) -> f64 {
        for job in 1..=jobs {
            window.add(at(from_s + f64::from(job) * every_s), 2, 10.0, cost_s);
            cost.add(cost_s);
        }
        from_s + f64::from(jobs) * every_s
    }

    #[test]
    fn a_steady_stream_has_a_steady_rate_from_the_start() {
        let (mut window, mut cost) = (Window::new(at(0.0), 0.1), Cost::default());
        let mut now = 0.0;
        for _ in 0..20 {
            now = feed(&mut window, &mut cost, now, 30, 0.1, 0.2);
            let rates = [
                window.jobs_per_second(at(now)) / 10.0,
                window.solutions_per_second(at(now)) / 100.0,
                window.threads(at(now)) / 2.0,
            ];
            for rate in rates {
                assert!((0.9..1.1).contains(&rate), "{rates:?} at {now}");
            }
        }
    }

    #[test]
    fn a_rate_falls_to_zero_when_nothing_comes() {
        let (mut window, mut cost) = (Window::new(at(0.0), 0.1), Cost::default());
        let now = feed(&mut window, &mut cost, 0.0, 100, 0.1, 0.1);
        assert!(window.jobs_per_second(at(now + 300.0)) < 0.01);
    }

    #[test]
    fn the_time_left_is_what_the_jobs_left_take() {
        let (mut window, mut cost) = (Window::new(at(0.0), 0.1), Cost::default());
        let now = feed(&mut window, &mut cost, 0.0, 1000, 0.1, 0.2);
        let outlook =
            Outlook { jobs_left: 600.0, slots: 2.0, job_estimate_s: 99.0, cost: &cost, window: &window };
        let left = outlook.time_left(at(now)).unwrap();
        assert!((55.0..65.0).contains(&left.expected_s), "{left:?}");
        assert!(left.low_s < left.expected_s && left.expected_s < left.high_s);
    }

    #[test]
    fn between_two_messages_of_a_worker_the_time_left_runs_down() {
        let (mut window, mut cost) = (Window::new(at(0.0), 0.1), Cost::default());
        let mut jobs_left = 1000.0;
        for second in 1..=20 {
            (0..10).for_each(|_| window.add(at(f64::from(second)), 1, 1.0, 0.1));
            (0..10).for_each(|_| cost.add(0.1));
            jobs_left -= 10.0;
            for part in [0.0, 0.5, 0.9] {
                let now = f64::from(second) + part;
                let outlook =
                    Outlook { jobs_left, slots: 1.0, job_estimate_s: 0.1, cost: &cost, window: &window };
                let left = outlook.time_left(at(now)).unwrap().expected_s;
                assert!((left - (100.0 - now)).abs() < 1.0, "{left} at {now}");
            }
        }
    }

    #[test]
    fn before_the_first_result_the_estimate_and_the_slots_serve() {
        let (window, cost) = (Window::new(at(0.0), 0.1), Cost::default());
        let outlook =
            Outlook { jobs_left: 100.0, slots: 4.0, job_estimate_s: 2.0, cost: &cost, window: &window };
        assert!((outlook.time_left(at(0.0)).unwrap().expected_s - 50.0).abs() < 1.0);
        assert_eq!(Outlook { slots: 0.0, ..outlook }.time_left(at(0.0)), None);
    }

    #[test]
    fn a_heap_of_late_results_does_not_raise_hopes() {
        let (mut window, mut cost) = (Window::new(at(0.0), 0.1), Cost::default());
        feed(&mut window, &mut cost, 0.0, 1000, 1e-6, 5.0);
        let outlook =
            Outlook { jobs_left: 100.0, slots: 2.0, job_estimate_s: 5.0, cost: &cost, window: &window };
        let left = outlook.time_left(at(0.1)).unwrap();
        assert!(left.expected_s > 200.0, "{left:?}");
    }

    #[test]
    fn before_long_jobs_are_heard_of_the_time_left_runs_down() {
        let (mut window, mut cost) = (Window::new(at(0.0), 5.0), Cost::default());
        let left = |window: &Window, cost: &Cost, now: f64| {
            let jobs_left = 200.0 - cost.jobs;
            let outlook = Outlook { jobs_left, slots: 2.0, job_estimate_s: 5.0, cost, window };
            outlook.time_left(at(now)).unwrap().expected_s
        };
        for second in 1..200 {
            let now = f64::from(second);
            if second % 5 == 0 {
                (0..2).for_each(|_| window.add(at(now), 2, 1.0, 5.0));
                (0..2).for_each(|_| cost.add(5.0));
            }
            let (left, truth) = (left(&window, &cost, now), 500.0 - now);
            assert!((left - truth).abs() < 10.0, "{left} at {now}, {truth} in truth");
        }
    }
}
