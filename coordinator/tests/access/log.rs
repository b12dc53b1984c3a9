//! What the coordinators of these tests log.

use std::{
    io,
    sync::{Mutex, Once, PoisonError},
};

use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static STARTED: Once = Once::new();
static TURNS: RwLock<()> = RwLock::const_new(());

/// Waits until no test is [`alone`]; while this is held, none will be.
pub(crate) async fn together() -> RwLockReadGuard<'static, ()> {
    TURNS.read().await
}

/// Waits until nothing else is logged by other tests; while this is held, nothing will be.
pub(crate) async fn alone() -> RwLockWriteGuard<'static, ()> {
    TURNS.write().await
}

struct Writer;

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Begins to keep what is logged.
pub(crate) fn keep() {
    STARTED.call_once(|| {
        tracing_subscriber::fmt()
            .with_env_filter("coordinator=debug,worker=debug,tonic=debug,h2=debug,hyper=debug,rustls=debug")
            .with_ansi(false)
            .with_writer(|| Writer)
            .init();
    });
}

/// Returns all that was logged so far.
pub(crate) fn text() -> String {
    String::from_utf8_lossy(&LINES.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
}
