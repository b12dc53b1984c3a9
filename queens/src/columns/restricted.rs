//! The audit of a column job: the same boards counted by plain backtracking, row after row.
//!
//! It shares nothing with the kernels of the column split but the set. Rows are filled from the top, the upper ones on the
//! columns of the set and the lower ones on the rest, and whether a full board counts twice, once or not at all is told
//! from the board itself. Of a job of the column split this checks the shifts of diagonals, the masks, the filters, the
//! join and the class rule; the weights are checked by the sum over all jobs.

use std::cmp::Ordering;

use super::set::ColumnSet;
use crate::position::bits;

/// Returns the result of a job, as the kernels of the column split must give it.
pub fn count(set: ColumnSet) -> u64 {
    count_while(set, &mut || true).expect("it goes on to the end")
}

/// Does the same as long as `go_on` says so, which is asked every millisecond or more often; `None` once it says no.
pub fn count_while(set: ColumnSet, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
    Search { set, columns: [0; 32], rows: 0, go_on }.fill(0, [0; 3])
}

/// So many rows are filled without a pause.
const SHORT: u32 = 10_000;

struct Search<'a> {
    set: ColumnSet,
    /// The column of the queen of each row so far.
    columns: [u8; 32],
    rows: u32,
    go_on: &'a mut dyn FnMut() -> bool,
}

impl Search<'_> {
    /// Fills the rows from `row` on. `blocked` has the columns and, as seen from `row`, the diagonals taken.
    fn fill(&mut self, row: usize, [taken, left, right]: [u32; 3]) -> Option<u64> {
        let n = self.set.size().index();
        if row == n {
            return Some(times(&self.columns[..n]));
        }
        self.rows = (self.rows + 1) % SHORT;
        if self.rows == 0 && !(self.go_on)() {
            return None;
        }
        let allowed = if row < n / 2 { self.set.columns() } else { self.set.complement() };
        bits(allowed & !(taken | left | right))
            .map(|column| {
                let queen = 1 << column;
                self.columns[row] = column as u8;
                self.fill(row + 1, [taken | queen, (left | queen) >> 1, (right | queen) << 1])
            })
            .sum()
    }
}

/// How often a board counts. Distances from the centre are doubled, so that they are whole numbers for even and odd n.
fn times(columns: &[u8]) -> u64 {
    let last = columns.len() - 1;
    let from_the_centre = |line: usize| 2 * line as i32 - last as i32;
    let row_of =
        |column: usize| columns.iter().position(|&c| usize::from(c) == column).expect("a full board");
    let middle = [last / 2, last - last / 2];
    let in_middle_rows = middle.map(|row| from_the_centre(columns[row].into()));
    let in_middle_columns = middle.map(|column| from_the_centre(row_of(column)));
    let is_even = last % 2 == 1;
    if !is_even && (in_middle_rows[0] > 0 || in_middle_columns[0] > 0) {
        return 0;
    }
    let farthest = |distances: [i32; 2]| distances.map(i32::abs).into_iter().max();
    match farthest(in_middle_columns).cmp(&farthest(in_middle_rows)) {
        Ordering::Less => 2,
        Ordering::Equal => 1,
        Ordering::Greater => 0,
    }
}
