//! A real cluster: one coordinator and several workers, each a process of its own.

mod support;

use std::thread;

use support::{Cluster, Process, eventually, naive, number, output, stdout, text};

#[test]
fn three_runs_at_once_come_out_right() {
    let cluster = Cluster::start(3);
    let command = |args: &str| cluster.command(args);
    let (count_13, count_14) = (command("count 13 --json"), command("count 14"));
    let boards_8 = command("boards 8 --format columns");
    thread::scope(|scope| {
        let thirteen = scope.spawn(|| support::json(&count_13));
        let fourteen = scope.spawn(|| stdout(&count_14));
        let eight = scope.spawn(|| stdout(&boards_8));
        let thirteen = thirteen.join().expect("count 13");
        assert_eq!(
            (text(&thirteen["total"]), text(&thirteen["fundamental"])),
            ("73712".into(), "9233".into())
        );
        assert_eq!(number(&thirteen["threads"]), 3);
        assert_eq!(fourteen.join().expect("count 14"), b"Q(14) = 365596\nU(14) = 45752\n");
        let expected = naive::format("columns", &naive::boards(8), 0);
        assert_eq!(String::from_utf8(eight.join().expect("boards 8")).expect("text"), expected);
    });
    let runs = cluster.json("runs list --json");
    assert_eq!(runs.as_array().expect("an array").len(), 3);
}

#[test]
fn every_format_comes_out_of_a_cluster_as_from_one_process() {
    let cluster = Cluster::start(3);
    support::equals_the_textbook(&cluster.flag);
    let cut = stdout(&cluster.command("boards 9 --format columns --offset 100 --limit 50"));
    assert_eq!(
        String::from_utf8(cut).expect("text"),
        naive::format("columns", &naive::boards(9)[100..150], 0)
    );
}

#[test]
fn a_cancelled_run_ends_and_others_go_on() {
    let cluster = Cluster::start(2);
    let long = number(&cluster.json("runs create count 22 --depth 2 --json")["run_id"]);
    let watch = Process::start(&cluster.command(&format!("runs watch {long} --json")));
    let cancelled = cluster.json(&format!("runs cancel {long} --json"));
    assert_eq!(text(&cancelled["state"]), "cancelled");
    let (status, states) = watch.end();
    assert_eq!(status.code(), Some(1));
    let last: serde_json::Value =
        serde_json::from_str(states.lines().last().expect("a state")).expect("JSON");
    assert_eq!(text(&last["state"]), "cancelled");
    assert_eq!(stdout(&cluster.command("count 10")), b"Q(10) = 724\nU(10) = 92\n");
}

#[test]
fn a_run_is_paused_and_resumed() {
    let cluster = Cluster::start(0);
    let run = number(&cluster.json("runs create boards 7 --json --request-id seven")["run_id"]);
    assert_eq!(number(&cluster.json("runs create boards 7 --json --request-id seven")["run_id"]), run);
    assert_eq!(text(&cluster.json(&format!("runs pause {run} --json"))["state"]), "paused");
    assert_eq!(text(&cluster.json(&format!("runs get {run} --json"))["state"]), "paused");
    let resumed = stdout(&cluster.command(&format!("runs resume {run}")));
    assert_eq!(resumed, format!("run {run}: boards 7, running\n").into_bytes());
    let details = String::from_utf8(stdout(&cluster.command(&format!("runs get {run}")))).expect("text");
    assert!(details.contains("boards 7") && details.contains("running"), "{details}");
}

#[test]
fn what_is_not_there_is_said_in_a_sentence() {
    let cluster = Cluster::start(0);
    for args in ["runs get 77", "runs watch 77", "runs pause 77", "runs cancel 77", "workers drain 77"] {
        let output = output(&cluster.command(args));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{args}: {said}");
        assert!(said.contains("77"), "{args}: {said}");
    }
    assert_eq!(cluster.json("runs list --json"), serde_json::json!([]));
}

#[test]
fn a_worker_told_to_terminate_drains_and_succeeds() {
    let mut cluster = Cluster::start(2);
    eventually("two workers", || cluster.worker_states().len() == 2);
    let run = number(&cluster.json("runs create count 17 --json")["run_id"]);
    eventually("the first result", || {
        text(&cluster.json(&format!("runs get {run} --json"))["progress"]["jobs_done"]) != "0"
    });
    let worker = cluster.workers.remove(0);
    worker.signal("TERM");
    let (status, _) = worker.end();
    assert_eq!(status.code(), Some(0));
    eventually("one worker less", || {
        cluster.worker_states().iter().filter(|(_, state)| state == "active").count() == 1
    });
    let done = stdout(&cluster.command(&format!("runs watch {run}")));
    assert_eq!(done, b"Q(17) = 95815104\nU(17) = 11977939\n");
}

#[test]
fn a_worker_is_drained_by_its_number() {
    let mut cluster = Cluster::start(1);
    eventually("a worker", || cluster.worker_states().len() == 1);
    let (worker_id, _) = cluster.worker_states()[0];
    stdout(&cluster.command(&format!("workers drain {worker_id}")));
    let (status, _) = cluster.workers.remove(0).end();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_coordinator_told_to_terminate_succeeds() {
    let cluster = Cluster::start(1);
    eventually("a worker", || cluster.worker_states().len() == 1);
    cluster.coordinator.signal("TERM");
    let Cluster { coordinator, workers, .. } = cluster;
    let (status, _) = coordinator.end();
    assert_eq!(status.code(), Some(0));
    drop(workers);
}

#[test]
fn an_interrupted_count_leaves_its_run_to_the_cluster() {
    let cluster = Cluster::start(0);
    let mut count = Process::start(&cluster.command("count 12"));
    eventually("the run", || cluster.json("runs list --json") != serde_json::json!([]));
    // The program listens for the signal from when it follows the run, which is moments after it created it.
    eventually("an end by the signal", || {
        count.signal("INT");
        count.has_ended()
    });
    let (status, _) = count.end();
    assert_eq!(status.code(), Some(130));
    assert_eq!(text(&cluster.json("runs get 1 --json")["state"]), "running");
}

#[test]
fn a_count_goes_on_when_the_coordinator_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let ledger = folder.path().join("ledger.db");
    let serve = |address: &str| {
        let process =
            Process::start(&format!("coordinator --listen {address} --ledger {}", ledger.display()));
        let address = process.wait_for("listening on ");
        (process, address)
    };
    let (first, address) = serve("127.0.0.1:0");
    let count = Process::start(&format!("count 11 --coordinator {address}"));
    eventually("the run", || {
        support::json(&format!("runs list --json --coordinator {address}")) != serde_json::json!([])
    });
    first.signal("KILL");
    first.end();
    let (_second, _) = serve(&address);
    let _worker = Process::start(&format!("worker --threads 1 --coordinator {address}"));
    let (status, counted) = count.end();
    assert!(status.success());
    assert_eq!(counted, "Q(11) = 2680\nU(11) = 341\n");
}
