//! The boards themselves, in lexicographic order.
//!
//! One board after another by backtracking spends most of its time on branches that the processor cannot foresee. So
//! the search goes level by level: the positions with k queens stand in a queue, in lexicographic order; a stretch of
//! it is turned, without unforeseeable branches, into the queue with k + 1 queens, which is then in order too. Only a
//! short stretch at a time, so that memory stays small:
//!
//! ```text
//! k queens      [ done ......... | stretch | waiting ............ ]
//!                                    |
//! k + 1 queens                   [ its children, each with the place of its parent ]
//! ```
//!
//! The search is the state of these queues, and can stop after any board and go on later.

mod queue;

use std::ops::Range;

use self::queue::{Node, Queue};
use crate::{
    position::{CannotPlace, Position, Square},
    size::Size,
};

/// The order in which boards are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// From the lexicographically first board to the last.
    Ascending,
    /// From the last to the first.
    Descending,
}

/// How many positions are turned into their children at a time. 64 and 256 are within 5 % of it, each on its side.
const STRETCH: usize = 128;

/// The boards under a prefix, one after another. It can be put aside and taken up again at any board.
#[derive(Clone, Debug)]
pub struct Boards {
    size: Size,
    order: Order,
    // The next board; the rows of the prefix never change.
    board: [u8; 32],
    // The first queue is below the prefix, the last one has a queen in every row but the last.
    queues: Vec<Queue>,
    // The queue to read from.
    current: usize,
}

impl Boards {
    /// Returns the boards whose first rows have their queens in the columns `prefix`; all boards if it is empty. An
    /// error if a queen of the prefix is off the board or attacked.
    ///
    /// # Panics
    ///
    /// If the prefix has more than n columns.
    pub fn under(size: Size, prefix: &[u8], order: Order) -> Result<Self, CannotPlace> {
        assert!(prefix.len() <= size.index(), "a prefix has at most one queen for each row");
        let queens = (0..).zip(prefix).map(|(row, &column)| Square::new(row, column));
        Position::with_queens(size, queens)?;
        // The last row has at most one free square. If the prefix fills it too, it is found again.
        let rows = prefix.len().min(size.index() - 1);
        let queues = vec![Queue::default(); size.index() - rows];
        let mut boards = Self { size, order, board: [0; 32], queues, current: 0 };
        boards.board[..rows].copy_from_slice(&prefix[..rows]);
        boards.queues[0] = Queue::of_one(boards.below_prefix(rows));
        Ok(boards)
    }

    /// Returns the node below the first `rows` rows of the board.
    fn below_prefix(&self, rows: usize) -> Node {
        let columns = self.board[..rows].iter().map(|&column| self.in_order(column));
        columns.fold(Node::top(self.size), |node, column| node.child(1 << column, 0))
    }

    /// The search goes up in columns always. Descending boards are the mirror images of ascending ones.
    fn in_order(&self, column: u8) -> u8 {
        match self.order {
            Order::Ascending => column,
            Order::Descending => self.size.get() as u8 - 1 - column,
        }
    }

    /// Appends the next boards to `columns`, n bytes each (the column of the queen of each row), at most `most` of
    /// them. Returns how many; fewer than `most` means that there are no more.
    pub fn append_to(&mut self, columns: &mut Vec<u8>, most: usize) -> usize {
        let mut appended = 0;
        while appended < most && self.find_boards() {
            let found = self.take(most - appended);
            // Whole arrays are copied faster than parts of them.
            columns.reserve(found.len() * self.size.index() + self.board.len());
            for last in found.clone() {
                self.trace(last);
                let end = columns.len() + self.size.index();
                columns.extend_from_slice(&self.board);
                columns.truncate(end);
            }
            appended += found.len();
        }
        appended
    }

    /// Leaves out the next `boards` boards. Returns how many there were to leave out.
    pub fn skip_boards(&mut self, boards: u64) -> u64 {
        let mut skipped = 0;
        while skipped < boards && self.find_boards() {
            let most = usize::try_from(boards - skipped).unwrap_or(usize::MAX);
            skipped += self.take(most).len() as u64;
        }
        skipped
    }

    /// Takes the next nodes of the last queue, each of which is a board, at most `most` of them.
    fn take(&mut self, most: usize) -> Range<usize> {
        self.queues[self.current].take(most)
    }

    /// Searches until the last queue has nodes to take. Tells whether there are any.
    fn find_boards(&mut self) -> bool {
        loop {
            while self.queues[self.current].is_done() {
                let Some(above) = self.current.checked_sub(1) else { return false };
                self.current = above;
            }
            if self.current + 1 == self.queues.len() {
                return true;
            }
            self.descend();
        }
    }

    /// Turns a stretch of the current queue into the queue below.
    fn descend(&mut self) {
        let rows_below = self.queues.len() - 1 - self.current;
        let [parents, children] = &mut self.queues[self.current..][..2] else { unreachable!("two queues") };
        let stretch = parents.take(STRETCH);
        children.refill(parents, stretch, rows_below);
        self.current += 1;
    }

    /// Writes the board of a node of the last queue, from the last row up.
    fn trace(&mut self, last: usize) {
        let mut row = self.size.index() - 1;
        let mut node = self.queues[self.current].node(last);
        self.board[row] = self.in_order(node.free().trailing_zeros() as u8);
        for queue in self.queues[..self.current].iter().rev() {
            row -= 1;
            let parent = queue.node(node.parent());
            self.board[row] = self.in_order(node.last_column(parent));
            node = parent;
        }
    }
}
