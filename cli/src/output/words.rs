//! The words and figures in which runs and workers are shown.

use std::time::Duration;

use nqueens_proto::v1::{Answer, Goal, PlanKind, Run, RunState, TimeLeft, WorkerState};

/// Returns the name of a goal.
pub(crate) fn goal(goal: Goal) -> &'static str {
    match goal {
        Goal::Count => "count",
        Goal::Boards => "boards",
        Goal::Unspecified => "unknown",
    }
}

/// Returns the name of a run's state.
pub(crate) fn run_state(state: RunState) -> &'static str {
    match state {
        RunState::Running => "running",
        RunState::Paused => "paused",
        RunState::Done => "done",
        RunState::Cancelled => "cancelled",
        RunState::Failed => "failed",
        RunState::Unspecified => "unknown",
    }
}

/// Returns the name of a plan's kind.
pub(crate) fn plan_kind(kind: PlanKind) -> &'static str {
    match kind {
        PlanKind::Cross => "cross",
        PlanKind::Rows => "rows",
        PlanKind::Columns => "columns",
        PlanKind::HalfTurn => "half_turn",
        PlanKind::QuarterTurn => "quarter_turn",
        PlanKind::Unspecified => "unknown",
    }
}

/// Returns the name of a worker's state.
pub(crate) fn worker_state(state: WorkerState) -> &'static str {
    match state {
        WorkerState::Active => "active",
        WorkerState::Draining => "draining",
        WorkerState::Lost => "lost",
        WorkerState::Gone => "gone",
        WorkerState::Quarantined => "quarantined",
        WorkerState::Unspecified => "unknown",
    }
}

/// Returns a run in a few words: `run 3: count 20, running`.
pub(crate) fn run(run: &Run) -> String {
    format!("run {}: {} {}, {}", run.run_id, goal(run.goal()), run.n, run_state(run.state()))
}

/// Returns what a run came to: a line for each number.
pub(crate) fn answer(run: &Run, answer: &Answer) -> String {
    let n = run.n;
    match run.goal() {
        Goal::Boards => format!("{} boards", answer.total),
        _ => format!("Q({n}) = {}\nU({n}) = {}", answer.total, answer.fundamental),
    }
}

/// Returns what a run is doing: share done, rate, time left, workers.
pub(crate) fn progress(run: &Run) -> String {
    let Some(progress) = &run.progress else { return run_state(run.state()).into() };
    let mut words = vec![format!("{} done", percent(progress.share))];
    if progress.solutions_per_second > 0.0 {
        words.push(format!("{} solutions/s", rate(progress.solutions_per_second)));
    }
    if let Some(left) = &progress.time_left {
        words.push(format!("{} left", time(left.expected_s)));
    }
    if progress.alarms_open > 0 {
        words.push(format!("{} ALARMS", progress.alarms_open));
    }
    match (run.state(), progress.workers) {
        (RunState::Running, 0) => words.push("waiting for workers".into()),
        (RunState::Running, 1) => words.push("1 worker".into()),
        (RunState::Running, workers) => words.push(format!("{workers} workers")),
        (state, _) => words.push(run_state(state).into()),
    }
    words.join(", ")
}

/// Returns a time left with its interval.
pub(crate) fn time_left(left: &TimeLeft) -> String {
    format!("{} ({} to {})", time(left.expected_s), time(left.low_s), time(left.high_s))
}

/// Returns a share of 0 to 1 in percent.
pub(crate) fn percent(share: f64) -> String {
    // Rounded down: 100% is said only when it is true.
    format!("{:.1}%", (share.clamp(0.0, 1.0) * 1000.0).floor() / 10.0)
}

/// Returns a rate in three digits: `87.3 million`.
pub(crate) fn rate(per_second: f64) -> String {
    const UNITS: [(f64, &str); 4] =
        [(1e12, " trillion"), (1e9, " billion"), (1e6, " million"), (1e3, " thousand")];
    let unit = UNITS.into_iter().find(|(unit, _)| per_second >= *unit);
    let (value, name) = unit.map_or((per_second, ""), |(unit, name)| (per_second / unit, name));
    let places = if value < 10.0 {
        2
    } else if value < 100.0 {
        1
    } else {
        0
    };
    format!("{value:.places$}{name}")
}

/// Returns a time in its two largest units: `2 h 13 min`.
pub(crate) fn time(seconds: f64) -> String {
    let seconds = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX).as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min {} s", seconds % 60),
        3600..86_400 => format!("{hours} h {} min", minutes % 60),
        86_400..31_536_000 => format!("{days} d {} h", hours % 24),
        _ => format!("{} years", seconds / 31_536_000),
    }
}

/// Returns a time in its two largest units, or in three digits if it is below a minute: `0.123 s`.
pub(crate) fn short_time(seconds: f64) -> String {
    match seconds {
        0.0..0.001 => format!("{:.1} us", seconds * 1e6),
        0.001..1.0 => format!("{seconds:.3} s"),
        1.0..60.0 => format!("{seconds:.1} s"),
        _ => time(seconds),
    }
}

/// Returns a number of bytes: `1.2 GB`.
pub(crate) fn bytes(bytes: u64) -> String {
    let bytes = bytes as f64;
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let unit = units.into_iter().find(|(unit, _)| bytes >= *unit);
    unit.map_or(format!("{bytes:.0} bytes"), |(unit, name)| format!("{:.1} {name}", bytes / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_two_units() {
        for (seconds, words) in [
            (0.4, "0 s"),
            (59.9, "59 s"),
            (61.0, "1 min 1 s"),
            (7_980.0, "2 h 13 min"),
            (90_000.0, "1 d 1 h"),
            (1e9, "31 years"),
        ] {
            assert_eq!(time(seconds), words);
        }
        for odd in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(time(odd).ends_with("years"));
        }
    }

    #[test]
    fn short_times_and_bytes_are_readable() {
        for (seconds, words) in [
            (0.0, "0.0 us"),
            (0.000_012_34, "12.3 us"),
            (0.25, "0.250 s"),
            (4.56, "4.6 s"),
            (61.0, "1 min 1 s"),
        ] {
            assert_eq!(short_time(seconds), words);
        }
        for (number, words) in [(12, "12 bytes"), (1_200, "1.2 kB"), (3_450_000_000, "3.5 GB")] {
            assert_eq!(bytes(number), words);
        }
    }

    #[test]
    fn rates_have_three_digits() {
        for (per_second, words) in
            [(0.5, "0.50"), (12.34, "12.3"), (999.0, "999"), (87_300_000.0, "87.3 million")]
        {
            assert_eq!(rate(per_second), words);
        }
    }

    #[test]
    fn only_all_is_100_percent() {
        assert_eq!(percent(0.99999), "99.9%");
        assert_eq!(percent(1.0), "100.0%");
    }
}
