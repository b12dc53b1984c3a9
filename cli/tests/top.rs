//! `nqueens top`, where its output goes to a program and where it goes to a terminal.

mod support;

use std::process::Command;

use support::{Cluster, eventually, text};

/// Runs `top` in a shell, with `after` behind it, and returns what comes out.
fn shell(cluster: &Cluster, args: &str, after: &str) -> String {
    let line = format!("{} {} {after}", env!("CARGO_BIN_EXE_nqueens"), cluster.command(args));
    let output = Command::new("sh").args(["-c", &line]).output().expect("there is a shell");
    String::from_utf8(output.stdout).expect("the output is text")
}

#[test]
fn top_shows_runs_and_workers() {
    let cluster = Cluster::start(1);
    eventually("a worker", || cluster.worker_states().len() == 1);
    let idle = shell(&cluster, "top", "| head -n 1");
    assert_eq!(idle, "no open runs; workers: 1, threads: 1\n");
    cluster.json("runs create count 22 --json");
    let line = shell(&cluster, "top", "| head -n 1");
    assert!(line.starts_with("run 1: count 22, running: "), "{line}");
    let seen = shell(&cluster, "top --json --interval 0.1", "| head -n 2");
    for line in seen.lines() {
        let seen: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(text(&seen["runs"][0]["state"]), "running");
        assert_eq!(text(&seen["workers"][0]["state"]), "active");
    }
    assert_eq!(seen.lines().count(), 2);
}

#[test]
fn top_gives_the_terminal_back() {
    let cluster = Cluster::start(1);
    eventually("a worker", || cluster.worker_states().len() == 1);
    // `script` gives a program a terminal; the program gets the signal of the time limit.
    let line = format!("timeout -s INT 2 {} {}", env!("CARGO_BIN_EXE_nqueens"), cluster.command("top"));
    let output =
        Command::new("script").args(["-qec", &line, "/dev/null"]).output().expect("there is `script`");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("open runs: 0, workers: 1, threads: 1"), "{shown}");
    assert!(shown.contains("worker-1") && shown.contains("active"), "{shown}");
    assert!(shown.contains("\x1b[?1049h") && shown.trim_end().ends_with("\x1b[?25h\x1b[?1049l"), "{shown}");
}
