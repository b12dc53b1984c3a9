//! What the worker says, in the order of its urgency.

use nqueens_proto::{PROTOCOL, v1, v1::work_request::Message};

use super::Session;
use crate::{
    config::Config,
    error::Error,
    held::{Failed, Finished, Held},
    job::JobId,
    listing::Chunk,
};

const NAME_BYTES: usize = 64;
const HOST_BYTES: usize = 255;
const REASON_BYTES: usize = 1024;

impl Session<'_> {
    pub(super) fn has_more_to_say(&self) -> bool {
        let held = &self.worker.held;
        !self.owed.is_empty()
            || held.has_handed_back()
            || held.has_failure()
            || held.has_batch()
            || self.has_chunk
    }

    /// Returns the next message. An error if a listing failed: only the end of the session can say that.
    pub(super) fn next_message(&mut self) -> Result<Option<Message>, Error> {
        self.owe_handed_back();
        let held = &mut self.worker.held;
        if let Some(message) = self.owed.pop_front() {
            return Ok(Some(message));
        }
        if let Some(failed) = held.next_failure() {
            return Ok(Some(failure(failed)));
        }
        if let Some((batch, finished)) = held.next_batch() {
            return Ok(Some(results(batch, finished)));
        }
        let chunk = self.worker.pool.desk().next_chunk();
        self.has_chunk = chunk.is_some();
        chunk.map(board_chunk).transpose()
    }

    pub(super) fn owe_capacity(&mut self) {
        let jobs = if self.worker.drain.is_on() { 0 } else { self.worker.config.capacity };
        self.owed.push_back(Message::Capacity(v1::Capacity { jobs }));
    }

    pub(super) fn owe_heartbeat(&mut self) {
        if self.owed.iter().any(|message| matches!(message, Message::Heartbeat(_))) {
            return;
        }
        let waiting = self.worker.pool.desk().waiting();
        let begun = self.worker.held.jobs().saturating_sub(waiting);
        self.owed.push_back(Message::Heartbeat(v1::Heartbeat {
            jobs_begun: small(begun),
            jobs_waiting: small(waiting),
        }));
    }

    fn owe_handed_back(&mut self) {
        let back = self.worker.held.take_handed_back();
        let sets = job_sets(&back).into_iter();
        self.owed.extend(sets.map(|jobs| Message::HandBack(v1::HandBack { jobs: Some(jobs) })));
    }
}

/// Returns the first message of a session.
pub(super) fn hello(config: &Config, held: &Held) -> v1::Hello {
    let (audits, jobs): (Vec<JobId>, Vec<JobId>) = held.names().into_iter().partition(|id| id.audit);
    v1::Hello {
        protocol: PROTOCOL,
        instance: config.instance.to_vec(),
        name: start(&config.name, NAME_BYTES),
        host: start(&config.host, HOST_BYTES),
        threads: small(config.threads.get()),
        kernel: config.kernel.name().to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        held: job_sets(&jobs),
        ledger_id: held.ledger_id(),
        held_audits: job_sets(&audits),
    }
}

fn results(batch: u64, finished: &[Finished]) -> Message {
    let result = |finished: &Finished| v1::JobResult {
        run_id: finished.id.run_id,
        index: finished.id.index,
        count: finished.count,
        elapsed_us: u64::try_from(finished.elapsed.as_micros()).unwrap_or(u64::MAX),
        audit: finished.id.audit,
    };
    Message::Results(v1::Results { batch, results: finished.iter().map(result).collect() })
}

fn failure(failed: Failed) -> Message {
    let Failed { id: JobId { run_id, index, .. }, reason } = failed;
    Message::Failure(v1::Failure { run_id, index, reason: start(&reason, REASON_BYTES) })
}

fn board_chunk(chunk: Chunk) -> Result<Message, Error> {
    let boards = chunk.boards.map_err(Error::Listing)?.into();
    Ok(Message::BoardChunk(v1::BoardChunk { listing_id: chunk.listing_id, boards, last: chunk.last }))
}

fn job_sets(ids: &[JobId]) -> Vec<v1::JobSet> {
    let same_run = |a: &JobId, b: &JobId| a.run_id == b.run_id;
    let set = |ids: &[JobId]| v1::JobSet {
        run_id: ids[0].run_id,
        indices: ids.iter().map(|id| id.index).collect(),
    };
    ids.chunk_by(same_run).map(set).collect()
}

fn start(text: &str, bytes: usize) -> String {
    text[..text.floor_char_boundary(bytes)].to_owned()
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use queens::kernel::Kernel;

    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(start("queen", 64), "queen");
        assert_eq!(start("queen", 3), "que");
        assert_eq!(start("d\u{e9}j\u{e0}", 2), "d");
    }

    #[test]
    fn names_are_grouped_by_run() {
        let id = |run_id, index| JobId { ledger_id: 9, run_id, index, audit: false };
        let sets = job_sets(&[id(1, 3), id(1, 4), id(2, 0)]);
        let expected = [(1, vec![3, 4]), (2, vec![0])];
        assert_eq!(sets, expected.map(|(run_id, indices)| v1::JobSet { run_id, indices }));
        assert!(job_sets(&[]).is_empty());
    }

    #[test]
    fn a_hello_tells_audits_from_the_jobs_themselves() {
        let mut held = Held::default();
        for (index, audit) in [(3, false), (4, true), (3, true)] {
            held.lend(JobId { ledger_id: 9, run_id: 1, index, audit });
        }
        let config = Config::new(String::new(), String::new(), NonZeroUsize::MIN, Kernel::Scalar);
        let hello = hello(&config, &held);
        let set = |indices: &[u64]| vec![v1::JobSet { run_id: 1, indices: indices.to_vec() }];
        assert_eq!((hello.held, hello.held_audits), (set(&[3]), set(&[3, 4])));
    }
}
