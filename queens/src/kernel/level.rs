//! The memory of one level: a queue of states that wait for their next queen, and the lanes that work on some of them.
//!
//! States are kept as three separate arrays, so that a vector register holds one mask of many states.

use super::state::State;

/// A level that holds this many states gets no more: its own states come first.
pub(super) const FULL: usize = 2048;

/// The most lanes that a kernel may have. A step adds at most one state a lane.
pub(super) const LANES: usize = 64;

/// The most states that wait at a level: one step may start when one place short of full.
pub(super) const MOST: usize = FULL - 1 + LANES;

/// So many blocked states follow the last one that waits. Vector loads may run past the end of the queue into these, which
/// die by themselves, so that no step has to test for the end.
pub(super) const PADDING: usize = 32;

/// Places for states. Times 4 bytes this is no multiple of 4096, which would make the arrays of a level compete for the
/// same cache sets.
pub(super) const CAPACITY: usize = MOST + 1 + PADDING;

/// States as three arrays.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct States<const N: usize> {
    pub(super) columns: [u32; N],
    pub(super) left: [u32; N],
    pub(super) right: [u32; N],
}

impl<const N: usize> States<N> {
    /// Blocked states.
    pub(super) const BLOCKED: Self = Self {
        columns: [State::BLOCKED.columns; N],
        left: [State::BLOCKED.left; N],
        right: [State::BLOCKED.right; N],
    };

    /// Returns a state.
    #[inline(always)]
    pub(super) fn get(&self, place: usize) -> State {
        State { columns: self.columns[place], left: self.left[place], right: self.right[place] }
    }

    /// Sets a state.
    #[inline(always)]
    pub(super) fn set(&mut self, place: usize, state: State) {
        self.columns[place] = state.columns;
        self.left[place] = state.left;
        self.right[place] = state.right;
    }

    #[inline]
    fn arrays(&mut self) -> [&mut [u32; N]; 3] {
        [&mut self.columns, &mut self.left, &mut self.right]
    }
}

/// One level. Places `head..tail` of the queue wait, and `tail <= MOST`.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub(super) queue: States<CAPACITY>,
    pub(super) lanes: States<LANES>,
    /// The squares that each lane has still to try. A lane with none is dead, and its state is of no meaning.
    pub(super) free: [u32; LANES],
    pub(super) head: usize,
    pub(super) tail: usize,
    /// How many lanes are alive.
    pub(super) live: usize,
}

impl Level {
    /// A level that holds nothing.
    pub(super) const EMPTY: Self =
        Self { queue: States::BLOCKED, lanes: States::BLOCKED, free: [0; LANES], head: 0, tail: 0, live: 0 };

    /// Puts the first state in the queue of an empty level.
    pub(super) fn plant(&mut self, state: State) {
        self.head = 0;
        self.queue.set(0, state);
        self.tail = 1;
        self.pad();
    }

    /// Returns how many states wait.
    pub(super) const fn waiting(&self) -> usize {
        self.tail - self.head
    }

    /// Tells whether nothing is left to do here.
    pub(super) const fn is_done(&self) -> bool {
        self.live == 0 && self.head == self.tail
    }

    /// Moves what waits to the front, to make room at the back. The caller sees to it that little waits.
    pub(super) fn pack(&mut self) {
        if self.head > 0 {
            for array in self.queue.arrays() {
                array.copy_within(self.head..self.tail, 0);
            }
            self.tail -= self.head;
            self.head = 0;
        }
    }

    /// Blocks the places behind the queue, after states were added.
    pub(super) fn pad(&mut self) {
        for array in self.queue.arrays() {
            array[self.tail..][..PADDING].fill(!0);
        }
    }

    /// Takes note that places up to `head`, which may lie past the tail, went to the lanes, and how many of these live.
    pub(super) fn leave(&mut self, head: usize, live: usize) {
        self.head = head.min(self.tail);
        self.live = live;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(number: u32) -> State {
        State { columns: number, left: number + 1, right: number + 2 }
    }

    /// A level in which states `numbers` wait from place `head` on.
    fn level(head: usize, numbers: std::ops::Range<u32>) -> Level {
        let mut level = Level::EMPTY;
        (level.head, level.tail) = (head, head + numbers.len());
        for (place, number) in (head..).zip(numbers) {
            level.queue.set(place, state(number));
        }
        level.pad();
        level
    }

    #[test]
    fn packing_keeps_what_waits_in_order() {
        for head in [0, 1, 63, FULL] {
            let mut level = level(head, 5..25);
            level.pack();
            level.pad();
            assert_eq!((level.head, level.waiting()), (0, 20));
            for (place, number) in (5..25).enumerate() {
                assert_eq!(level.queue.get(place), state(number));
            }
            for place in 20..20 + PADDING {
                assert_eq!(level.queue.get(place), State::BLOCKED);
            }
        }
    }

    #[test]
    fn a_full_queue_has_room_for_its_padding() {
        let level = level(0, 0..MOST as u32);
        assert_eq!(level.queue.get(MOST - 1), state(MOST as u32 - 1));
        assert_eq!(level.queue.get(CAPACITY - 1), State::BLOCKED);
    }

    #[test]
    fn a_head_past_the_tail_leaves_nothing_waiting() {
        let mut level = level(0, 0..20);
        level.leave(31, 3);
        assert!(level.waiting() == 0 && !level.is_done());
        level.leave(20, 0);
        assert!(level.is_done());
    }
}
