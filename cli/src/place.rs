//! Where `count` and `boards` have their work done: on the cluster of `--coordinator`, or on one inside this process.
//! Either way they speak to a coordinator over gRPC, so there is one path through the code.

use crate::{args::PlaceArgs, client::Client, local, url::Url};

/// A cluster to work with.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) client: Client,
    url: Url,
    local: Option<local::Cluster>,
}

impl Place {
    /// Connects to the cluster that was named, or starts one.
    pub(crate) async fn open(args: &PlaceArgs) -> anyhow::Result<Self> {
        let (url, local) = match &args.coordinator {
            Some(url) => (url.clone(), None),
            None => {
                let cluster = local::Cluster::start(args.kernel.threads(), args.kernel.kernel).await?;
                (cluster.url.clone(), Some(cluster))
            }
        };
        Ok(Self { client: Client::connect(&url, &args.connect).await?, url, local })
    }

    /// Does `work` with the cluster; an error if the cluster inside this process fails meanwhile.
    pub(crate) async fn with<T>(
        &mut self,
        work: impl Future<Output = anyhow::Result<T>>,
    ) -> anyhow::Result<T> {
        let Some(cluster) = &mut self.local else { return work.await };
        tokio::select! {
            outcome = work => outcome,
            error = cluster.failed() => Err(error),
        }
    }

    /// Tells whether others may go on with this cluster when this process ends.
    pub(crate) fn is_remote(&self) -> bool {
        self.local.is_none()
    }

    /// Returns what to tell users who interrupt a run: it goes on without them on a cluster.
    pub(crate) fn hint(&self, run_id: u64) -> String {
        let url = &self.url;
        match self.local {
            Some(_) => String::new(),
            None => format!(
                "run {run_id} goes on; follow it with `nqueens runs watch {run_id} --coordinator {url}`, \
                 or end it with `nqueens runs cancel {run_id} --coordinator {url}`"
            ),
        }
    }
}
