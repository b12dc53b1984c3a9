//! Spans of leases and jobs for an OpenTelemetry collector, over OTLP with gRPC.
//!
//! The exporter works beside everything else, on a thread of its own. It holds a few thousand spans at most: those that a
//! collector is too slow for, or not there for, are dropped, and nothing waits for them.

use std::time::Duration;

use anyhow::Context;
use opentelemetry::{KeyValue, trace::TracerProvider};
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use tokio::runtime::{Builder, Runtime};
use tracing_subscriber::{
    Layer,
    filter::{LevelFilter, Targets},
};

use crate::{logging::Listener, url::Url};

/// How long a collector may take for one batch, and how long it may hold up the end of the process.
const PATIENCE: Duration = Duration::from_secs(3);

/// The way to the collector.
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    /// The exporter's connection lives here.
    _runtime: Runtime,
}

impl Traces {
    /// Makes ready to send spans to the collector at `endpoint`, in the name of `service`. It need not be there yet.
    pub(crate) fn to(endpoint: &Url, service: &'static str) -> anyhow::Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let _inside = runtime.enter();
        let exporter = SpanExporter::builder().with_tonic().with_endpoint(endpoint.to_string());
        let exporter =
            exporter.with_timeout(PATIENCE).build().context("cannot send traces to --otlp-endpoint")?;
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder().with_service_name(service).with_attribute(version);
        let provider = SdkTracerProvider::builder().with_resource(resource.build());
        let provider = provider.with_batch_exporter(exporter).build();
        Ok(Self { provider, _runtime: runtime })
    }

    /// Returns what listens for the spans of leases and jobs.
    pub(crate) fn listener(&self) -> Listener {
        let wanted = Targets::new()
            .with_target("nqueens::lease", LevelFilter::DEBUG)
            .with_target("nqueens::job", LevelFilter::DEBUG);
        let spans = tracing_opentelemetry::layer().with_tracer(self.provider.tracer("nqueens"));
        spans.with_location(false).with_threads(false).with_filter(wanted).boxed()
    }
}

impl Drop for Traces {
    /// Sends what has not been sent.
    fn drop(&mut self) {
        if let Err(error) = self.provider.shutdown_with_timeout(PATIENCE) {
            tracing::warn!("the last spans did not reach the collector: {error}");
        }
    }
}
