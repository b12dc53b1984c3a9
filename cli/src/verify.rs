//! Proving an exported run right: against its plan, which is made anew here, against its own sums, and against a second
//! computation of some of its jobs.
//!
//! ```text
//! header ──► plans ──► every job once, in order, right queens and weight ──► sums = answer ──► sample computed again
//! ```

use std::{
    fmt,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use nqueens_proto::v1;
use queens::{
    Size,
    audit::Auditor,
    kernel::Kernel,
    split::{Job, Kind, Plan, Work},
    turns,
};

use crate::{
    export::{Answer, Goal, Header, Part, Row},
    random,
};

/// The plans of the parts of a run, made anew from what its header says.
pub(crate) struct Plans(Vec<Plan>);

/// A run in the course of being verified: it takes one row after another.
pub(crate) struct Verifier<'a> {
    header: Header,
    parts: Vec<Checked<'a>>,
    /// The part that the next row belongs to.
    current: usize,
    next_index: u64,
    sample: Sample,
}

/// A part of the plan, with the sum of the rows that were seen of it.
struct Checked<'a> {
    jobs: Box<dyn Iterator<Item = Job> + 'a>,
    kind: Kind,
    sum: u128,
}

/// What was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verified {
    pub(crate) size: Size,
    pub(crate) goal: Goal,
    pub(crate) answer: Answer,
    pub(crate) jobs: u64,
    pub(crate) sampled: usize,
}

impl Plans {
    /// Makes the plans that a header names. An error if no run has such parts.
    pub(crate) fn of(header: &Header) -> Result<Self, String> {
        let kinds: Vec<Kind> = header.parts.iter().map(|part| part.kind).collect();
        let is_whole = match header.goal {
            Goal::Count => scheduler::Goal::Count.has_parts(&kinds),
            Goal::Boards => scheduler::Goal::Boards.has_parts(&kinds),
        };
        if !is_whole {
            return Err("the parts of the plan are not those of a run with this goal".to_owned());
        }
        header.parts.iter().map(|part| plan(header.size, part)).collect::<Result<_, _>>().map(Self)
    }
}

fn plan(size: Size, part: &Part) -> Result<Plan, String> {
    let plan = Plan::new(size, part.kind, part.depth).map_err(|error| error.to_string())?;
    let (kind, own, told) = (part.kind.name(), plan.jobs(), part.jobs);
    if own == told {
        Ok(plan)
    } else {
        Err(format!("the {kind} part has {told} jobs, and the plan says {own}"))
    }
}

impl<'a> Verifier<'a> {
    /// Begins to verify a run against its plans. `sample` is the number of jobs to compute again.
    pub(crate) fn new(header: Header, plans: &'a Plans, sample: usize) -> Self {
        let parts = plans.0.iter();
        let parts =
            parts.map(|plan| Checked { jobs: Box::new(plan.jobs_from(0)), kind: plan.kind(), sum: 0 });
        Self { header, parts: parts.collect(), current: 0, next_index: 0, sample: Sample::new(sample) }
    }

    /// Takes the next row. An error says how it differs from the job that the plan has here.
    pub(crate) fn row(&mut self, row: &Row) -> Result<(), String> {
        let index = self.next_index;
        let Some((part, job)) = self.next_job() else {
            return Err(format!("job {} comes after the last job of the plan", row.index));
        };
        // A job counts through the parts.
        let job = Job { index, ..job };
        differs(row, part.kind, &job).map_or(Ok(()), Err)?;
        let added = part.sum.checked_add(u128::from(row.count) * u128::from(row.weight));
        part.sum = added.ok_or_else(|| format!("the sum is beyond all bounds at job {index}"))?;
        self.next_index += 1;
        self.sample.offer(index, job.work, row.count);
        Ok(())
    }

    fn next_job(&mut self) -> Option<(&mut Checked<'a>, Job)> {
        while let Some(part) = self.parts.get_mut(self.current) {
            if let Some(job) = part.jobs.next() {
                return Some((&mut self.parts[self.current], job));
            }
            self.current += 1;
        }
        None
    }

    /// Ends the proof, after the last row: nothing is missing, the sums are the answer, the sample comes out the same.
    pub(crate) fn finish(mut self) -> Result<Verified, String> {
        let jobs = self.next_index;
        if self.next_job().is_some() {
            return Err(format!("job {jobs} and what comes after it are missing"));
        }
        let size = self.header.size;
        let answer = self.header.answer.ok_or("the run is not done, so there is no answer to verify")?;
        self.sums_are(&answer)?;
        self.sample.compute_again(size)?;
        let sampled = self.sample.jobs.len();
        Ok(Verified { size, goal: self.header.goal, answer, jobs, sampled })
    }

