//! Progress on stderr: a bar on a terminal, else a plain line now and then, so that logs of long work stay short.

use std::{
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nqueens_proto::v1::Run;

use crate::output::words;

/// The bar's resolution.
const STEPS: u64 = 1000;

/// Shows how far long work is. Nothing is shown of work that is quickly done.
#[derive(Debug)]
pub(crate) enum Progress {
    Bar(ProgressBar),
    Lines { begun: Instant, due: Duration },
    Silent,
}

impl Progress {
    const FIRST_BAR: Duration = Duration::from_millis(300);
    const FIRST_LINE: Duration = Duration::from_secs(5);
    const MOST_BETWEEN_LINES: Duration = Duration::from_secs(60);

    /// Returns the progress of a run: a bar if stderr is a terminal.
    pub(crate) fn of_run() -> Self {
        Self::new("{elapsed_precise} [{bar:40}] {msg}", Some(STEPS))
    }

    /// Returns the progress of a listing, which shows nothing where the boards go to the same terminal.
    pub(crate) fn of_boards() -> Self {
        if io::stdout().is_terminal() { Self::Silent } else { Self::new("{elapsed_precise} {msg}", None) }
    }

    fn new(template: &str, steps: Option<u64>) -> Self {
        if !io::stderr().is_terminal() {
            return Self::Lines { begun: Instant::now(), due: Self::FIRST_LINE };
        }
        let bar = ProgressBar::with_draw_target(steps, ProgressDrawTarget::hidden());
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        Self::Bar(bar)
    }

    /// Shows the state of a run.
    pub(crate) fn run(&mut self, run: &Run) {
        let share = run.progress.as_ref().map_or(0.0, |progress| progress.share);
        self.show((share * STEPS as f64) as u64, || {
            format!("{} {}: {}", words::goal(run.goal()), run.n, words::progress(run))
        });
    }

    /// Shows how many boards were listed.
    pub(crate) fn boards(&mut self, boards: u64) {
        self.show(0, || format!("{} boards", indicatif::HumanCount(boards)));
    }

    fn show(&mut self, steps: u64, message: impl FnOnce() -> String) {
        match self {
            Self::Bar(bar) => {
                if bar.is_hidden() && bar.elapsed() >= Self::FIRST_BAR {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(Duration::from_millis(500));
                }
                if !bar.is_hidden() {
                    bar.set_message(message());
                    bar.set_position(steps);
                }
            }
            Self::Lines { begun, due } => {
                let elapsed = begun.elapsed();
                if elapsed >= *due {
                    // 5 s, 10 s, 20 s, 40 s, and then every minute.
                    *due = elapsed + elapsed.min(Self::MOST_BETWEEN_LINES);
                    eprintln!("{}", message());
                }
            }
            Self::Silent => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
