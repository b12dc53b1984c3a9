//! The level-queue search: the one algorithm of the kernels [`queue`](super::queue), [`avx2`](super::avx2) and
//! [`avx512`](super::avx512).
//!
//! # Why
//!
//! Plain recursion handles one state at a time, and the processor waits at every turn: the next state depends on the last,
//! and no branch predictor can tell how many free squares a row has. Here all states of one row are alike, so that many
//! are handled at once by the same instructions, without a branch that depends on them.
//!
//! # How
//!
//! Level i holds states with i searched queens, in a queue ([`Level`]). Some of them sit in the *lanes* of the level: the
//! elements of vector registers. One step of a level does this in every lane at once:
//!
//! 1. **Child.** Take the lowest free square of the lane's state, and place a queen there: [`State::child`].
//! 2. **Look ahead.** Drop the child if one of the next rows has no free square, or, near the bottom where the rows ahead
//!    are all there are, if one of the free columns is free in none of them.
//! 3. **Compact.** Write the children that are left to the end of the next level's queue, without holes.
//! 4. **Refill.** A lane whose state has no free square left to try takes the next state from the level's own queue.
//!
//! With two rows to go, a child has two free columns, and [`Step::close`] counts the ways to fill them instead of writing
//! the child to a queue: the two queens can stand in two ways, neither if they would attack each other.
//!
//! A level is worked until its queue is empty or the next level's is full. Its lanes then keep their states until the level's
//! turn comes again, so that hardly any lane is ever idle: about 15.5 of 16 work. Then the search goes on with the next
//! level if that has a batch waiting, else with the nearest level above that has one. When none has, the topmost level that
//! holds anything is worked until it is empty. So queues stay short and their memory bounded, whatever the position.
//!
//! # Why nothing wraps
//!
//! Masks: a queen's diagonals leave the board at an edge, either out of the 32 bits or onto columns past the edge, which are
//! open in no row. No shift is as long as 32, since all rows looked at lie on one board. Blocked states, with all bits set, stay
//! blocked when shifted in step 1 only through their columns, which are never shifted.
//! Counts: a count grows by at most two a lane a step, so that to pass 2^64 takes centuries; even so the sum is checked.
//!
//! # What did not pay
//!
//! Pushing half-used states back to the queue (the next load waits for the store). Smaller queues: at 512
//! states the visits' own cost is 7%. A look-ahead of four rows where more rows are left: fewer children, but each dearer. Looking ahead only one or two
//! rows high up. Closing three rows at once: six ways to test against little more than one child a state. One independent
//! search a lane, with stacks in memory (9 to 13 times slower). Rows from the middle outwards. Merging equal states (1 to
//! 4% of them).

use super::{
    level::{FULL, Level},
    rows::{Row, Rows, WINDOW, recurse},
    state::State,
};

/// Jobs with fewer rows to fill are counted by plain recursion, which is quicker for them: below a microsecond.
const FEW_ROWS: usize = 8;

/// A level with so many states waiting is worth a visit. Fewer would not pay for taking up and laying down the lanes.
const BATCH: usize = FULL / 8;

/// When to end the visit to a level, unless the next level is full before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// When no state waits. Lanes keep what they have.
    NoneWaits,
    /// When no state waits and no lane is alive.
    Empty,
}

/// What an instruction set brings to the search: the steps of a visit to one level.
pub(super) trait Step: Copy {
    /// Works level `from`, whose row is the first of `rows`, and adds the children to level `into`. A child is dropped if
    /// one of the `AHEAD` rows after it, at most 5, has no free square; or, if `COVER`, if one of the free `columns` is free in
    /// none of these.
    fn descend<const AHEAD: usize, const COVER: bool>(
        self,
        rows: &[Row; WINDOW],
        columns: u32,
        from: &mut Level,
        into: &mut Level,
        until: Until,
    );

    /// Works level `from`, to which three rows are left, and returns the number of solutions found there.
    fn close(self, rows: &[Row; WINDOW], columns: u32, from: &mut Level, until: Until) -> u64;
}

/// The memory of a search.
#[derive(Debug)]
pub(super) struct LevelQueues {
    /// A level for each number of searched queens, until three rows are left: as many as the largest job so far needed, at
    /// most 30.
    levels: Vec<Level>,
}

impl LevelQueues {
    /// Returns a search that has no memory yet. It takes up to 0.8 MB and keeps it.
    pub(super) const fn new() -> Self {
        Self { levels: Vec::new() }
    }

    /// Returns the number of ways to fill these rows; `None` if `go_on`, asked before each visit, says no.
    pub(super) fn count_while(
        &mut self,
        step: impl Step,
        rows: &Rows,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<u64> {
        if rows.are_hopeless() {
            return Some(0);
        }
        if rows.all().len() < FEW_ROWS {
            return Some(recurse(rows.all(), State::ROOT));
        }
        let count = self.search(step, rows, go_on);
        if count.is_none() {
            // What is left there is of no use to the next search.
            self.levels.fill(Level::EMPTY);
        }
        count
    }

    fn search(&mut self, step: impl Step, rows: &Rows, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
        let last = rows.all().len() - 3;
        if self.levels.len() <= last {
            self.levels.resize(last + 1, Level::EMPTY);
        }
        self.levels[0].plant(State::ROOT);
        let (mut top, mut level, mut until) = (0, 0, Until::Empty);
        let mut sum = 0_u64;
        while go_on() {
            let found = self.visit(step, rows, level, last, until);
            sum = sum.checked_add(found).expect("a count past 64 bits takes centuries to reach");
            let below = if level < last { level + 1 } else { level };
            (level, until) = match (top..=below).rev().find(|&level| self.levels[level].waiting() >= BATCH) {
                Some(level) => (level, Until::NoneWaits),
                None => (top, Until::Empty),
            };
            if until == Until::Empty {
                match (top..=last).find(|&level| !self.levels[level].is_done()) {
                    Some(first) => (top, level) = (first, first),
                    None => return Some(sum),
                }
            }
        }
        None
    }

    /// Works one level and returns the solutions found, which only the last level can do.
    fn visit(&mut self, step: impl Step, rows: &Rows, level: usize, last: usize, until: Until) -> u64 {
        let (window, columns) = (rows.window(level), rows.columns());
        if level == last {
            return step.close(window, columns, &mut self.levels[level], until);
        }
        let [from, into] = self.levels.get_disjoint_mut([level, level + 1]).expect("two levels of 30");
        into.pack();
        // The further down, the more of the rows ahead pay for the look at them.
        match last - level {
            1 => step.descend::<3, true>(window, columns, from, into, until),
            2 => step.descend::<4, true>(window, columns, from, into, until),
            3 => step.descend::<5, true>(window, columns, from, into, until),
            _ => step.descend::<3, false>(window, columns, from, into, until),
        }
        into.pad();
        0
    }
}
