//! Disputes that no worker can settle. When results differ and every worker that is there has had its say, the coordinator
//! computes the job itself, in the plainest way and beside the driver, which must not wait for it. That is a third
//! algorithm: neither what the job is computed by usually nor what audits use.

use std::{
    io, thread,
    time::{Duration, Instant},
};

use queens::{Size, plain, split::Work};
use scheduler::JobId;
use tokio::sync::mpsc;
use tracing::{error, info};

/// What the coordinator itself computed.
pub(super) struct Verdict {
    pub(super) job: JobId,
    pub(super) count: u64,
    pub(super) elapsed: Duration,
}

/// Computes one disputed job at a time.
pub(super) struct Referee {
    /// Whether it computes in a thread of its own; in a simulation, where time stands still meanwhile, it does not.
    own_thread: bool,
    is_busy: bool,
    out: mpsc::Sender<Option<Verdict>>,
}

impl Referee {
    /// Returns a referee, and where its verdicts come from.
    pub(super) fn new(own_thread: bool) -> (Self, mpsc::Receiver<Option<Verdict>>) {
        let (out, verdicts) = mpsc::channel(1);
        (Self { own_thread, is_busy: false, out }, verdicts)
    }

    /// Tells whether it can take a dispute.
    pub(super) fn is_free(&self) -> bool {
        !self.is_busy
    }

    /// Begins to compute a job; what comes out is its verdict, or none if there can be none.
    pub(super) fn compute(&mut self, job: JobId, size: Size, work: Work) {
        info!(%job, "results differ and no other worker is there; computing the job here");
        let out = self.out.clone();
        let compute = move || {
            // There is room: nothing else is computed before this is taken. Without a driver nobody needs it.
            let _ = out.try_send(verdict(job, size, &work));
        };
        self.is_busy = true;
        if !self.own_thread {
            compute();
        } else if let Err(reason) = start(compute) {
            // It is tried again with the next turn.
            error!("the system will not have a thread for a disputed job: {reason}");
            self.is_busy = false;
        }
    }

    /// Takes note that the verdict has come.
    pub(super) fn rest(&mut self) {
        self.is_busy = false;
    }
}

fn start(compute: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name("referee".to_owned()).spawn(compute).map(drop)
}

fn verdict(job: JobId, size: Size, work: &Work) -> Option<Verdict> {
    let begun = Instant::now();
    let count = plain::count(size, work).ok()?;
    Some(Verdict { job, count, elapsed: begun.elapsed() })
}
