//! `nqueens boards N`: the boards themselves, streamed to stdout.
//!
//! Boards arrive in chunks; a thread of its own turns them into text and writes it in large pieces, while the next
//! chunks are on their way. A few chunks wait in between at most, so memory stays constant however slow the reader is.

use std::{
    io::{self, Write},
    time::Duration,
};

use anyhow::{anyhow, ensure};
use nqueens_proto::v1;
use queens::{Size, enumerate::Order, format::BoardWriter};
use tokio::{sync::mpsc, task::spawn_blocking};
use tonic::Streaming;
use tracing::warn;

use crate::{
    args::BoardsArgs,
    backoff::Backoff,
    client::{Client, Failed},
    place::Place,
    progress::Progress,
    signals,
};

/// Chunks that may wait to be written.
const WAITING_CHUNKS: usize = 8;
/// Boards turned into text at a time.
const PIECE_BOARDS: usize = 1024;
/// Text is written once there is this much of it, or when no chunk waits.
const WRITE_BYTES: usize = 256 * 1024;
/// The longest that giving up a run may hold up the end of the program.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);

pub(crate) async fn run(args: &BoardsArgs) -> anyhow::Result<()> {
    let (mut place, run_id) = signals::until_interrupted(String::new(), begin(args)).await?;
    let client = place.client.clone();
    let outcome = signals::until_interrupted(String::new(), place.with(list(&client, run_id, args))).await;
    if place.is_remote() && (outcome.is_err() || args.limit.is_some()) {
        // Nobody will read the rest. Where the run is over already, there is nothing to cancel.
        let _ = tokio::time::timeout(CANCEL_TIMEOUT, client.cancel_run(run_id)).await;
    }
    outcome
}

/// Creates the run.
async fn begin(args: &BoardsArgs) -> anyhow::Result<(Place, u64)> {
    let place = Place::open(&args.place).await?;
    let wanted =
        v1::CreateRunRequest { n: args.size.get(), goal: v1::Goal::Boards.into(), ..Default::default() };
    let run_id = place.client.create_run(wanted).await?.run_id;
    Ok((place, run_id))
}

/// Streams boards to stdout until all that were wanted came.
async fn list(client: &Client, run_id: u64, args: &BoardsArgs) -> anyhow::Result<()> {
    let (chunks, waiting) = mpsc::channel(WAITING_CHUNKS);
    let writer = BoardWriter::new(args.format, args.size, args.offset);
    let size = args.size;
    let written = spawn_blocking(move || write(waiting, writer, size, &mut io::stdout().lock()));
    let mut listing = Listing { run_id, size, order: args.order, next: args.offset, left: args.limit };
    let streamed = listing.stream(client, &chunks).await;
    drop(chunks);
    // The writer's error comes first: it is the reason why nobody takes chunks any more.
    written.await??;
    streamed
}

/// What is yet to be listed.
#[derive(Debug)]
struct Listing {
    run_id: u64,
    size: Size,
    order: Order,
    /// The index of the next board.
    next: u64,
    /// How many boards are wanted from there, all unless set.
    left: Option<u64>,
}

/// Boards on their way to the writer; `None` says that all of them came.
type Chunk = Option<v1::StreamBoardsResponse>;

impl Listing {
    /// Passes all boards on. A lost connection is tried again from the next board on.
    async fn stream(&mut self, client: &Client, chunks: &mpsc::Sender<Chunk>) -> anyhow::Result<()> {
        let mut progress = Progress::of_boards();
        let begin = self.next;
        let mut backoff = Backoff::new();
        loop {
            let before = self.next;
            let failed = match client.stream_boards(self.request()).await {
                Ok(stream) => {
                    let show = |next| progress.boards(next - begin);
                    match self.pass_on(stream, chunks, show).await? {
                        Some(failed) => failed,
                        None => return Ok(()),
                    }
                }
                Err(failed) => failed,
            };
            if !failed.is_lost() {
                return Err(failed.into());
            }
            warn!("{failed}; listing on from board {} soon", self.next);
            if self.next > before {
                backoff = Backoff::new();
            }
            backoff.wait().await;
        }
    }

    /// Passes one stream on. Returns the reason why it broke, if it did; an error if nobody takes chunks any more.
    async fn pass_on(
        &mut self,
        mut stream: Streaming<v1::StreamBoardsResponse>,
        chunks: &mpsc::Sender<Chunk>,
        mut show: impl FnMut(u64),
    ) -> anyhow::Result<Option<Failed>> {
        let closed = |_| anyhow!("the boards could not be written");
        loop {
            match stream.message().await {
                Ok(Some(chunk)) => {
                    self.advance(&chunk)?;
                    chunks.send(Some(chunk)).await.map_err(closed)?;
                    show(self.next);
                }
                Ok(None) => {
                    chunks.send(None).await.map_err(closed)?;
                    return Ok(None);
                }
                Err(status) => return Ok(Some(status.into())),
            }
        }
    }

    fn request(&self) -> v1::StreamBoardsRequest {
        let order = match self.order {
            Order::Ascending => v1::Order::Ascending,
            Order::Descending => v1::Order::Descending,
        };
        v1::StreamBoardsRequest {
            run_id: self.run_id,
            order: order.into(),
            offset: self.next,
            limit: self.left,
        }
    }

    /// Takes note of a chunk; an error unless it holds the very next boards.
    fn advance(&mut self, chunk: &v1::StreamBoardsResponse) -> anyhow::Result<()> {
        let n = self.size.index();
        let boards = (chunk.boards.len() / n) as u64;
        let in_range = chunk.boards.iter().max().is_none_or(|&column| usize::from(column) < n);
        let whole = chunk.boards.len().is_multiple_of(n) && in_range;
        let next = chunk.first_index == self.next && self.left.is_none_or(|left| boards <= left);
        ensure!(
            whole && next,
            "the coordinator sent boards that were not asked for; is it of another version?"
        );
        self.next += boards;
        self.left = self.left.map(|left| left - boards);
        Ok(())
    }
}

/// Writes chunks until the last has come. Without a last one the text stays unfinished, so that a listing that broke
/// off does not look whole.
fn write(
    mut chunks: mpsc::Receiver<Chunk>,
    mut writer: BoardWriter,
    size: Size,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut text = Vec::with_capacity(2 * WRITE_BYTES);
    writer.begin(&mut text);
    while let Some(chunk) = chunks.blocking_recv() {
        let Some(chunk) = chunk else {
            writer.end(&mut text);
            break;
        };
        for piece in chunk.boards.chunks(PIECE_BOARDS * size.index()) {
            writer.boards(piece, &mut text);
            if text.len() >= WRITE_BYTES {
                out.write_all(&text)?;
                text.clear();
            }
        }
        if chunks.is_empty() {
            out.write_all(&text)?;
            text.clear();
        }
    }
    out.write_all(&text)?;
    out.flush()
}
