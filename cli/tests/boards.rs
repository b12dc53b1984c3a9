//! Listing boards with a cluster inside the process.

mod support;

use std::io::{BufRead, BufReader};

use support::{naive, nqueens, stdout};

#[test]
fn every_format_and_order_equals_every_textbook_algorithm() {
    support::equals_the_textbook("--threads 2");
}

#[test]
fn leetcode_is_the_default() {
    let four = r#"[[".Q..","...Q","Q...","..Q."],["..Q.","Q...","...Q",".Q.."]]"#;
    assert_eq!(text("boards 4"), format!("{four}\n"));
    assert_eq!(text("boards 3"), "[]\n");
}

#[test]
fn offset_and_limit_cut_exactly() {
    let boards = naive::boards(8);
    for (offset, limit) in [(0, 0), (0, 1), (0, 92), (1, 3), (45, 10), (91, 1), (91, 5), (90, 100)] {
        let cut: Vec<_> = boards.iter().skip(offset).take(limit).cloned().collect();
        for format in ["columns", "ndjson", "numbered"] {
            let args = format!("boards 8 --format {format} --offset {offset} --limit {limit}");
            assert_eq!(text(&args), naive::format(format, &cut, offset), "{args}");
        }
    }
}

#[test]
fn an_offset_past_the_end_lists_nothing() {
    for offset in ["92", "93", "18446744073709551615"] {
        assert_eq!(text(&format!("boards 8 --format columns --offset {offset}")), "");
        assert_eq!(text(&format!("boards 8 --offset {offset} --order descending")), "[]\n");
    }
}

#[test]
fn a_reader_who_has_had_enough_ends_it_quietly() {
    let mut child = nqueens("boards 13 --format columns")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut first = String::new();
    let stdout = child.stdout.take().expect("a pipe");
    BufReader::new(stdout).read_line(&mut first).expect("a line");
    assert_eq!(first, "1 3 5 2 9 12 10 13 4 6 8 11 7\n");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn all_boards_of_a_large_listing_arrive() {
    let text = text("boards 12 --format columns --threads 2");
    assert_eq!(text.lines().count(), 14_200);
    assert!(
        text.lines()
            .map(|line| line.split(' ').map(|c| c.parse::<u8>().unwrap()).collect())
            .is_sorted_by(|one: &Vec<u8>, next| one < next)
    );
}

fn text(args: &str) -> String {
    String::from_utf8(stdout(args)).expect("text")
}
