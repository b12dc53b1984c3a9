//! The jobs of the column split, listed and found by index without being stored.
//!
//! The jobs are the sets S, in ascending order of their bit masks, that stand for their class. For even n a class is S,
//! its mirror image, its complement (the board upside down) and the mirrored complement; the least mask stands for it,
//! with the number of different masks as weight. For odd n a set with the middle column always stands for itself, with
//! weight 4, since its boards are already chosen among their mirrored and upside-down images; a set without it is a
//! centre job and is treated as for even n, the middle column left out.
//!
//! A plan keeps the mask of every 256th job: at n = 27, 50 KB. From there, the next masks with as many bits follow
//! one from another.

use super::set::{ColumnSet, NotAColumnSet, check_served, middle_columns, mirrored};
use crate::size::Size;

/// One job of the column split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Job {
    /// Its place in the plan, from 0.
    pub index: u64,
    /// The columns of the upper rows.
    pub set: ColumnSet,
    /// What its result is multiplied by in the sum over all jobs: 2 or 4.
    pub weight: u32,
}

/// The column split of one size. The sum of weight x result over all jobs is Q(n).
#[derive(Clone, Debug)]
pub struct Columns {
    size: Size,
    jobs: u64,
    // The masks of jobs 0, STRIDE, 2 STRIDE, ...
    checkpoints: Vec<u32>,
}

const STRIDE: u64 = 256;

impl Columns {
    /// Returns the column split of this size, or an error if the size is not served. Goes through all sets once, which
    /// takes about 0.1 s at n = 27.
    pub fn new(size: Size) -> Result<Self, NotAColumnSet> {
        check_served(size)?;
        let (mut jobs, mut checkpoints) = (0, Vec::new());
        for columns in sets_from(first_set(size), size).filter(|&columns| is_job(columns, size)) {
            if jobs % STRIDE == 0 {
                checkpoints.push(columns);
            }
            jobs += 1;
        }
        Ok(Self { size, jobs, checkpoints })
    }

    /// Returns the size of the board.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the number of jobs.
    pub fn jobs(&self) -> u64 {
        self.jobs
    }

    /// Returns the job at `index`, if there is one; takes about a microsecond.
    pub fn job(&self, index: u64) -> Option<Job> {
        self.jobs_from(index).next()
    }

    /// Lists the jobs from `index` on.
    pub fn jobs_from(&self, index: u64) -> impl Iterator<Item = Job> + use<> {
        let size = self.size;
        let checkpoint = usize::try_from(index / STRIDE).ok().and_then(|i| self.checkpoints.get(i)).copied();
        let sets = checkpoint.into_iter().flat_map(move |columns| sets_from(columns, size));
        let jobs = sets.filter(move |&columns| is_job(columns, size));
        (index - index % STRIDE..).zip(jobs).skip((index % STRIDE) as usize).map(move |(index, columns)| {
            Job {
                index,
                set: ColumnSet::new(size, columns).expect("a listed set has the right number of columns"),
                weight: weight(columns, size),
            }
        })
    }
}

/// The least mask of floor(n / 2) columns.
fn first_set(size: Size) -> u32 {
    (1 << (size.get() / 2)) - 1
}

/// Lists the masks of n bits with as many ones as `columns`, in ascending order from `columns` on.
fn sets_from(columns: u32, size: Size) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(columns), |&columns| Some(next_with_as_many_bits(columns)))
        .take_while(move |&columns| columns <= size.full_row())
}

/// The next larger number with as many ones (R. W. Gosper, HAKMEM item 175).
pub(super) fn next_with_as_many_bits(bits: u32) -> u32 {
    let lowest = bits & bits.wrapping_neg();
    let carried = bits + lowest;
    carried | ((bits ^ carried) >> lowest.trailing_zeros()) >> 2
}

/// Tells whether this set stands for its class.
fn is_job(columns: u32, size: Size) -> bool {
    is_main(columns, size) || images(columns, size).into_iter().all(|image| columns <= image)
}

/// How many sets have this set's number of boards.
fn weight(columns: u32, size: Size) -> u32 {
    let fixed = images(columns, size).into_iter().any(|image| image == columns);
    if fixed && !is_main(columns, size) { 2 } else { 4 }
}

/// Tells whether this is a set of odd n with the middle column.
fn is_main(columns: u32, size: Size) -> bool {
    size.get() % 2 == 1 && columns & middle_columns(size) != 0
}

/// The other images of a set: mirrored, upside down, and both. The first and the last may be the set itself, but not
/// both of them.
fn images(columns: u32, size: Size) -> [u32; 3] {
    let centre = if size.get() % 2 == 1 { middle_columns(size) } else { 0 };
    let complement = !(columns | centre) & size.full_row();
    [mirrored(columns, size), complement, mirrored(complement, size)]
}
