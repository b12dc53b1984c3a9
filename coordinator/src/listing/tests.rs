//! Streams against the boards themselves, with workers that come, go and dawdle in a seeded order.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use proptest::prelude::*;
use queens::{Size, enumerate::Boards, enumerate::Order, split::Kind, split::Plan, split::Work};
use scheduler::{RunId, WorkerId};
use tokio::sync::mpsc;

use super::{
    BadChunk, CHUNK_BOARDS, Delivery, Instruction, ListingId, Listings, NewStream, Outbox, Surroundings,
};

const RUN: RunId = RunId(1);

/// A cluster without a network: every message waits until the test moves it.
struct Cluster {
    plan: Plan,
    /// Jobs whose number of boards is recorded.
    recorded: BTreeMap<u64, u64>,
    workers: BTreeMap<WorkerId, Worker>,
}

#[derive(Default)]
struct Worker {
    listings: BTreeMap<ListingId, (Boards, u32)>,
    chunks: VecDeque<(ListingId, Bytes, bool)>,
}

impl Surroundings for Cluster {
    fn prefix(&self, _: RunId, job: u64) -> Vec<u8> {
        match self.plan.job(job).unwrap().work {
            Work::Complete(queens) => queens.iter().map(|queen| queen.column).collect(),
            Work::Turn(_) | Work::Columns(_) => unreachable!("a plan by rows has prefixes"),
        }
    }

    fn recorded(&self, _: RunId, job: u64) -> Option<u64> {
        self.recorded.get(&job).copied()
    }

    fn workers(&self) -> Vec<(WorkerId, u32)> {
        self.workers.keys().map(|&worker| (worker, 1)).collect()
    }
}

impl Cluster {
    fn new(size: Size, depth: u32) -> Self {
        let plan = Plan::new(size, Kind::Rows, depth).unwrap();
        Self { plan, recorded: BTreeMap::new(), workers: BTreeMap::new() }
    }

    fn count(&mut self, job: u64) {
        let mut boards = Boards::under(self.plan.size(), &self.prefix(RUN, job), Order::Ascending).unwrap();
        self.recorded.insert(job, boards.skip_boards(u64::MAX));
    }

    fn obey(&mut self, outbox: Outbox) {
        for (worker, instruction) in outbox {
            let Some(worker) = self.workers.get_mut(&worker) else { continue };
            match instruction {
                Instruction::Begin { listing, size, prefix, order, skip, credit } => {
                    let mut boards = Boards::under(size, &prefix, order).unwrap();
                    boards.skip_boards(skip);
                    worker.listings.insert(listing, (boards, credit));
                    worker.work(size, listing);
                }
                Instruction::Credit { listing, chunks } => {
                    if let Some((_, credit)) = worker.listings.get_mut(&listing) {
                        *credit += chunks;
                    }
                    worker.work(self.plan.size(), listing);
                }
                Instruction::Stop { listing } => drop(worker.listings.remove(&listing)),
            }
        }
    }
}

impl Worker {
    /// Enumerates as far as the credit goes, in chunks of 3 so that even small boards need many.
    fn work(&mut self, size: Size, listing: ListingId) {
        while let Some((boards, credit)) = self.listings.get_mut(&listing) {
            if *credit == 0 {
                return;
            }
            *credit -= 1;
            let mut columns = Vec::new();
            let last = boards.append_to(&mut columns, 3) < 3;
            assert_eq!(columns.len() % size.index(), 0);
            if last {
                self.listings.remove(&listing);
            }
            self.chunks.push_back((listing, columns.into(), last));
        }
    }
}

fn all_boards(size: Size, order: Order) -> Vec<u8> {
    let mut columns = Vec::new();
    Boards::under(size, &[], order).unwrap().append_to(&mut columns, usize::MAX);
    columns
}

/// Reads what has been delivered; returns whether that was the end.
fn read(reader: &mut mpsc::Receiver<Delivery>, most: usize, index: u64, got: &mut Vec<u8>, n: usize) -> bool {
    for _ in 0..most {
        match reader.try_recv() {
            Ok(Delivery::Boards { first_index, boards }) => {
                assert_eq!(first_index, index + (got.len() / n) as u64);
                got.extend_from_slice(&boards);
            }
            Ok(Delivery::End) => return true,
            Err(_) => return false,
        }
    }
    false
}

#[derive(Clone, Debug)]
enum Step {
    Join(u64),
    Leave(u64),
    Deliver(u64),
    Count(u64),
    Read(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (0_u64..4).prop_map(Step::Join),
        1 => (0_u64..4).prop_map(Step::Leave),
        8 => (0_u64..4).prop_map(Step::Deliver),
        4 => any::<u64>().prop_map(Step::Count),
        4 => (1_usize..6).prop_map(Step::Read),
    ]
}

