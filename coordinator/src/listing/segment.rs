//! One segment of a stream: the boards of one job, checked as they come.

use std::collections::VecDeque;

use bytes::Bytes;
use queens::{Board, Size, enumerate::Order};
use scheduler::WorkerId;

use super::{CHUNK_BOARDS, ListingId};

/// Chunks that a worker may send of a segment before it is that segment's turn.
const CREDIT: u32 = 4;

/// A worker sent boards that cannot be right.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadChunk {
    #[error("a chunk does not hold whole boards, or too many of them")]
    Length,
    #[error("more chunks came than there was credit for")]
    Credit,
    #[error("a board is not a solution under the prefix asked for")]
    Board,
    #[error("boards are out of order")]
    Order,
    #[error("a job has {recorded} boards in the ledger, and {listed} were listed")]
    Total { listed: u64, recorded: u64 },
}

/// The boards of one job on their way to a reader.
pub(super) struct Segment {
    pub(super) job: u64,
    /// The first columns of its boards.
    pub(super) prefix: Vec<u8>,
    /// The worker that enumerates it now, and the id by which that worker knows it.
    pub(super) assigned: Option<(WorkerId, ListingId)>,
    /// Boards that the reader does not want, and those that have come.
    pub(super) passed: u64,
    pub(super) ended: bool,
    chunks: VecDeque<Bytes>,
    last_board: Option<Board>,
    credit: u32,
}

impl Segment {
    /// Returns a segment whose first `skip` boards are left out.
    pub(super) fn new(job: u64, prefix: Vec<u8>, skip: u64) -> Self {
        Self {
            job,
            prefix,
            assigned: None,
            passed: skip,
            ended: false,
            chunks: VecDeque::new(),
            last_board: None,
            credit: 0,
        }
    }

    /// Puts the segment into the care of a worker; returns the credit that it begins with.
    pub(super) fn assign(&mut self, worker: WorkerId, listing: ListingId) -> u32 {
        self.assigned = Some((worker, listing));
        self.credit = CREDIT.saturating_sub(self.chunks.len() as u32).max(1);
        self.credit
    }

    /// Takes a chunk, once every board in it is known to be a solution and in order.
    pub(super) fn accept(
        &mut self,
        size: Size,
        order: Order,
        boards: Bytes,
        last: bool,
    ) -> Result<(), BadChunk> {
        let n = size.index();
        if !boards.len().is_multiple_of(n) || boards.len() > n * CHUNK_BOARDS as usize {
            return Err(BadChunk::Length);
        }
        self.credit = self.credit.checked_sub(1).ok_or(BadChunk::Credit)?;
        for columns in boards.chunks_exact(n) {
            self.check(size, order, columns)?;
        }
        self.passed += (boards.len() / n) as u64;
        self.ended = last;
        if !boards.is_empty() {
            self.chunks.push_back(boards);
        }
        Ok(())
    }

    fn check(&mut self, size: Size, order: Order, columns: &[u8]) -> Result<(), BadChunk> {
        let board = Board::new(size, columns).map_err(|_| BadChunk::Board)?;
        if !columns.starts_with(&self.prefix) {
            return Err(BadChunk::Board);
        }
        let in_order = self.last_board.is_none_or(|last| match order {
            Order::Ascending => last < board,
            Order::Descending => last > board,
        });
        self.last_board = Some(board);
        if in_order { Ok(()) } else { Err(BadChunk::Order) }
    }

    /// Returns the next chunk for the reader without taking it.
    pub(super) fn next_chunk(&self) -> Option<&Bytes> {
        self.chunks.front()
    }

    /// Removes the next chunk and notes one more credit; returns whom to give it to.
    pub(super) fn take_chunk(&mut self) -> Option<(WorkerId, ListingId)> {
        self.chunks.pop_front();
        let assigned = self.assigned.filter(|_| !self.ended)?;
        self.credit += 1;
        Some(assigned)
    }
}
