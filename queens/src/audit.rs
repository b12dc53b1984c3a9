//! A job computed once more, by another algorithm than the one that computes it at first.
//!
//! A kernel that is wrong in some systematic way is wrong in the same way on every machine, so a second computation by the
//! same algorithm would only confirm it. Here a prefix is counted by joining halves ([`halves`]), as the column split does,
//! and a job of the column split by the search restricted to its set ([`restricted`]). For turns there is one algorithm
//! only.

use crate::{
    columns::{halves, restricted},
    kernel::{self, Kernel, Unsupported},
    position::{CannotPlace, Position},
    size::Size,
    split::Work,
    turns,
};

/// Computes audits. One thread needs one and uses it for job after job.
#[derive(Debug)]
pub struct Auditor {
    search: kernel::Counter,
}

impl Auditor {
    /// Returns an auditor that searches with this kernel, or an error if this processor lacks the instructions.
    pub fn new(kernel: Kernel) -> Result<Self, Unsupported> {
        Ok(Self { search: kernel.counter()? })
    }

    /// Returns the result of a job on a board of `size`, as long as `go_on` says so, which is asked every few milliseconds or
    /// more often; `None` once it says no. An error if the queens of the job cannot stand there.
    pub fn count_while(
        &mut self,
        size: Size,
        work: &Work,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<u64>, CannotPlace> {
        Ok(match work {
            Work::Complete(queens) => {
                halves::count_while(&Position::with_queens(size, queens.iter().copied())?, go_on)
            }
            Work::Turn(turn) => turns::count_while(size, *turn, go_on),
            Work::Columns(set) => restricted::search_while(&mut self.search, *set, go_on),
        })
    }
}
