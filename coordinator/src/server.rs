//! The gRPC server around the driver.

use std::{io, time::Duration};

use nqueens_proto::v1::{
    cluster_service_server::ClusterServiceServer, run_service_server::RunServiceServer,
    worker_service_server::WorkerServiceServer,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_stream::Stream;
use tokio_util::sync::CancellationToken;
use tonic::transport::{
    Server,
    server::{Connected, Router},
};
use tower::layer::util::{Identity, Stack};

use crate::{
    driver::Handle,
    gate::{Gate, GateLayer},
    service::{ClusterService, RunService, WorkerService},
    settings::Settings,
};

/// Bytes of one stream, boards above all, that may be on their way to the coordinator.
const STREAM_WINDOW: u32 = 1 << 20;
/// A peer that answers no HTTP/2 ping within the second time is taken for dead.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// Serves connections until `stop` is cancelled and the open calls have ended.
pub(crate) async fn serve<I, C>(
    driver: Handle,
    gate: Gate,
    settings: &Settings,
    connections: I,
    stop: CancellationToken,
) -> Result<(), tonic::transport::Error>
where
    I: Stream<Item = io::Result<C>>,
    C: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    C::ConnectInfo: Clone + Send + Sync + 'static,
{
    router(driver, gate, settings).await.serve_with_incoming_shutdown(connections, stop.cancelled()).await
}

async fn router(driver: Handle, gate: Gate, settings: &Settings) -> Router<Stack<GateLayer, Identity>> {
    let message_max = settings.limits.message_bytes;
    let runs = RunServiceServer::new(RunService::new(driver.clone(), settings.job_target))
        .max_decoding_message_size(message_max);
    let cluster = ClusterServiceServer::new(ClusterService::new(driver.clone()));
    let workers = WorkerServiceServer::new(WorkerService::new(driver, settings.clone()));
    let (health_reporter, health) = tonic_health::server::health_reporter();
    health_reporter.set_serving::<RunServiceServer<RunService>>().await;
    health_reporter.set_serving::<WorkerServiceServer<WorkerService>>().await;
    Server::builder()
        .http2_keepalive_interval(Some(KEEPALIVE_INTERVAL))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(2 * STREAM_WINDOW)
        .max_concurrent_streams(settings.limits.streams)
        .layer(GateLayer(gate))
        .add_service(runs)
        .add_service(cluster.max_decoding_message_size(message_max))
        .add_service(workers.max_decoding_message_size(message_max))
        .add_service(health)
        .add_optional_service(settings.reflection.then(|| reflection().build_v1().expect(DESCRIPTORS)))
        .add_optional_service(settings.reflection.then(|| reflection().build_v1alpha().expect(DESCRIPTORS)))
}

/// Why making the reflection services cannot fail.
const DESCRIPTORS: &str = "the descriptors are those that the build made";

fn reflection() -> tonic_reflection::server::Builder<'static> {
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(nqueens_proto::DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}
