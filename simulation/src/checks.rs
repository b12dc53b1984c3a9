//! What must hold after every run, whatever went wrong in it.

use std::path::Path;

use nqueens_proto::v1::{ColumnSet, Prefix, RunState};
use queens::{
    enumerate::{Boards, Order},
    known,
    split::{Job, Plan},
};

use crate::{
    disk,
    scenario::{Goal, Scenario},
    truth,
    user::Observed,
};

/// Returns what does not hold, each a sentence.
pub(crate) fn violations(scenario: &Scenario, observed: &Observed, ledger: &Path) -> Vec<String> {
    let mut check = Check { scenario, observed, violations: observed.violations.clone() };
    let parts = truth::parts(scenario);
    let jobs = truth::jobs(&parts);
    if check.answer() {
        check.export(&jobs);
        check.ledger(ledger, &parts, &jobs);
        check.boards();
    }
    check.violations
}

struct Check<'a> {
    scenario: &'a Scenario,
    observed: &'a Observed,
    violations: Vec<String>,
}

impl Check<'_> {
    fn holds(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.violations.push(otherwise());
        }
    }

    /// Checks the answer; returns whether there is one.
    fn answer(&mut self) -> bool {
        let Some(run) = &self.observed.run else {
            self.violations.push("the run did not end".to_owned());
            return false;
        };
        if run.state() != RunState::Done {
            self.violations.push(format!("the run ended as {:?}: {}", run.state(), run.reason));
            return false;
        }
        let answer = run.answer.clone().unwrap_or_default();
        let size = self.scenario.size;
        let number = |known: Option<u64>| known.unwrap_or_default().to_string();
        let (total, fundamental) = (number(known::total(size)), number(known::fundamental(size)));
        self.holds(answer.total == total, || format!("Q({size}) came to {} and not {total}", answer.total));
        let is_right = self.scenario.goal == Goal::Boards || answer.fundamental == fundamental;
        self.holds(is_right, || format!("U({size}) came to {} and not {fundamental}", answer.fundamental));
        let alarms = run.progress.as_ref().map_or(0, |progress| progress.alarms);
        let is_quiet = self.scenario.someone_lies() || alarms == 0;
        self.holds(is_quiet, || format!("{alarms} alarms, and nobody lies"));
        true
    }

    /// Checks that every job is exported once, in order, with its true queens, weight and count.
    fn export(&mut self, jobs: &[(usize, Job)]) {
        let results = &self.observed.results;
        let (exported, wanted) = (results.len(), jobs.len());
        self.holds(exported == wanted, || format!("{exported} results were exported for {wanted} jobs"));
        for (result, (_, job)) in results.iter().zip(jobs) {
            let prefix = Prefix::of(self.scenario.size, job.work.queens());
            let column_set = job.work.column_set().map(ColumnSet::from);
            let count = truth::count(self.scenario.size, &job.work).unwrap_or(u64::MAX);
            let is_right = (result.index, result.weight, result.count) == (job.index, job.weight, count)
                && result.prefix.clone().unwrap_or_default() == prefix
                && result.column_set == column_set;
            self.holds(is_right, || format!("job {} of count {count} was exported as {result:?}", job.index));
        }
    }

    /// Checks the ledger by itself: every job once, the sums of the parts, and who is in quarantine.
    fn ledger(&mut self, ledger: &Path, parts: &[Plan], jobs: &[(usize, Job)]) {
        let rows = disk::results(ledger).expect("the ledger can be read");
        let once = rows.iter().map(|row| row.job).eq(0..jobs.len() as u64);
        self.holds(once, || format!("the ledger has {} results for {} jobs", rows.len(), jobs.len()));
        let mut sums = vec![0; parts.len()];
        for row in &rows {
            if let Some((part, _)) = jobs.get(row.job as usize) {
                sums[*part] += row.count * row.weight;
            }
        }
        let run = self.observed.run.clone().unwrap_or_default();
        let answer = run.answer.unwrap_or_default();
        let told = match self.scenario.goal {
            Goal::Count if self.scenario.full_audit => {
                vec![answer.half_turn, answer.quarter_turn, answer.total.clone(), answer.total]
            }
            Goal::Count => vec![answer.half_turn, answer.quarter_turn, answer.total],
            Goal::Boards => vec![answer.total],
        };
        let sums: Vec<String> = sums.iter().map(u64::to_string).collect();
        self.holds(sums == told, || format!("the ledger sums to {sums:?}, and the answer was {told:?}"));
        self.quarantine(ledger, &rows, jobs);
    }

    /// Checks that only liars are in quarantine, and every liar whose lie was recorded.
    fn quarantine(&mut self, ledger: &Path, rows: &[disk::Row], jobs: &[(usize, Job)]) {
        let (out, names) = disk::workers(ledger).expect("the ledger can be read");
        for &worker in &out {
            let name = names.iter().find(|(number, _)| *number == worker).map_or("nobody", |(_, name)| name);
            let place = name.split('-').nth(1).and_then(|place| place.parse::<usize>().ok());
            let lies = place.and_then(|place| self.scenario.workers.get(place)).is_some_and(|part| part.lies);
            self.holds(lies, || format!("{name} is in quarantine and does not lie"));
        }
        for row in rows {
            let Some((_, job)) = jobs.get(row.job as usize) else { continue };
            let is_true = truth::count(self.scenario.size, &job.work) == Ok(row.first);
            self.holds(is_true || out.contains(&row.worker), || {
                format!("worker {} lied about job {} and is not in quarantine", row.worker, row.job)
            });
        }
    }

    fn boards(&mut self) {
        if self.scenario.goal == Goal::Boards {
            let mut expected = Vec::new();
            let all = Boards::under(self.scenario.size, &[], Order::Ascending);
            all.expect("no prefix").append_to(&mut expected, usize::MAX);
            let is_right = self.observed.boards == expected;
            self.holds(is_right, || "the boards that were streamed are not the boards".to_owned());
        }
    }
}
