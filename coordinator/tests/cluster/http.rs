//! What the coordinator serves over HTTP, asked by a client that writes its requests by hand.

use std::{sync::Arc, time::Duration};

use coordinator::{LedgerPlace, Settings};
use nqueens_proto::v1::Goal;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    task::JoinSet,
    time::timeout,
};

use crate::cluster::{Cluster, settings};

/// Far more than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

struct Answer {
    status: u16,
    head: String,
    body: String,
}

async fn open(cluster: &Cluster, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(&cluster.http).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

async fn ask(cluster: &Cluster, method: &str, path: &str, headers: &str, body: &str) -> Answer {
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.0\r\nhost: {}\r\ncontent-length: {length}\r\n{headers}\r\n{body}",
        cluster.http
    );
    let mut answer = String::new();
    let mut stream = open(cluster, &request).await;
    timeout(PATIENCE, stream.read_to_string(&mut answer)).await.expect("an answer").unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Answer { status, head: head.to_lowercase(), body: body.to_owned() }
}

async fn get(cluster: &Cluster, path: &str) -> Answer {
    ask(cluster, "GET", path, "", "").await
}

async fn post(cluster: &Cluster, path: &str, body: &str) -> Answer {
    ask(cluster, "POST", path, "content-type: application/json\r\n", body).await
}

