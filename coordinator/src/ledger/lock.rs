//! One coordinator for one ledger file: an advisory lock beside it, which the system frees when the process dies.

use std::{
    ffi::OsString,
    fs::{File, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// Holds the lock until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of the ledger at `path`; `None` if another process has it.
    pub(super) fn take(path: &Path) -> io::Result<Option<Self>> {
        let file = File::options().create(true).append(true).open(lock_path(path))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

fn lock_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".lock");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_taker_gets_nothing_until_the_first_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.db");
        let first = Lock::take(&path).unwrap();
        assert!(first.is_some());
        assert!(Lock::take(&path).unwrap().is_none());
        drop(first);
        assert!(Lock::take(&path).unwrap().is_some());
    }
}
