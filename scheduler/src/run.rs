//! One run: what is durable about it, and while it is open, its supply of jobs, its audits and alarms, and its speed.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use crate::{
    alarm::{Alarm, Claim},
    audit::Audits,
    id::RunId,
    order::Order,
    plan::RunPlan,
    problem::{Answer, Goal},
    progress::{Clock, Cost, Outlook, Window},
    supply::{Holder, Supply},
    time::Moment,
    view::{Progress, RunState, RunView, TimeLeft},
    worker::Asker,
};

/// One run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) id: RunId,
    pub(crate) request_id: String,
    pub(crate) plan: Arc<RunPlan>,
    pub(crate) order: Order,
    pub(crate) state: RunState,
    pub(crate) reason: String,
    pub(crate) answer: Option<Answer>,
    pub(crate) at_ms: u64,
    pub(crate) audit_share: f64,
    pub(crate) clock: Clock,
    pub(crate) free_checks: u64,
    pub(crate) alarms: u64,
    pub(crate) lent_again: u64,
    /// What is left of the run once it is over.
    pub(crate) end: End,
    /// Gone once the run is over, and its memory with it.
    pub(crate) open: Option<Box<Open>>,
}

/// What is left of a run that is over.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct End {
    pub(crate) jobs_done: u64,
    pub(crate) tally: u128,
    pub(crate) audits: u64,
}

/// What a run needs while it is running or paused. Jobs are named by their rank.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) supply: Supply,
    pub(crate) audits: Audits,
    pub(crate) alarms: BTreeMap<u64, Alarm>,
    /// Those alarms that nobody is at work on.
    pub(crate) unlent: BTreeSet<u64>,
    /// Those alarms for which it is plain by now who is right.
    pub(crate) settled: BTreeMap<u64, Claim>,
    /// One sum for each part of the plan.
    pub(crate) sums: Vec<u128>,
    /// The jobs that are done, for each part.
    pub(crate) done: Vec<u64>,
    main: usize,
    /// Why the run cannot be finished, if so.
    pub(crate) broken: Option<String>,
    pub(crate) cost: Cost,
    pub(crate) window: Window,
    job_estimate_s: f64,
    /// Connected workers that hold jobs of the run, and their slots.
    pub(crate) workers: u32,
    pub(crate) slots: u64,
}

/// Why a job is lent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Taken {
    /// It has no result.
    First,
    /// It has one that is to be confirmed.
    Audit,
    /// It has several that differ.
    Alarm {
        /// Whether it is to be computed as an audit.
        audit: bool,
    },
}

impl Taken {
    /// Tells whether the job is to be computed by another algorithm than usual.
    pub(crate) const fn is_audit(self) -> bool {
        matches!(self, Self::Audit | Self::Alarm { audit: true })
    }
}

/// How many open alarms are looked at for one that a worker has no part in.
const LOOK_AT: usize = 64;

impl Open {
    pub(crate) fn new(run: RunId, plan: &RunPlan, audit_share: f64, audit_seed: u64, now: Moment) -> Self {
        Self {
            supply: Supply::new(plan.jobs()),
            audits: Audits::new(run, audit_share, audit_seed),
            alarms: BTreeMap::new(),
            unlent: BTreeSet::new(),
            settled: BTreeMap::new(),
            sums: vec![0; plan.parts().len()],
            done: vec![0; plan.parts().len()],
            main: plan.main(),
            broken: None,
            cost: Cost::default(),
            window: Window::new(now, plan.job_estimate_s()),
            job_estimate_s: plan.job_estimate_s(),
            workers: 0,
            slots: 0,
        }
    }

    /// Notes that a worker with so many slots has begun, or ceased, to be at work.
    pub(crate) fn note_at_work(&mut self, now: Moment, slots: u64, is_at_work: bool) {
        self.window.advance(now, self.slots);
        if is_at_work {
            self.workers += 1;
            self.slots += slots;
        } else {
            self.workers -= 1;
            self.slots -= slots;
        }
    }

    /// Returns the sum of the main part.
    pub(crate) fn tally(&self) -> u128 {
        self.sums.get(self.main).copied().unwrap_or(0)
    }

    /// Returns how many seconds a job takes on the whole, as far as is known.
    pub(crate) fn job_s(&self) -> f64 {
        self.cost.mean_s().unwrap_or(self.job_estimate_s).max(1e-6)
    }