/// Returns the data of the events of a stream until it ends, or until one contains `last`.
async fn events(cluster: &Cluster, path: &str, last: &str) -> Vec<String> {
    let request = format!("GET {path} HTTP/1.0\r\nhost: {}\r\n\r\n", cluster.http);
    let mut lines = BufReader::new(open(cluster, &request).await).lines();
    let mut data = Vec::new();
    let read = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if let Some(event) = line.strip_prefix("data: ") {
                data.push(event.to_owned());
                if event.contains(last) {
                    return;
                }
            }
        }
    };
    timeout(PATIENCE, read).await.expect("the events end");
    data
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_is_created_followed_and_read() {
    let cluster = Cluster::start().await;
    let _worker = cluster.work("one", 1);
    let created = post(&cluster, "/api/v1/runs", r#"{"n": 8, "goal": "boards"}"#).await;
    assert_eq!(created.status, 201, "{}", created.body);
    assert!(created.head.contains("location: /api/v1/runs/1"), "{}", created.head);
    let states = events(&cluster, "/api/v1/runs/1/events", "\"state\":\"done\"").await;
    assert!(states.last().unwrap().contains(r#""answer":{"total":"92"}"#), "{states:?}");
    let boards = get(&cluster, "/api/v1/runs/1/boards?format=columns&offset=90").await;
    assert_eq!(boards.body, "8 3 1 6 2 5 7 4\n8 4 1 3 6 2 7 5\n");
    let none = get(&cluster, "/api/v1/runs/1/boards?limit=0").await;
    assert_eq!((none.body.as_str(), none.head.contains("application/json")), ("[]\n", true));
    let map = get(&cluster, "/api/v1/runs/1/map?slices=4").await;
    assert_eq!(map.body.matches(r#""share_done":1.0"#).count(), 4, "{}", map.body);
    let page = get(&cluster, "/runs/1/boards?number=92").await;
    assert!(page.body.contains("8 4 1 3 6 2 7 5"), "{}", page.body);
    cluster.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_and_metrics_show_runs_and_workers() {
    let cluster = Cluster::start().await;
    let _worker = cluster.work("<b>bold</b>", 1);
    let run = cluster.create(10, Goal::Count).await;
    assert_eq!(cluster.answer(run).await, ("724".into(), "92".into()));
    let home = get(&cluster, "/").await;
    assert!(home.body.contains("Count 10") && home.body.contains("&lt;b&gt;bold"), "{}", home.body);
    assert!(home.head.contains("content-security-policy: default-src 'none'"), "{}", home.head);
    let page = get(&cluster, "/runs/1").await;
    assert!(
        page.body.contains("<strong>724</strong>") && page.body.contains("agrees with the published value")
    );
    let live = events(&cluster, "/runs/1/live", "id=\"live\"").await;
    assert!(live.last().unwrap().contains("<strong>724</strong>"));
    let metrics = get(&cluster, "/metrics").await.body;
    for line in [
        "nqueens_run_solutions{run=\"1\",goal=\"count\",n=\"10\"} 724.0",
        "nqueens_run_state{run=\"1\",goal=\"count\",n=\"10\",state=\"done\"} 1.0",
        "nqueens_workers{state=\"active\"} 1.0",
        "nqueens_worker_threads{worker=\"1\",name=\"<b>bold</b>\"} 1.0",
        "nqueens_ledger_writable 1.0",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line} is not in {metrics}");
    }
    let jobs = get(&cluster, "/api/v1/runs/1").await.body;
    let jobs =
        jobs.split("\"jobs_done\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned();
    assert!(metrics.contains(&format!("nqueens_job_seconds_count {jobs}\n")), "{jobs} jobs: {metrics}");
    assert!(metrics.contains(&format!("nqueens_lease_seconds_count {jobs}\n")), "{jobs} jobs: {metrics}");
    cluster.stop().await;
}

#[tokio::test]
async fn runs_are_steered_and_forms_lead_to_pages() {
    let cluster = Cluster::start().await;
    let form = "content-type: application/x-www-form-urlencoded\r\n";
    let created = ask(&cluster, "POST", "/runs", form, "n=20&goal=count&depth=&audit_percent=1").await;
    assert_eq!((created.status, created.head.contains("location: /runs/1")), (303, true), "{}", created.body);
    for (what, state) in [("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")] {
        let changed = post(&cluster, &format!("/api/v1/runs/1/{what}"), "").await;
        assert_eq!(changed.status, 200);
        assert!(changed.body.contains(&format!("\"state\":\"{state}\"")), "{}", changed.body);
    }
    let over = post(&cluster, "/api/v1/runs/1/pause", "").await;
    assert_eq!((over.status, over.body.contains("run 1 is over")), (409, true), "{}", over.body);
    let runs = get(&cluster, "/api/v1/runs").await.body;
    assert!(runs.contains("\"next_page_token\":\"\"") && runs.contains("\"run_id\":1"), "{runs}");
    cluster.stop().await;
}

#[tokio::test]
async fn mistakes_are_answered_with_a_sentence() {
    let cluster = Cluster::start().await;
    let run = cluster.create(5, Goal::Count).await;
    assert_eq!(run, 1);
    for (path, status) in [
        ("/api/v1/runs/7", 404),
        ("/api/v1/runs/7/events", 404),
        ("/api/v1/runs/seven", 404),
        ("/api/v1/runs/-1", 404),
        ("/api/v1/runs?page_token=x", 400),
        ("/api/v1/runs?page_size=x", 400),
        ("/api/v1/runs/1/boards", 409),
        ("/api/v1/runs/1/boards?format=x", 400),
        ("/api/v1/runs/1/boards?order=x", 400),
        ("/api/v1/runs/1/boards?offset=-1", 400),
        ("/api/v1/nothing", 404),
    ] {
        check(path, &get(&cluster, path).await, status);
    }
    for (body, status) in [
        ("", 400),
        ("{}", 400),
        (r#"{"n":0,"goal":"count"}"#, 400),
        (r#"{"n":33,"goal":"count"}"#, 400),
        (r#"{"n":8,"goal":"win"}"#, 400),
        (r#"{"n":8,"goal":"count","depth":99}"#, 400),
        (r#"{"n":8,"goal":"count","audit_share":2}"#, 400),
        (r#"{"n":8,"goal":"count","colour":"red"}"#, 400),
    ] {
        check(body, &post(&cluster, "/api/v1/runs", body).await, status);
    }
    check("large", &post(&cluster, "/api/v1/runs", &" ".repeat(20_000)).await, 413);
    check("no type", &ask(&cluster, "POST", "/api/v1/runs", "", "{}").await, 415);
    check("method", &ask(&cluster, "PUT", "/api/v1/runs", "", "").await, 405);
    check("drain", &post(&cluster, "/api/v1/workers/5/drain", "").await, 404);
    let elsewhere = "origin: http://other.example\r\n";
    check("other site", &ask(&cluster, "POST", "/api/v1/runs/1/cancel", elsewhere, "").await, 403);
    for path in ["/runs/7", "/runs/seven", "/nothing"] {
        let page = get(&cluster, path).await;
        assert!(page.status == 404 && page.body.contains("<h1>Not Found</h1>"), "{path}: {}", page.body);
    }
    let form = "content-type: application/x-www-form-urlencoded\r\n";
    let wrong = ask(&cluster, "POST", "/runs", form, "n=x&goal=count").await;
    assert!(wrong.status == 422 && wrong.body.contains("<h1>"), "{}", wrong.body);
    cluster.stop().await;
}

fn check(what: &str, answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{what}: {}", answer.body);
    assert!(answer.head.contains("application/problem+json"), "{what}: {}", answer.head);
    assert!(answer.body.contains(&format!("\"status\":{status},\"detail\":\"")), "{what}: {}", answer.body);
}

#[tokio::test]
async fn what_is_well_says_so() {
    let cluster = Cluster::start().await;
    assert_eq!(get(&cluster, "/healthz").await.body, "ok\n");
    assert_eq!(get(&cluster, "/readyz").await.body, "ready\n");
    assert!(get(&cluster, "/api/v1/openapi.json").await.body.contains("\"openapi\": \"3.1.0\""));
    cluster.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_coordinator_that_cannot_write_its_ledger_is_not_ready() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ledger.db");
    let cluster = Cluster::with(settings(LedgerPlace::File(file.clone())), "127.0.0.1:0").await;
    assert_eq!(get(&cluster, "/readyz").await.body, "ready\n");
    // While another program writes, the driver waits for it, and after a while gives up. Nobody had anything to write.
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for reason in ["the driver does not answer", "the ledger cannot be written (database is locked)"] {
        check("not ready", &readyz_with(&cluster, reason).await, 503);
    }
    assert_eq!(get(&cluster, "/healthz").await.body, "ok\n");
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(readyz_with(&cluster, "ready\n").await.status, 200);
    cluster.stop().await;
}

/// Asks until the answer has these words.
async fn readyz_with(cluster: &Cluster, words: &str) -> Answer {
    let asked = async {
        loop {
            let answer = get(cluster, "/readyz").await;
            if answer.body.contains(words) {
                return answer;
            }
        }
    };
    timeout(PATIENCE, asked).await.expect("the answer comes")
}

#[tokio::test]
async fn events_begin_at_once_with_the_present_state() {
    let cluster = Cluster::start().await;
    cluster.create(20, Goal::Count).await;
    for (path, name, state) in [
        ("/api/v1/events", "cluster", "\"open_runs\":1"),
        ("/api/v1/runs/1/events", "run", "\"state\":\"running\""),
    ] {
        let request = format!("GET {path} HTTP/1.0\r\nhost: {}\r\n\r\n", cluster.http);
        let mut stream = BufReader::new(open(&cluster, &request).await);
        let head = block(&mut stream).await.to_lowercase();
        assert!(head.starts_with("http/1.0 200 ok\r\n"), "{path}: {head}");
        assert!(head.contains("content-type: text/event-stream\r\n"), "{path}: {head}");
        assert_eq!(block(&mut stream).await, "retry: 1000\n\n", "{path}");
        let event = block(&mut stream).await;
        assert!(event.starts_with(&format!("event: {name}\ndata: {{")), "{path}: {event}");
        assert!(event.contains(state) && event.lines().count() == 3, "{path}: {event}");
    }
    for path in ["/api/v1/runs/7/events", "/api/v1/runs/seven/events"] {
        check(path, &get(&cluster, path).await, 404);
    }
    let over = ask(&cluster, "GET", "/api/v1/runs/1/events", "last-event-id: final\r\n", "").await;
    assert_eq!((over.status, over.body.as_str()), (204, ""));
    cluster.stop().await;
}

/// Reads up to and with the next empty line.
async fn block(stream: &mut BufReader<TcpStream>) -> String {
    let mut text = String::new();
    let read = async {
        while stream.read_line(&mut text).await.unwrap() > 0 {
            if text.ends_with("\n\n") || text.ends_with("\r\n\r\n") {
                return;
            }
        }
    };
    timeout(PATIENCE, read).await.expect("an empty line");
    text
}

#[tokio::test]
async fn streams_of_events_end_with_the_coordinator() {
    let patient = Settings { stop_timeout: PATIENCE, ..settings(LedgerPlace::Memory) };
    let cluster = Cluster::with(patient, "127.0.0.1:0").await;
    cluster.create(20, Goal::Count).await;
    let mut streams = Vec::new();
    for path in ["/api/v1/events", "/api/v1/runs/1/events", "/live", "/runs/1/live"] {
        let request = format!("GET {path} HTTP/1.0\r\nhost: {}\r\n\r\n", cluster.http);
        let mut lines = BufReader::new(open(&cluster, &request).await).lines();
        let mut begun = false;
        while !begun {
            begun = lines.next_line().await.unwrap().expect("an event").starts_with("data: ");
        }
        streams.push(lines);
    }
    timeout(PATIENCE / 2, cluster.stop()).await.expect("the streams do not hold up the end");
    for mut lines in streams {
        while lines.next_line().await.unwrap().is_some() {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hundreds_of_watchers_see_the_end_and_silent_ones_hold_up_nobody() {
    let cluster = Arc::new(Cluster::start().await);
    let run = cluster.create(12, Goal::Count).await;
    let path = format!("/api/v1/runs/{run}/events");
    let mut silent = Vec::new();
    for path in [&path, "/api/v1/events", "/live"] {
        for _ in 0..20 {
            let request = format!("GET {path} HTTP/1.0\r\nhost: {}\r\n\r\n", cluster.http);
            silent.push(open(&cluster, &request).await);
        }
    }
    let mut watchers = JoinSet::new();
    for _ in 0..150 {
        let (cluster, path) = (cluster.clone(), path.clone());
        watchers.spawn(async move { events(&cluster, &path, "\"state\":\"done\"").await.pop().unwrap() });
    }
    let _worker = cluster.work("one", 1);
    assert_eq!(cluster.answer(run).await, ("14200".into(), "1787".into()));
    while let Some(last) = watchers.join_next().await {
        assert!(last.unwrap().contains("\"total\":\"14200\""));
    }
    drop(silent);
}
