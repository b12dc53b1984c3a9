//! Streams of boards, put together from what many workers enumerate.
//!
//! A stream is cut into segments, one for each job of the run in the order asked for. A window of segments is out with
//! workers at one time; their chunks are held until every board before them has gone out. Credit bounds what a worker
//! may send before its turn, and a reader that stops reading stops only its own stream. Boards are not stored anywhere:
//! a segment whose worker is lost goes to another one, which leaves out what had already come.

mod load;
mod segment;
mod stream;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use queens::{Size, enumerate::Order};
use scheduler::{RunId, WorkerId};
use tokio::sync::mpsc;

use load::Load;
pub(crate) use segment::BadChunk;
use stream::Stream;

/// The most boards in one chunk.
pub(crate) const CHUNK_BOARDS: u32 = 2048;
/// Deliveries that wait for a reader.
const READER_WAITING: usize = 8;

/// A stream of boards to one reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StreamId(u64);

/// One segment of a stream, in the care of one worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ListingId(pub(crate) u64);

/// What a worker is to be told.
#[derive(Debug)]
pub(crate) enum Instruction {
    Begin { listing: ListingId, size: Size, prefix: Vec<u8>, order: Order, skip: u64, credit: u32 },
    Credit { listing: ListingId, chunks: u32 },
    Stop { listing: ListingId },
}

/// Instructions, each with the worker that it is for.
pub(crate) type Outbox = Vec<(WorkerId, Instruction)>;

/// What a reader gets. A stream that closes without an end was cut.
#[derive(Debug)]
pub(crate) enum Delivery {
    /// Boards, and the index of the first of them in the order asked for.
    Boards { first_index: u64, boards: Bytes },
    /// There are no more boards.
    End,
}

/// What a reader asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewStream {
    pub(crate) run: RunId,
    pub(crate) size: Size,
    pub(crate) order: Order,
    pub(crate) offset: u64,
    pub(crate) limit: Option<u64>,
    /// The number of jobs of the run.
    pub(crate) jobs: u64,
}

/// What streams need to know of their runs and of the cluster.
pub(crate) trait Surroundings {
    /// Returns the first columns of the boards of a job.
    fn prefix(&self, run: RunId, job: u64) -> Vec<u8>;
    /// Returns the number of boards of a job, once it is recorded.
    fn recorded(&self, run: RunId, job: u64) -> Option<u64>;
    /// Returns the workers that can enumerate, with their threads.
    fn workers(&self) -> Vec<(WorkerId, u32)>;
}

/// All streams of boards.
#[derive(Default)]
pub(crate) struct Listings {
    last_id: u64,
    streams: BTreeMap<StreamId, Stream>,
    /// The stream of every segment that is out with a worker.
    out: HashMap<ListingId, StreamId>,
}

impl Listings {
    /// Begins a stream; its deliveries come out of the receiver.
    pub(crate) fn open(&mut self, new: &NewStream) -> mpsc::Receiver<Delivery> {
        let (reader, deliveries) = mpsc::channel(READER_WAITING);
        self.last_id += 1;
        self.streams.insert(StreamId(self.last_id), Stream::new(new, reader));
        deliveries
    }

    /// Tells whether there are no streams.
    pub(crate) fn is_empty(&self) -> bool {
        self.streams.is_empty()
    }

    /// Returns the number of streams.
    pub(crate) fn len(&self) -> usize {
        self.streams.len()
    }

    /// Takes a chunk that `worker` sent. A chunk of a segment that is over or in other hands is ignored.
    pub(crate) fn accept(
        &mut self,
        worker: WorkerId,
        listing: ListingId,
        boards: Bytes,
        last: bool,
        around: &impl Surroundings,
    ) -> Result<(), BadChunk> {
        match self.out.get(&listing).and_then(|id| self.streams.get_mut(id)) {
            Some(stream) => stream.accept(worker, listing, boards, last, around),
            None => Ok(()),
        }
    }

    /// Takes all segments away from a worker whose session is over.
    pub(crate) fn forget_worker(&mut self, worker: WorkerId) {
        for stream in self.streams.values_mut() {
            stream.forget_worker(worker, &mut self.out);
        }
    }

    /// Cuts all streams of a run.
    pub(crate) fn close_run(&mut self, run: RunId, outbox: &mut Outbox) {
        let ids: Vec<_> =
            self.streams.iter().filter(|(_, stream)| stream.run() == run).map(|(&id, _)| id).collect();
        for id in ids {
            self.close(id, outbox);
        }
    }

    /// Moves every stream on as far as its reader and the workers allow: hands out chunks, gives credit, begins segments.
    pub(crate) fn advance(&mut self, around: &impl Surroundings, outbox: &mut Outbox) {
        if self.is_empty() {
            return;
        }
        let mut load = Load::new(around.workers());
        for stream in self.streams.values() {
            stream.count_load(&mut load);
        }
        let mut over = Vec::new();
        for (&id, stream) in &mut self.streams {
            stream.deliver(outbox, &mut self.out);
            stream.widen(load.window(), around);
            stream.deliver_end();
            let assigned = stream.assign(&mut self.last_id, &mut load, outbox);
            self.out.extend(assigned.into_iter().map(|listing| (listing, id)));
            if stream.is_over() {
                over.push(id);
            }
        }
        for id in over {
            self.close(id, outbox);
        }
    }

    fn close(&mut self, id: StreamId, outbox: &mut Outbox) {
        if let Some(stream) = self.streams.remove(&id) {
            stream.stop(outbox, &mut self.out);
        }
    }
}
