//! Wrong input gets one sentence on stderr that says what would be right, and the exit code for it.

mod support;

use std::net::TcpListener;

use support::{nqueens, output};

/// Runs the program and checks that it refuses with this code, one line that has all of `words`, and no output.
fn refused(args: &str, code: i32, words: &[&str]) {
    let output = output(args);
    let said = String::from_utf8(output.stderr).expect("stderr is text");
    assert_eq!(output.status.code(), Some(code), "nqueens {args}: {said}");
    assert_eq!(said.lines().count(), 1, "nqueens {args}: {said}");
    assert!(words.iter().all(|word| said.contains(word)), "nqueens {args}: {said}");
    assert!(output.stdout.is_empty(), "nqueens {args}");
}

#[test]
fn a_size_out_of_range_is_refused() {
    for command in ["count", "boards", "runs create count"] {
        for n in ["0", "33", "-1", "eight", "99999999999", "8.0"] {
            refused(&format!("{command} {n}"), 2, &[n, "n must be a whole number from 1 to 32"]);
        }
    }
}

#[test]
fn an_unknown_choice_is_refused_with_all_choices() {
    refused("boards 8 --format html", 2, &["html", "leetcode, text, numbered, columns, ndjson, fen"]);
    refused("boards 8 --order random", 2, &["random", "ascending, descending"]);
    refused("count 8 --kernel quantum", 2, &["quantum", "auto, scalar"]);
    refused("worker --kernel quantum", 2, &["quantum", "auto, scalar"]);
    refused("runs create colour 8", 2, &["colour", "count, boards"]);
}

#[test]
fn a_number_out_of_range_is_refused() {
    refused("count 8 --threads 0", 2, &["whole number from 1 to 4096"]);
    refused("count 8 --threads -2", 2, &["whole number from 1 to 4096"]);
    refused("boards 8 --offset -1", 2, &["whole number from 0"]);
    refused("boards 8 --limit ten", 2, &["whole number from 0"]);
    refused("count 8 --connect-timeout 0", 2, &["number of seconds above 0"]);
    refused("runs get 0", 2, &["named by its number"]);
    refused("runs cancel first", 2, &["named by its number"]);
    refused("workers drain -1", 2, &["named by its number"]);
    refused("count 8 --log not=a=filter", 2, &["a log filter is"]);
}

#[test]
fn an_address_that_is_none_is_refused() {
    refused("count 8 --coordinator ftp://127.0.0.1:1", 2, &["looks like http://HOST:7117"]);
    refused("runs list --coordinator http://", 2, &["looks like http://HOST:7117"]);
    refused("coordinator --listen nowhere", 2, &["looks like 127.0.0.1:7117"]);
}

#[test]
fn an_environment_variable_is_checked_like_its_flag() {
    let output = nqueens("count 8").env("NQUEENS_THREADS", "many").output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--threads"));
}

#[test]
fn a_coordinator_that_does_not_answer_is_given_up() {
    // One port where nobody listens, and one where somebody listens and says nothing.
    let closed = TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("an address");
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    for address in [closed, silent.local_addr().expect("an address")] {
        for command in ["count 8", "boards 8", "runs list", "workers list"] {
            let args = format!("{command} --coordinator http://{address} --connect-timeout 0.3");
            refused(&args, 1, &["does not answer", "gave up after 0.3 s", &address.to_string()]);
        }
    }
}

#[test]
fn a_port_in_use_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    refused(&format!("coordinator --ledger :memory: --listen {address}"), 1, &[&address, "--listen"]);
}

#[test]
fn a_ledger_that_is_none_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("letter.txt");
    std::fs::write(&file, "Dear ledger, ".repeat(1000)).expect("a file");
    let args = format!("coordinator --listen 127.0.0.1:0 --log off --ledger {}", file.display());
    refused(&args, 1, &["letter.txt"]);
}
