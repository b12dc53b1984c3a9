//! A queue of positions with equally many queens, and the step that makes it from the queue above.
//!
//! The step makes 61 children for each board (n = 14), so it is all that counts. Two streams, each with half of the
//! parents, are worked in turn: each has to wait for its own last child, but not for the other stream. Tried and slower,
//! in about as many ns for a board where this takes 273 and the mirror-half recursion, which only counts, 334: a third row of
//! look-ahead 300; one stream 325; the first two children of every parent without a branch and a loop for the rest 340; a
//! loop for all children 375; a branch to the next parent, where `step` has a mask, 400; a stack 900.

use std::ops::Range;

use crate::size::Size;

/// A position with queens in the first rows, seen from the first free row: what they block in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    // With the columns that the board does not have.
    columns: u32,
    falling_left: u32,
    falling_right: u32,
    // Its place in the queue above.
    parent: u32,
}

impl Node {
    /// Returns the empty board.
    pub(super) fn top(size: Size) -> Self {
        Self { columns: !size.full_row(), ..Self::default() }
    }

    /// Returns this node with one more queen at `bit`, seen from the next row; `parent` is the place of this node.
    pub(super) fn child(self, bit: u32, parent: u32) -> Self {
        Self {
            columns: self.columns | bit,
            falling_left: (self.falling_left | bit) >> 1,
            falling_right: (self.falling_right | bit) << 1,
            parent,
        }
    }

    /// Returns the free squares of the first free row.
    pub(super) fn free(self) -> u32 {
        self.free_below::<0>()
    }

    /// Returns the free squares of the row that lies `ROWS` below the first free row.
    fn free_below<const ROWS: usize>(self) -> u32 {
        !(self.columns | self.falling_left >> ROWS | self.falling_right << ROWS)
    }

    /// Returns the place of the parent in the queue above.
    pub(super) fn parent(self) -> usize {
        self.parent as usize
    }

    /// Returns the column of the queen that was placed last.
    pub(super) fn last_column(self, parent: Self) -> u8 {
        (self.columns ^ parent.columns).trailing_zeros() as u8
    }
}

/// Nodes in lexicographic order.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    // Longer than the queue by at least one node, which may be read and means nothing.
    nodes: Vec<Node>,
    filled: usize,
    next: usize,
}

impl Queue {
    /// Returns the queue of this node, or of none if its row has no free square.
    pub(super) fn of_one(node: Node) -> Self {
        Self { nodes: vec![node; 2], filled: usize::from(node.free() != 0), next: 0 }
    }

    /// Tells whether all nodes were taken.
    pub(super) fn is_done(&self) -> bool {
        self.next == self.filled
    }

    /// Takes the next nodes, at most `most` of them, and returns their places.
    pub(super) fn take(&mut self, most: usize) -> Range<usize> {
        let first = self.next;
        self.next += most.min(self.filled - first);
        first..self.next
    }

    /// Returns the node at `place`.
    pub(super) fn node(&self, place: usize) -> Node {
        self.nodes[place]
    }

    /// Fills the queue with the children of the nodes of `parents` in `stretch`. A child is left out if one of the next
    /// two rows has no free square; there are `rows` left.
    pub(super) fn refill(&mut self, parents: &Self, stretch: Range<usize>, rows: usize) {
        // Each half of the parents gets its half of the room; a parent has a free square in each free column at most.
        let room = stretch.len().div_ceil(2) * (rows + 1) + 1;
        if self.nodes.len() < 2 * room {
            self.nodes.resize(2 * room, Node::default());
        }
        self.next = 0;
        self.filled = match rows {
            1 => children::<1>(&parents.nodes, stretch, &mut self.nodes),
            _ => children::<2>(&parents.nodes, stretch, &mut self.nodes),
        };
    }
}

/// Writes the children of the nodes in `stretch`, in order, to the beginning of `children`. Returns how many.
fn children<const ROWS: usize>(parents: &[Node], stretch: Range<usize>, children: &mut [Node]) -> usize {
    let middle = stretch.start + stretch.len() / 2;
    let half = children.len() / 2;
    let (left, right) = children.split_at_mut(half);
    let mut left = Stream::new(parents, stretch.start..middle, left);
    let mut right = Stream::new(parents, middle..stretch.end, right);
    while left.step::<ROWS>().is_some() & right.step::<ROWS>().is_some() {}
    while left.step::<ROWS>().is_some() {}
    while right.step::<ROWS>().is_some() {}
    let (left, right) = (left.kept, right.kept);
    children.copy_within(half..half + right, left);
    left + right
}

/// The work of making the children of some parents, a child at a time.
struct Stream<'a> {
    // Up to the last parent and the node that follows it in the queue.
    parents: &'a [Node],
    place: usize,
    // The squares of the parent at `place` that were not tried yet.
    free: u32,
    children: &'a mut [Node],
    kept: usize,
}

impl<'a> Stream<'a> {
    fn new(parents: &'a [Node], places: Range<usize>, children: &'a mut [Node]) -> Self {
        let free = parents[places.start].free();
        Self { parents: &parents[..=places.end], place: places.start, free, children, kept: 0 }
    }

    /// Makes one child, keeps it if the next `ROWS` rows each have a free square, and goes on to the next parent if it
    /// was the last. `None` if all parents are done. No branch depends on the child.
    #[inline(always)]
    fn step<const ROWS: usize>(&mut self) -> Option<()> {
        let next = self.parents.get(self.place + 1)?;
        let bit = self.free & self.free.wrapping_neg();
        let child = self.parents.get(self.place)?.child(bit, self.place as u32);
        *self.children.get_mut(self.kept)? = child;
        let keep = (child.free() != 0) & (ROWS < 2 || child.free_below::<1>() != 0);
        self.kept += usize::from(keep);
        let rest = self.free ^ bit;
        let done = u32::from(rest == 0);
        self.free = rest | next.free() & done.wrapping_neg();
        self.place += done as usize;
        Some(())
    }
}
