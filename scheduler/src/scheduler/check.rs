//! What always holds, checked over the whole state; tests do so after every step.

use std::collections::BTreeSet;

use crate::{
    id::{RunId, WorkerId},
    scheduler::Scheduler,
};

impl Scheduler {
    /// Panics if something does not hold that always should.
    pub(crate) fn check(&self) {
        for &run in &self.open {
            self.check_run(run);
        }
        self.check_holders();
        self.check_company();
        assert!(self.runs.values().all(|run| run.state.is_over() == run.open.is_none()));
        assert!(self.runs.values().all(|run| self.open.contains(&run.id) != run.state.is_over()));
    }

    fn check_run(&self, run: RunId) {
        let (run, open) = self.open_run(run).unwrap();
        open.supply.check();
        assert!(open.audits.done() <= open.audits.wanted());
        for (&rank, lent) in open.supply.lent() {
            assert!(lent.second.is_none_or(|second| second.worker != lent.first.worker), "lent twice to one");
            assert!(!open.audits.lent().contains_key(&rank) && !open.alarms.contains_key(&rank));
        }
        for (rank, alarm) in &open.alarms {
            assert!(open.supply.is_done(*rank) && !open.audits.lent().contains_key(rank));
            assert_eq!(open.unlent.contains(rank), alarm.holder.is_none());
        }
        assert!(open.audits.lent().keys().all(|&rank| open.supply.is_done(rank)));
        let slots: u64 = self.holders_of(run.id).iter().map(|worker| self.threads(*worker)).sum();
        assert_eq!((open.workers as usize, open.slots), (self.holders_of(run.id).len(), slots));
    }

    fn threads(&self, worker: WorkerId) -> u64 {
        self.worker(worker).unwrap().who.threads.into()
    }

    fn holders_of(&self, run: RunId) -> BTreeSet<WorkerId> {
        self.held_by_workers().into_iter().filter(|held| held.0 == run).map(|held| held.3).collect()
    }

    /// What runs and workers think about who holds what must be the same.
    fn check_holders(&self) {
        let mut by_runs = BTreeSet::new();
        for &run in &self.open {
            let holders = self.open_run(run).unwrap().1.all_holders();
            by_runs.extend(holders.map(|(rank, holder)| (run, rank, holder.number, holder.worker)));
        }
        assert_eq!(by_runs, self.held_by_workers());
    }

    fn held_by_workers(&self) -> BTreeSet<(RunId, u64, u64, WorkerId)> {
        let mut held_by_all = BTreeSet::new();
        for (worker, known) in (1..).map(WorkerId).zip(&self.workers) {
            let Some(session) = &known.session else { continue };
            let held = session.held.iter().map(|(&number, held)| (held.run, held.rank, number, worker));
            held_by_all.extend(held);
            for share in &session.shares {
                let held = session.held.values().filter(|held| held.run == share.run).count();
                assert_eq!(share.held as usize, held);
            }
        }
        held_by_all
    }

    fn check_company(&self) {
        let sessions = self.workers.iter().filter_map(|known| Some((known, known.session.as_ref()?)));
        let active: Vec<_> = sessions
            .filter(|(known, session)| {
                assert_eq!(session.is_counted, session.takes_jobs() && known.quarantine.is_none());
                session.is_counted
            })
            .collect();
        assert_eq!(self.company.active as usize, active.len());
        assert_eq!(
            self.company.slots,
            active.iter().map(|(known, _)| u64::from(known.who.threads)).sum::<u64>()
        );
        assert_eq!(self.company.alone_since.is_some(), active.len() == 1);
        for (known, session) in self.workers.iter().filter_map(|known| Some((known, known.session.as_ref()?)))
        {
            assert!(!(known.quarantine.is_some() && !session.held.is_empty()));
            assert!(session.is_watched || session.silent, "nobody looks at {}", known.who.name);
        }
        assert!(self.idle.iter().all(|&worker| self.is_active(worker)));
    }
}
