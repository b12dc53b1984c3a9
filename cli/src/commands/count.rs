//! `nqueens count N`: Q(n) and U(n), from the cluster of `--coordinator` or from one inside this process.

use std::{collections::BTreeSet, time::Instant};

use nqueens_proto::v1::{self, CreateRunRequest, Goal, Run, WorkerState};

use crate::{
    args::{Audit, CountArgs},
    client::Client,
    follow,
    output::{self, json, words},
    place::Place,
    progress::Progress,
    signals,
};

pub(crate) async fn run(args: &CountArgs) -> anyhow::Result<()> {
    let begun = Instant::now();
    let (mut place, run_id) = signals::until_interrupted(String::new(), begin(args)).await?;
    let client = place.client.clone();
    let done = signals::until_interrupted(place.hint(run_id), place.with(finish(&client, run_id))).await?;
    let elapsed_s = begun.elapsed().as_secs_f64();
    let answer = follow::answer(&done)?;
    if !args.json.json {
        return Ok(output::line(words::answer(&done, answer))?);
    }
    let (kernel, threads) = computed_by(&client).await?;
    output::json_line(&json::Count {
        n: done.n,
        total: answer.total.clone(),
        fundamental: answer.fundamental.clone(),
        half_turn: answer.half_turn.clone(),
        quarter_turn: answer.quarter_turn.clone(),
        jobs: done.progress.as_ref().map_or(0, |progress| progress.jobs).to_string(),
        kernel,
        threads,
        elapsed_s: (elapsed_s * 1e6).round() / 1e6,
    })
}

/// Creates the run.
async fn begin(args: &CountArgs) -> anyhow::Result<(Place, u64)> {
    let place = Place::open(&args.place).await?;
    let wanted = CreateRunRequest {
        n: args.size.get(),
        goal: Goal::Count.into(),
        depth: args.depth,
        audit_share: args.how.audit.share(),
        full_audit: args.how.audit == Audit::Full,
        algorithm: v1::Algorithm::from(args.how.algorithm).into(),
        ..Default::default()
    };
    let run_id = place.client.create_run(wanted).await?.run_id;
    Ok((place, run_id))
}

/// Follows the run until it is over.
async fn finish(client: &Client, run_id: u64) -> anyhow::Result<Run> {
    let mut progress = Progress::of_run();
    follow::follow(client, run_id, |run| {
        progress.run(run);
        Ok(())
    })
    .await
}

/// Returns the kernels of the cluster's present workers, joined by `+`, and the sum of their threads.
async fn computed_by(client: &Client) -> anyhow::Result<(String, u64)> {
    let mut workers = client.list_workers().await?;
    workers.retain(|worker| matches!(worker.state(), WorkerState::Active | WorkerState::Draining));
    let threads = workers.iter().map(|worker| u64::from(worker.threads)).sum();
    let kernels: BTreeSet<_> = workers.into_iter().map(|worker| worker.kernel).collect();
    Ok((Vec::from_iter(kernels).join("+"), threads))
}
