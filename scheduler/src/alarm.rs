//! What happens when two computations of one job differ. A count is a fixed number, so somebody was wrong, and the job is
//! computed again until it is plain who.
//!
//! The rules, in this order:
//!
//! 1. What the coordinator itself computed is right. It does so only when no worker can help (see `Scheduler::disputes`).
//! 2. What two different workers in good standing agree on is right, if one of them computed it in the usual way and one as
//!    an audit, and if no other count has as many votes. (Two that used the same algorithm may share its mistake.)
//! 3. A worker in quarantine has no vote. If one of the parties is in quarantine and the others agree, they are right, even
//!    if it is only one: that is as much as is known about any job that was computed once.
//!
//! Until one of them applies, the job is lent to workers that have not computed it yet, by the algorithm that the leading
//! count lacks. So where one algorithm is wrong on every machine, no majority of machines carries it: no count ever has the
//! votes of both algorithms, and the coordinator has the last word.

use crate::{id::WorkerId, supply::Holder, time::Moment};

/// What one worker says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) worker: WorkerId,
    pub(crate) count: u64,
    /// Whether it was computed as an audit.
    pub(crate) audit: bool,
}

/// A job about which workers differ.
#[derive(Clone, Debug)]
pub(crate) struct Alarm {
    /// The first claim is the one that is recorded.
    pub(crate) claims: Vec<Claim>,
    /// Who computes it once more.
    pub(crate) holder: Option<Holder>,
    pub(crate) since: Moment,
}

impl Alarm {
    /// Tells whether the worker has had its say.
    pub(crate) fn has_claim(&self, worker: WorkerId) -> bool {
        self.claims.iter().any(|claim| claim.worker == worker)
    }

    /// Tells whether the next computation should be an audit: if the leading count has none to its name.
    pub(crate) fn wants_audit(&self) -> bool {
        let leading = self.claims.iter().max_by_key(|claim| votes(&self.claims, claim.count));
        let leading = leading.map(|claim| claim.count);
        !self.claims.iter().any(|claim| Some(claim.count) == leading && claim.audit)
    }

    /// Returns what is right, if that is plain, and who says so. `is_out` tells who is in quarantine.
    pub(crate) fn verdict(claims: &[Claim], is_out: impl Fn(WorkerId) -> bool) -> Option<Claim> {
        if let Some(own) = claims.iter().find(|claim| claim.worker == WorkerId::COORDINATOR) {
            return Some(*own);
        }
        let trusted: Vec<Claim> = claims.iter().copied().filter(|claim| !is_out(claim.worker)).collect();
        majority(&trusted).or_else(|| (trusted.len() < claims.len()).then(|| unanimous(&trusted)).flatten())
    }
}

/// Returns a claim that at least two workers make, by either algorithm, and that has more votes than any other.
fn majority(claims: &[Claim]) -> Option<Claim> {
    let best = claims.iter().max_by_key(|claim| votes(claims, claim.count))?;
    let most = votes(claims, best.count);
    let rivals =
        claims.iter().filter(|claim| claim.count != best.count).map(|claim| votes(claims, claim.count));
    (most >= 2 && by_both(claims, best.count) && rivals.max().unwrap_or(0) < most).then_some(*best)
}

/// Tells whether this count was computed both in the usual way and as an audit.
fn by_both(claims: &[Claim], count: u64) -> bool {
    let has = |audit| claims.iter().any(|claim| claim.count == count && claim.audit == audit);
    has(false) && has(true)
}

/// Returns a claim if all agree with it.
fn unanimous(claims: &[Claim]) -> Option<Claim> {
    let first = claims.first()?;
    claims.iter().all(|claim| claim.count == first.count).then_some(*first)
}

/// Returns how many different workers make this claim.
fn votes(claims: &[Claim], count: u64) -> usize {
    let mut voters: Vec<WorkerId> =
        claims.iter().filter(|claim| claim.count == count).map(|claim| claim.worker).collect();
    voters.sort_unstable();
    voters.dedup();
    voters.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: bool = false;
    const AUDIT: bool = true;

    fn claims(claims: &[(u64, u64, bool)]) -> Vec<Claim> {
        claims
            .iter()
            .map(|&(worker, count, audit)| Claim { worker: WorkerId(worker), count, audit })
            .collect()
    }

    fn verdict(told: &[(u64, u64, bool)], out: &[u64]) -> Option<u64> {
        Alarm::verdict(&claims(told), |worker| out.contains(&worker.0)).map(|claim| claim.count)
    }

    #[test]
    fn two_of_three_are_right_by_either_algorithm() {
        assert_eq!(verdict(&[(1, 5, USUAL), (2, 7, AUDIT)], &[]), None);
        assert_eq!(verdict(&[(1, 5, USUAL), (2, 7, AUDIT), (3, 7, USUAL)], &[]), Some(7));
        assert_eq!(verdict(&[(1, 5, USUAL), (2, 7, USUAL), (3, 5, AUDIT)], &[]), Some(5));
        assert_eq!(verdict(&[(1, 5, USUAL), (2, 7, AUDIT), (3, 9, USUAL)], &[]), None);
        assert_eq!(verdict(&[(1, 5, USUAL), (2, 7, USUAL), (3, 5, AUDIT), (4, 7, AUDIT)], &[]), None);
    }

    #[test]
    fn a_majority_of_one_algorithm_is_none() {
        assert_eq!(verdict(&[(1, 5, USUAL), (2, 7, AUDIT), (3, 5, USUAL), (4, 5, USUAL)], &[]), None);
        assert_eq!(verdict(&[(1, 5, USUAL), (2, 7, AUDIT), (3, 7, AUDIT), (4, 7, AUDIT)], &[]), None);
    }

    #[test]
    fn the_leading_count_is_computed_by_the_algorithm_that_it_lacks() {
        let wants_audit =
            |told| Alarm { claims: claims(told), holder: None, since: Moment::default() }.wants_audit();
        assert!(wants_audit(&[(1, 5, USUAL), (2, 7, USUAL)]));
        assert!(!wants_audit(&[(1, 5, USUAL), (2, 7, AUDIT), (3, 7, AUDIT)]));
        assert!(wants_audit(&[(1, 5, USUAL), (2, 7, AUDIT), (3, 5, USUAL)]));
    }

    #[test]
    fn saying_it_twice_is_one_vote() {
        assert_eq!(verdict(&[(1, 5, USUAL), (2, 7, AUDIT), (1, 5, AUDIT)], &[]), None);
        assert_eq!(verdict(&[(1, 5, USUAL), (1, 7, AUDIT)], &[]), None);
        assert_eq!(verdict(&[(1, 5, USUAL), (1, 7, AUDIT), (2, 7, USUAL)], &[]), Some(7));
    }

    #[test]
    fn who_is_in_quarantine_has_no_vote() {
        assert_eq!(verdict(&[(1, 5, USUAL), (2, 7, AUDIT)], &[1]), Some(7));
        assert_eq!(verdict(&[(1, 5, USUAL), (2, 7, AUDIT)], &[1, 2]), None);
        let four = [(1, 5, USUAL), (2, 5, AUDIT), (3, 7, USUAL), (4, 7, AUDIT)];
        assert_eq!(verdict(&four, &[1, 2]), Some(7));
    }

    #[test]
    fn the_coordinator_has_the_last_word() {
        assert_eq!(verdict(&[(1, 5, USUAL), (2, 5, AUDIT), (0, 7, USUAL)], &[]), Some(7));
    }
}
