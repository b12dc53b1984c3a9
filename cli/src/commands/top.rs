//! `nqueens top`: runs and workers in one live screen, until interrupted; plain lines where stdout is no terminal.

use std::io::{self, IsTerminal, Write};

use console::{Term, truncate_str};
use nqueens_proto::v1::{Run, Worker, WorkerState};
use serde::Serialize;
use tokio::time::sleep;

use crate::{
    args::TopArgs,
    client::{Client, Failed},
    follow,
    output::{self, json, words},
};

/// Runs that are looked at; those that are open come first.
const RUNS: usize = 200;

/// What is seen at one look.
struct Seen {
    runs: Vec<Run>,
    workers: Vec<Worker>,
}

/// The same as JSON.
#[derive(Serialize)]
struct SeenJson<'a> {
    runs: Vec<json::Run<'a>>,
    workers: Vec<json::Worker<'a>>,
}

/// Where it is shown.
enum Screen {
    Live(Live),
    Lines,
    Json,
}

/// The whole terminal, which is given back as it was.
struct Live(Term);

pub(crate) async fn run(args: &TopArgs) -> anyhow::Result<()> {
    let client = Client::connect(&args.cluster.coordinator, &args.cluster.connect).await?;
    let screen = Screen::new(args.cluster.json.json)?;
    loop {
        match look(&client).await {
            Ok(seen) => screen.show(&seen)?,
            Err(failed) if failed.is_lost() => screen.lost(&failed)?,
            Err(failed) => return Err(failed.into()),
        }
        sleep(args.interval).await;
    }
}

async fn look(client: &Client) -> Result<Seen, Failed> {
    let mut runs = client.list_runs(RUNS).await?;
    // The open ones first; the sort keeps the newest before older ones.
    runs.sort_by_key(follow::is_over);
    Ok(Seen { runs, workers: client.list_workers().await? })
}

impl Screen {
    fn new(as_json: bool) -> io::Result<Self> {
        Ok(match (as_json, io::stdout().is_terminal()) {
            (true, _) => Self::Json,
            (false, true) => Self::Live(Live::open()?),
            (false, false) => Self::Lines,
        })
    }

    fn show(&self, seen: &Seen) -> anyhow::Result<()> {
        match self {
            Self::Live(live) => Ok(live.show(&seen.text())?),
            Self::Lines => Ok(output::line(seen.lines())?),
            Self::Json => output::json_line(&SeenJson {
                runs: seen.runs.iter().map(json::Run::from).collect(),
                workers: seen.workers.iter().map(json::Worker::from).collect(),
            }),
        }
    }

    fn lost(&self, failed: &Failed) -> anyhow::Result<()> {
        match self {
            Self::Live(live) => Ok(live.show(&format!("{failed}; trying again"))?),
            Self::Lines | Self::Json => {
                eprintln!("{failed}; trying again");
                Ok(())
            }
        }
    }
}

impl Seen {
    fn present(&self) -> (usize, u32) {
        let present =
            |worker: &&Worker| matches!(worker.state(), WorkerState::Active | WorkerState::Draining);
        let present = self.workers.iter().filter(present);
        present.fold((0, 0), |(workers, threads), worker| (workers + 1, threads + worker.threads))
    }

    /// Returns all of it as tables.
    fn text(&self) -> String {
        let (workers, threads) = self.present();
        let open = self.runs.iter().filter(|run| !follow::is_over(run)).count();
        format!(
            "open runs: {open}, workers: {workers}, threads: {threads}\n\n{}\n\n{}",
            output::runs_table(&self.runs),
            output::workers_table(&self.workers)
        )
    }

    /// Returns a line for each open run, or one that says that there is none.
    fn lines(&self) -> String {
        let open: Vec<_> = self.runs.iter().filter(|run| !follow::is_over(run)).collect();
        if open.is_empty() {
            let (workers, threads) = self.present();
            return format!("no open runs; workers: {workers}, threads: {threads}");
        }
        let line = |run: &&Run| format!("{}: {}", words::run(run), words::progress(run));
        open.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

impl Live {
    fn open() -> io::Result<Self> {
        // Another screen, without a cursor.
        let term = Term::buffered_stdout();
        write!(&term, "\x1b[?1049h\x1b[?25l")?;
        term.flush()?;
        Ok(Self(term))
    }

    /// Shows as much of a text as there is room for.
    fn show(&self, text: &str) -> io::Result<()> {
        let (rows, columns) = self.0.size();
        write!(&self.0, "\x1b[H")?;
        for line in text.lines().take(usize::from(rows).saturating_sub(1)) {
            write!(&self.0, "{}\x1b[K\r\n", truncate_str(line, columns.into(), "…"))?;
        }
        write!(&self.0, "\x1b[J")?;
        self.0.flush()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing back.
        let _ = write!(&self.0, "\x1b[?25h\x1b[?1049l");
        let _ = self.0.flush();
    }
}
