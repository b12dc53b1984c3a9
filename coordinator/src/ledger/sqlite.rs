//! The ledger as a SQLite database in WAL mode, in which each commit is synced to disk.

use std::{
    collections::HashMap,
    fs::File,
    io,
    path::{Path, PathBuf},
    thread,
};

use rusqlite::{Connection, OptionalExtension};
use scheduler::{Event, JobId, Recorded, RunId, Support, WorkerId};

use super::{Ledger, LedgerError, RecordedResult, lock::Lock, read, schema, write};

/// A ledger in a SQLite database.
pub(crate) struct Sqlite {
    connection: Connection,
    id: u64,
    file: Option<PathBuf>,
    _lock: Option<Lock>,
}

impl Sqlite {
    /// Opens the ledger file at `path`, or creates it.
    pub(crate) fn open(path: &Path) -> Result<Self, LedgerError> {
        let open_error = |source: io::Error| LedgerError::Open { path: path.to_owned(), source };
        // A file that cannot be opened or created gets the system's own reason, which SQLite does not pass on.
        File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(open_error)?;
        let lock = Lock::take(path).map_err(open_error)?;
        let lock = lock.ok_or_else(|| LedgerError::InUse(path.to_owned()))?;
        let mut connection = Connection::open(path)?;
        schema::prepare(&mut connection, path)?;
        let id = read::id(&connection)?;
        Ok(Self { connection, id, file: Some(path.to_owned()), _lock: Some(lock) })
    }

    /// Creates a ledger in memory.
    pub(crate) fn in_memory() -> Result<Self, LedgerError> {
        let mut connection = Connection::open_in_memory()?;
        schema::prepare(&mut connection, Path::new(":memory:"))?;
        let id = read::id(&connection)?;
        Ok(Self { connection, id, file: None, _lock: None })
    }

    /// Returns how the last alarm about a job was settled: the right count and who computed it.
    fn settled(&self, job: JobId) -> Result<Option<(u64, WorkerId)>, LedgerError> {
        let sql = "SELECT count, worker FROM checks WHERE run = ? AND job = ? AND what IN ('settled', 'audit settled')
                   ORDER BY id DESC LIMIT 1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let pair = |row: &rusqlite::Row<'_>| {
            Ok((row.get::<_, i64>(0)? as u64, WorkerId(row.get::<_, i64>(1)? as u64)))
        };
        Ok(statement.query_row((job.run.0 as i64, job.index as i64), pair).optional()?)
    }

    /// Returns how the last alarm about each of these results, which are in order of job, was settled: one question for a
    /// whole page, since hardly any result ever had one.
    fn settled_among(
        &self,
        run: RunId,
        results: &[RecordedResult],
    ) -> Result<HashMap<u64, (u64, WorkerId)>, LedgerError> {
        let (Some(first), Some(last)) = (results.first(), results.last()) else { return Ok(HashMap::new()) };
        let sql = "SELECT job, count, worker FROM checks
                   WHERE run = ? AND job BETWEEN ? AND ? AND what IN ('settled', 'audit settled') ORDER BY job, id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let settled = |row: &rusqlite::Row<'_>| {
            let [job, count, worker] = [row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?];
            Ok((job as u64, (count as u64, WorkerId(worker as u64))))
        };
        let settled = statement.query_map((run.0 as i64, first.index as i64, last.index as i64), settled)?;
        Ok(settled.collect::<Result<_, _>>()?)
    }

    fn repeated(&self, job: JobId, worker: WorkerId) -> Result<bool, LedgerError> {
        let sql = "SELECT 1 FROM checks WHERE run = ? AND job = ? AND worker = ? AND what IN ('check', 'audit', 'own audit')";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.exists((job.run.0 as i64, job.index as i64, worker.0 as i64))?)
    }
}

impl Ledger for Sqlite {
    fn id(&self) -> u64 {
        self.id
    }

    fn replay(&mut self, apply: &mut dyn FnMut(Event)) -> Result<(), LedgerError> {
        let Some(file) = &self.file else { return read::replay(&self.connection, apply) };
        // Both read the whole file, so they do it side by side.
        thread::scope(|scope| {
            let check = scope.spawn(|| schema::check(file));
            let replayed = read::replay(&self.connection, apply);
            let checked = check.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            checked.and(replayed)
        })
    }

    fn append(&mut self, events: &[Event], at_ms: u64) -> Result<(), LedgerError> {
        let transaction = self.connection.transaction()?;
        for event in events {
            write::event(&transaction, event, at_ms)?;
        }
        Ok(transaction.commit()?)
    }

    fn probe(&mut self) -> Result<(), LedgerError> {
        schema::write_version(&self.connection)
    }

    fn recorded(&self, job: JobId, worker: WorkerId) -> Result<Option<Recorded>, LedgerError> {
        let Some(first) = read::results(&self.connection, job.run, job.index, 1)?.pop() else {
            return Ok(None);
        };
        if first.index != job.index {
            return Ok(None);
        }
        let (count, by) = self.settled(job)?.unwrap_or((first.count, first.worker));
        Ok(Some(Recorded { count, worker: by, repeated: self.repeated(job, worker)? }))
    }

    fn results(&self, run: RunId, from: u64, most: usize) -> Result<Vec<RecordedResult>, LedgerError> {
        let mut results = read::results(&self.connection, run, from, most)?;
        let settled = self.settled_among(run, &results)?;
        for result in &mut results {
            if let Some(&(count, worker)) = settled.get(&result.index) {
                (result.count, result.worker) = (count, worker);
            }
        }
        Ok(results)
    }

    fn supports(&self, run: RunId, worker: WorkerId) -> Result<Vec<Support>, LedgerError> {
        read::supports(&self.connection, run, worker)
    }
}
