//! One stream of boards to one reader.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;
use queens::{Size, enumerate::Order};
use scheduler::{RunId, WorkerId};
use tokio::sync::mpsc;

use super::{
    BadChunk, Delivery, Instruction, ListingId, NewStream, Outbox, StreamId, Surroundings, load::Load,
    segment::Segment,
};

pub(super) struct Stream {
    run: RunId,
    size: Size,
    order: Order,
    jobs: u64,
    /// Jobs that were cut into segments or left out.
    jobs_begun: u64,
    /// Boards still to be left out before the first.
    offset_left: u64,
    limit_left: u64,
    next_index: u64,
    /// The segments that are not wholly delivered, in order.
    window: VecDeque<Segment>,
    reader: mpsc::Sender<Delivery>,
    end_delivered: bool,
}

impl Stream {
    pub(super) fn new(new: &NewStream, reader: mpsc::Sender<Delivery>) -> Self {
        Self {
            run: new.run,
            size: new.size,
            order: new.order,
            jobs: new.jobs,
            jobs_begun: 0,
            offset_left: new.offset,
            limit_left: new.limit.unwrap_or(u64::MAX),
            next_index: new.offset,
            window: VecDeque::new(),
            reader,
            end_delivered: false,
        }
    }

    pub(super) fn run(&self) -> RunId {
        self.run
    }

    /// Tells whether there is nothing more to deliver, or nobody to deliver it to.
    pub(super) fn is_over(&self) -> bool {
        self.end_delivered || self.reader.is_closed()
    }

    /// Tells the reader that it has all boards, if so and as soon as it has room.
    pub(super) fn deliver_end(&mut self) {
        let all_delivered = self.window.is_empty() && self.jobs_begun == self.jobs;
        if all_delivered || self.limit_left == 0 {
            self.end_delivered = self.reader.try_send(Delivery::End).is_ok();
        }
    }

    pub(super) fn accept(
        &mut self,
        worker: WorkerId,
        listing: ListingId,
        boards: Bytes,
        last: bool,
        around: &impl Surroundings,
    ) -> Result<(), BadChunk> {
        let mut segments = self.window.iter_mut();
        let Some(segment) = segments.find(|segment| segment.assigned == Some((worker, listing))) else {
            return Ok(());
        };
        if segment.ended {
            return Ok(());
        }
        segment.accept(self.size, self.order, boards, last)?;
        match around.recorded(self.run, segment.job).filter(|_| last) {
            Some(recorded) if recorded != segment.passed => {
                Err(BadChunk::Total { listed: segment.passed, recorded })
            }
            _ => Ok(()),
        }
    }

    /// Hands the reader what is next, as long as it has room, and gives credit for it.
    pub(super) fn deliver(&mut self, outbox: &mut Outbox, out: &mut HashMap<ListingId, StreamId>) {
        while self.limit_left > 0 {
            let Some(head) = self.window.front_mut() else { return };
            if let Some(chunk) = head.next_chunk() {
                let Ok(room) = self.reader.try_reserve() else { return };
                let n = self.size.index();
                let boards = ((chunk.len() / n) as u64).min(self.limit_left);
                let cut = chunk.slice(..boards as usize * n);
                room.send(Delivery::Boards { first_index: self.next_index, boards: cut });
                self.next_index += boards;
                self.limit_left -= boards;
                if let Some((worker, listing)) = head.take_chunk() {
                    outbox.push((worker, Instruction::Credit { listing, chunks: 1 }));
                }
            } else if head.ended {
                if let Some((_, listing)) = head.assigned {
                    out.remove(&listing);
                }
                self.window.pop_front();
            } else {
                return;
            }
        }
    }

    /// Cuts more segments until the window is full.
    pub(super) fn widen(&mut self, window: usize, around: &impl Surroundings) {
        while self.window.len() < window {
            let Some(skip) = self.next_skip(around) else { return };
            let job = self.job(self.jobs_begun);
            self.window.push_back(Segment::new(job, around.prefix(self.run, job), skip));
            self.jobs_begun += 1;
        }
    }

    /// Leaves out whole jobs that the offset covers; returns how many boards of the next job to leave out. `None` if
    /// there is no next job, or while it is not recorded how many boards it has.
    fn next_skip(&mut self, around: &impl Surroundings) -> Option<u64> {
        while self.jobs_begun < self.jobs {
            if self.offset_left == 0 {
                return Some(0);
            }
            let boards = around.recorded(self.run, self.job(self.jobs_begun))?;
            if boards > self.offset_left {
                return Some(std::mem::take(&mut self.offset_left));
            }
            self.offset_left -= boards;
            self.jobs_begun += 1;
        }
        None
    }

    /// Returns the job at a place in the order asked for.
    fn job(&self, place: u64) -> u64 {
        match self.order {
            Order::Ascending => place,
            Order::Descending => self.jobs - 1 - place,
        }
    }

    /// Finds workers for segments that have none; returns the ids that the segments got.
    pub(super) fn assign(
        &mut self,
        last_id: &mut u64,
        load: &mut Load,
        outbox: &mut Outbox,
    ) -> Vec<ListingId> {
        let mut assigned = Vec::new();
        let waiting = self.window.iter_mut().filter(|segment| segment.assigned.is_none() && !segment.ended);
        for segment in waiting {
            let Some(worker) = load.choose() else { break };
            *last_id += 1;
            let listing = ListingId(*last_id);
            let credit = segment.assign(worker, listing);
            let begin = Instruction::Begin {
                listing,
                size: self.size,
                prefix: segment.prefix.clone(),
                order: self.order,
                skip: segment.passed,
                credit,
            };
            outbox.push((worker, begin));
            assigned.push(listing);
        }
        assigned
    }

    /// Notes the segments that are out, each with its worker.
    pub(super) fn count_load(&self, load: &mut Load) {
        let out = self.window.iter().filter(|segment| !segment.ended);
        out.filter_map(|segment| segment.assigned).for_each(|(worker, _)| load.add(worker));
    }

    pub(super) fn forget_worker(&mut self, worker: WorkerId, out: &mut HashMap<ListingId, StreamId>) {
        for segment in &mut self.window {
            if let Some((_, listing)) = segment.assigned.take_if(|(holder, _)| *holder == worker) {
                out.remove(&listing);
            }
        }
    }

    /// Tells the workers of all segments to stop.
    pub(super) fn stop(self, outbox: &mut Outbox, out: &mut HashMap<ListingId, StreamId>) {
        for segment in self.window {
            let Some((worker, listing)) = segment.assigned else { continue };
            out.remove(&listing);
            if !segment.ended {
                outbox.push((worker, Instruction::Stop { listing }));
            }
        }
    }
}
