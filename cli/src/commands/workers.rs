//! `nqueens workers`: who computes for a cluster.

use crate::{
    args::{WorkersArgs, WorkersCommand},
    client::Client,
    output::{self, json, words},
};

pub(crate) async fn run(args: &WorkersArgs) -> anyhow::Result<()> {
    let client = Client::connect(&args.cluster.coordinator, &args.cluster.connect).await?;
    let as_json = args.cluster.json.json;
    match args.command {
        WorkersCommand::List => list(&client, as_json).await,
        WorkersCommand::Drain { worker_id } => drain(&client, worker_id, as_json).await,
    }
}

async fn list(client: &Client, as_json: bool) -> anyhow::Result<()> {
    let workers = client.list_workers().await?;
    if as_json {
        let workers: Vec<_> = workers.iter().map(json::Worker::from).collect();
        return output::json_line(&workers);
    }
    Ok(output::line(output::workers_table(&workers))?)
}

async fn drain(client: &Client, worker_id: u64, as_json: bool) -> anyhow::Result<()> {
    let worker = client.drain_worker(worker_id).await?;
    if as_json {
        return output::json_line(&json::Worker::from(&worker));
    }
    let state = words::worker_state(worker.state());
    Ok(output::line(format!(
        "worker {}: {}, {state}, holds {} jobs",
        worker_id, worker.name, worker.jobs_held
    ))?)
}
