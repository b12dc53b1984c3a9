//! `nqueens runs`: the runs of a cluster, from creating one to its end.

use nqueens_proto::v1::{self, Run};

use crate::{
    args::{Audit, CreateArgs, ExportFormat, RunsArgs, RunsCommand},
    client::Client,
    commands::{export, verify},
    export::Format,
    follow,
    output::{self, json, words},
    progress::Progress,
};

pub(crate) async fn run(args: &RunsArgs) -> anyhow::Result<()> {
    let client = Client::connect(&args.cluster.coordinator, &args.cluster.connect).await?;
    let as_json = args.cluster.json.json;
    let changed = match &args.command {
        RunsCommand::List { limit } => return list(&client, *limit, as_json).await,
        RunsCommand::Watch(args) => return watch(&client, args.run_id, as_json).await,
        RunsCommand::Verify { run, sample } => {
            return verify::of_run(&client, run.run_id, sample.sample, as_json).await;
        }
        RunsCommand::Export { run, format } => {
            return export::run(&client, run.run_id, Format::from(*format)).await;
        }
        RunsCommand::Get(args) => return show(&client.get_run(args.run_id).await?, as_json),
        RunsCommand::Create(args) => create(&client, args).await?,
        RunsCommand::Pause(args) => client.pause_run(args.run_id).await?,
        RunsCommand::Resume(args) => client.resume_run(args.run_id).await?,
        RunsCommand::Cancel(args) => client.cancel_run(args.run_id).await?,
    };
    if as_json { show(&changed, true) } else { Ok(output::line(words::run(&changed))?) }
}

async fn create(client: &Client, args: &CreateArgs) -> anyhow::Result<Run> {
    let wanted = v1::CreateRunRequest {
        n: args.size.get(),
        goal: v1::Goal::from(args.goal).into(),
        request_id: args.request_id.clone().unwrap_or_default(),
        depth: args.depth,
        audit_share: args.how.audit.share(),
        full_audit: args.how.audit == Audit::Full,
        algorithm: v1::Algorithm::from(args.how.algorithm).into(),
    };
    Ok(client.create_run(wanted).await?)
}

fn show(run: &Run, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        output::json_line(&json::Run::from(run))
    } else {
        Ok(output::line(output::run_details(run))?)
    }
}

async fn list(client: &Client, limit: usize, as_json: bool) -> anyhow::Result<()> {
    let runs = client.list_runs(limit).await?;
    if as_json {
        let runs: Vec<_> = runs.iter().map(json::Run::from).collect();
        return output::json_line(&runs);
    }
    Ok(output::line(output::runs_table(&runs))?)
}

/// Follows a run to its end. A run that ends without an answer is an error, so that scripts can wait with this.
async fn watch(client: &Client, run_id: u64, as_json: bool) -> anyhow::Result<()> {
    let mut progress = if as_json { Progress::Silent } else { Progress::of_run() };
    let last = follow::follow(client, run_id, |run| {
        progress.run(run);
        if as_json { output::json_line(&json::Run::from(run)) } else { Ok(()) }
    });
    let last = last.await?;
    drop(progress);
    let answer = follow::answer(&last)?;
    if as_json {
        return Ok(());
    }
    Ok(output::line(words::answer(&last, answer))?)
}

impl From<ExportFormat> for Format {
    fn from(format: ExportFormat) -> Self {
        match format {
            ExportFormat::Ndjson => Self::Ndjson,
            ExportFormat::Csv => Self::Csv,
        }
    }
}
