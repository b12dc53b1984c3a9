//! Where the driver runs: on a thread of its own, since it waits for the disk; or, for simulations, as one of many
//! tasks of a runtime.

use std::{io, thread};

use tokio::{runtime, sync::oneshot};
use tokio_util::sync::CancellationToken;

use super::{Driver, Mailbox};

/// A driver that was started.
pub(crate) struct Started {
    ended: oneshot::Receiver<()>,
}

impl Started {
    /// Waits until the driver has ended; returns whether it did so in good order.
    pub(crate) async fn ended(&mut self) -> bool {
        (&mut self.ended).await.is_ok()
    }
}

/// Starts the driver. It ends after `stop` is cancelled.
pub(crate) fn start(
    driver: Driver,
    mailbox: Mailbox,
    stop: CancellationToken,
    own_thread: bool,
) -> io::Result<Started> {
    let (at_end, ended) = oneshot::channel();
    let drive = async move {
        driver.run(mailbox, stop).await;
        // Nobody waits if the server has failed.
        let _ = at_end.send(());
    };
    if own_thread {
        let runtime = runtime::Builder::new_current_thread().enable_time().build()?;
        thread::Builder::new().name("driver".to_owned()).spawn(move || runtime.block_on(drive))?;
    } else {
        tokio::spawn(drive);
    }
    Ok(Started { ended })
}
