//! Results, checks and alarms become true: the second half of `apply`.
//!
//! A result enters a sum here and nowhere else, once for each job; an alarm that is settled takes out what was wrong and puts
//! in what is right in one step.

use std::time::Duration;

use crate::{
    alarm::{Alarm, Claim},
    audit::{Author, Standing},
    id::{JobId, RunId, WorkerId},
    run::Run,
    scheduler::Scheduler,
    supply::Holder,
    time::Moment,
    worker::Family,
};

impl Scheduler {
    pub(super) fn added(
        &mut self,
        job: JobId,
        count: u64,
        weight: u32,
        worker: WorkerId,
        elapsed: Duration,
        now: Moment,
    ) {
        if self.has_result(job) {
            return;
        }
        let family = self.note_result(job.run, worker, elapsed, now);
        let Some((run, rank)) = open_at(self.runs.get_mut(&job.run), job.index) else { return };
        let (plan, Some(open)) = (&run.plan, &mut run.open) else { return };
        let Some(holders) = open.supply.finish(rank) else { return };
        let part = plan.part(job.index).unwrap_or(0);
        open.add(part, count, weight, 0);
        open.done[part] += 1;
        if plan.parts().nth(part).is_some_and(|part| part.kind.turn().is_none()) {
            let cost_s = elapsed.as_secs_f64();
            open.cost.add(cost_s);
            open.window.add(now, open.slots, count as f64 * f64::from(weight), cost_s);
        }
        let [first, second] = holders;
        let (own, other) = if first.is_some_and(|holder| holder.worker == worker) {
            (first, second)
        } else {
            (second, first)
        };
        open.audits.note_result(rank, job.index, Author { worker, family });
        self.has_news |= open.audits.has_some();
        self.let_go(job.run, rank, worker, own);
        self.let_go(job.run, rank, worker, other);
    }

    /// Notes a result with its worker, and returns the kernel family that it came from.
    fn note_result(&mut self, run: RunId, worker: WorkerId, elapsed: Duration, now: Moment) -> Family {
        let Some(known) = self.worker_mut(worker) else { return Family(0) };
        known.jobs_done += 1;
        if let Some(session) = &mut known.session {
            session.note_result(run, elapsed.as_secs_f64(), now);
        }
        known.family
    }

    /// Another worker computed the job unasked, in the usual way.
    pub(super) fn checked(&mut self, job: JobId, worker: WorkerId) {
        if let Some(known) = self.worker_mut(worker) {
            known.checks += 1;
        }
        if let Some(run) = self.runs.get_mut(&job.run) {
            run.free_checks += 1;
        }
        let author = self.author(worker);
        let Some((run, rank)) = open_at(self.runs.get_mut(&job.run), job.index) else { return };
        let Some(open) = &mut run.open else { return };
        let at_it = open.audits.note_check(rank, job.index, author);
        self.has_news |= open.audits.is_open(rank);
        self.let_go(job.run, rank, worker, at_it);
    }

    pub(super) fn passed(&mut self, job: JobId, worker: WorkerId) {
        if let Some(known) = self.worker_mut(worker) {
            known.checks += 1;
        }
        let author = self.author(worker);
        let Some((run, rank)) = open_at(self.runs.get_mut(&job.run), job.index) else { return };
        let Some(open) = &mut run.open else { return };
        let at_it = open.audits.pass(rank, author);
        self.has_news |= open.audits.is_open(rank);
        self.let_go(job.run, rank, worker, at_it);
    }

    /// Lets go of one who held a job: the reporting worker has done it, another need not any more.
    fn let_go(&mut self, run: RunId, rank: u64, worker: WorkerId, holder: Option<Holder>) {
        match holder {
            Some(holder) if holder.worker == worker => self.unhold(holder),
            Some(holder) => self.stop(run, [(rank, holder)]),
            None => {}
        }
    }

