//! What a crash does to connections, in an order that a seed repeats.
//!
//! A process that dies closes its connections, and each end of one draws the time that the news takes. Tokio drops the
//! tasks of a runtime in an order that depends on their numbers, which the whole process counts. So while the coordinator
//! crashes its connections are put aside, and closed in the order in which they came once everything else is gone.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use turmoil::net::TcpStream;

/// The connections of all lives of the coordinator.
#[derive(Clone, Default)]
pub(crate) struct Crash(Arc<Shared>);

#[derive(Default)]
struct Shared {
    is_happening: AtomicBool,
    streams: Mutex<Streams>,
}

#[derive(Default)]
struct Streams {
    accepted: u64,
    aside: Vec<(u64, TcpStream)>,
}

impl Crash {
    /// Lets the crash happen.
    pub(crate) fn happen(&self, crash: impl FnOnce()) {
        self.0.is_happening.store(true, Relaxed);
        crash();
        self.0.is_happening.store(false, Relaxed);
    }

    /// Returns the number of a connection that has come.
    pub(crate) fn number(&self) -> u64 {
        let mut streams = self.streams();
        streams.accepted += 1;
        streams.accepted
    }

    /// Takes a connection that is being dropped.
    pub(crate) fn take(&self, number: u64, stream: TcpStream) {
        if self.0.is_happening.load(Relaxed) {
            self.streams().aside.push((number, stream));
        }
    }

    /// Returns what closes them; to be held where it is dropped last.
    pub(crate) fn last_will(&self) -> LastWill {
        LastWill(self.clone())
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.0.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes the connections that a crash has put aside.
pub(crate) struct LastWill(Crash);

impl Drop for LastWill {
    fn drop(&mut self) {
        let mut aside = std::mem::take(&mut self.0.streams().aside);
        aside.sort_by_key(|&(number, _)| number);
        // One after another, from the first.
        aside.into_iter().for_each(drop);
    }
}
