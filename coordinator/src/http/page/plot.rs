//! A run's speed over time as a plot.

use maud::{Markup, html};

use crate::http::{history::Point, words};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 140.0;

/// Returns the plot of a track, oldest point first.
pub(super) fn plot(track: &[Point]) -> Markup {
    let [first, .., last] = track else {
        return html! { p.note { "Too little was measured yet." } };
    };
    let top = track.iter().map(|point| point.rate).fold(0.0, f64::max);
    let label = format!(
        "Solutions a second over {}: now {}, at most {}",
        words::time(last.at_s - first.at_s),
        words::rate(last.rate),
        words::rate(top)
    );
    html! {
        svg.plot viewBox=(format!("0 0 {WIDTH} {}", HEIGHT + 24.0)) role="img" aria-label=(label) {
            line x1="0" y1=(HEIGHT) x2=(WIDTH) y2=(HEIGHT) {}
            polygon points=(points(track, top, true)) {}
            polyline points=(points(track, top, false)) {}
            text x="4" y="14" { (words::rate(top)) }
            text x="0" y=(HEIGHT + 18.0) { (words::time(first.at_s)) }
            text.end x=(WIDTH) y=(HEIGHT + 18.0) { (words::time(last.at_s)) }
        }
    }
}

/// Returns the points of the line, or of the area under it.
fn points(track: &[Point], top: f64, area: bool) -> String {
    let begin = track.first().map_or(0.0, |point| point.at_s);
    let span = (track.last().map_or(0.0, |point| point.at_s) - begin).max(1e-9);
    let x = |point: &Point| (point.at_s - begin) / span * WIDTH;
    let y = |point: &Point| HEIGHT - point.rate / top.max(1e-9) * (HEIGHT - 20.0);
    let mut corners: Vec<_> = track.iter().map(|point| format!("{:.1},{:.1}", x(point), y(point))).collect();
    if area {
        corners.insert(0, format!("0,{HEIGHT}"));
        corners.push(format!("{:.1},{HEIGHT}", track.last().map_or(0.0, x)));
    }
    corners.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_on_the_plot() {
        for track in [
            vec![Point { at_s: 5.0, rate: 0.0 }],
            vec![
                Point { at_s: 0.0, rate: 3.0 },
                Point { at_s: 7.0, rate: 9.0 },
                Point { at_s: 8.0, rate: 0.0 },
            ],
        ] {
            for corner in points(&track, 9.0, true).split(' ') {
                let (x, y) = corner.split_once(',').unwrap();
                let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
                assert!((0.0..=WIDTH).contains(&x) && (0.0..=HEIGHT).contains(&y), "{corner}");
            }
        }
    }
}
