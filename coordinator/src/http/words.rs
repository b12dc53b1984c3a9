//! The words and figures in which runs and workers are shown.

use queens::split::Kind;
use scheduler::{Goal, RunState, WorkerState};

/// Returns the name of a goal.
pub(super) fn goal(goal: Goal) -> &'static str {
    match goal {
        Goal::Count => "count",
        Goal::Boards => "boards",
    }
}

/// Returns the name of a run's state.
pub(super) fn run_state(state: RunState) -> &'static str {
    match state {
        RunState::Running => "running",
        RunState::Paused => "paused",
        RunState::Done => "done",
        RunState::Cancelled => "cancelled",
        RunState::Failed => "failed",
    }
}

/// Returns the name of a plan's kind.
pub(super) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Cross => "cross",
        Kind::Rows => "rows",
        Kind::Columns => "columns",
        Kind::HalfTurn => "half_turn",
        Kind::QuarterTurn => "quarter_turn",
    }
}

/// Every state of a worker.
pub(super) const WORKER_STATES: [WorkerState; 5] = [
    WorkerState::Active,
    WorkerState::Draining,
    WorkerState::Lost,
    WorkerState::Gone,
    WorkerState::Quarantined,
];

/// Returns the name of a worker's state.
pub(super) fn worker_state(state: WorkerState) -> &'static str {
    match state {
        WorkerState::Active => "active",
        WorkerState::Draining => "draining",
        WorkerState::Lost => "lost",
        WorkerState::Gone => "gone",
        WorkerState::Quarantined => "quarantined",
    }
}

/// Returns a share of 0 to 1 in percent, rounded down: 100% is said only when it is true.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1}%", (share.clamp(0.0, 1.0) * 1000.0).floor() / 10.0)
}

/// Returns a whole number with a comma between groups of three digits.
pub(super) fn number(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Returns a rate in three digits: `87.3 million`.
pub(super) fn rate(per_second: f64) -> String {
    const UNITS: [(f64, &str); 4] =
        [(1e12, " trillion"), (1e9, " billion"), (1e6, " million"), (1e3, " thousand")];
    let unit = UNITS.into_iter().find(|(unit, _)| per_second >= *unit);
    let (value, name) = unit.map_or((per_second, ""), |(unit, name)| (per_second / unit, name));
    let places = match value {
        0.0 => 0,
        value if value < 10.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.places$}{name}")
}

/// Returns a time in its two largest units.
pub(super) fn time(seconds: f64) -> String {
    let seconds = seconds as u64;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min {} s", seconds % 60),
        3600..86_400 => format!("{hours} h {} min", minutes % 60),
        86_400..31_536_000 => format!("{days} d {} h", hours % 24),
        _ => format!("{} years", seconds / 31_536_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_at_a_glance() {
        assert_eq!(["0", "999", "1000", "14772512"].map(number), ["0", "999", "1,000", "14,772,512"]);
        assert_eq!([0.0, 0.5, 12.34, 999.0, 8.73e7].map(rate), ["0", "0.50", "12.3", "999", "87.3 million"]);
        assert_eq!([0.4, 61.0, 7980.0, 9e4].map(time), ["0 s", "1 min 1 s", "2 h 13 min", "1 d 1 h"]);
        assert_eq!([0.0, 0.99999, 1.0].map(percent), ["0.0%", "99.9%", "100.0%"]);
    }
}
