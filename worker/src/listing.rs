//! Listings: boards that someone reads while they are found.
//!
//! A reader may be slow or stop altogether, and no slot may wait for it. So the enumerator of a listing stays parked here
//! while there is no credit for a chunk, or while enough chunks wait to be sent. Listings that may go on take turns.

use std::collections::{HashMap, VecDeque};

use queens::{Size, enumerate::Boards};

use crate::error::Error;

/// The most listings of one session.
const MOST: usize = 1024;
/// The most chunks that wait to be sent before the listings pause.
const CHUNKS_WAITING: usize = 16;
/// A chunk is cut to this size, whatever the coordinator asks for.
const CHUNK_BYTES: usize = 1 << 20;

/// The enumerator of one listing, with all that a slot needs to know.
#[derive(Debug)]
pub(crate) struct Listing {
    id: u64,
    boards: Boards,
    skip: u64,
    chunk_boards: usize,
    board_bytes: usize,
    // Tells it from another listing that had the same id in an earlier session.
    serial: u64,
}

/// Boards to be sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) listing_id: u64,
    /// n bytes for each board, or why there are none.
    pub(crate) boards: Result<Vec<u8>, String>,
    pub(crate) last: bool,
}

impl Listing {
    /// Returns a listing that leaves out `skip` boards and has at most `chunk_boards` in a chunk.
    pub(crate) fn new(id: u64, size: Size, boards: Boards, skip: u64, chunk_boards: u32) -> Box<Self> {
        let most = CHUNK_BYTES / size.index();
        let chunk_boards = usize::try_from(chunk_boards).map_or(most, |boards| boards.clamp(1, most));
        Box::new(Self { id, boards, skip, chunk_boards, board_bytes: size.index(), serial: 0 })
    }

    /// Finds the next boards. This is the long work, done by a slot.
    pub(crate) fn next_chunk(&mut self) -> Chunk {
        let skip = std::mem::take(&mut self.skip);
        if skip > 0 {
            self.boards.skip_boards(skip);
        }
        let mut boards = Vec::with_capacity(self.chunk_boards * self.board_bytes);
        let found = self.boards.append_to(&mut boards, self.chunk_boards);
        boards.shrink_to_fit();
        Chunk { listing_id: self.id, boards: Ok(boards), last: found < self.chunk_boards }
    }

    /// Returns what to send when the enumerator failed.
    pub(crate) fn failed(&self, reason: String) -> Chunk {
        Chunk { listing_id: self.id, boards: Err(reason), last: true }
    }
}

/// All listings of the session.
#[derive(Debug, Default)]
pub(crate) struct Listings {
    open: HashMap<u64, Open>,
    // Parked listings with credit, in the order in which they get a slot.
    turns: VecDeque<u64>,
    chunks: VecDeque<Chunk>,
    serials: u64,
}

#[derive(Debug)]
struct Open {
    serial: u64,
    credit: u32,
    // None while a slot has it.
    parked: Option<Box<Listing>>,
}

impl Listings {
    /// Opens a listing with credit for some chunks.
    pub(crate) fn open(&mut self, mut listing: Box<Listing>, credit: u32) -> Result<(), Error> {
        if self.open.len() >= MOST {
            return Err(Error::Nonsense(format!("more than {MOST} listings at one time")));
        }
        let id = listing.id;
        if self.open.contains_key(&id) {
            return Err(Error::Nonsense(format!("listing {id} is open already")));
        }
        self.serials += 1;
        listing.serial = self.serials;
        self.open.insert(id, Open { serial: self.serials, credit: 0, parked: Some(listing) });
        self.credit(id, credit);
        Ok(())
    }

    /// Allows a listing more chunks. Nothing happens if it has ended.
    pub(crate) fn credit(&mut self, id: u64, chunks: u32) {
        let Some(open) = self.open.get_mut(&id) else { return };
        let had_turn = open.credit > 0;
        open.credit = open.credit.saturating_add(chunks);
        if !had_turn && open.credit > 0 && open.parked.is_some() {
            self.turns.push_back(id);
        }
    }

    /// Ends a listing. What a slot finds for it meanwhile is dropped.
    pub(crate) fn stop(&mut self, id: u64) {
        self.open.remove(&id);
        self.turns.retain(|&turn| turn != id);
        self.chunks.retain(|chunk| chunk.listing_id != id);
    }

    /// Ends all listings, since the session ended.
    pub(crate) fn stop_all(&mut self) {
        *self = Self { serials: self.serials, ..Self::default() };
    }

    /// Returns how many listings a slot could work on now.
    pub(crate) fn ready(&self) -> usize {
        if self.chunks.len() < CHUNKS_WAITING { self.turns.len() } else { 0 }
    }

