//! One session: a stream of messages each way for as long as the connection holds.
//!
//! The loop never blocks on one direction while it owes attention to the other: it sends only when there is room, and
//! reads only while what it owes in answer stays bounded. So two slow peers cannot wait for each other.

mod hear;
mod say;

use std::{collections::VecDeque, time::Duration};

use nqueens_proto::v1::{
    WorkRequest, WorkResponse, work_request::Message, work_response,
    worker_service_client::WorkerServiceClient,
};
use tokio::{
    sync::mpsc::{self, Permit, Sender},
    time::{Instant, Interval, MissedTickBehavior, interval, sleep_until, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Streaming};
use tracing::{debug, warn};

use crate::{client::Dial, config::Config, desk::Desk, error::Error, held::Held, sessions::Worker};

/// Messages on their way to the connection. Few, since a message may have a megabyte.
const OUTBOUND: usize = 8;
/// The most messages owed before no more are read.
const OWED: usize = 1024;
/// Outcomes that are not urgent wait so long at most: thousands of workers with jobs of seconds then send one message a
/// second each, and not one for each job.
const NEWS_INTERVAL: Duration = Duration::from_secs(1);
/// How long the other side may take to end its stream after this side has ended.
const GOODBYE: Duration = Duration::from_secs(2);

/// A session that the coordinator has welcomed.
#[derive(Debug)]
pub(crate) struct Link {
    worker_id: u64,
    ledger_id: u64,
    heartbeat: Duration,
    outbound: Sender<WorkRequest>,
    inbound: Streaming<WorkResponse>,
}

impl Link {
    /// Returns the number by which the coordinator knows this worker.
    pub(crate) fn worker_id(&self) -> u64 {
        self.worker_id
    }

    /// Returns the number that tells the coordinator's ledger from others.
    pub(crate) fn ledger_id(&self) -> u64 {
        self.ledger_id
    }
}

/// Connects, says hello, and awaits the welcome.
pub(crate) async fn open(config: &Config, held: &Held, dial: &impl Dial) -> Result<Link, Error> {
    let channel = dial.dial().await?;
    let (outbound, requests) = mpsc::channel(OUTBOUND);
    // It has room for one; and the coordinator may want the hello before it answers the call.
    let _ = outbound.try_send(request(Message::Hello(say::hello(config, held))));
    let mut client = WorkerServiceClient::new(channel);
    let mut call = Request::new(ReceiverStream::new(requests));
    if let Some(authorization) = dial.authorization()? {
        call.metadata_mut().insert("authorization", authorization);
    }
    let mut inbound = client.work(call).await?.into_inner();
    match next(&mut inbound).await? {
        Some(work_response::Message::Welcome(welcome)) => Ok(Link {
            worker_id: welcome.worker_id,
            ledger_id: welcome.ledger_id,
            heartbeat: Duration::from_millis(welcome.heartbeat_interval_ms.clamp(10, 3_600_000)),
            outbound,
            inbound,
        }),
        Some(_) => Err(Error::Nonsense("its first message was not a welcome".to_owned())),
        None => Err(Error::Unreachable("it ended the session without a welcome".to_owned())),
    }
}

/// Keeps the session until the worker is drained, which is `Ok`, or the session is lost.
pub(crate) async fn keep(worker: &mut Worker, link: Link) -> Result<(), Error> {
    let Link { worker_id, heartbeat, outbound, mut inbound, .. } = link;
    let mut session = Session::begin(worker, worker_id);
    let ending = session.converse(heartbeat, &outbound, &mut inbound).await?;
    // The coordinator sees an orderly end, and ends its own stream.
    drop(outbound);
    session.hear_the_rest(&mut inbound).await;
    match ending {
        Ending::Drained => Ok(()),
        Ending::Shutdown(reason) => Err(Error::Unreachable(format!("it is about to stop: {reason}"))),
    }
}

/// An orderly end of a session.
#[derive(Debug)]
enum Ending {
    Drained,
    Shutdown(String),
}

struct Session<'a> {
    worker: &'a mut Worker,
    worker_id: u64,
    owed: VecDeque<Message>,
    has_chunk: bool,
    // Not before this are outcomes looked at again.
    collect_at: Instant,
}

