//! The page of one run.

use std::time::{Duration, SystemTime};

use maud::{Markup, html};
use queens::known;
use scheduler::{Answer, Goal, PartSpec, Progress, RunState, RunView, Slice};

use super::{map, plot};
use crate::http::{history::Point, json, words};

/// Returns what a run solves: `Count 16`.
pub(super) fn problem(view: &RunView) -> String {
    let goal = match view.problem.goal {
        Goal::Count => "Count",
        Goal::Boards => "Boards",
    };
    format!("{goal} {}", view.problem.size.get())
}

/// Returns the title of the page.
pub(super) fn title(view: &RunView) -> String {
    match view.state {
        RunState::Running => format!("{} {}", words::percent(view.progress.share), problem(view)),
        state => format!("{}, {}", problem(view), words::run_state(state)),
    }
}

/// Returns the part that changes, which is all of it.
pub(super) fn live(view: &RunView, track: &[Point], slices: &[Slice]) -> Markup {
    let progress = &view.progress;
    html! {
        div #live data-title=(title(view)) {
            h1 { (problem(view)) " " small { "run " (view.run) } }
            p role="status" { "This run is " (state(view)) "." }
            @if !view.reason.is_empty() { p.alarm { (view.reason) } }
            @if progress.alarms_open > 0 { p.alarm { (alarms(progress.alarms_open)) } }
            div.big { (bar(view)) span { (words::percent(progress.share)) } }
            @if let Some(reached) = view.answer { (answer(view, reached)) }
            (figures(view))
            (actions(view))
            section aria-labelledby="rate" { h2 #rate { "Solutions a second" } (plot::plot(track)) }
            section aria-labelledby="tree" { h2 #tree { "The search tree" } (map::map(slices)) }
            section aria-labelledby="details" { h2 #details { "Details" } (details(view)) }
        }
    }
}

/// Returns a run's bar.
pub(super) fn bar(view: &RunView) -> Markup {
    let label = format!("Done of run {}", view.run);
    html! { progress max="1" value=(format!("{:.4}", view.progress.share)) aria-label=(label) { (words::percent(view.progress.share)) } }
}

/// Returns a run's state.
pub(super) fn state(view: &RunView) -> Markup {
    let state = words::run_state(view.state);
    html! { span.state data-state=(state) { (state) } }
}

/// Returns a figure with its name.
pub(super) fn figure(name: &str, figure: &str) -> Markup {
    html! { div { dt { (name) } dd { (breakable(figure)) } } }
}

/// Lets a long number break between its groups of digits.
fn breakable(figure: &str) -> Markup {
    let mut groups = figure.split(',');
    let first = groups.next().unwrap_or_default();
    html! { (first) @for group in groups { "," wbr; (group) } }
}

fn alarms(open: u64) -> String {
    match open {
        1 => "The results of one job differ. A third computation settles which is right.".to_owned(),
        _ => format!("The results of {open} jobs differ. Third computations settle which are right."),
    }
}

fn figures(view: &RunView) -> Markup {
    let progress = &view.progress;
    let running = view.state == RunState::Running;
    html! {
        dl.figures {
            @if view.answer.is_none() { (figure("Solutions so far", &words::number(progress.tally))) }
            @if running {
                (figure("Solutions a second", &words::rate(progress.solutions_per_second)))
                (time_left(progress))
                (figure("Workers at it", &words::number(progress.workers)))
            }
            (figure("Jobs done", &words::number(progress.jobs_done)))
            @if !view.state.is_over() {
                (figure("Jobs leased", &words::number(progress.jobs_leased)))
                (figure("Jobs left", &words::number(jobs_left(progress))))
            }
            (figure("Running for", &words::time(progress.ran.as_secs_f64())))
        }
    }
}

fn jobs_left(progress: &Progress) -> u64 {
    progress.jobs.saturating_sub(progress.jobs_done).saturating_sub(progress.jobs_leased)
}

/// Returns the time left as a figure, with its interval where that says more.
fn time_left(progress: &Progress) -> Markup {
    let words = progress.time_left.map(|left| [left.expected_s, left.low_s, left.high_s].map(words::time));
    html! {
        div {
            dt { "Time left" }
            @match words {
                Some([expected, low, high]) => dd { (expected) @if low != high { " " small { span.whole { (low) } " to " span.whole { (high) } } } },
                None => dd { "not known yet" },
            }
        }
    }
}

fn answer(view: &RunView, reached: Answer) -> Markup {
    let n = view.problem.size.get();
    html! {
        div.answer {
            @match reached {
                Answer::Count { total, fundamental, .. } => {
                    p { "Q(" (n) ") = " strong { (breakable(&words::number(total))) } }
                    p { "U(" (n) ") = " strong { (breakable(&words::number(fundamental))) } }
                }
                Answer::Boards { total } => p { strong { (words::number(total)) } " boards" },
            }
            (comparison(view, reached))
        }
    }
}

/// Compares an answer with the published value, where there is one.
fn comparison(view: &RunView, reached: Answer) -> Markup {
    let size = view.problem.size;
    let same = known::total(size).map(|total| {
        let fundamental = match reached {
            Answer::Count { fundamental, .. } => {
                known::fundamental(size).map(u128::from) == Some(fundamental)
            }
            Answer::Boards { .. } => true,
        };
        reached.total() == u128::from(total) && fundamental
    });
    match same {
        Some(true) => html! { p.good { "This agrees with the published value." } },
        Some(false) => {
            html! { p.alarm { "This differs from the published value, " (words::number(known::total(size).unwrap_or_default())) ". Verify the run." } }
        }
        None => html! { p.note { "There is no published value for this board." } },
    }
}

fn actions(view: &RunView) -> Markup {
    let action = |what: &str| format!("/runs/{}/{what}", view.run);
    html! {
        div.actions {
            @if view.problem.goal == Goal::Boards && !matches!(view.state, RunState::Cancelled | RunState::Failed) {
                a.button href=(action("boards")) { "Look at the boards" }
            }
            @if view.state == RunState::Running { form method="post" action=(action("pause")) { button { "Pause" } } }
            @if view.state == RunState::Paused { form method="post" action=(action("resume")) { button.first { "Resume" } } }
            @if !view.state.is_over() {
                details #cancel {
                    summary { "Cancel…" }
                    form method="post" action=(action("cancel")) { button.danger { "End the run without an answer" } }
                }
            }
        }
    }
}

fn details(view: &RunView) -> Markup {
    let progress = &view.progress;
    let created = SystemTime::UNIX_EPOCH + Duration::from_millis(view.at_ms);
    html! {
        dl.details {
            (figure("Threads busy", &format!("{:.1}", progress.threads_busy)))
            (figure("Mean time of a job", &format!("{:.3} s", progress.job_mean_s)))
            (figure("Audits", &format!("{} of {}", words::number(progress.audits_done), words::number(progress.audits_wanted))))
            (figure("Free checks", &words::number(progress.free_checks)))
            (figure("Alarms", &words::number(progress.alarms)))
            (figure("Jobs lent again", &words::number(progress.jobs_lent_again)))
            (figure("Plan", &view.plan.parts().map(part).collect::<Vec<_>>().join("; ")))
            (figure("Created", &json::time(created)))
            @if !view.request_id.is_empty() { (figure("Request id", &view.request_id)) }
        }
        p { a href=(format!("/api/v1/runs/{}", view.run)) { "This run as JSON" } }
    }
}

fn part(part: PartSpec) -> String {
    let jobs = if part.jobs == 1 { "1 job".to_owned() } else { format!("{} jobs", words::number(part.jobs)) };
    match part.depth {
        0 => format!("{}: {jobs}", part.kind.name()),
        depth => format!("{} at depth {depth}: {jobs}", part.kind.name()),
    }
}