    pub(super) fn raised(&mut self, job: JobId, recorded: Claim, claim: Claim, now: Moment) {
        let Some(run) = self.runs.get_mut(&job.run) else { return };
        let is_known =
            run.open.as_ref().is_some_and(|open| open.alarms.contains_key(&run.order.rank(job.index)));
        run.alarms += u64::from(!is_known);
        let Some((run, rank)) = open_at(Some(run), job.index) else { return };
        let Some(open) = &mut run.open else { return };
        let holder = open.audits.take_lent(rank);
        let alarm = open.alarms.entry(rank).or_insert(Alarm { claims: vec![recorded], holder, since: now });
        alarm.claims.push(claim);
        let own = alarm.holder.filter(|holder| holder.worker == claim.worker);
        if own.is_some() {
            alarm.holder = None;
        }
        if alarm.holder.is_none() {
            open.unlent.insert(rank);
        }
        self.has_news = true;
        own.into_iter().for_each(|holder| self.unhold(holder));
        self.reconsider(job.run, rank);
    }

    fn reconsider(&mut self, run: RunId, rank: u64) {
        let alarm = self.open_run(run).and_then(|(_, open)| open.alarms.get(&rank));
        let verdict = alarm.and_then(|alarm| self.verdict(alarm));
        if let (Some(claim), Some(open)) = (verdict, self.open_mut(run)) {
            open.settled.insert(rank, claim);
        }
    }

    pub(super) fn settled(&mut self, job: JobId, was: u64, weight: u32, right: Claim) {
        let author = self.author(right.worker);
        let Some((run, rank)) = open_at(self.runs.get_mut(&job.run), job.index) else { return };
        let (part, Some(open)) = (run.plan.part(job.index).unwrap_or(0), &mut run.open) else { return };
        open.add(part, right.count, weight, was);
        let alarm = open.close_alarm(rank);
        run.alarms += u64::from(alarm.is_none());
        let third = alarm.as_ref().and_then(|alarm| alarm.holder);
        let claims = alarm.map(|alarm| alarm.claims).unwrap_or_default();
        let standing = self.standing(&claims, right);
        let Some(open) = self.open_mut(job.run) else { return };
        let owed = open.audits.owed(job.index, standing);
        let at_it = open.audits.settle(rank, owed, author);
        self.has_news = true;
        self.let_go(job.run, rank, right.worker, at_it.or(third));
        claims
            .into_iter()
            .filter(|claim| claim.count != right.count)
            .for_each(|claim| self.accuse(job, claim, right));
    }

    /// Sums up who in good standing says what is right, each worker once for either algorithm.
    fn standing(&self, claims: &[Claim], right: Claim) -> Standing {
        let mut same: Vec<Claim> =
            claims.iter().copied().filter(|claim| claim.count == right.count).collect();
        if !same.contains(&right) {
            same.push(right);
        }
        Standing::of(same.into_iter().filter(|claim| !self.is_quarantined(claim.worker)))
    }

    /// Names a worker as the author of a computation.
    pub(super) fn author(&self, worker: WorkerId) -> Author {
        Author { worker, family: self.worker(worker).map_or(Family(0), |worker| worker.family) }
    }

    fn accuse(&mut self, job: JobId, wrong: Claim, right: Claim) {
        if wrong.worker == WorkerId::COORDINATOR || self.is_quarantined(wrong.worker) {
            return;
        }
        let (index, run) = (job.index, job.run);
        let reason = format!(
            "it counted {} for job {index} of run {run}, where {} is right",
            wrong.count, right.count
        );
        self.accused.entry(wrong.worker).or_insert(reason);
    }
}

/// Returns an open run and the rank of its job at `index`, if both exist.
fn open_at(run: Option<&mut Run>, index: u64) -> Option<(&mut Run, u64)> {
    let run = run.filter(|run| run.open.is_some() && index < run.plan.jobs())?;
    let rank = run.order.rank(index);
    Some((run, rank))
}
