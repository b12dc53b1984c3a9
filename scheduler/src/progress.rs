//! How fast a run is and how long it will still take.
//!
//! Three measurements are kept: the cost of a job (mean and variance over all that were done), what came in lately (a
//! window that forgets with a time constant of half a minute), and for how long the run has been running. The time left is
//!
//! ```text
//!   jobs left x mean cost of a job / threads at work
//! ```
//!
//! The mean cost may be taken from the past since jobs are lent in an order that makes the past an even sample (see
//! `order`). Rates measured by counting finished jobs would be noisier: job costs at one depth spread by a factor of ten.

use std::time::Duration;

use crate::{time::Moment, view::TimeLeft};

/// The time constant of [`Window`], in seconds.
const FORGET_S: f64 = 30.0;

/// Workers say once a second what they have done, so what is not heard of for so long is done all the same.
const UNHEARD: Duration = Duration::from_secs(1);

/// Until this much was seen (in seconds), the rate leans on the number of slots at work instead of on what came in.
const TRUST_S: f64 = 2.0;

/// Until this many jobs came in lately, the lately measured cost leans on the mean of all.
const TRUST_JOBS: f64 = 50.0;

/// Sums of what came in lately, each result weighed by e^(-age / 30 s), and the time seen, weighed in the same way. A sum
/// divided by the time is a rate that is right from the first moment on and falls to zero when nothing comes. The time since
/// the last result only begins to count after a second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    at: Moment,
    seen_s: f64,
    jobs: f64,
    solutions: f64,
    cost_s: f64,
}

impl Window {
    /// Returns a window that begins at `now` and has seen nothing.
    pub(crate) fn new(now: Moment) -> Self {
        Self { at: now, seen_s: 0.0, jobs: 0.0, solutions: 0.0, cost_s: 0.0 }
    }

    /// Adds a result. Results within a twentieth of a second are weighed alike, which spares an exponential for each.
    pub(crate) fn add(&mut self, now: Moment, solutions: f64, cost_s: f64) {
        if now.since(self.at) >= Duration::from_millis(50) {
            *self = self.at(now);
        }
        self.jobs += 1.0;
        self.solutions += solutions;
        self.cost_s += cost_s;
    }

    /// Returns the jobs that came in a second.
    pub(crate) fn jobs_per_second(&self, now: Moment) -> f64 {
        self.heard(now).per_second(|window| window.jobs)
    }

    /// Returns the solutions that came in a second.
    pub(crate) fn solutions_per_second(&self, now: Moment) -> f64 {
        self.heard(now).per_second(|window| window.solutions)
    }

    /// Returns the seconds of job time that came in a second.
    pub(crate) fn threads(&self, now: Moment) -> f64 {
        self.heard(now).per_second(|window| window.cost_s)
    }

    /// Returns the window as it was when the last result came, or a second ago if that was later.
    fn heard(&self, now: Moment) -> Self {
        self.at(now.minus(self.unheard(now)))
    }

    /// Returns for how long, up to a second, nothing has come.
    fn unheard(&self, now: Moment) -> Duration {
        now.since(self.at).min(UNHEARD)
    }

    /// Returns the window as it is at `now`.
    fn at(&self, now: Moment) -> Self {
        let keep = (-now.since(self.at).as_secs_f64() / FORGET_S).exp();
        Self {
            at: now.max(self.at),
            seen_s: self.seen_s * keep + FORGET_S * (1.0 - keep),
            jobs: self.jobs * keep,
            solutions: self.solutions * keep,
            cost_s: self.cost_s * keep,
        }
    }

    fn per_second(self, sum: impl Fn(&Self) -> f64) -> f64 {
        sum(&self) / self.seen_s.max(1e-3)
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
        let window = self.window.heard(now);
        let threads = self.threads(&window);
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

    /// Returns the threads at work: those that were measured, mixed with the slots that should be at work while little was
    /// seen, and never more than those slots. (After an outage workers deliver a heap of results at once.)
    fn threads(&self, window: &Window) -> f64 {
        let mixed = (window.cost_s + self.slots * TRUST_S) / (window.seen_s + TRUST_S);
        if self.slots > 0.0 { mixed.min(self.slots) } else { mixed }
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
            window.add(at(from_s + f64::from(job) * every_s), 10.0, cost_s);
            cost.add(cost_s);
        }
        from_s + f64::from(jobs) * every_s
    }

    #[test]
    fn a_steady_stream_has_a_steady_rate_from_the_start() {
        let (mut window, mut cost) = (Window::new(at(0.0)), Cost::default());
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
        let (mut window, mut cost) = (Window::new(at(0.0)), Cost::default());
        let now = feed(&mut window, &mut cost, 0.0, 100, 0.1, 0.1);
        assert!(window.jobs_per_second(at(now + 300.0)) < 0.01);
    }

    #[test]
    fn the_time_left_is_what_the_jobs_left_take() {
        let (mut window, mut cost) = (Window::new(at(0.0)), Cost::default());
        let now = feed(&mut window, &mut cost, 0.0, 1000, 0.1, 0.2);
        let outlook =
            Outlook { jobs_left: 600.0, slots: 2.0, job_estimate_s: 99.0, cost: &cost, window: &window };
        let left = outlook.time_left(at(now)).unwrap();
        assert!((55.0..65.0).contains(&left.expected_s), "{left:?}");
        assert!(left.low_s < left.expected_s && left.expected_s < left.high_s);
    }

    #[test]
    fn between_two_messages_of_a_worker_the_time_left_runs_down() {
        let (mut window, mut cost) = (Window::new(at(0.0)), Cost::default());
        let mut jobs_left = 1000.0;
        for second in 1..=20 {
            (0..10).for_each(|_| window.add(at(f64::from(second)), 1.0, 0.1));
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
        let (window, cost) = (Window::new(at(0.0)), Cost::default());
        let outlook =
            Outlook { jobs_left: 100.0, slots: 4.0, job_estimate_s: 2.0, cost: &cost, window: &window };
        assert!((outlook.time_left(at(0.0)).unwrap().expected_s - 50.0).abs() < 1.0);
        assert_eq!(Outlook { slots: 0.0, ..outlook }.time_left(at(0.0)), None);
    }

    #[test]
    fn a_heap_of_late_results_does_not_raise_hopes() {
        let (mut window, mut cost) = (Window::new(at(0.0)), Cost::default());
        feed(&mut window, &mut cost, 0.0, 1000, 1e-6, 5.0);
        let outlook =
            Outlook { jobs_left: 100.0, slots: 2.0, job_estimate_s: 5.0, cost: &cost, window: &window };
        let left = outlook.time_left(at(0.1)).unwrap();
        assert!(left.expected_s > 200.0, "{left:?}");
    }
}
