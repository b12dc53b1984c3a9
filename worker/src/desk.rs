//! The desk between the session, which is async, and the slots, which are not.
//!
//! One lock guards it, held for moments only. Jobs wait here until a slot takes them, so "not begun" means exactly "still
//! on the desk". It never grows beyond what the session gave: each outcome was a job, and each chunk has credit.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::Notify;

use crate::{
    error::Error,
    job::{Job, JobId, Outcome},
    listing::{Chunk, Listing, Listings},
    pace::Pace,
};

/// So many outcomes fill a message well enough. Fewer are urgent once they are as many as the jobs that wait: then it is
/// time to ask for more.
const ENOUGH_OUTCOMES: usize = 1024;

#[derive(Debug, Default)]
pub(crate) struct Desk {
    papers: Mutex<Papers>,
    // Wakes kernel threads that have nothing to do.
    work: Condvar,
    // Wakes simulated slots that have nothing to do.
    simulated_work: Notify,
    // Wakes the session.
    news: Notify,
    // Wakes the session when the news must not wait for company.
    urgent_news: Notify,
}

#[derive(Debug, Default)]
struct Papers {
    waiting: VecDeque<Job>,
    outcomes: Vec<Outcome>,
    listings: Listings,
    // Jobs that a thread took by themselves, with the way to make it leave them. Jobs taken as a batch are over too soon
    // for that.
    alone: HashMap<JobId, Arc<AtomicBool>>,
    idle_threads: usize,
    closed: bool,
}

/// What a slot does next.
#[derive(Debug)]
pub(crate) enum Next {
    /// Compute these jobs, all of one run.
    Jobs(Vec<Job>),
    /// Find a chunk of boards.
    Listing(Box<Listing>),
    /// The worker leaves.
    Closed,
}

/// The side of the session.
impl Desk {
    pub(crate) fn give(&self, jobs: Vec<Job>) {
        let mut papers = self.papers();
        papers.waiting.extend(jobs);
        self.wake(papers);
    }

    /// Takes back the waiting jobs for which `unwanted` holds.
    pub(crate) fn take_back(&self, unwanted: impl Fn(JobId) -> bool) -> Vec<JobId> {
        let mut taken = Vec::new();
        self.papers().waiting.retain(|job| {
            let take = unwanted(job.id);
            if take {
                taken.push(job.id);
            }
            !take
        });
        taken
    }

    /// Takes back all waiting jobs but the first `keep`.
    pub(crate) fn take_back_beyond(&self, keep: usize) -> Vec<JobId> {
        let mut papers = self.papers();
        let keep = keep.min(papers.waiting.len());
        papers.waiting.split_off(keep).iter().map(|job| job.id).collect()
    }

    /// Makes the slots leave those of these jobs that take long. Their outcomes still come.
    pub(crate) fn interrupt(&self, unwanted: impl Fn(JobId) -> bool) {
        for (&id, interrupt) in &self.papers().alone {
            if unwanted(id) {
                interrupt.store(true, Ordering::Relaxed);
            }
        }
    }

    pub(crate) fn waiting(&self) -> usize {
        self.papers().waiting.len()
    }

    /// Waits until there are outcomes or chunks that the session has not seen.
    pub(crate) async fn news(&self) {
        self.news.notified().await;
    }

    /// Waits until there is so much news that the session should see it at once.
    pub(crate) async fn urgent_news(&self) {
        self.urgent_news.notified().await;
    }

    /// Returns the outcomes that have come, and whether there are chunks to be sent.
    pub(crate) fn collect(&self) -> (Vec<Outcome>, bool) {
        let mut papers = self.papers();
        (std::mem::take(&mut papers.outcomes), papers.listings.has_chunk())
    }

    pub(crate) fn open_listing(&self, listing: Box<Listing>, credit: u32) -> Result<(), Error> {
        let mut papers = self.papers();
        let opened = papers.listings.open(listing, credit);
        self.wake(papers);
        opened
    }

