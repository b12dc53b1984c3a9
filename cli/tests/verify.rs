//! Runs are exported and proved right, by the cluster and without it.

mod support;

use std::fs;

use support::{Cluster, json, number, output, stdout, text};

/// Returns the number of a run of a cluster that is done.
fn finished(cluster: &Cluster, what: &str) -> u64 {
    let run = number(&cluster.json(&format!("runs create {what} --json"))["run_id"]);
    stdout(&cluster.command(&format!("runs watch {run}")));
    run
}

#[test]
fn a_finished_run_is_proved_right_anywhere() {
    let cluster = Cluster::start(1);
    let folder = tempfile::tempdir().expect("a folder");
    for (what, first) in [
        ("count 10 --depth 1", "Q(10) = 724"),
        ("boards 8", "92 boards"),
        ("count 8 --algorithm columns", "Q(8) = 92"),
        ("count 8 --algorithm columns --audit full", "Q(8) = 92"),
    ] {
        let run = finished(&cluster, what);
        let said = String::from_utf8(stdout(&cluster.command(&format!("runs verify {run}")))).expect("text");
        assert!(said.starts_with(first) && said.contains("computed again"), "{said}");
        for format in ["ndjson", "csv"] {
            let exported = stdout(&cluster.command(&format!("runs export {run} --format {format}")));
            let file = folder.path().join(format);
            fs::write(&file, exported).expect("the file is written");
            let proved = json(&format!("verify {} --sample 1000000 --json", file.display()));
            assert_eq!(proved["jobs"], proved["jobs_sampled"], "{proved}");
            assert!(["724", "92"].contains(&text(&proved["total"]).as_str()));
        }
    }
}

#[test]
fn what_is_wrong_is_said_in_a_sentence() {
    let cluster = Cluster::start(1);
    let run = finished(&cluster, "count 8 --depth 1");
    let exported = stdout(&cluster.command(&format!("runs export {run}")));
    let exported = String::from_utf8(exported).expect("text");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.ndjson");
    let lines: Vec<_> = exported.lines().collect();
    let without_last = lines[..lines.len() - 1].join("\n") + "\n";
    let cases = [
        (without_last, "missing"),
        (exported.replace("\"total\":\"92\"", "\"total\":\"100\""), "sum to 92"),
        (exported.replacen("\"count\":\"4\"", "\"count\":\"5\"", 1), "is not right"),
        (exported[..exported.len() / 2].to_owned(), "line"),
        ("nonsense".to_owned(), "line 1"),
    ];
    for (text, words) in cases {
        fs::write(&file, text).expect("the file is written");
        let output = output(&format!("verify {}", file.display()));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{words}: {said}");
        assert!(said.contains(words), "{said:?} lacks {words:?}");
    }
}

#[test]
fn a_run_without_an_answer_cannot_be_verified() {
    let cluster = Cluster::start(0);
    let run = number(&cluster.json("runs create count 8 --json")["run_id"]);
    let output = output(&cluster.command(&format!("runs verify {run}")));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("not done"));
}
