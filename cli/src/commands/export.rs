//! `nqueens runs export RUN`: every result of a run as text, for `nqueens verify` and for other programs.

use std::io::{BufWriter, Write, stdout};

use anyhow::anyhow;

use crate::{
    client::Client,
    export::{Format, Header, Row},
};

pub(crate) async fn run(client: &Client, run_id: u64, format: Format) -> anyhow::Result<()> {
    let wrong = |error: String| anyhow!("run {run_id} cannot be exported: {error}");
    let header = Header::try_from(&client.get_run(run_id).await?).map_err(wrong)?;
    let mut out = BufWriter::new(stdout().lock());
    format.write_header(&mut out, &header)?;
    let mut pages = client.export_ledger(run_id).await?;
    while let Some(results) = pages.next().await? {
        for result in &results {
            format.write_row(&mut out, &Row::of(header.size, result).map_err(wrong)?)?;
        }
    }
    Ok(out.flush()?)
}
