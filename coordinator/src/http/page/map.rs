//! The search tree as a map: its slices from left to right, each filled from below as far as it is done.

use maud::{Markup, html};
use scheduler::Slice;

/// The most slices of a map.
pub(super) const SLICES: u64 = 96;
const COLUMNS: usize = 32;
/// The width of a slice with the gap beside it, and without.
const STEP: f64 = 20.0;
const SIDE: f64 = 18.0;

/// Returns the map.
pub(super) fn map(slices: &[Slice]) -> Markup {
    if slices.is_empty() {
        return html! { p.note { "The run was ended, so nothing is kept of where it was." } };
    }
    let rows = slices.len().div_ceil(COLUMNS);
    let finished = slices.iter().filter(|slice| slice.done == slice.seen).count();
    let label = format!("{finished} of {} slices of the search tree are done", slices.len());
    html! {
        svg.map viewBox=(format!("0 0 {} {}", COLUMNS as f64 * STEP, rows as f64 * STEP)) role="img" aria-label=(label) {
            @for (place, slice) in slices.iter().enumerate() { (cell(place, slice)) }
        }
        p.legend {
            span data-part="done" { "done" } " " span data-part="leased" { "leased" } " " span data-part="left" { "left" }
            " · " (label) "."
        }
    }
}

fn cell(place: usize, slice: &Slice) -> Markup {
    let (x, y) = ((place % COLUMNS) as f64 * STEP, (place / COLUMNS) as f64 * STEP);
    let height = |jobs: u64| SIDE * jobs as f64 / slice.seen.max(1) as f64;
    let (done, leased) = (height(slice.done), height(slice.leased));
    html! {
        rect data-part="left" x=(x) y=(y) width=(SIDE) height=(SIDE) {}
        @if leased > 0.0 { rect data-part="leased" x=(x) y=(round(y + SIDE - done - leased)) width=(SIDE) height=(round(leased)) {} }
        @if done > 0.0 { rect data-part="done" x=(x) y=(round(y + SIDE - done)) width=(SIDE) height=(round(done)) {} }
    }
}

fn round(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}
