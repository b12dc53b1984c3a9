//! What many watchers read at once. Each topic that somebody watches has one producer, which writes a frame once for all
//! of its watchers; a watcher that is slow gets the newest frame and never a backlog. So a thousand watchers cost little
//! more than one, and one that reads nothing costs no more than its connection.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use scheduler::{RunId, RunState, RunView};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use super::{Web, failure::Failure, json, page};
use crate::driver::{Request as Ask, interval};

/// What can be watched: the whole cluster or one run, by programs or by pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Topic {
    Cluster,
    Run(RunId),
    HomePage,
    RunPage(RunId),
}

/// The producers at work.
#[derive(Default)]
pub(super) struct Feeds(Mutex<HashMap<Topic, watch::Sender<Bytes>>>);

/// How often the cluster is looked at while somebody watches it, if these are not too many.
const INTERVAL: Duration = Duration::from_secs(1);
/// How often a producer looks whether anybody still watches, and shows a run anew that does not change.
const AT_LEAST: Duration = Duration::from_secs(3);
/// Runs that the events of the cluster carry.
pub(super) const RUNS_SHOWN: usize = 50;
/// What an event of a final state has as its id; a browser that comes back with it is told to stay away.
pub(super) const FINAL: &str = "final";

impl Feeds {
    fn topics(&self) -> MutexGuard<'_, HashMap<Topic, watch::Sender<Bytes>>> {
        // Nothing panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, topic: Topic) -> Option<watch::Receiver<Bytes>> {
        self.topics().get(&topic).map(watch::Sender::subscribe)
    }

    fn watchers(&self, topic: Topic) -> usize {
        self.topics().get(&topic).map_or(0, watch::Sender::receiver_count)
    }

    /// Shows all watchers a frame. If there are none left, the topic is forgotten and false returned.
    fn publish(&self, topic: Topic, frame: Bytes) -> bool {
        let mut topics = self.topics();
        let Some(feed) = topics.get(&topic) else { return false };
        let watched = feed.receiver_count() > 0;
        if !watched {
            topics.remove(&topic);
            return false;
        }
        feed.send_if_modified(|old| {
            let modified = *old != frame;
            *old = frame;
            modified
        });
        true
    }
}

/// Returns the frames of a topic: at once the present one, and then whatever comes. It closes when nothing more will come.
pub(super) async fn subscribe(web: &Web, topic: Topic) -> Result<watch::Receiver<Bytes>, Failure> {
    if let Some(feed) = web.feeds.find(topic) {
        return Ok(feed);
    }
    let mut source = Source::open(web, topic).await?;
    let first = source.frame(web).await?;
    match web.feeds.topics().entry(topic) {
        // Somebody else was as quick.
        Entry::Occupied(feed) => return Ok(feed.get().subscribe()),
        Entry::Vacant(place) => place.insert(watch::channel(first).0),
    };
    let feed = web.feeds.find(topic);
    tokio::spawn(produce(web.clone(), topic, source));
    feed.ok_or_else(|| Failure::busy("try again"))
}

async fn produce(web: Web, topic: Topic, mut source: Source) {
    let stop = web.stop.clone();
    while stop.run_until_cancelled(source.changed(web.feeds.watchers(topic))).await == Some(true) {
        let Ok(frame) = source.frame(&web).await else { break };
        if !web.feeds.publish(topic, frame) {
            // Forgotten already; by now there may be another producer in this one's place.
            return;
        }
    }
    // The watchers see the last frame, and then the end.
    web.feeds.topics().remove(&topic);
}

/// Where the frames of a topic come from.
enum Source {
    Cluster { page: bool },
    Run { views: watch::Receiver<RunView>, shown: RunState, page: bool },
}

impl Source {
    async fn open(web: &Web, topic: Topic) -> Result<Self, Failure> {
        let (run, page) = match topic {
            Topic::Cluster => return Ok(Self::Cluster { page: false }),
            Topic::HomePage => return Ok(Self::Cluster { page: true }),
            Topic::Run(run) => (run, false),
            Topic::RunPage(run) => (run, true),
        };
        let views = web.driver.ask(|reply| Ask::Watch(run, reply)).await?;
        let shown = views.borrow().state;
        Ok(Self::Run { views, shown, page })
    }

    /// Waits until there is something new to show to so many watchers, or a while; false if there will be nothing more.
    async fn changed(&mut self, watchers: usize) -> bool {
        match self {
            Self::Cluster { .. } => {
                sleep(INTERVAL.max(interval(watchers))).await;
                true
            }
            Self::Run { views, shown, .. } => {
                // The driver sees one watcher here, so many have to be spared the rest; but not another state.
                let rest = interval(watchers) - interval(1);
                if !rest.is_zero() && has_turned(views, *shown, rest).await {
                    return true;
                }
                match timeout(AT_LEAST, views.changed()).await {
                    Ok(changed) => changed.is_ok(),
                    Err(_) => true,
                }
            }
        }
    }

    async fn frame(&mut self, web: &Web) -> Result<Bytes, Failure> {
        match self {
            Self::Cluster { page: false } => cluster(web).await,
            Self::Cluster { page: true } => Ok(event("page", &page::home_live(web).await?, false)),
            Self::Run { views, shown, page } => {
                let view = views.borrow_and_update().clone();
                *shown = view.state;
                let over = view.state.is_over();
                if *page {
                    return Ok(event("page", &page::run_live(web, &view).await?, over));
                }
                Ok(event("run", &text(&json::Run::from(&view)), over))
            }
        }
    }
}

/// Waits until a run is in another state than this, but no longer than `limit`.
async fn has_turned(views: &mut watch::Receiver<RunView>, state: RunState, limit: Duration) -> bool {
    matches!(timeout(limit, views.wait_for(|view| view.state != state)).await, Ok(Ok(_)))
}

async fn cluster(web: &Web) -> Result<Bytes, Failure> {
    let (cluster, runs, workers) =
        (web.cluster().await?, web.newest_runs(RUNS_SHOWN).await?, web.workers().await?);
    let overview = json::Overview {
        cluster: json::Cluster::from(&cluster),
        runs: runs.iter().map(json::Run::from).collect(),
        workers: workers.iter().map(json::Worker::from).collect(),
    };
    Ok(event("cluster", &text(&overview), false))
}

fn text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Writes a server-sent event.
fn event(name: &str, text: &str, last: bool) -> Bytes {
    let mut event = format!("event: {name}\n");
    if last {
        event += &format!("id: {FINAL}\n");
    }
    for line in text.split(['\n', '\r']) {
        event += &format!("data: {line}\n");
    }
    event.push('\n');
    event.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_breaks_out_of_its_event() {
        let broken = event("page", "a\r\nevent: b\n\nc", false);
        assert_eq!(broken, "event: page\ndata: a\ndata: \ndata: event: b\ndata: \ndata: c\n\n");
        assert_eq!(event("run", "{}", true), "event: run\nid: final\ndata: {}\n\n");
    }
}
