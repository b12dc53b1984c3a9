//! The boards of a run, one to page through, drawn as a chessboard.

use std::time::Duration;

use maud::{Markup, html};
use scheduler::RunView;
use serde::Deserialize;
use tokio::time::timeout;

use crate::http::{Web, failure::Failure, words};

/// How long a reader of the page is kept waiting for a board.
const PATIENCE: Duration = Duration::from_secs(5);

/// Which board is wanted, counted from 1.
#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    number: Option<u64>,
}

/// Returns the page of one board.
pub(super) async fn show(web: &Web, view: &RunView, wanted: &Wanted) -> Result<Markup, Failure> {
    let number = wanted.number.unwrap_or(1);
    let index = number.checked_sub(1).ok_or_else(|| Failure::wrong("boards are counted from 1"))?;
    let found = match timeout(PATIENCE, web.board(view.run, index)).await {
        Ok(found) => found?,
        Err(_) => return Ok(nobody(view)),
    };
    let total = view.answer.map(|answer| answer.total());
    Ok(html! {
        h1 { "Boards of " a href=(format!("/runs/{}", view.run)) { "run " (view.run) } }
        @match found {
            Some(board) => {
                p role="status" { "Board " (words::number(number)) @if let Some(total) = total { " of " (words::number(total)) } }
                (paging(view, number, total))
                (draw(number, &board))
            }
            None => p { "There is no board " (words::number(number)) @if let Some(total) = total { "; there are " (words::number(total)) } "." },
        }
        form.goto method="get" {
            label { "Board number" input name="number" type="number" min="1" max=[total] value=(number) required; }
            button { "Show" }
        }
    })
}

fn nobody(view: &RunView) -> Markup {
    html! {
        h1 { "Boards of " a href=(format!("/runs/{}", view.run)) { "run " (view.run) } }
        p { "No worker enumerates this board now: boards are not stored, so a worker has to be there. Reload the page to try again." }
    }
}

fn paging(view: &RunView, number: u64, total: Option<u128>) -> Markup {
    let place = |number: u128| format!("/runs/{}/boards?number={number}", view.run);
    let number = u128::from(number);
    let link = |name: &str, rel: Option<&str>, to: Option<u128>| match to {
        Some(to) => html! { a.button rel=[rel] href=(place(to)) { (name) } },
        None => html! { span.button aria-disabled="true" { (name) } },
    };
    let before = (number > 1).then_some(number - 1);
    let after = total.is_none_or(|total| number < total).then_some(number + 1);
    html! {
        nav.actions aria-label="Paging" {
            (link("First", None, before.map(|_| 1)))
            (link("Back", Some("prev"), before))
            (link("Next", Some("next"), after))
            (link("Last", None, total.filter(|&total| number < total)))
        }
    }
}

/// Draws a board: the column of the queen of each row.
fn draw(number: u64, board: &[u8]) -> Markup {
    let n = board.len();
    let columns: Vec<_> = board.iter().map(|column| (column + 1).to_string()).collect();
    let columns = columns.join(" ");
    html! {
        svg.board viewBox=(format!("0 0 {0} {0}", n * 10)) role="img" aria-label=(format!("Board {number}: columns {columns}")) {
            defs {
                pattern #squares width="20" height="20" patternUnits="userSpaceOnUse" {
                    rect.dark x="10" y="0" width="10" height="10" {}
                    rect.dark x="0" y="10" width="10" height="10" {}
                }
                g #queen {
                    path d="M1.5 3.2 2.7 7.2H7.3L8.5 3.2 6.5 5.2 5 2 3.5 5.2ZM2.7 7.7H7.3V8.7H2.7Z" {}
                    circle cx="1.5" cy="2.7" r="0.7" {}
                    circle cx="5" cy="1.6" r="0.7" {}
                    circle cx="8.5" cy="2.7" r="0.7" {}
                }
            }
            rect.light width=(n * 10) height=(n * 10) {}
            rect width=(n * 10) height=(n * 10) fill="url(#squares)" {}
            @for (row, &column) in board.iter().enumerate() {
                use href="#queen" x=(usize::from(column) * 10) y=(row * 10) {}
            }
        }
        p { "The column of the queen of each row: " code { (columns) } }
    }
}
