//! Which worker gets the next segment: the one with the fewest segments for its threads.

use std::collections::HashMap;

use scheduler::WorkerId;

/// Segments of one stream for each thread.
const SEGMENTS_A_THREAD: u64 = 8;
/// The most segments of one stream that are out at one time.
const WINDOW_MAX: usize = 64;

/// The workers that can enumerate, with the segments that each has.
pub(super) struct Load {
    workers: HashMap<WorkerId, Worker>,
}

struct Worker {
    threads: u32,
    segments: u32,
}

impl Load {
    pub(super) fn new(workers: Vec<(WorkerId, u32)>) -> Self {
        let workers = workers
            .into_iter()
            .map(|(worker, threads)| (worker, Worker { threads: threads.max(1), segments: 0 }))
            .collect();
        Self { workers }
    }

    /// Notes a segment that a worker has.
    pub(super) fn add(&mut self, worker: WorkerId) {
        if let Some(worker) = self.workers.get_mut(&worker) {
            worker.segments += 1;
        }
    }

    /// Returns the worker that should get the next segment, and notes that it has it.
    pub(super) fn choose(&mut self) -> Option<WorkerId> {
        let per_thread = |worker: &Worker| (u64::from(worker.segments) << 32) / u64::from(worker.threads);
        let (&id, worker) = self.workers.iter_mut().min_by_key(|(id, worker)| (per_thread(worker), **id))?;
        worker.segments += 1;
        Some(id)
    }

    /// Returns how many segments of one stream may be out. A segment can be as short as a millisecond, less than a chunk
    /// takes to come here and its credit to go back, so each thread has several.
    pub(super) fn window(&self) -> usize {
        let threads: u64 = self.workers.values().map(|worker| u64::from(worker.threads)).sum();
        usize::try_from(SEGMENTS_A_THREAD * threads).unwrap_or(WINDOW_MAX).min(WINDOW_MAX)
    }
}
