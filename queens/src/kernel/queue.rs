//! The steps of the level-queue search without intrinsics, for every processor: plain loops over 64 lanes.
//!
//! The loop that makes the children has no branch, so that the compiler turns it into whatever vector instructions the
//! target has. Compacting goes one lane at a time, again without a branch: each lane is written, and the write counts only if
//! the place moves on. Lanes that are alive are kept at the front in the same way, so that to refill is to copy.

#![forbid(unsafe_code)]

use super::{
    level::{FULL, LANES, Level, States},
    level_queue::{Step, Until},
    rows::{Row, WINDOW},
    state::State,
};

/// The steps in portable code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue;

impl Step for Queue {
    fn descend<const AHEAD: usize, const COVER: bool>(
        self,
        rows: &[Row; WINDOW],
        columns: u32,
        from: &mut Level,
        into: &mut Level,
        until: Until,
    ) {
        let mut children = Children::BLANK;
        while into.tail < FULL && refill(from, rows[0].open, until) {
            take_children(from, rows[0].gap, &mut children, |child| {
                lives::<AHEAD, COVER>(child, rows, columns)
            });
            append(into, &children, from.live);
            close_ranks(from);
        }
    }

    fn close(self, rows: &[Row; WINDOW], columns: u32, from: &mut Level, until: Until) -> u64 {
        let mut children = Children::BLANK;
        let mut sum = 0;
        while refill(from, rows[0].open, until) {
            take_children(from, rows[0].gap, &mut children, |child| ways(child, rows, columns));
            sum += u64::from(children.worth[..from.live].iter().sum::<u32>());
            close_ranks(from);
        }
        sum
    }
}

/// The children of one step, a lane each.
struct Children {
    states: States<LANES>,
    /// While states go down, 1 for a child that can live, else 0. At the end, the number of its solutions.
    worth: [u32; LANES],
}

impl Children {
    const BLANK: Self = Self { states: States::BLOCKED, worth: [0; LANES] };
}

/// Gives waiting states to the dead lanes, which are the last ones. Tells whether the visit goes on.
fn refill(level: &mut Level, open: u32, until: Until) -> bool {
    let taken = level.waiting().min(LANES - level.live);
    let (from, to) = (level.head..level.head + taken, level.live..level.live + taken);
    level.lanes.columns[to.clone()].copy_from_slice(&level.queue.columns[from.clone()]);
    level.lanes.left[to.clone()].copy_from_slice(&level.queue.left[from.clone()]);
    level.lanes.right[to.clone()].copy_from_slice(&level.queue.right[from]);
    for lane in to {
        level.free[lane] = level.lanes.get(lane).free(open);
    }
    level.leave(level.head + taken, level.live + taken);
    match until {
        Until::NoneWaits => level.waiting() > 0,
        Until::Empty => level.live > 0,
    }
}

/// Places a queen on the lowest free square of every lane, and weighs the child.
#[inline(always)]
fn take_children(level: &mut Level, gap: u32, children: &mut Children, worth: impl Fn(State) -> u32) {
    let live = level.live.min(LANES);
    for lane in 0..live {
        let free = level.free[lane];
        let square = free & free.wrapping_neg();
        level.free[lane] = free ^ square;
        let child = level.lanes.get(lane).child(square, gap);
        children.states.set(lane, child);
        children.worth[lane] = worth(child);
    }
}

/// Returns 1 if the child can live, else 0.
#[inline(always)]
fn lives<const AHEAD: usize, const COVER: bool>(child: State, rows: &[Row; WINDOW], columns: u32) -> u32 {
    let (mut ahead, mut lives, mut cover) = (child, true, 0);
    for row in &rows[1..][..AHEAD] {
        let free = ahead.free(row.open);
        lives &= free != 0;
        cover |= free;
        ahead = ahead.down(row.gap);
    }
    if COVER {
        lives &= columns & !(child.columns | cover) == 0;
    }
    lives.into()
}

/// Returns in how many ways the last two rows can be filled.
#[inline(always)]
fn ways(child: State, rows: &[Row; WINDOW], columns: u32) -> u32 {
    let two = columns & !child.columns;
    let low = two & two.wrapping_neg();
    let high = two ^ low;
    let upper = child.free(rows[1].open);
    let lower = child.down(rows[1].gap).free(rows[2].open);
    let apart = low.wrapping_shl(rows[1].gap) != high;
    let falling = (low & upper | high & lower) == two;
    let rising = (low & lower | high & upper) == two;
    u32::from(apart & falling) + u32::from(apart & rising)
}

/// Writes the children that can live to the end of the queue.
fn append(level: &mut Level, children: &Children, live: usize) {
    let mut tail = level.tail;
    for lane in 0..live.min(LANES) {
        level.queue.set(tail, children.states.get(lane));
        tail += children.worth[lane] as usize;
    }
    level.tail = tail;
}

/// Moves the lanes that are alive to the front.
fn close_ranks(level: &mut Level) {
    let mut alive = 0;
    for lane in 0..level.live.min(LANES) {
        let free = level.free[lane];
        level.lanes.set(alive, level.lanes.get(lane));
        level.free[alive] = free;
        alive += usize::from(free != 0);
    }
    level.live = alive;
}
