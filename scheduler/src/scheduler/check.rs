//! What always holds, checked over the whole state; tests do so after every step.

use std::collections::BTreeSet;

use crate::{
    id::{RunId, WorkerId},
    scheduler::Scheduler,
};

/// A job in the hands of a worker: its run and rank, the number of the lending, the worker.
type HeldBy = (RunId, u64, u64, WorkerId);

impl Scheduler {
    /// Panics if something does not hold that always should.
    pub(crate) fn check(&self) {
        let held = self.held_by_workers();
        for &run in &self.open {
            self.check_run(run, &held);
        }
        self.check_holders(&held);
        self.check_company();
        assert!(self.runs.values().all(|run| run.state.is_over() == run.open.is_none()));
        assert!(self.runs.values().all(|run| self.open.contains(&run.id) != run.state.is_over()));
    }

    fn check_run(&self, run: RunId, held: &BTreeSet<HeldBy>) {
        let (run, open) = self.open_run(run).unwrap();
        open.supply.check();
        assert!(open.audits.done() <= open.audits.wanted());
        for &rank in open.supply.lent().keys() {
            let holders: Vec<WorkerId> = open.supply.holders(rank).map(|holder| holder.worker).collect();
            assert!(holders.len() == 1 || holders[0] != holders[1], "lent twice to one");
            assert!(!open.audits.lent().contains_key(&rank) && !open.alarms.contains_key(&rank));
        }
        for (rank, alarm) in &open.alarms {
            assert!(open.supply.is_done(*rank) && !open.audits.lent().contains_key(rank));
            assert_eq!(open.unlent.contains(rank), alarm.holder.is_none());
        }
        assert!(open.audits.lent().keys().all(|&rank| open.supply.is_done(rank)));
        let of_run = held.iter().filter(|held| held.0 == run.id);
        let holders = of_run.map(|held| held.3).filter(|&worker| self.is_connected(worker));
        let holders: BTreeSet<WorkerId> = holders.collect();
        let slots: u64 = holders.iter().map(|worker| self.threads(*worker)).sum();
        assert_eq!((open.workers as usize, open.slots), (holders.len(), slots));
    }

    fn threads(&self, worker: WorkerId) -> u64 {
        self.worker(worker).unwrap().who.threads.into()
    }

    /// What runs and workers think about who holds what must be the same.
    fn check_holders(&self, held: &BTreeSet<HeldBy>) {
        let mut by_runs = BTreeSet::new();
        for &run in &self.open {
            let holders = self.open_run(run).unwrap().1.all_holders();
            by_runs.extend(holders.map(|(rank, holder)| (run, rank, holder.number, holder.worker)));
        }
        assert_eq!(&by_runs, held);
    }

    fn held_by_workers(&self) -> BTreeSet<HeldBy> {
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
        assert_eq!(self.company.active.len(), active.len());
        assert_eq!(
            self.company.slots,
            active.iter().map(|(known, _)| u64::from(known.who.threads)).sum::<u64>()
        );
        assert_eq!(self.company.alone_since.is_some(), active.len() == 1);
        for (known, session) in self.workers.iter().filter_map(|known| Some((known, known.session.as_ref()?)))
        {
            assert!(known.quarantine.is_none() || session.held.is_empty());
            assert!(session.is_watched || session.silent, "nobody looks at {}", known.who.name);
        }
        assert!(self.idle.iter().all(|&worker| self.is_active(worker)));
    }
}
