//! What a count will take, before it is started.

mod support;

use serde_json::Value;
use support::{json, number, output, stdout, text};

fn real(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn a_small_count_is_known_exactly() {
    let plan = json("plan 9 --kernel scalar --seconds 60 --json");
    assert_eq!(plan["complete"], true);
    for name in ["expected", "low", "high"] {
        assert_eq!(real(&plan["solutions"][name]).round(), 352.0);
    }
    // The jobs of the plan and those of both turns.
    let depth = number(&plan["depth"]) as usize;
    let main: u64 = text(&plan["depths"][depth]["jobs"]).parse().unwrap();
    assert_eq!(text(&plan["jobs"]), (main + 2).to_string());
    assert_eq!(text(&plan["jobs_measured"]), main.to_string());
    assert_eq!(plan["presets"], plan["depths"][0]["jobs"]);
}

#[test]
fn a_count_is_split_as_a_coordinator_splits_it() {
    let plan = json("plan 12 --depth 1 --seconds 0.1 --json");
    let count = json("count 12 --depth 1 --json");
    assert_eq!(plan["jobs"], count["jobs"]);
    let short = json("plan 16 --seconds 0.1 --job-seconds 0.000005 --json");
    let long = json("plan 16 --seconds 0.1 --job-seconds 1000 --json");
    assert!(number(&short["depth"]) > number(&long["depth"]), "{short} {long}");
}

#[test]
fn more_threads_take_less_time_and_no_less_work() {
    let plan = |flags: &str| json(&format!("plan 20 --seconds 0.3 --json {flags}"));
    let (one, many) = (plan("--workers 1 --threads 1"), plan("--workers 10 --threads 8"));
    assert_eq!((number(&many["workers"]), number(&many["threads"])), (10, 8));
    for plan in [&one, &many] {
        let (core, wall) = (real(&plan["core_s"]["expected"]), real(&plan["wall_s"]["expected"]));
        let threads = real(&plan["workers"]) * real(&plan["threads"]);
        assert!((wall * threads / core - 1.0).abs() < 1e-9 || wall == real(&plan["job_p99_s"]), "{plan}");
        assert!(real(&plan["core_s"]["low"]) < core && core < real(&plan["core_s"]["high"]));
        assert!(real(&plan["job_mean_s"]) <= real(&plan["job_p99_s"]));
    }
}

#[test]
fn both_algorithms_are_named_with_what_they_cost() {
    for (n, chosen, names) in [
        (4, "cross", &["cross"][..]),
        (12, "cross", &["cross", "columns"]),
        (20, "columns", &["cross", "columns"]),
    ] {
        let plan = json(&format!("plan {n} --seconds 0.3 --algorithm {chosen} --json"));
        let algorithms = plan["algorithms"].as_array().expect("a list");
        assert!(algorithms.iter().map(|one| text(&one["name"])).eq(names.iter().copied()), "{plan}");
        assert_eq!(plan["algorithm"], chosen);
        assert!(algorithms.iter().all(|one| real(&one["core_s"]["expected"]) > 0.0), "{plan}");
        let mine = algorithms.iter().find(|one| one["name"] == chosen).expect("it is there");
        assert_eq!(mine["core_s"], plan["core_s"]);
        assert!(number(&mine["measured_n"]) <= n);
        let bytes: u64 = text(&mine["thread_bytes"]).parse().expect("a number");
        assert!((1..1_000_000_000).contains(&bytes));
    }
    let facts = String::from_utf8(stdout("plan 20 --seconds 0.2 --algorithm columns")).expect("text");
    for fact in ["columns, as asked", "by cross", "by columns", "a thread"] {
        assert!(facts.contains(fact), "{fact} is not in:\n{facts}");
    }
    let refused = output("plan 28 --algorithm columns");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("n = 6 to 27"));
}

#[test]
fn algorithms_are_compared_on_random_jobs() {
    let both = json("bench --algorithm both --n 14 --sample 20 --json");
    assert_eq!((number(&both["n"]), number(&both["sample"])), (14, 20));
    assert_eq!(both["algorithms"].as_array().map(Vec::len), Some(2));
    assert!(real(&both["ratio"]) > 0.0, "{both}");
    let one = json("bench --algorithm columns --n 14 --sample 20 --json");
    assert!(one["ratio"].is_null() && one["algorithms"][0]["name"] == "columns", "{one}");
    let said = String::from_utf8(stdout("bench --algorithm both --n 12 --sample 5")).expect("text");
    assert!(said.contains("columns / cross"), "{said}");
}

#[test]
fn people_get_a_line_for_each_fact() {
    let facts = String::from_utf8(stdout("plan 10 --workers 3 --threads 4")).expect("text");
    for fact in
        ["problem", "presets", "depth 0", "chosen", "core time", "wall time", "ledger", "Q(10)", "724"]
    {
        assert!(facts.contains(fact), "{fact} is not in:\n{facts}");
    }
    assert!(facts.contains("3 workers of 4 threads"), "{facts}");
}

#[test]
fn what_cannot_be_is_a_usage_error_or_says_why() {
    for args in ["plan 33", "plan 8 --workers 0", "plan 8 --threads 0", "plan 8 --seconds 0"] {
        assert_eq!(output(args).status.code(), Some(2), "{args}");
    }
    let too_deep = output("plan 8 --depth 20");
    assert_eq!(too_deep.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&too_deep.stderr).contains("at most"), "{too_deep:?}");
}
