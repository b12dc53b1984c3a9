//! What happens when two computations of one job differ. A count is a fixed number, so somebody was wrong, and the job is
//! computed again until it is plain who.
//!
//! The rules, in this order:
//!
//! 1. What the coordinator itself computed is right. It does so only when no worker can help (see `Scheduler::disputes`).
//! 2. What two different workers in good standing agree on is right, if no other count has as many votes.
//! 3. A worker in quarantine has no vote. If one of the parties is in quarantine and the others agree, they are right, even
//!    if it is only one: that is as much as is known about any job that was computed once.
//!
//! Until one of them applies, the job is lent to workers that have not computed it yet.

use crate::{id::WorkerId, supply::Holder, time::Moment};

/// What one worker says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) worker: WorkerId,
    pub(crate) count: u64,
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

    /// Returns what is right, if that is plain, and who says so. `is_out` tells who is in quarantine.
    pub(crate) fn verdict(claims: &[Claim], is_out: impl Fn(WorkerId) -> bool) -> Option<Claim> {
        if let Some(own) = claims.iter().find(|claim| claim.worker == WorkerId::COORDINATOR) {
            return Some(*own);
        }
        let trusted: Vec<Claim> = claims.iter().copied().filter(|claim| !is_out(claim.worker)).collect();
        majority(&trusted).or_else(|| (trusted.len() < claims.len()).then(|| unanimous(&trusted)).flatten())
    }
}

/// Returns a claim that at least two workers make and that has more votes than any other.
fn majority(claims: &[Claim]) -> Option<Claim> {
    let best = claims.iter().max_by_key(|claim| votes(claims, claim.count))?;
    let most = votes(claims, best.count);
    let rivals =
        claims.iter().filter(|claim| claim.count != best.count).map(|claim| votes(claims, claim.count));
    (most >= 2 && rivals.max().unwrap_or(0) < most).then_some(*best)
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

    fn verdict(claims: &[(u64, u64)], out: &[u64]) -> Option<u64> {
        let claims: Vec<Claim> =
            claims.iter().map(|&(worker, count)| Claim { worker: WorkerId(worker), count }).collect();
        Alarm::verdict(&claims, |worker| out.contains(&worker.0)).map(|claim| claim.count)
    }

    #[test]
    fn two_of_three_are_right() {
        assert_eq!(verdict(&[(1, 5), (2, 7)], &[]), None);
        assert_eq!(verdict(&[(1, 5), (2, 7), (3, 7)], &[]), Some(7));
        assert_eq!(verdict(&[(1, 5), (2, 7), (3, 5)], &[]), Some(5));
        assert_eq!(verdict(&[(1, 5), (2, 7), (3, 9)], &[]), None);
        assert_eq!(verdict(&[(1, 5), (2, 7), (3, 5), (4, 7)], &[]), None);
    }

    #[test]
    fn saying_it_twice_is_one_vote() {
        assert_eq!(verdict(&[(1, 5), (2, 7), (1, 5)], &[]), None);
        assert_eq!(verdict(&[(1, 5), (1, 7)], &[]), None);
        assert_eq!(verdict(&[(1, 5), (1, 7), (2, 7)], &[]), Some(7));
    }

    #[test]
    fn who_is_in_quarantine_has_no_vote() {
        assert_eq!(verdict(&[(1, 5), (2, 7)], &[1]), Some(7));
        assert_eq!(verdict(&[(1, 5), (2, 7)], &[1, 2]), None);
        assert_eq!(verdict(&[(1, 5), (2, 5), (3, 7), (4, 7)], &[1, 2]), Some(7));
    }

    #[test]
    fn the_coordinator_has_the_last_word() {
        assert_eq!(verdict(&[(1, 5), (2, 5), (0, 7)], &[]), Some(7));
    }
}
