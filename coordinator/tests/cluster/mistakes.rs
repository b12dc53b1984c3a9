//! What a cluster says to those who ask or report what cannot be.

use nqueens_proto::{
    PROTOCOL,
    v1::{
        BoardChunk, CancelRunRequest, CreateRunRequest, DrainWorkerRequest, ExportLedgerRequest,
        GetRunRequest, Goal, Hello, JobResult, JobSet, ListRunsRequest, Order, PauseRunRequest, Results,
        WorkRequest, work_request::Message, worker_service_client::WorkerServiceClient,
    },
};
use tokio_stream::StreamExt;
use tonic::{Code, Status};

use crate::cluster::Cluster;

fn hello() -> Hello {
    Hello {
        protocol: PROTOCOL,
        instance: vec![7; 16],
        name: "mallory".to_owned(),
        host: "elsewhere".to_owned(),
        threads: 1,
        kernel: "scalar".to_owned(),
        version: "0".to_owned(),
        held: vec![],
        ledger_id: 0,
        held_audits: vec![],
    }
}

/// Says all of this in one session and returns how the session ended.
async fn session(cluster: &Cluster, messages: Vec<Message>) -> Result<(), Status> {
    let mut client = WorkerServiceClient::connect(cluster.url()).await.unwrap();
    let messages = messages.into_iter().map(|message| WorkRequest { message: Some(message) });
    let said = tokio_stream::iter(messages).chain(tokio_stream::pending());
    let mut heard = client.work(said).await?.into_inner();
    while heard.message().await?.is_some() {}
    Ok(())
}

fn result(run_id: u64, index: u64) -> Message {
    let result = JobResult { run_id, index, count: 1, elapsed_us: 1, audit: false };
    Message::Results(Results { batch: 1, results: vec![result] })
}

fn check(what: &str, ended: Result<impl std::fmt::Debug, Status>, code: Code) {
    let status = ended.expect_err(what);
    assert_eq!(status.code(), code, "{what}: {status}");
    assert!(status.message().len() > 10, "{what}: {status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_that_break_the_rules_are_refused() {
    use Code::{FailedPrecondition, InvalidArgument};
    let cluster = Cluster::start().await;
    let run = cluster.create(8, Goal::Count).await;
    let said = |hello: Hello| vec![Message::Hello(hello)];
    let long_set = JobSet { run_id: run, indices: vec![0; (1 << 20) + 1] };
    let cases = [
        ("no hello", vec![result(run, 0)], InvalidArgument),
        ("another protocol", said(Hello { protocol: 99, ..hello() }), FailedPrecondition),
        ("no instance", said(Hello { instance: vec![], ..hello() }), InvalidArgument),
        ("no threads", said(Hello { threads: 0, ..hello() }), InvalidArgument),
        ("a long name", said(Hello { name: "x".repeat(65), ..hello() }), InvalidArgument),
        ("too much held", said(Hello { held: vec![long_set], ..hello() }), InvalidArgument),
        ("two hellos", vec![Message::Hello(hello()), Message::Hello(hello())], InvalidArgument),
        ("no such run", vec![Message::Hello(hello()), result(99, 0)], InvalidArgument),
        ("no such job", vec![Message::Hello(hello()), result(run, 1 << 60)], InvalidArgument),
        ("a job that was never lent", vec![Message::Hello(hello()), result(run, 5)], InvalidArgument),
    ];
    for (what, messages, code) in cases {
        check(what, session(&cluster, messages).await, code);
    }
    // Nothing of this reached the tally, and the cluster still works.
    assert_eq!(cluster.get(run).await.progress.unwrap().jobs_done, 0);
    let _worker = cluster.work("ann", 1);
    assert_eq!(cluster.answer(run).await.0, "92");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_of_another_version_is_told_why() {
    let cluster = Cluster::start().await;
    let status = session(&cluster, vec![Message::Hello(Hello { protocol: 0, ..hello() })]).await.unwrap_err();
    assert!(status.message().contains("protocol version 0"), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn chunks_that_nobody_asked_for_do_no_harm() {
    let cluster = Cluster::start().await;
    let chunk = BoardChunk { listing_id: 5, boards: vec![9; 80].into(), last: true };
    let messages = vec![Message::Hello(hello()), Message::BoardChunk(chunk)];
    let ignored =
        tokio::time::timeout(std::time::Duration::from_millis(300), session(&cluster, messages)).await;
    assert!(ignored.is_err(), "the session goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_ask_for_what_cannot_be_are_told_so() {
    use Code::{AlreadyExists, FailedPrecondition, InvalidArgument, NotFound};
    let cluster = Cluster::start().await;
    let mut runs = cluster.runs().await;
    let wanted = |n, goal: Goal| CreateRunRequest { n, goal: goal.into(), ..CreateRunRequest::default() };
    let creations = [
        ("n of 0", wanted(0, Goal::Count), InvalidArgument),
        ("n of 33", wanted(33, Goal::Count), InvalidArgument),
        ("huge n", wanted(u32::MAX, Goal::Boards), InvalidArgument),
        ("no goal", wanted(8, Goal::Unspecified), InvalidArgument),
        ("too deep", CreateRunRequest { depth: Some(99), ..wanted(8, Goal::Count) }, InvalidArgument),
        (
            "a long request id",
            CreateRunRequest { request_id: "x".repeat(65), ..wanted(8, Goal::Count) },
            InvalidArgument,
        ),
        ("no share", CreateRunRequest { audit_share: f64::NAN, ..wanted(8, Goal::Count) }, InvalidArgument),
    ];
    for (what, request, code) in creations {
        check(what, runs.create_run(request).await, code);
    }
    let named = |n| CreateRunRequest { request_id: "mine".to_owned(), ..wanted(n, Goal::Count) };
    let first = runs.create_run(named(8)).await.unwrap().into_inner().run.unwrap();
    let again = runs.create_run(named(8)).await.unwrap().into_inner().run.unwrap();
    assert_eq!(first.run_id, again.run_id);
    check("another problem", runs.create_run(named(9)).await, AlreadyExists);
    check("no such run", runs.get_run(GetRunRequest { run_id: 77 }).await, NotFound);
    check("no such run", runs.export_ledger(ExportLedgerRequest { run_id: 77 }).await, NotFound);
    check("boards of a count", cluster.boards(1, Order::Ascending, 0, None).await, FailedPrecondition);
    let page_token = "nonsense".to_owned();
    check("a bad page", runs.list_runs(ListRunsRequest { page_size: 1, page_token }).await, InvalidArgument);
    runs.cancel_run(CancelRunRequest { run_id: 1 }).await.unwrap();
    check("a run that is over", runs.pause_run(PauseRunRequest { run_id: 1 }).await, FailedPrecondition);
    let drain = DrainWorkerRequest { worker_id: 5 };
    check("no such worker", cluster.itself().await.drain_worker(drain).await, NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_listed_page_by_page() {
    let cluster = Cluster::start().await;
    for _ in 0..5 {
        cluster.create(4, Goal::Count).await;
    }
    let mut runs = cluster.runs().await;
    let mut listed = Vec::new();
    let mut page_token = String::new();
    loop {
        let page = runs.list_runs(ListRunsRequest { page_size: 2, page_token }).await.unwrap().into_inner();
        listed.extend(page.runs.iter().map(|run| run.run_id));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    assert_eq!(listed, [5, 4, 3, 2, 1]);
}
