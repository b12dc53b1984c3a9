//! What time alone brings about: leases expire, workers have rested, the period of grace after a restart ends.
//!
//! Deadlines are kept in order and looked at lazily: a sign of life only notes its time, and a deadline that comes up moves
//! to a lease period after the last one. So a heartbeat costs nothing, and no call looks at all workers.

use crate::{id::WorkerId, scheduler::Scheduler, time::Moment};

impl Scheduler {
    /// Lets time pass: leases expire, the period of grace ends, stragglers are looked for.
    pub fn tick(&mut self, now: Moment) {
        self.latest = self.latest.max(now);
        while let Some(&(deadline, worker)) = self.deadlines.first().filter(|(deadline, _)| *deadline <= now)
        {
            self.deadlines.remove(&(deadline, worker));
            self.look_at_deadline(worker, now);
        }
        while let Some(&(until, worker)) = self.resting.first().filter(|(until, _)| *until <= now) {
            self.resting.remove(&(until, worker));
            self.wake(worker, until, now);
        }
        if self.grace_until.is_some_and(|until| until <= now) {
            self.end_grace();
        }
        if self.balance_at.is_some_and(|at| at <= now) {
            self.balance(now);
        }
        self.has_news |= self.is_long_alone(now);
    }

    /// A deadline is only as old as the last look at it; the lease expires if nothing was heard since.
    fn look_at_deadline(&mut self, worker: WorkerId, now: Moment) {
        let lease_ttl = self.settings.lease_ttl;
        let Some(session) = self.session_mut(worker) else { return };
        session.is_watched = false;
        let deadline = session.heard.plus(lease_ttl);
        if deadline > now {
            self.watch(worker, deadline);
        } else {
            self.expire(worker, now);
        }
    }

    fn expire(&mut self, worker: WorkerId, now: Moment) {
        let lost = self.take_back_all(worker);
        for held in &lost {
            self.note_lent_again(held.run, 1);
        }
        let Some(session) = self.session_mut(worker) else { return };
        session.silent = true;
        if session.connected {
            session.lost = lost.iter().map(|held| (held.run, held.rank)).collect();
        }
        self.recount(worker, now);
    }

    fn wake(&mut self, worker: WorkerId, until: Moment, now: Moment) {
        if let Some(session) = self.session_mut(worker).filter(|session| session.rests_until == Some(until)) {
            session.rests_until = None;
            self.recount(worker, now);
        }
    }

    fn end_grace(&mut self) {
        self.grace_until = None;
        for run in self.open.clone() {
            if let Some(open) = self.open_mut(run) {
                open.supply.end_grace();
            }
        }
        self.has_news = true;
    }

    /// Returns when [`Scheduler::tick`] (and then dispatch) should be called next, if nothing else happens before.
    pub fn next_wake(&self) -> Option<Moment> {
        let deadline = self.deadlines.first().map(|&(deadline, _)| deadline);
        let rest = self.resting.first().map(|&(until, _)| until);
        let waits = [deadline, rest, self.grace_until, self.balance_at, self.alone_at(), self.dispute_at()];
        waits.into_iter().flatten().min()
    }

    /// Returns when the next alarm that nobody works on will have waited long enough to become a dispute.
    fn dispute_at(&self) -> Option<Moment> {
        let open = self.open.iter().filter_map(|&run| self.open_run(run));
        let waiting = open.flat_map(|(_, open)| open.unlent.iter().filter_map(|rank| open.alarms.get(rank)));
        let at = waiting.map(|alarm| alarm.since.plus(self.settings.alone_after));
        at.filter(|&at| at > self.latest).min()
    }

    /// Returns when a worker that is alone may begin to audit itself, if it waits for that.
    fn alone_at(&self) -> Option<Moment> {
        let at = self.company.alone_since?.plus(self.settings.alone_after);
        let waits = at > self.latest
            && !self.idle.is_empty()
            && self
                .open
                .iter()
                .any(|&run| self.open_run(run).is_some_and(|(_, open)| open.audits.has_some()));
        waits.then_some(at)
    }
}
