//! The sessions of workers: who is connected, and the way to tell them something.

use std::collections::HashMap;

use queens::{Size, split::Job};
use scheduler::{RunId, WorkerId};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::request::Refusal;
use crate::listing::Instruction;

/// One connection of one worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SessionId(u64);

/// What a worker is told.
#[derive(Debug)]
pub(crate) enum ToWorker {
    Lease {
        run: RunId,
        size: Size,
        jobs: Vec<Job>,
        audit: bool,
    },
    Acknowledged {
        batch: u64,
    },
    Revoke {
        run: RunId,
        indices: Vec<u64>,
        stop: bool,
    },
    Listing(Instruction),
    Drain,
    Shutdown {
        reason: String,
    },
    /// The session is over, since the worker broke the rules.
    Refused(Refusal),
}

struct Session {
    worker: WorkerId,
    out: mpsc::Sender<ToWorker>,
    /// Tells the reader of the stream that the session is over.
    _ended: DropGuard,
}

/// All sessions. A worker has at most one: a newer one takes the place of an older.
#[derive(Default)]
pub(super) struct Sessions {
    last_id: u64,
    sessions: HashMap<SessionId, Session>,
    of_worker: HashMap<WorkerId, SessionId>,
}

impl Sessions {
    pub(super) fn begin(
        &mut self,
        worker: WorkerId,
        out: mpsc::Sender<ToWorker>,
        ended: CancellationToken,
    ) -> SessionId {
        self.last_id += 1;
        let id = SessionId(self.last_id);
        if let Some(older) = self.of_worker.insert(worker, id) {
            self.sessions.remove(&older);
        }
        self.sessions.insert(id, Session { worker, out, _ended: ended.drop_guard() });
        id
    }

    /// Ends a session; returns its worker if the session was still the present one.
    pub(super) fn end(&mut self, session: SessionId) -> Option<WorkerId> {
        let worker = self.sessions.remove(&session)?.worker;
        self.of_worker.remove(&worker);
        Some(worker)
    }

    pub(super) fn worker(&self, session: SessionId) -> Option<WorkerId> {
        self.sessions.get(&session).map(|session| session.worker)
    }

    pub(super) fn session_of(&self, worker: WorkerId) -> Option<SessionId> {
        self.of_worker.get(&worker).copied()
    }

    /// Tells a session something without waiting; returns whether it could be told. It cannot when it is over or does
    /// not read what it is sent.
    pub(super) fn tell(&self, session: SessionId, message: ToWorker) -> bool {
        self.sessions.get(&session).is_some_and(|session| session.out.try_send(message).is_ok())
    }

    /// Returns all sessions, the oldest first: a simulation must come out the same each time.
    pub(super) fn all(&self) -> Vec<SessionId> {
        let mut all: Vec<_> = self.sessions.keys().copied().collect();
        all.sort_unstable();
        all
    }
}
