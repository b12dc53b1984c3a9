//! Decisions that wait for one commit, and the acknowledgements that wait for it with them.

use std::collections::HashSet;

use scheduler::{Event, JobId};

use super::SessionId;

/// Events that are decided and not durable yet. No two of them are about the same job, so that each was decided with all
/// that matters to it applied.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) events: Vec<Event>,
    pub(super) acknowledgements: Vec<(SessionId, u64)>,
    jobs: HashSet<JobId>,
}

impl Batch {
    /// Adds a decision about a job.
    pub(super) fn add(&mut self, job: JobId, event: Event) {
        self.jobs.insert(job);
        self.events.push(event);
    }

    /// Tells whether there is a decision about the job.
    pub(super) fn has(&self, job: JobId) -> bool {
        self.jobs.contains(&job)
    }

    /// Forgets all decisions.
    pub(super) fn clear(&mut self) {
        self.events.clear();
        self.jobs.clear();
    }

    /// Begins anew after `events`, which were this batch's, have become true; keeps their memory.
    pub(super) fn recycle(&mut self, events: Vec<Event>) {
        self.events = events;
        self.clear();
    }
}
