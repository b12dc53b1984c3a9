//! Signals: what Ctrl-C and a polite `kill` mean, the same on every command.

use std::future::Future;

use tokio_util::sync::CancellationToken;

use crate::exit::Interrupted;

/// Does `work` until it is done or a signal comes; a signal is an [`Interrupted`] with the hint.
pub(crate) async fn until_interrupted<T>(
    hint: String,
    work: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    tokio::select! {
        outcome = work => outcome,
        () = signal() => Err(Interrupted(hint).into()),
    }
}

/// Cancels `first` at the first signal and `second` at the next one, which then no longer waits for anything.
pub(crate) fn listen(first: CancellationToken, second: CancellationToken) {
    // From here on no signal is missed, even before the task runs.
    let mut signals = Signals::new();
    tokio::spawn(async move {
        signals.next().await;
        first.cancel();
        signals.next().await;
        second.cancel();
    });
}

/// Calls `renew` at each SIGHUP, from now on.
#[cfg(unix)]
pub(crate) fn on_hangup(renew: impl Fn() + Clone + Send + 'static) {
    use tokio::signal::unix::{SignalKind, signal};
    // Where it cannot be caught, it ends the process as it does by default.
    let Ok(mut hangups) = signal(SignalKind::hangup()) else { return };
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            // It reads files.
            let _ = tokio::task::spawn_blocking(renew.clone()).await;
        }
    });
}

/// There is no such signal here.
#[cfg(not(unix))]
pub(crate) fn on_hangup(_renew: impl Fn() + Clone + Send + 'static) {}

/// Waits for Ctrl-C or a request to terminate.
async fn signal() {
    Signals::new().next().await;
}

/// The signals that ask a process to stop. Creating it stops them from ending the process at once.
#[cfg(unix)]
struct Signals {
    interrupt: Option<tokio::signal::unix::Signal>,
    terminate: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        // Where a signal cannot be caught, it ends the process as it does by default.
        Self {
            interrupt: signal(SignalKind::interrupt()).ok(),
            terminate: signal(SignalKind::terminate()).ok(),
        }
    }

    async fn next(&mut self) {
        async fn one(signal: &mut Option<tokio::signal::unix::Signal>) {
            match signal {
                Some(signal) => drop(signal.recv().await),
                None => std::future::pending().await,
            }
        }
        tokio::select! {
            () = one(&mut self.interrupt) => {}
            () = one(&mut self.terminate) => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> Self {
        Self
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
