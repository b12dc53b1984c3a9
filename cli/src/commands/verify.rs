//! `nqueens verify FILE` and `nqueens runs verify RUN`: proves that a finished run is right.

use std::{fs::File, io::BufReader};

use anyhow::{Context, anyhow};

use crate::{
    args::VerifyArgs,
    client::Client,
    export::{Header, Reader, Row},
    output::{self, json},
    verify::{Plans, Verified, Verifier},
};

/// Verifies an exported file, without any cluster.
pub(crate) fn run(args: &VerifyArgs) -> anyhow::Result<()> {
    let name = args.file.display();
    let file = File::open(&args.file).with_context(|| format!("{name} cannot be read"))?;
    let wrong = |error: String| anyhow!("{name} is not right: {error}");
    let (mut reader, header) = Reader::new(BufReader::new(file)).map_err(wrong)?;
    let plans = Plans::of(&header).map_err(wrong)?;
    let mut verifier = Verifier::new(header, &plans, args.sample.sample);
    while let Some(row) = reader.row().map_err(wrong)? {
        verifier.row(&row).map_err(|error| wrong(reader.wrong(&error)))?;
    }
    show(&verifier.finish().map_err(wrong)?, args.json.json)
}

/// Verifies a run of a cluster from what its ledger holds.
pub(crate) async fn of_run(client: &Client, run_id: u64, sample: usize, as_json: bool) -> anyhow::Result<()> {
    let wrong = |error: String| anyhow!("run {run_id} is not right: {error}");
    let header = Header::try_from(&client.get_run(run_id).await?).map_err(wrong)?;
    if header.answer.is_none() {
        return Err(anyhow!(
            "run {run_id} is not done, so there is no answer to verify; see `nqueens runs watch {run_id}`"
        ));
    }
    let size = header.size;
    let plans = Plans::of(&header).map_err(wrong)?;
    let mut verifier = Verifier::new(header, &plans, sample);
    let mut pages = client.export_ledger(run_id).await?;
    while let Some(results) = pages.next().await? {
        for result in &results {
            verifier.row(&Row::of(size, result).map_err(wrong)?).map_err(wrong)?;
        }
    }
    show(&verifier.finish().map_err(wrong)?, as_json)
}

fn show(verified: &Verified, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        output::json_line(&json::Verified::from(verified))
    } else {
        Ok(output::line(verified.to_string())?)
    }
}
