//! Counting with a cluster inside the process.

mod support;

use support::{json, number, output, stdout, text};

/// Q(n) and U(n) for n = 1 to 12.
const KNOWN: [(&str, &str); 12] = [
    ("1", "1"),
    ("0", "0"),
    ("0", "0"),
    ("2", "1"),
    ("10", "2"),
    ("4", "1"),
    ("40", "6"),
    ("92", "12"),
    ("352", "46"),
    ("724", "92"),
    ("2680", "341"),
    ("14200", "1787"),
];

#[test]
fn json_is_one_line_with_the_right_numbers_in_the_agreed_order() {
    for (n, (total, fundamental)) in (1..).zip(KNOWN) {
        let line = String::from_utf8(stdout(&format!("count {n} --json --threads 2"))).expect("text");
        let begin = format!(r#"{{"n":{n},"total":"{total}","fundamental":"{fundamental}","half_turn":""#);
        assert!(line.starts_with(&begin), "{line}");
        assert_eq!(line.lines().count(), 1);
        let keys = [
            "n",
            "total",
            "fundamental",
            "half_turn",
            "quarter_turn",
            "jobs",
            "kernel",
            "threads",
            "elapsed_s",
        ];
        let places: Vec<_> = keys.iter().map(|key| line.find(&format!("\"{key}\":")).expect(key)).collect();
        assert!(places.is_sorted(), "{line}");
    }
}

#[test]
fn u_follows_from_the_symmetric_boards() {
    for n in [4, 5, 8, 12] {
        let count = json(&format!("count {n} --json"));
        let field = |name: &str| text(&count[name]).parse::<u64>().expect("a number");
        assert_eq!(field("fundamental") * 8, field("total") + field("half_turn") + 2 * field("quarter_turn"));
    }
}

#[test]
fn people_get_two_lines() {
    assert_eq!(stdout("count 8"), b"Q(8) = 92\nU(8) = 12\n");
    let quiet = output("count 8");
    assert!(quiet.stderr.is_empty(), "{}", String::from_utf8_lossy(&quiet.stderr));
}

#[test]
fn threads_kernel_and_depth_do_not_change_the_answer() {
    for flags in ["--threads 1", "--threads 3 --kernel scalar", "--depth 0", "--depth 2"] {
        let count = json(&format!("count 10 --json {flags}"));
        assert_eq!(
            (text(&count["total"]).as_str(), text(&count["fundamental"]).as_str()),
            ("724", "92"),
            "{flags}"
        );
    }
    let count = json("count 6 --json --threads 3 --kernel scalar");
    assert_eq!((text(&count["kernel"]).as_str(), number(&count["threads"])), ("scalar", 3));
}

#[test]
fn either_algorithm_and_both_come_to_the_same() {
    let later = ["73712", "365596", "2279184"];
    let totals = KNOWN.iter().map(|(total, _)| *total).chain(later);
    for (n, total) in (1..).zip(totals).filter(|(n, _)| *n >= 6) {
        let count = json(&format!("count {n} --algorithm columns --json"));
        assert_eq!(text(&count["total"]), total, "n = {n}");
    }
    for flags in [
        "--algorithm auto",
        "--audit 30%",
        "--algorithm columns --audit 100%",
        "--audit full",
        "--algorithm columns --audit full",
        "--audit full --depth 1",
    ] {
        let count = json(&format!("count 9 --json {flags}"));
        assert_eq!(
            (text(&count["total"]).as_str(), text(&count["fundamental"]).as_str()),
            ("352", "46"),
            "{flags}"
        );
    }
}

#[test]
fn auto_falls_back_quietly_and_an_algorithm_that_does_not_serve_says_so() {
    assert_eq!(stdout("count 5 --algorithm auto"), b"Q(5) = 10\nU(5) = 2\n");
    for (flags, words) in [
        ("count 5 --algorithm columns", "n = 6 to 27"),
        ("count 28 --algorithm columns", "n = 6 to 27"),
        ("count 4 --audit full", "n = 6 to 27"),
        ("count 8 --algorithm columns --depth 1", "no depth"),
    ] {
        let refused = output(flags);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!((refused.status.code(), said.lines().count()), (Some(1), 1), "{flags}: {said}");
        assert!(said.contains(words), "{flags}: {said}");
    }
    for flags in ["count 8 --algorithm rows", "count 8 --audit everything"] {
        assert_eq!(output(flags).status.code(), Some(2), "{flags}");
    }
}
