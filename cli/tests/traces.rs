//! Spans that go to an OpenTelemetry collector: a small one, inside this test.
#![cfg(feature = "otel")]

mod support;

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    common::v1::{KeyValue, any_value::Value},
    trace::v1::Span,
};
use support::{Process, json, stdout, text};
use tokio::runtime::{Builder, Runtime};
use tonic::{Request, Response, Status, transport::Server};

/// The spans that came, each with the service that it is from.
type Spans = Arc<Mutex<Vec<(String, Span)>>>;

struct Collector {
    spans: Spans,
    address: SocketAddr,
    _runtime: Runtime,
}

struct Service(Spans);

#[tonic::async_trait]
impl TraceService for Service {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let mut all = self.0.lock().expect("no panic");
        for of_resource in request.into_inner().resource_spans {
            let service = string(&of_resource.resource.expect("a resource").attributes, "service.name");
            let spans = of_resource.scope_spans.into_iter().flat_map(|of_scope| of_scope.spans);
            all.extend(spans.map(|span| (service.clone(), span)));
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    fn start() -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("threads");
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a port");
        let address = listener.local_addr().expect("an address");
        let spans = Spans::default();
        let service = TraceServiceServer::new(Service(Arc::clone(&spans)));
        let connections = tonic::transport::server::TcpIncoming::from(listener);
        runtime.spawn(Server::builder().add_service(service).serve_with_incoming(connections));
        Self { spans, address, _runtime: runtime }
    }

    /// Returns the spans of this name that a service has sent.
    fn of(&self, service: &str, name: &str) -> Vec<Span> {
        let all = self.spans.lock().expect("no panic");
        let wanted = all.iter().filter(|(from, span)| from == service && span.name == name);
        wanted.map(|(_, span)| span.clone()).collect()
    }
}

fn value<'a>(attributes: &'a [KeyValue], key: &str) -> &'a Value {
    let found = attributes.iter().find(|attribute| attribute.key == key);
    let value = found.and_then(|attribute| attribute.value.as_ref()?.value.as_ref());
    value.unwrap_or_else(|| panic!("no {key} in {attributes:?}"))
}

fn string(attributes: &[KeyValue], key: &str) -> String {
    let Value::StringValue(text) = value(attributes, key) else { panic!("{key} is no text") };
    text.clone()
}

fn number(span: &Span, key: &str) -> u64 {
    let Value::IntValue(number) = value(&span.attributes, key) else { panic!("{key} is no number") };
    number.cast_unsigned()
}

/// Runs a small count on a cluster that sends its spans to `endpoint`, and returns the number of its jobs.
fn count_with_traces(endpoint: &str) -> u64 {
    let traces = format!("--otlp-endpoint http://{endpoint}");
    let coordinator = Process::start(&format!("coordinator --listen 127.0.0.1:0 --ledger :memory: {traces}"));
    let address = coordinator.wait_for("listening on ");
    let worker = Process::start(&format!("worker --threads 1 --coordinator {address} {traces}"));
    assert_eq!(stdout(&format!("count 11 --coordinator {address}")), b"Q(11) = 2680\nU(11) = 341\n");
    let run = json(&format!("runs get 1 --json --coordinator {address}"));
    for process in [worker, coordinator] {
        process.signal("TERM");
        assert!(process.end().0.success());
    }
    text(&run["progress"]["jobs"]).parse().expect("a number")
}

#[test]
fn a_collector_gets_the_spans_of_leases_and_jobs() {
    let collector = Collector::start();
    let jobs = count_with_traces(&collector.address.to_string());
    let lent = collector.of("nqueens-coordinator", "lease");
    assert_eq!(lent.iter().map(|span| number(span, "results")).sum::<u64>(), jobs);
    let got = collector.of("nqueens-worker", "lease");
    assert_eq!(got.iter().map(|span| number(span, "jobs")).sum::<u64>(), jobs);
    let computed = collector.of("nqueens-worker", "job");
    let indices: BTreeSet<u64> = computed.iter().map(|span| number(span, "job")).collect();
    assert_eq!((indices, computed.len() as u64), ((0..jobs).collect(), jobs));
    for job in &computed {
        let lease = got.iter().find(|lease| lease.span_id == job.parent_span_id).expect("its lease");
        assert_eq!(lease.trace_id, job.trace_id);
        assert!(lease.start_time_unix_nano <= job.start_time_unix_nano);
        assert!(job.end_time_unix_nano <= lease.end_time_unix_nano);
    }
    for span in lent.iter().chain(&got).chain(&computed) {
        assert_eq!((number(span, "run"), number(span, "worker")), (1, 1), "{span:?}");
    }
}

#[test]
fn without_its_collector_a_cluster_counts_and_ends_all_the_same() {
    // Nothing listens there.
    count_with_traces("127.0.0.1:1");
}

#[test]
fn an_address_that_is_none_is_refused() {
    let output = support::output("worker --otlp-endpoint nowhere://x");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("the address of a collector looks like http://"), "{said}");
}
