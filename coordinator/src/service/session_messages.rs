//! The messages of a session, in and out. What comes in is bounded and checked here.

use std::time::Duration;

use nqueens_proto::v1::{self, work_request::Message as In, work_response::Message as Out};
use scheduler::{HeldJob, JobId, JobResult, NewWorker, RunId};
use tonic::Status;

use crate::{
    driver::{FromWorker, Held, ToWorker},
    listing::{CHUNK_BOARDS, Instruction, ListingId},
};

/// The most results in one batch.
const BATCH_MAX: usize = 4096;
/// The most slots of a worker.
const THREADS_MAX: u32 = 4096;
/// The most jobs that a worker may hold.
const HELD_MAX: usize = 1 << 20;

/// What is wrong with a message of a worker.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadMessage {
    #[error("a message is empty, or of a kind that this coordinator does not know")]
    Unknown,
    #[error("a second hello came in one session")]
    SecondHello,
    #[error("{field} has {len} entries or bytes, and may have at most {most}")]
    TooLong { field: &'static str, len: usize, most: usize },
    #[error("the instance of a worker must be 16 bytes")]
    Instance,
    #[error("a worker must have 1 to {THREADS_MAX} threads")]
    Threads,
}

impl From<BadMessage> for Status {
    fn from(reason: BadMessage) -> Self {
        Status::invalid_argument(reason.to_string())
    }
}

/// Reads a hello: who the worker is, and what it still holds.
pub(super) fn hello(hello: v1::Hello) -> Result<(NewWorker, Held), BadMessage> {
    if !(1..=THREADS_MAX).contains(&hello.threads) {
        return Err(BadMessage::Threads);
    }
    let sets = hello.held.iter().chain(&hello.held_audits);
    let held: usize = sets.map(|set| set.indices.len()).sum();
    bounded("the list of jobs held", held, HELD_MAX)?;
    let worker = NewWorker {
        instance: hello.instance.try_into().map_err(|_| BadMessage::Instance)?,
        name: text("the name", hello.name, 64)?,
        host: text("the host", hello.host, 255)?,
        kernel: text("the kernel", hello.kernel, 64)?,
        version: text("the version", hello.version, 64)?,
        threads: hello.threads,
    };
    let held = |sets: Vec<v1::JobSet>, audit| {
        sets.into_iter().flat_map(job_ids).map(move |job| HeldJob { job, audit })
    };
    let jobs = held(hello.held, false).chain(held(hello.held_audits, true)).collect();
    Ok((worker, Held { ledger_id: hello.ledger_id, jobs }))
}

/// Reads any message but a hello.
pub(super) fn from_worker(message: v1::WorkRequest) -> Result<FromWorker, BadMessage> {
    Ok(match message.message.ok_or(BadMessage::Unknown)? {
        In::Hello(_) => return Err(BadMessage::SecondHello),
        In::Capacity(capacity) => FromWorker::Capacity(capacity.jobs),
        In::Results(results) => {
            bounded("a batch of results", results.results.len(), BATCH_MAX)?;
            let read = results.results.into_iter().map(result).collect();
            FromWorker::Results { batch: results.batch, results: read }
        }
        In::Failure(failure) => FromWorker::Failure {
            job: JobId { run: RunId(failure.run_id), index: failure.index },
            reason: text("the reason of a failure", failure.reason, 1024)?,
        },
        In::HandBack(hand_back) => {
            let jobs = hand_back.jobs.unwrap_or_default();
            bounded("a list of jobs handed back", jobs.indices.len(), HELD_MAX)?;
            FromWorker::HandBack(job_ids(jobs).collect())
        }
        In::BoardChunk(chunk) => FromWorker::Boards {
            listing: ListingId(chunk.listing_id),
            boards: chunk.boards,
            last: chunk.last,
        },
        In::Heartbeat(_) => FromWorker::Heartbeat,
    })
}

fn bounded(field: &'static str, len: usize, most: usize) -> Result<(), BadMessage> {
    if len <= most { Ok(()) } else { Err(BadMessage::TooLong { field, len, most }) }
}

fn text(field: &'static str, text: String, most: usize) -> Result<String, BadMessage> {
    bounded(field, text.len(), most).map(|()| text)
}

fn job_ids(set: v1::JobSet) -> impl Iterator<Item = JobId> {
    set.indices.into_iter().map(move |index| JobId { run: RunId(set.run_id), index })
}

fn result(result: v1::JobResult) -> JobResult {
    JobResult {
        job: JobId { run: RunId(result.run_id), index: result.index },
        count: result.count,
        elapsed: Duration::from_micros(result.elapsed_us),
        audit: result.audit,
    }
}

/// Writes what a worker is told; the last message of a refused session is the status that ends it.
pub(super) fn to_worker(message: ToWorker) -> Result<v1::WorkResponse, Status> {
    let message = match message {
        ToWorker::Lease { run, size, jobs, audit } => Out::Lease(v1::Lease {
            run_id: run.0,
            n: size.get(),
            jobs: jobs.iter().map(|job| v1::Job::of(size, job, audit)).collect(),
        }),
        ToWorker::Acknowledged { batch } => Out::Acknowledged(v1::Acknowledged { batch }),
        ToWorker::Revoke { run, indices, stop } => {
            Out::Revoke(v1::Revoke { jobs: Some(v1::JobSet { run_id: run.0, indices }), stop })
        }
        ToWorker::Listing(instruction) => listing(instruction),
        ToWorker::Drain => Out::Drain(v1::Drain {}),
        ToWorker::Shutdown { reason } => Out::Shutdown(v1::Shutdown { reason }),
        ToWorker::Refused(refusal) => return Err(refusal.into()),
    };
    Ok(v1::WorkResponse { message: Some(message) })
}

fn listing(instruction: Instruction) -> Out {
    match instruction {
        Instruction::Begin { listing, size, prefix, order, skip, credit } => Out::Listing(v1::Listing {
            listing_id: listing.0,
            n: size.get(),
            prefix: Some(v1::Prefix::of_first_rows(size, &prefix)),
            order: v1::Order::from(order).into(),
            skip,
            chunk_boards: CHUNK_BOARDS,
            credit,
        }),
        Instruction::Credit { listing, chunks } => Out::Credit(v1::Credit { listing_id: listing.0, chunks }),
        Instruction::Stop { listing } => Out::StopListing(v1::StopListing { listing_id: listing.0 }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};
    use prost::Message;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200), kind in 1..8_u8) {
            // As they are, and as the fields of each kind of message.
            let mut framed = vec![kind << 3 | 2, bytes.len() as u8 | 0x80, 1];
            framed[2] = (bytes.len() >> 7) as u8;
            framed.extend_from_slice(&bytes);
            for bytes in [bytes, framed] {
                let Ok(message) = v1::WorkRequest::decode(bytes.as_slice()) else { continue };
                match message.message.clone() {
                    Some(In::Hello(first)) => drop(hello(first)),
                    _ => drop(from_worker(message)),
                }
            }
        }
    }

    #[test]
    fn what_is_too_long_is_refused() {
        let results = vec![v1::JobResult::default(); BATCH_MAX + 1];
        let batch = In::Results(v1::Results { batch: 1, results });
        let reason = In::Failure(v1::Failure { reason: "x".repeat(1025), ..v1::Failure::default() });
        for message in [batch, reason] {
            let refused = from_worker(v1::WorkRequest { message: Some(message) });
            assert!(matches!(refused, Err(BadMessage::TooLong { .. })));
        }
    }
}
