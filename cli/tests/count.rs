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