    /// Returns how much work is lent, in seconds of one thread.
    pub(crate) fn lent_s(&self) -> f64 {
        (self.supply.lent().len() + self.audits.lent().len()) as f64 * self.job_s()
    }

    /// Tells whether something might be lent now.
    pub(crate) fn has_some(&self) -> bool {
        self.supply.has_some() || self.audits.has_some() || !self.unlent.is_empty()
    }

    /// Tells whether all is done and all is checked.
    pub(crate) fn is_complete(&self, jobs: u64) -> bool {
        self.supply.done() == jobs && self.audits.done() == self.audits.wanted() && self.alarms.is_empty()
    }

    /// Takes out the next job for this worker: what is in doubt first, then audits, then what has no result. The caller
    /// lends it.
    pub(crate) fn take(&mut self, asker: &Asker<'_>) -> Option<(u64, Taken)> {
        if let Some(alarm) = self.take_alarm(asker) {
            return Some(alarm);
        }
        let audit = self.take_audit(asker, false);
        audit.or_else(|| self.take_first(asker)).or_else(|| self.take_audit(asker, true))
    }

    fn take_first(&mut self, asker: &Asker<'_>) -> Option<(u64, Taken)> {
        self.supply.take(asker).map(|rank| (rank, Taken::First))
    }

    /// `last`: there is nothing else to do for this worker.
    fn take_audit(&mut self, asker: &Asker<'_>, last: bool) -> Option<(u64, Taken)> {
        let alarms = &self.alarms;
        let rank = self.audits.take(asker, last, |rank| alarms.contains_key(&rank))?;
        Some((rank, Taken::Audit))
    }

    fn take_alarm(&mut self, asker: &Asker<'_>) -> Option<(u64, Taken)> {
        let mut unlent = self.unlent.iter().take(LOOK_AT);
        let rank =
            *unlent.find(|rank| self.alarms.get(rank).is_some_and(|alarm| !alarm.has_claim(asker.worker)))?;
        self.unlent.remove(&rank);
        let audit = self.alarms.get(&rank).is_some_and(Alarm::wants_audit);
        Some((rank, Taken::Alarm { audit }))
    }

    /// Lends what was taken out.
    pub(crate) fn lend(&mut self, rank: u64, taken: Taken, weight: u32, holder: Holder) {
        match taken {
            Taken::First => self.supply.lend(rank, weight, holder),
            Taken::Audit => self.audits.lend(rank, holder),
            Taken::Alarm { .. } => {
                if let Some(alarm) = self.alarms.get_mut(&rank) {
                    alarm.holder = Some(holder);
                }
            }
        }
    }

    /// Takes a job out of a worker's hands; it is to be lent to another.
    pub(crate) fn release(&mut self, rank: u64, number: u64) {
        if let Some(alarm) = self.alarms.get_mut(&rank) {
            if alarm.holder.is_some_and(|holder| holder.number == number) {
                alarm.holder = None;
                self.unlent.insert(rank);
            }
        } else if !self.audits.release(rank, number) {
            self.supply.release(rank, number);
        }
    }

    /// Takes out an alarm that is settled.
    pub(crate) fn close_alarm(&mut self, rank: u64) -> Option<Alarm> {
        self.settled.remove(&rank);
        self.unlent.remove(&rank);
        self.alarms.remove(&rank)
    }

    /// Returns everyone who holds this job.
    pub(crate) fn holders(&self, rank: u64) -> Vec<Holder> {
        let check = self.audits.lent().get(&rank).copied();
        let third = self.alarms.get(&rank).and_then(|alarm| alarm.holder);
        self.supply.holders(rank).chain(check).chain(third).collect()
    }

    /// Returns everyone who holds something, with its rank.
    pub(crate) fn all_holders(&self) -> impl Iterator<Item = (u64, Holder)> + '_ {
        let checks = self.audits.lent().iter().map(|(&rank, &holder)| (rank, holder));
        let thirds = self.alarms.iter().filter_map(|(&rank, alarm)| Some((rank, alarm.holder?)));
        self.supply.all_holders().chain(checks).chain(thirds)
    }

    /// Adds to the sum of a part, and takes from it what was wrong.
    pub(crate) fn add(&mut self, part: usize, count: u64, weight: u32, was: u64) {
        let product = |count: u64| u128::from(count) * u128::from(weight);
        let sum = self.sums[part].checked_add(product(count)).and_then(|sum| sum.checked_sub(product(was)));
        match sum {
            Some(sum) => self.sums[part] = sum,
            None => self.broken = Some("the sum of its results does not fit 128 bits".into()),
        }
    }
}

