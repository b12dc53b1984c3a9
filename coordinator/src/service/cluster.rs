//! `nqueens.v1.ClusterService`: the coordinator itself and its workers.

use nqueens_proto::{PROTOCOL, v1};
use scheduler::WorkerId;
use tonic::{Request, Response, Status};

use super::convert;
use crate::driver::{Handle, Request as Ask};

/// Serves `nqueens.v1.ClusterService`.
pub(crate) struct ClusterService {
    driver: Handle,
}

impl ClusterService {
    pub(crate) fn new(driver: Handle) -> Self {
        Self { driver }
    }
}

#[tonic::async_trait]
impl v1::cluster_service_server::ClusterService for ClusterService {
    async fn get_cluster(
        &self,
        _: Request<v1::GetClusterRequest>,
    ) -> Result<Response<v1::GetClusterResponse>, Status> {
        let cluster = self.driver.ask(Ask::Cluster).await?;
        Ok(Response::new(v1::GetClusterResponse {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: PROTOCOL,
            workers: cluster.workers,
            threads: cluster.threads,
            open_runs: cluster.open_runs,
            start_time: Some(cluster.started.into()),
        }))
    }

    async fn list_workers(
        &self,
        _: Request<v1::ListWorkersRequest>,
    ) -> Result<Response<v1::ListWorkersResponse>, Status> {
        let workers = self.driver.ask(Ask::Workers).await?;
        let workers = workers.into_iter().map(convert::worker).collect();
        Ok(Response::new(v1::ListWorkersResponse { workers }))
    }

    async fn drain_worker(
        &self,
        request: Request<v1::DrainWorkerRequest>,
    ) -> Result<Response<v1::DrainWorkerResponse>, Status> {
        let worker = WorkerId(request.into_inner().worker_id);
        let worker = self.driver.ask(|reply| Ask::DrainWorker(worker, reply)).await?;
        Ok(Response::new(v1::DrainWorkerResponse { worker: Some(convert::worker(worker)) }))
    }
}
