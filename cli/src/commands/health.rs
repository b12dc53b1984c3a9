//! `nqueens health`: asks a coordinator whether it serves, for whatever keeps it running.

use anyhow::{bail, ensure};
use tokio::time::timeout;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use crate::{args::HealthArgs, client::Failed, credentials, output};

pub(crate) async fn run(args: &HealthArgs) -> anyhow::Result<()> {
    let endpoint = credentials::endpoint(&args.coordinator, &args.connect.credentials)?;
    let asked = async {
        let channel = endpoint.connect().await.map_err(|error| Failed::lost(&error))?;
        let answer = HealthClient::new(channel).check(HealthCheckRequest::default()).await?;
        Ok::<_, Failed>(answer.into_inner().status())
    };
    let url = &args.coordinator;
    let Ok(status) = timeout(args.connect.connect_timeout, asked).await else {
        bail!("the coordinator at {url} does not answer");
    };
    ensure!(status? == ServingStatus::Serving, "the coordinator at {url} does not serve");
    Ok(output::line("serving")?)
}