impl Run {
    /// Returns the end of the run as far as it has come.
    pub(crate) fn end_now(&self) -> End {
        self.open.as_ref().map_or(self.end, |open| End {
            jobs_done: open.supply.done(),
            tally: open.tally(),
            audits: open.audits.done(),
        })
    }

    /// Returns the answer, or why there is none although all is done.
    pub(crate) fn conclude(&self, open: &Open) -> Result<Answer, String> {
        let problem = self.plan.problem();
        match (problem.goal, open.sums.as_slice()) {
            (Goal::Boards, &[total]) => Ok(Answer::Boards { total }),
            (Goal::Count, &[_, _, total, check]) if total != check => Err(self.sums_differ(total, check)),
            (Goal::Count, &[half_turn, quarter_turn, total] | &[half_turn, quarter_turn, total, _]) => {
                let fundamental = queens::turns::fundamental(problem.size, total, half_turn, quarter_turn);
                let fundamental = fundamental.ok_or_else(|| {
                    format!("the sums cannot belong together: {total} solutions, {half_turn} unchanged by a half turn, {quarter_turn} by a quarter turn; verify the run, and create it anew with an audit")
                })?;
                Ok(Answer::Count { total, fundamental, half_turn, quarter_turn })
            }
            _ => Err("its plan does not fit its problem".into()),
        }
    }

    /// Says that the full audit has failed.
    fn sums_differ(&self, total: u128, check: u128) -> String {
        let names: Vec<_> = self.plan.parts().map(|part| part.kind.name()).collect();
        let [.., main, other] = names.as_slice() else { return "its plan does not fit its problem".into() };
        format!(
            "the full audit found a mistake: {main} counts {total} solutions, and {other} {check}; verify the run to see which jobs are wrong, and report this"
        )
    }

    /// Returns what people get to see.
    pub(crate) fn view(&self, now: Moment) -> RunView {
        RunView {
            run: self.id,
            request_id: self.request_id.clone(),
            problem: self.plan.problem(),
            plan: Arc::clone(&self.plan),
            state: self.state,
            reason: self.reason.clone(),
            answer: self.answer,
            at_ms: self.at_ms,
            audit_share: self.audit_share,
            progress: self.progress(now),
        }
    }

    fn progress(&self, now: Moment) -> Progress {
        let (end, jobs) = (self.end_now(), self.plan.jobs());
        let progress = Progress {
            jobs,
            jobs_done: end.jobs_done,
            share: end.jobs_done as f64 / jobs.max(1) as f64,
            tally: end.tally,
            jobs_lent_again: self.lent_again,
            free_checks: self.free_checks,
            alarms: self.alarms,
            audits_wanted: end.audits,
            audits_done: end.audits,
            ran: self.clock.ran(now),
            ..Progress::default()
        };
        match &self.open {
            Some(open) => Progress {
                share: self.plan.share(&open.done),
                time_left: self.time_left(open, now),
                ..open.progress(progress, now)
            },
            None => progress,
        }
    }

    fn time_left(&self, open: &Open, now: Moment) -> Option<TimeLeft> {
        if self.state != RunState::Running {
            return None;
        }
        let jobs = self.plan.jobs() as f64;
        let audits_left =
            (self.audit_share * jobs).max(open.audits.wanted() as f64) - open.audits.done() as f64;
        let jobs_left = jobs - open.supply.done() as f64 + self.plan.audit_cost() * audits_left.max(0.0);
        let outlook = Outlook {
            jobs_left,
            slots: open.slots as f64,
            job_estimate_s: open.job_estimate_s,
            cost: &open.cost,
            window: &open.window,
        };
        outlook.time_left(now)
    }

    /// Returns for how long the run has been running.
    pub(crate) fn ran(&self, now: Moment) -> Duration {
        self.clock.ran(now)
    }
}

impl Open {
    fn progress(&self, base: Progress, now: Moment) -> Progress {
        Progress {
            jobs_leased: self.supply.lent().len() as u64,
            jobs_per_second: self.window.jobs_per_second(now),
            solutions_per_second: self.window.solutions_per_second(now),
            threads_busy: self.window.threads(now),
            job_mean_s: self.cost.mean_s().unwrap_or(0.0),
            alarms_open: self.alarms.len() as u64,
            audits_wanted: self.audits.wanted(),
            workers: self.workers,
            ..base
        }
    }
}
