//! All results of a run as a stream, read from the ledger a page at a time, as fast as the reader takes them.

use std::sync::Arc;

use nqueens_proto::v1;
use scheduler::{RunId, RunPlan};
use tokio::sync::mpsc;
use tokio_stream::{Stream, wrappers::ReceiverStream};
use tonic::Status;

use super::convert;
use crate::{
    driver::{Handle, Request as Ask},
    ledger::RecordedResult,
};

/// Results in one message.
const PAGE: usize = 1024;
/// Messages that wait for the reader.
const WAITING: usize = 2;

/// Streams the results of `run` in order of job index.
pub(super) fn results(
    driver: Handle,
    run: RunId,
    plan: Arc<RunPlan>,
) -> impl Stream<Item = Result<v1::ExportLedgerResponse, Status>> + Send {
    let (out, responses) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        let mut from = Some(0);
        while let Some(first) = from {
            let page = driver.ask(|reply| Ask::Results { run, from: first, most: PAGE, reply }).await;
            from = page.as_ref().ok().and_then(|page| Some(page.last()?.index + 1));
            let response = match page {
                Ok(results) if results.is_empty() => return,
                Ok(results) => Ok(response(&plan, results)),
                Err(refusal) => Err(refusal.into()),
            };
            if out.send(response).await.is_err() {
                return;
            }
        }
    });
    ReceiverStream::new(responses)
}

/// Puts the plan's part to the ledger's. Both are in order of job index, so the plan's jobs are listed only once.
fn response(plan: &RunPlan, results: Vec<RecordedResult>) -> v1::ExportLedgerResponse {
    let size = plan.problem().size;
    let first = results.first().map_or(0, |result| result.index);
    let mut jobs = plan.jobs_from(first);
    let results = results.into_iter().filter_map(|result| {
        let job = jobs.find(|job| job.index == result.index)?;
        let kind = plan.kind(result.index)?;
        Some(convert::recorded(size, kind, &job.work, result))
    });
    v1::ExportLedgerResponse { results: results.collect() }
}