    /// Hands the next listing to a slot, for one chunk.
    pub(crate) fn take(&mut self) -> Option<Box<Listing>> {
        if self.ready() == 0 {
            return None;
        }
        let open = self.open.get_mut(&self.turns.pop_front()?)?;
        open.credit -= 1;
        open.parked.take()
    }

    /// Takes a listing back from a slot together with its chunk.
    pub(crate) fn put_back(&mut self, listing: Box<Listing>, chunk: Chunk) {
        let Some(open) = self.open.get_mut(&listing.id).filter(|open| open.serial == listing.serial) else {
            return;
        };
        if chunk.last {
            self.open.remove(&listing.id);
        } else {
            if open.credit > 0 {
                self.turns.push_back(listing.id);
            }
            open.parked = Some(listing);
        }
        self.chunks.push_back(chunk);
    }

    /// Returns the next chunk to be sent.
    pub(crate) fn next_chunk(&mut self) -> Option<Chunk> {
        self.chunks.pop_front()
    }

    /// Tells whether a chunk waits to be sent.
    pub(crate) fn has_chunk(&self) -> bool {
        !self.chunks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use queens::enumerate::Order;

    use super::*;

    fn listing(id: u64, chunk_boards: u32) -> Box<Listing> {
        let size = Size::new(6).unwrap();
        Listing::new(id, size, Boards::under(size, &[], Order::Ascending).unwrap(), 0, chunk_boards)
    }

    fn find(listings: &mut Listings) -> Option<u64> {
        let mut listing = listings.take()?;
        let chunk = listing.next_chunk();
        let id = listing.id;
        listings.put_back(listing, chunk);
        Some(id)
    }

    #[test]
    fn listings_with_credit_take_turns() {
        let mut listings = Listings::default();
        listings.open(listing(1, 1), 2).unwrap();
        listings.open(listing(2, 1), 0).unwrap();
        listings.open(listing(3, 1), 3).unwrap();
        let mut turns = || std::iter::from_fn(|| find(&mut listings)).collect::<Vec<_>>();
        assert_eq!(turns(), [1, 3, 1, 3, 3]);
        listings.credit(2, 1);
        listings.credit(9, 1);
        assert_eq!(find(&mut listings), Some(2));
        assert_eq!(find(&mut listings), None);
    }

    #[test]
    fn a_chunk_ends_a_listing_only_if_it_is_not_full() {
        let mut listings = Listings::default();
        // There are 4 boards of 6 rows.
        listings.open(listing(1, 2), 9).unwrap();
        while find(&mut listings).is_some() {}
        let chunks: Vec<_> = std::iter::from_fn(|| listings.next_chunk()).collect();
        let sizes = chunks.iter().map(|chunk| (chunk.boards.as_ref().unwrap().len(), chunk.last));
        assert_eq!(sizes.collect::<Vec<_>>(), [(12, false), (12, false), (0, true)]);
        assert!(listings.open.is_empty());
    }

    #[test]
    fn chunks_that_nobody_sends_pause_the_listings() {
        let mut listings = Listings::default();
        for id in 0..100 {
            listings.open(listing(id, 1), 5).unwrap();
        }
        while find(&mut listings).is_some() {}
        assert_eq!(listings.chunks.len(), CHUNKS_WAITING);
        assert_eq!(listings.next_chunk().unwrap().listing_id, 0);
        assert!(find(&mut listings).is_some());
    }

    #[test]
    fn a_chunk_found_for_a_listing_of_the_last_session_is_dropped() {
        let mut listings = Listings::default();
        listings.open(listing(1, 1), 1).unwrap();
        let mut old = listings.take().unwrap();
        listings.stop_all();
        listings.open(listing(1, 1), 1).unwrap();
        let new = listings.take().unwrap();
        let chunk = old.next_chunk();
        listings.put_back(old, chunk);
        assert!(!listings.has_chunk());
        let failed = new.failed("why".to_owned());
        listings.put_back(new, failed);
        assert_eq!(listings.next_chunk().unwrap().boards, Err("why".to_owned()));
    }

    #[test]
    fn listings_and_chunks_are_bounded() {
        let mut listings = Listings::default();
        assert!((0..MOST as u64).all(|id| listings.open(listing(id, 1), 0).is_ok()));
        assert!(listings.open(listing(u64::MAX, 1), 0).is_err());
        listings.stop(5);
        assert!(listings.open(listing(6, 1), 0).is_err(), "6 is open");
        assert!(listings.open(listing(5, u32::MAX), 0).is_ok());
        let greedy = listing(1, u32::MAX);
        assert!(greedy.chunk_boards * greedy.board_bytes <= CHUNK_BYTES);
    }
}
