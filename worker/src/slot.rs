//! What one slot computes with: a counter for each kind of job, made when it is first needed.

use std::sync::atomic::{AtomicBool, Ordering};

use queens::{
    Position, Size,
    audit::Auditor,
    columns,
    kernel::{self, Kernel},
    split::Work,
    turns,
};

use crate::job::{Job, Setback};

/// The counters of one slot. They keep their memory from job to job: at most 0.8 MB for prefixes and as much for audits;
/// for column sets 5 MB at n = 20, 40 MB at n = 24, and 0.8 GB at n = 27.
#[derive(Debug)]
pub(crate) struct Slot {
    kernel: Kernel,
    search: Option<kernel::Counter>,
    columns: Option<(Size, columns::Counter)>,
    auditor: Option<Auditor>,
}

impl Slot {
    /// Returns a slot that counts with this kernel.
    pub(crate) const fn new(kernel: Kernel) -> Self {
        Self { kernel, search: None, columns: None, auditor: None }
    }

    /// Returns a job's result. It leaves the job, as interrupted, soon after the flag turns true.
    pub(crate) fn count(&mut self, job: &Job, interrupt: &AtomicBool) -> Result<u64, Setback> {
        let go_on = &mut || !interrupt.load(Ordering::Relaxed);
        let count = if job.id.audit { self.audit(job, go_on) } else { self.compute(job, go_on) };
        count.map_err(Setback::Failed)?.ok_or(Setback::Interrupted)
    }

    fn compute(&mut self, job: &Job, go_on: &mut dyn FnMut() -> bool) -> Result<Option<u64>, String> {
        Ok(match &job.work {
            Work::Turn(turn) => turns::count_while(job.size, *turn, go_on),
            Work::Columns(set) => self.columns(job.size)?.count_while(*set, go_on),
            Work::Complete(queens) => {
                let position = Position::with_queens(job.size, queens.iter().copied()).map_err(sentence)?;
                self.search()?.count_while(&position, go_on)
            }
        })
    }

    fn audit(&mut self, job: &Job, go_on: &mut dyn FnMut() -> bool) -> Result<Option<u64>, String> {
        let auditor = match &mut self.auditor {
            Some(auditor) => auditor,
            none => none.insert(Auditor::new(self.kernel).map_err(sentence)?),
        };
        auditor.count_while(job.size, &job.work, go_on).map_err(sentence)
    }

    fn search(&mut self) -> Result<&mut kernel::Counter, String> {
        match &mut self.search {
            Some(counter) => Ok(counter),
            none => Ok(none.insert(self.kernel.counter().map_err(sentence)?)),
        }
    }

    /// Returns the counter of columns. With another size of board it is a new one, since a counter keeps the memory of its
    /// largest job.
    fn columns(&mut self, size: Size) -> Result<&mut columns::Counter, String> {
        self.columns.take_if(|(of, _)| *of != size);
        match &mut self.columns {
            Some((_, counter)) => Ok(counter),
            none => {
                let counter = columns::Kernel::like(self.kernel).counter().map_err(sentence)?;
                Ok(&mut none.insert((size, counter)).1)
            }
        }
    }
}

fn sentence(error: impl std::error::Error) -> String {
    error.to_string()
}
