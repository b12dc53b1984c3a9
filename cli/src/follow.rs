//! Following a run to its end, across restarts of its coordinator.

use anyhow::bail;
use nqueens_proto::v1::{Answer, Run, RunState};
use tracing::warn;

use crate::{
    backoff::Backoff,
    client::{Client, Failed},
};

/// Watches a run until it is over and returns its last state. `show` sees every state on the way, the last one too.
/// A lost connection is tried again until the coordinator is back or says that it does not know the run.
pub(crate) async fn follow(
    client: &Client,
    run_id: u64,
    mut show: impl FnMut(&Run) -> anyhow::Result<()>,
) -> anyhow::Result<Run> {
    let mut backoff = Backoff::new();
    loop {
        let mut seen = false;
        let last = watch_once(client, run_id, |run| {
            seen = true;
            show(run)
        });
        match last.await? {
            Ok(run) => return Ok(run),
            Err(lost) => warn!("{lost}; watching again soon"),
        }
        if seen {
            backoff = Backoff::new();
        }
        backoff.wait().await;
    }
}

/// Watches until the run is over, or until the connection is lost (the inner error).
async fn watch_once(
    client: &Client,
    run_id: u64,
    mut show: impl FnMut(&Run) -> anyhow::Result<()>,
) -> anyhow::Result<Result<Run, Failed>> {
    let mut states = match client.watch_run(run_id).await {
        Ok(states) => states,
        Err(failed) => return unless_final(failed),
    };
    loop {
        match states.message().await {
            Ok(Some(update)) => {
                let Some(run) = update.run else { continue };
                show(&run)?;
                if is_over(&run) {
                    return Ok(Ok(run));
                }
            }
            Ok(None) => return Ok(Err(Failed::ended_early())),
            // It may be accepted again with a newer token; the next call tells.
            Err(status) if Failed::from(status.clone()).is_not_accepted() => return Ok(Err(status.into())),
            Err(status) => return unless_final(status.into()),
        }
    }
}

fn unless_final<T>(failed: Failed) -> anyhow::Result<Result<T, Failed>> {
    if failed.is_lost() { Ok(Err(failed)) } else { Err(failed.into()) }
}

/// Tells whether a run is done, cancelled or failed.
pub(crate) fn is_over(run: &Run) -> bool {
    matches!(run.state(), RunState::Done | RunState::Cancelled | RunState::Failed)
}

/// Returns the answer of a run that is over; an error if it has none, with the reason.
pub(crate) fn answer(run: &Run) -> anyhow::Result<&Answer> {
    match (run.state(), &run.answer) {
        (RunState::Done, Some(answer)) => Ok(answer),
        (RunState::Failed, _) => bail!("run {} failed: {}", run.run_id, run.reason),
        (RunState::Cancelled, _) => bail!("run {} was cancelled", run.run_id),
        _ => bail!("run {} ended without an answer", run.run_id),
    }
}