    fn sums_are(&self, answer: &Answer) -> Result<(), String> {
        let equal = |what: &str, sum: u128, told: u128| {
            if sum == told {
                Ok(())
            } else {
                Err(format!("the jobs sum to {sum} {what}, and the answer says {told}"))
            }
        };
        let sums: Vec<u128> = self.parts.iter().map(|part| part.sum).collect();
        match (sums.as_slice(), answer.symmetric) {
            (&[total], None) => equal("boards", total, answer.total),
            (&[half_turn, quarter_turn, total, ref check @ ..], Some(symmetric)) => {
                check
                    .iter()
                    .try_for_each(|&check| equal("solutions by the other algorithm", check, answer.total))?;
                equal("boards that a half turn leaves unchanged", half_turn, symmetric.half_turn)?;
                equal("boards that a quarter turn leaves unchanged", quarter_turn, symmetric.quarter_turn)?;
                equal("solutions", total, answer.total)?;
                match turns::fundamental(self.header.size, total, half_turn, quarter_turn) {
                    Some(fundamental) => {
                        equal("solutions up to symmetry", fundamental, symmetric.fundamental)
                    }
                    None => Err("the numbers of symmetric solutions cannot belong to that total".to_owned()),
                }
            }
            _ => Err("the answer does not fit the parts of the plan".to_owned()),
        }
    }
}

/// Returns how a row differs from the job that it should be.
fn differs(row: &Row, kind: Kind, job: &Job) -> Option<String> {
    let columns = job.work.column_set().map(|set| v1::ColumnSet::from(set).columns).unwrap_or_default();
    let index = job.index;
    if row.index != index {
        let stands = row.index;
        return Some(format!(
            "job {stands} stands where job {index} should; each must be there once, in order"
        ));
    }
    if row.kind != kind || row.queens != job.work.queens() || row.columns != columns {
        return Some(format!("job {index} has other queens or columns than the plan's"));
    }
    let (told, own) = (row.weight, job.weight);
    (told != own).then(|| format!("job {index} has the weight {told}, and the plan says {own}"))
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size, jobs, sampled, answer, .. } = self;
        let total = answer.total;
        match answer.symmetric {
            Some(symmetric) => write!(f, "Q({size}) = {total}\nU({size}) = {}\n", symmetric.fundamental)?,
            None => writeln!(f, "{total} boards")?,
        }
        write!(f, "verified: {jobs} jobs, each once, that sum to this; {sampled} of them computed again")
    }
}

/// Jobs drawn evenly from all, to be computed again (reservoir sampling, algorithm R; J. S. Vitter, 1985).
struct Sample {
    most: usize,
    seen: u64,
    jobs: Vec<(u64, Work, u64)>,
}

impl Sample {
    fn new(most: usize) -> Self {
        Self { most, seen: 0, jobs: Vec::new() }
    }

    fn offer(&mut self, index: u64, work: Work, count: u64) {
        self.seen += 1;
        if self.jobs.len() < self.most {
            return self.jobs.push((index, work, count));
        }
        let place = usize::try_from(random::bits() % self.seen).unwrap_or(usize::MAX);
        if let Some(slot) = self.jobs.get_mut(place) {
            *slot = (index, work, count);
        }
    }

    /// Computes all of the sample on all processors, each job by another algorithm than the one that is usual for it.
    fn compute_again(&self, size: Size) -> Result<(), String> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut auditor = Auditor::new(Kernel::best()).map_err(|error| error.to_string())?;
            let mine = std::iter::from_fn(|| self.jobs.get(next.fetch_add(1, Ordering::Relaxed)));
            mine.map(|job| compute_again(&mut auditor, size, job)).find(Result::is_err).unwrap_or(Ok(()))
        };
        let processors = thread::available_parallelism().map_or(1, |number| number.get());
        thread::scope(|scope| {
            let threads: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
            let ended = threads.into_iter().map(|thread| thread.join());
            ended.into_iter().try_for_each(|end| end.map_err(|_| "the computation broke".to_owned())?)
        })
    }
}

fn compute_again(auditor: &mut Auditor, size: Size, job: &(u64, Work, u64)) -> Result<(), String> {
    let (index, work, told) = job;
    let count = auditor.count_while(size, work, &mut || true).map_err(|error| error.to_string())?;
    let count = count.ok_or("the computation was broken off")?;
    if count == *told {
        Ok(())
    } else {
        Err(format!("job {index} has the count {told}; computed again, it comes to {count}"))
    }
}

#[cfg(test)]
mod tests;
