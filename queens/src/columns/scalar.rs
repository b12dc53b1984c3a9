//! The specification: list the placements of both halves and try every pair.

use super::{
    half::{Half, Placement},
    set::ColumnSet,
};

/// Returns the result of a job: the number of its boards with f <= F, plus the number of those with f < F.
pub fn count(set: ColumnSet) -> u64 {
    count_while(set, &mut || true).expect("it goes on to the end")
}

/// Does the same as long as `go_on` says so, which is asked for every placement of the upper half; `None` once it says no.
pub fn count_while(set: ColumnSet, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
    join(set, &Half::upper(set), &Half::lower(set), go_on)
}

fn join(set: ColumnSet, upper: &Half, lower: &Half, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
    let (upper, lower) = (upper.placements(), lower.placements());
    upper.iter().map(|a| go_on().then(|| lower.iter().map(|b| boards(set, a, b)).sum::<u64>())).sum()
}

/// What a pair adds to the result: nothing if the halves attack each other, else 0, 1 or 2 by f and F.
fn boards(set: ColumnSet, upper: &Placement, lower: &Placement) -> u64 {
    if upper.mask & lower.mask != 0 {
        return 0;
    }
    let f = upper.reach.max(lower.reach);
    set.limit(upper.first, lower.first).map_or(0, |limit| u64::from(f <= limit) + u64::from(f < limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        columns::{restricted, split::Columns},
        size::Size,
    };

    /// Tells whether the audit of the first jobs of n finds that this is not how to count them.
    fn audit_finds(n: u64, mistaken: impl Fn(ColumnSet) -> u64) -> bool {
        let jobs = Columns::new(Size::new(n).unwrap()).unwrap();
        jobs.jobs_from(0).take(50).any(|job| mistaken(job.set) != restricted::count(job.set))
    }

    fn joined(set: ColumnSet, upper: Half, lower: Half) -> u64 {
        join(set, &upper, &lower, &mut || true).unwrap()
    }

    #[test]
    fn an_audit_finds_deliberate_mistakes() {
        for n in [10, 11] {
            assert!(!audit_finds(n, |set| joined(set, Half::upper(set), Half::lower(set))));
            // The lower half's diagonals are not turned upside down.
            assert!(audit_finds(n, |set| {
                joined(set, Half::upper(set), Half::lower(set).with_left_and_right_exchanged())
            }));
            // The lower half is on the columns of the mirrored set.
            assert!(audit_finds(n, |set| joined(set, Half::upper(set), Half::lower(set.mirrored()))));
            // The class rule is that of another set.
            let empty = ColumnSet::new(Size::new(n).unwrap(), (1 << (n / 2)) - 1).unwrap();
            assert!(n % 2 == 0 || audit_finds(n, |set| joined(empty, Half::upper(set), Half::lower(set))));
            // Boards with f = F are left out.
            assert!(n % 2 == 1 || audit_finds(n, without_equals));
        }
    }

    fn without_equals(set: ColumnSet) -> u64 {
        let (upper, lower) = (Half::upper(set).placements(), Half::lower(set).placements());
        upper.iter().flat_map(|a| lower.iter().map(|b| boards(set, a, b) & 2)).sum()
    }
}
