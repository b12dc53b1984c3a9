//! What coordinator and worker log, as an operator sees it.

mod support;

use std::collections::BTreeSet;

use serde_json::Value;
use support::{Process, eventually, json, number, stdout, text};

/// A coordinator and one worker that log JSON, and the address of the coordinator.
fn cluster(filter: &str) -> (Process, Process, String) {
    let flags = format!("--log-format json {filter}");
    let coordinator = Process::start(&format!("coordinator --listen 127.0.0.1:0 --ledger :memory: {flags}"));
    let address = coordinator.wait_for("listening on ");
    let address = address.split('"').next().expect("an address").to_owned();
    let worker = Process::start(&format!("worker --threads 1 --name one --coordinator {address} {flags}"));
    eventually("a worker", || {
        json(&format!("workers list --json --coordinator {address}")) != Value::Array(vec![])
    });
    (coordinator, worker, address)
}

/// Ends both, the worker first, and returns what they logged.
fn logs(coordinator: Process, worker: Process) -> [Vec<Value>; 2] {
    [worker, coordinator].map(|process| {
        process.signal("TERM");
        let lines = process.rest_of_log();
        assert!(process.end().0.success(), "{lines:?}");
        lines.iter().map(|line| serde_json::from_str(line).expect(line)).collect()
    })
}

fn messages(log: &[Value]) -> Vec<String> {
    log.iter().map(|line| text(&line["fields"]["message"])).collect()
}

#[test]
fn at_its_usual_level_a_cluster_says_who_comes_and_goes_and_little_else() {
    let (coordinator, worker, address) = cluster("");
    assert_eq!(stdout(&format!("count 13 --coordinator {address}")), b"Q(13) = 73712\nU(13) = 9233\n");
    let [worker, coordinator] = logs(coordinator, worker);
    assert_eq!(messages(&coordinator), ["worker joined", "run created", "run done", "worker left"]);
    assert_eq!(
        messages(&worker),
        ["joined the coordinator", "draining", "left the coordinator; everything is delivered"]
    );
}

#[test]
fn spans_of_leases_and_jobs_become_lines_for_whoever_asks() {
    let (coordinator, worker, address) = cluster("--log nqueens=debug");
    stdout(&format!("count 11 --coordinator {address}"));
    let run = json(&format!("runs get 1 --json --coordinator {address}"));
    let jobs: u64 = text(&run["progress"]["jobs"]).parse().expect("a number");
    let [worker, coordinator] = logs(coordinator, worker);
    let lent = spans(&coordinator, "nqueens::lease");
    assert_eq!(lent.iter().map(|span| number(&span["results"])).sum::<u64>(), jobs);
    let got = spans(&worker, "nqueens::lease");
    for leases in [&lent, &got] {
        assert_eq!(leases.iter().map(|span| number(&span["jobs"])).sum::<u64>(), jobs);
    }
    let computed = spans(&worker, "nqueens::job");
    let indices: BTreeSet<u64> = computed.iter().map(|span| number(&span["job"])).collect();
    assert_eq!((indices, computed.len() as u64), ((0..jobs).collect(), jobs));
    for span in lent.iter().chain(&got).chain(&computed) {
        assert_eq!((number(&span["run"]), number(&span["worker"])), (1, 1), "{span}");
    }
}

/// Returns the spans of a target that have ended.
fn spans(log: &[Value], target: &str) -> Vec<Value> {
    let ended = log.iter().filter(|line| line["target"] == target && line["fields"]["message"] == "close");
    ended.map(|line| line["span"].clone()).collect()
}