impl<'a> Session<'a> {
    fn begin(worker: &'a mut Worker, worker_id: u64) -> Self {
        worker.held.begin_session();
        let now = Instant::now();
        let mut session =
            Self { worker, worker_id, owed: VecDeque::new(), has_chunk: false, collect_at: now };
        session.owe_capacity();
        session.collect();
        session
    }

    async fn converse(
        &mut self,
        heartbeat: Duration,
        outbound: &Sender<WorkRequest>,
        inbound: &mut Streaming<WorkResponse>,
    ) -> Result<Ending, Error> {
        let mut heartbeat = ticks(heartbeat);
        while !self.is_over() {
            let draining = self.worker.drain.is_on();
            let computing = self.worker.held.jobs() > self.worker.held.unwanted();
            tokio::select! {
                biased;
                () = self.worker.drain_wanted.cancelled(), if !draining => self.begin_drain(),
                () = self.worker.drain.finished(), if computing => self.give_up(),
                () = self.worker.drain.overdue() => return Err(self.undelivered()),
                _ = heartbeat.tick() => self.owe_heartbeat(),
                () = news(self.worker.pool.desk(), self.collect_at) => self.collect(),
                permit = outbound.reserve(), if self.has_more_to_say() => self.say(permit)?,
                message = next(inbound), if self.owed.len() < OWED => {
                    let message = message?.ok_or_else(ended)?;
                    if let Some(ending) = self.hear(message)? {
                        return Ok(ending);
                    }
                }
            }
        }
        Ok(Ending::Drained)
    }

    fn is_over(&self) -> bool {
        self.worker.drain.is_on() && self.owed.is_empty() && self.worker.held.is_done()
    }

    fn begin_drain(&mut self) {
        self.worker.begin_drain();
        self.owe_capacity();
        self.collect();
    }

    /// The grace time is over: what has no outcome yet goes back, begun or not.
    fn give_up(&mut self) {
        self.collect();
        let waiting = self.worker.pool.desk().take_back_beyond(0);
        self.worker.held.hand_back_all(waiting);
        self.worker.pool.desk().interrupt(|_| true);
        warn!("the grace time is over; jobs that are not finished go back to the coordinator");
    }

    fn undelivered(&self) -> Error {
        Error::Undelivered { results: self.worker.held.undelivered() }
    }

    fn collect(&mut self) {
        self.has_chunk |= self.worker.collect();
        let wait = if self.worker.drain.is_on() { Duration::ZERO } else { NEWS_INTERVAL };
        self.collect_at = Instant::now() + wait;
    }

    fn say(
        &mut self,
        permit: Result<Permit<'_, WorkRequest>, mpsc::error::SendError<()>>,
    ) -> Result<(), Error> {
        // The receiver is gone when the connection is. Its status comes from the other stream, if there is one.
        let permit = permit.map_err(|_| ended())?;
        if let Some(message) = self.next_message()? {
            permit.send(request(message));
        }
        Ok(())
    }

    /// After this side has ended, acknowledgements may still come.
    async fn hear_the_rest(&mut self, inbound: &mut Streaming<WorkResponse>) {
        let rest = async {
            while let Ok(Some(message)) = next(inbound).await {
                if let work_response::Message::Acknowledged(acknowledged) = message {
                    self.worker.held.acknowledge(acknowledged.batch);
                }
            }
        };
        if timeout(GOODBYE, rest).await.is_err() {
            debug!("the coordinator did not end its stream");
        }
    }
}

fn request(message: Message) -> WorkRequest {
    WorkRequest { message: Some(message) }
}

fn ended() -> Error {
    Error::Unreachable("it ended the session".to_owned())
}

/// Returns the next message that has a meaning here; `None` at the end of the stream. Messages of a later version are
/// passed over.
async fn next(inbound: &mut Streaming<WorkResponse>) -> Result<Option<work_response::Message>, Error> {
    while let Some(response) = inbound.message().await? {
        if response.message.is_some() {
            return Ok(response.message);
        }
    }
    Ok(None)
}

/// Waits for outcomes and chunks. They are looked at together, not before this instant, unless they are urgent.
async fn news(desk: &Desk, not_before: Instant) {
    let in_time = async {
        sleep_until(not_before).await;
        desk.news().await;
    };
    tokio::select! {
        biased;
        () = desk.urgent_news() => {}
        () = in_time => {}
    }
}

fn ticks(period: Duration) -> Interval {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
