//! The slots: where jobs are computed.
//!
//! In a real worker each slot is a kernel thread of its own, apart from the threads of the async runtime. In a simulated
//! worker a slot is a future that lets virtual time pass, so that a whole cluster can run in one deterministic test.
//! Both work from the same desk.

use std::{
    any::Any,
    num::NonZeroUsize,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::{Duration, Instant},
};

use queens::kernel::Kernel;

use crate::{
    desk::{Desk, Next},
    error::Error,
    job::{Job, Outcome, Setback},
    listing::{Chunk, Listing},
    pace::Pace,
    slot::Slot,
};

/// The slots of a worker. When it is dropped, each slot ends after the job that it has begun.
#[derive(Debug)]
pub struct Pool {
    desk: Arc<Desk>,
    slots: NonZeroUsize,
}

impl Pool {
    /// Starts `slots` kernel threads that count with `kernel`. An error if the processor cannot run it or the system
    /// will not have so many threads.
    pub fn threads(slots: NonZeroUsize, kernel: Kernel) -> Result<Self, Error> {
        kernel.counter()?;
        Self::start(slots, move || {
            let mut slot = Slot::new(kernel);
            move |job: &Job, interrupt: &AtomicBool| slot.count(job, interrupt)
        })
    }

    /// Starts `slots` kernel threads, each with its own function from `make`: it returns a job's result, or one sentence
    /// that says why there is none. If the function panics, the job has failed, and the thread makes itself a new one.
    pub fn threads_with<F>(
        slots: NonZeroUsize,
        make: impl Fn() -> F + Send + Sync + 'static,
    ) -> Result<Self, Error>
    where
        F: FnMut(&Job) -> Result<u64, String>,
    {
        Self::start(slots, move || {
            let mut count = make();
            move |job: &Job, _: &AtomicBool| count(job).map_err(Setback::Failed)
        })
    }

    fn start<F: Count>(
        slots: NonZeroUsize,
        make: impl Fn() -> F + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        // Made first, so that an error further down sends away the threads that run already.
        let pool = Self { desk: Arc::default(), slots };
        let make = Arc::new(make);
        for slot in 0..slots.get() {
            let (desk, make) = (Arc::clone(&pool.desk), Arc::clone(&make));
            thread::Builder::new().name(format!("slot-{slot}")).spawn(move || work(&desk, &*make))?;
        }
        Ok(pool)
    }

    /// Starts `slots` futures on the current runtime. Each job lasts for `duration(job)` of the runtime's time and then
    /// comes to `count(job)`; boards are found in no time.
    ///
    /// # Panics
    ///
    /// If it is called outside a tokio runtime.
    pub fn simulated<C, D>(slots: NonZeroUsize, count: C, duration: D) -> Self
    where
        C: Fn(&Job) -> Result<u64, String> + Send + Sync + 'static,
        D: Fn(&Job) -> Duration + Send + Sync + 'static,
    {
        let pool = Self { desk: Arc::default(), slots };
        let (count, duration) = (Arc::new(count), Arc::new(duration));
        for _ in 0..slots.get() {
            let desk = Arc::clone(&pool.desk);
            let (count, duration) = (Arc::clone(&count), Arc::clone(&duration));
            tokio::spawn(async move { work_simulated(&desk, &*count, &*duration).await });
        }
        pool
    }

    /// Returns the number of slots.
    pub fn slots(&self) -> NonZeroUsize {
        self.slots
    }

    pub(crate) fn desk(&self) -> &Desk {
        &self.desk
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.desk.close();
    }
}

/// Computes jobs. It should leave a job, as interrupted, soon after the flag turns true.
trait Count: FnMut(&Job, &AtomicBool) -> Result<u64, Setback> {}

impl<F: FnMut(&Job, &AtomicBool) -> Result<u64, Setback>> Count for F {}

fn work<F: Count>(desk: &Desk, make: &impl Fn() -> F) {
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut pace = Pace::default();
    let mut count = make();
    loop {
        match desk.next(&pace, &interrupt) {
            Next::Closed => return,
            Next::Listing(listing) => find_boards(desk, listing),
            Next::Jobs(jobs) => {
                let begin = Instant::now();
                let run_id = jobs[0].id.run_id;
                let outcomes: Vec<_> =
                    jobs.iter().map(|job| outcome(job, &interrupt, &mut count, make)).collect();
                pace.learn(run_id, jobs.len(), begin.elapsed());
                desk.deliver(outcomes);
            }
        }
    }
}