proptest! {
    #[test]
    fn a_reader_gets_exactly_the_boards_it_asked_for(
        n in 4_u64..8,
        depth in 0_u32..4,
        descending: bool,
        offset in 0_u64..60,
        limit in proptest::option::of(0_u64..60),
        steps in proptest::collection::vec(step(), 0..200),
    ) {
        let size = Size::new(n).unwrap();
        let order = if descending { Order::Descending } else { Order::Ascending };
        let mut cluster = Cluster::new(size, depth);
        let jobs = cluster.plan.jobs();
        let mut listings = Listings::default();
        let mut reader = listings.open(&NewStream { run: RUN, size, order, offset, limit, jobs });
        let mut got = Vec::new();
        let mut ended = false;
        // After the random steps, everything that is left to do is done in turn.
        let rest = (0..jobs).map(Step::Count).chain((0..2_000).flat_map(|i| {
            [Step::Join(i % 4), Step::Deliver(i % 4), Step::Read(1)]
        }));
        for step in steps.into_iter().chain(rest) {
            match step {
                Step::Join(worker) => drop(cluster.workers.entry(WorkerId(worker)).or_default()),
                Step::Leave(worker) => {
                    cluster.workers.remove(&WorkerId(worker));
                    listings.forget_worker(WorkerId(worker));
                }
                Step::Deliver(id) => {
                    let worker = cluster.workers.get_mut(&WorkerId(id));
                    if let Some((listing, boards, last)) = worker.and_then(|worker| worker.chunks.pop_front()) {
                        listings.accept(WorkerId(id), listing, boards, last, &cluster).unwrap();
                    }
                }
                Step::Count(job) if jobs > 0 => cluster.count(job % jobs),
                Step::Count(_) => {}
                Step::Read(most) => ended |= read(&mut reader, most, offset, &mut got, size.index()),
            }
            let mut outbox = Outbox::new();
            listings.advance(&cluster, &mut outbox);
            cluster.obey(outbox);
        }
        let n = size.index();
        let all = all_boards(size, order);
        let from = (offset as usize * n).min(all.len());
        let to = limit.map_or(all.len(), |limit| (from + limit as usize * n).min(all.len()));
        prop_assert!(ended, "the stream did not end");
        prop_assert_eq!(got, &all[from..to]);
        prop_assert!(listings.is_empty());
    }
}

/// Begins a stream of the 92 boards of n = 8 in one segment, with one worker, and returns that segment.
fn one_segment(cluster: &mut Cluster) -> (Listings, ListingId, mpsc::Receiver<Delivery>) {
    let size = cluster.plan.size();
    cluster.workers.insert(WorkerId(1), Worker::default());
    let mut listings = Listings::default();
    let new = NewStream { run: RUN, size, order: Order::Ascending, offset: 0, limit: None, jobs: 1 };
    let reader = listings.open(&new);
    let mut outbox = Outbox::new();
    listings.advance(cluster, &mut outbox);
    match outbox.as_slice() {
        [(WorkerId(1), Instruction::Begin { listing, .. })] => (listings, *listing, reader),
        other => panic!("a segment should begin, not {other:?}"),
    }
}

#[test]
fn boards_that_cannot_be_right_are_refused() {
    let size = Size::new(8).unwrap();
    let boards = all_boards(size, Order::Ascending);
    let refused = |chunk: Vec<u8>, last: bool| {
        let mut cluster = Cluster::new(size, 0);
        cluster.count(0);
        let (mut listings, listing, _reader) = one_segment(&mut cluster);
        listings.accept(WorkerId(1), listing, chunk.into(), last, &cluster).expect_err("it should be refused")
    };
    assert!(matches!(refused(boards[..7].to_vec(), false), BadChunk::Length));
    assert!(matches!(refused(vec![0; 8 * (CHUNK_BOARDS as usize + 1)], false), BadChunk::Length));
    assert!(matches!(refused(vec![0, 1, 2, 3, 4, 5, 6, 7], false), BadChunk::Board));
    assert!(matches!(refused(vec![200; 8], false), BadChunk::Board));
    assert!(matches!(refused([&boards[8..16], &boards[..8]].concat(), false), BadChunk::Order));
    assert!(matches!(refused([&boards[..8], &boards[..8]].concat(), false), BadChunk::Order));
    assert!(matches!(refused(boards[..88].to_vec(), true), BadChunk::Total { listed: 11, recorded: 92 }));
}

#[test]
fn more_chunks_than_credit_are_refused() {
    let size = Size::new(8).unwrap();
    let boards = all_boards(size, Order::Ascending);
    let mut cluster = Cluster::new(size, 0);
    let (mut listings, listing, _reader) = one_segment(&mut cluster);
    let mut results = boards
        .chunks(8)
        .map(|board| listings.accept(WorkerId(1), listing, board.to_vec().into(), false, &cluster));
    assert!(matches!(results.find_map(Result::err), Some(BadChunk::Credit)));
}

#[test]
fn chunks_of_others_are_ignored() {
    let size = Size::new(8).unwrap();
    let mut cluster = Cluster::new(size, 0);
    let (mut listings, listing, mut reader) = one_segment(&mut cluster);
    let nonsense = || Bytes::from_static(&[9; 8]);
    listings.accept(WorkerId(2), listing, nonsense(), true, &cluster).unwrap();
    listings.accept(WorkerId(1), ListingId(99), nonsense(), true, &cluster).unwrap();
    listings.advance(&cluster, &mut Outbox::new());
    assert!(reader.try_recv().is_err());
}

#[test]
fn a_cut_stream_has_no_end() {
    let mut cluster = Cluster::new(Size::new(8).unwrap(), 0);
    let (mut listings, listing, mut reader) = one_segment(&mut cluster);
    let mut outbox = Outbox::new();
    listings.close_run(RUN, &mut outbox);
    assert!(
        matches!(outbox.as_slice(), [(_, Instruction::Stop { listing: stopped })] if *stopped == listing)
    );
    assert!(matches!(reader.try_recv(), Err(mpsc::error::TryRecvError::Disconnected)));
}