    pub(crate) fn credit_listing(&self, id: u64, chunks: u32) {
        let mut papers = self.papers();
        papers.listings.credit(id, chunks);
        self.wake(papers);
    }

    pub(crate) fn stop_listing(&self, id: u64) {
        let mut papers = self.papers();
        papers.listings.stop(id);
        self.wake(papers);
    }

    pub(crate) fn stop_all_listings(&self) {
        self.papers().listings.stop_all();
    }

    pub(crate) fn next_chunk(&self) -> Option<Chunk> {
        let mut papers = self.papers();
        let chunk = papers.listings.next_chunk();
        self.wake(papers);
        chunk
    }

    /// Sends the slots away once they have finished what they do.
    pub(crate) fn close(&self) {
        let mut papers = self.papers();
        papers.closed = true;
        papers.alone.values().for_each(|interrupt| interrupt.store(true, Ordering::Relaxed));
        drop(papers);
        self.work.notify_all();
        self.simulated_work.notify_waiters();
    }
}

/// The side of the slots.
impl Desk {
    /// Blocks the thread until there is something to do. `interrupt` turns true when the thread should leave it again.
    pub(crate) fn next(&self, pace: &Pace, interrupt: &Arc<AtomicBool>) -> Next {
        let mut papers = self.papers();
        loop {
            if let Some(next) = papers.next(pace) {
                papers.note_alone(&next, interrupt);
                return next;
            }
            papers.idle_threads += 1;
            papers = self.work.wait(papers).unwrap_or_else(PoisonError::into_inner);
            papers.idle_threads -= 1;
        }
    }

    /// As [`Desk::next`], without a thread.
    pub(crate) async fn next_simulated(&self, pace: &Pace) -> Next {
        loop {
            // Made before looking, so that nothing that comes after is missed.
            let work = self.simulated_work.notified();
            let next = self.papers().next(pace);
            if let Some(next) = next {
                return next;
            }
            work.await;
        }
    }

    pub(crate) fn deliver(&self, outcomes: Vec<Outcome>) {
        let mut papers = self.papers();
        if let [outcome] = outcomes.as_slice() {
            papers.alone.remove(&outcome.id);
        }
        papers.outcomes.extend(outcomes);
        let urgent = papers.outcomes.len() >= papers.waiting.len().min(ENOUGH_OUTCOMES);
        drop(papers);
        self.news.notify_one();
        if urgent {
            self.urgent_news.notify_one();
        }
    }

    pub(crate) fn deliver_chunk(&self, listing: Box<Listing>, chunk: Chunk) {
        self.papers().listings.put_back(listing, chunk);
        self.news.notify_one();
        self.urgent_news.notify_one();
    }
}

impl Desk {
    fn papers(&self) -> MutexGuard<'_, Papers> {
        // No code panics while it holds the lock.
        self.papers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self, papers: MutexGuard<'_, Papers>) {
        let ready = papers.waiting.len() + papers.listings.ready();
        let wake = ready.min(papers.idle_threads);
        drop(papers);
        for _ in 0..wake {
            self.work.notify_one();
        }
        self.simulated_work.notify_waiters();
    }
}

impl Papers {
    // Listings go first: someone waits for them.
    fn next(&mut self, pace: &Pace) -> Option<Next> {
        if self.closed {
            return Some(Next::Closed);
        }
        self.listings.take().map(Next::Listing).or_else(|| self.batch(pace).map(Next::Jobs))
    }

    fn note_alone(&mut self, next: &Next, interrupt: &Arc<AtomicBool>) {
        if let Next::Jobs(jobs) = next
            && let [job] = jobs.as_slice()
        {
            interrupt.store(false, Ordering::Relaxed);
            self.alone.insert(job.id, Arc::clone(interrupt));
        }
    }

    fn batch(&mut self, pace: &Pace) -> Option<Vec<Job>> {
        let run_id = self.waiting.front()?.id.run_id;
        let most = pace.jobs(run_id);
        let jobs = self.waiting.iter().take(most).take_while(|job| job.id.run_id == run_id).count();
        Some(self.waiting.drain(..jobs).collect())
    }
}
