//! A kernel whose jobs begin and end when the test wants it.

use std::{
    collections::BTreeSet,
    num::NonZeroUsize,
    sync::{Arc, Condvar, Mutex},
};

use tokio::sync::mpsc;
use worker::{Job, Pool};

/// Holds back each job until it is let through. A job's result is 100 + its index.
pub(crate) struct Gate {
    doors: Arc<(Mutex<BTreeSet<u64>>, Condvar)>,
    begun: mpsc::UnboundedReceiver<u64>,
}

impl Gate {
    pub(crate) fn pool(slots: usize) -> (Self, Pool) {
        let (begin, begun) = mpsc::unbounded_channel();
        let doors = Arc::new((Mutex::new(BTreeSet::new()), Condvar::new()));
        let gate = Self { doors: Arc::clone(&doors), begun };
        let make = move || {
            let (begin, doors) = (begin.clone(), Arc::clone(&doors));
            move |job: &Job| {
                let _ = begin.send(job.id.index);
                let open = doors.0.lock().unwrap();
                let shut = |open: &mut BTreeSet<u64>| !open.contains(&job.id.index);
                drop(doors.1.wait_while(open, shut).unwrap());
                Ok(100 + job.id.index)
            }
        };
        (gate, Pool::threads_with(NonZeroUsize::new(slots).unwrap(), make).unwrap())
    }

    /// Waits until a slot begins a job.
    pub(crate) async fn begun(&mut self) -> u64 {
        self.begun.recv().await.unwrap()
    }

    pub(crate) fn open(&self, indices: impl IntoIterator<Item = u64>) {
        self.doors.0.lock().unwrap().extend(indices);
        self.doors.1.notify_all();
    }
}