async fn work_simulated(
    desk: &Desk,
    count: &(impl Fn(&Job) -> Result<u64, String> + Sync),
    duration: &(impl Fn(&Job) -> Duration + Sync),
) {
    let pace = Pace::default();
    loop {
        match desk.next_simulated(&pace).await {
            Next::Closed => return,
            Next::Listing(listing) => find_boards(desk, listing),
            Next::Jobs(jobs) => {
                for job in jobs {
                    let _span = job.span();
                    let elapsed = duration(&job);
                    tokio::time::sleep(elapsed).await;
                    desk.deliver(vec![Outcome {
                        id: job.id,
                        count: count(&job).map_err(Setback::Failed),
                        elapsed,
                    }]);
                }
            }
        }
    }
}

fn outcome<F: Count>(job: &Job, interrupt: &AtomicBool, count: &mut F, make: &impl Fn() -> F) -> Outcome {
    let _span = job.span().entered();
    let begin = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| count(job, interrupt))).unwrap_or_else(|panic| {
        // What it left behind cannot be trusted.
        *count = make();
        Err(Setback::Failed(sentence(&*panic)))
    });
    Outcome { id: job.id, count: result, elapsed: begin.elapsed() }
}

fn find_boards(desk: &Desk, mut listing: Box<Listing>) {
    let chunk = chunk(&mut listing);
    desk.deliver_chunk(listing, chunk);
}

fn chunk(listing: &mut Listing) -> Chunk {
    catch_unwind(AssertUnwindSafe(|| listing.next_chunk()))
        .unwrap_or_else(|panic| listing.failed(sentence(&*panic)))
}

fn sentence(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the kernel panicked: {}", text.unwrap_or("no reason given"))
}

#[cfg(test)]
mod tests {
    use queens::{Size, split::Work};

    use super::*;
    use crate::{job::JobId, spans::LeaseSpan};

    fn jobs(indices: std::ops::Range<u64>) -> Vec<Job> {
        let size = Size::new(6).unwrap();
        let job = |index| Job {
            id: JobId { ledger_id: 1, run_id: 1, index, audit: false },
            size,
            work: Work::Complete(Vec::new()),
            lease: LeaseSpan::default(),
        };
        indices.map(job).collect()
    }

    async fn outcomes(pool: &Pool, number: usize) -> Vec<Outcome> {
        let mut all = Vec::new();
        while all.len() < number {
            pool.desk().news().await;
            all.extend(pool.desk().collect().0);
        }
        all.sort_by_key(|outcome| outcome.id);
        all
    }

    fn slots(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).unwrap()
    }

    #[tokio::test]
    async fn threads_count_every_job_once() {
        let pool = Pool::threads(slots(3), Kernel::best()).unwrap();
        for _ in 0..5 {
            pool.desk().give(jobs(0..300));
        }
        let all = outcomes(&pool, 1500).await;
        assert!(all.chunks(5).zip(0..).all(|(same, index)| same.iter().all(|one| one.id.index == index)));
        assert!(all.iter().all(|outcome| outcome.count == Ok(4)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_simulated_job_lasts_as_long_as_it_is_told_to() {
        let seconds = |job: &Job| Duration::from_secs(job.id.index);
        let pool = Pool::simulated(slots(2), |job| Ok(job.id.index * 2), seconds);
        let begin = tokio::time::Instant::now();
        pool.desk().give(jobs(1..5));
        let all = outcomes(&pool, 4).await;
        // One slot has 1 and 3, the other 2 and 4.
        assert_eq!(begin.elapsed(), Duration::from_secs(6));
        assert!(all.iter().all(|outcome| outcome.count == Ok(outcome.id.index * 2)));
        assert!(all.iter().all(|outcome| outcome.elapsed.as_secs() == outcome.id.index));
    }

    #[tokio::test(start_paused = true)]
    async fn jobs_that_no_slot_has_taken_can_be_taken_back() {
        let pool = Pool::simulated(slots(1), |_| Ok(1), |_| Duration::from_secs(1));
        pool.desk().give(jobs(0..6));
        tokio::time::sleep(Duration::from_millis(1)).await;
        let indices = |ids: Vec<JobId>| ids.iter().map(|id| id.index).collect::<Vec<_>>();
        assert_eq!(indices(pool.desk().take_back(|id| id.index % 2 == 0)), [2, 4]);
        assert_eq!(indices(pool.desk().take_back_beyond(1)), [3, 5]);
        assert_eq!(pool.desk().waiting(), 1);
        let all = outcomes(&pool, 2).await;
        assert_eq!(indices(all.iter().map(|outcome| outcome.id).collect()), [0, 1]);
    }

    #[tokio::test]
    async fn slots_leave_when_the_pool_is_dropped() {
        let pool = Pool::threads(slots(2), Kernel::Scalar).unwrap();
        let desk = Arc::downgrade(&pool.desk);
        drop(pool);
        while desk.strong_count() > 0 {
            tokio::task::yield_now().await;
        }
    }
}
