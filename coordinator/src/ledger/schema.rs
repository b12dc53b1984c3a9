//! The tables of the ledger, and how they are opened safely.

use std::{
    hash::{BuildHasher, RandomState},
    path::Path,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use super::{LedgerError, row};

/// Marks a file as a ledger of this program ("NQue").
const APPLICATION_ID: u32 = 0x4e51_7565;
/// The version of the tables below. Version 1 has the same tables, but knows neither columns plans nor audits by another
/// algorithm; it becomes this version when it is opened.
const VERSION: u32 = 2;
const OLDEST: u32 = 1;
/// SQLite before this version could, rarely, damage a database in WAL mode.
const SQLITE_MIN: i32 = 3_051_003;

/// Each row ends with a seal over all of its fields. Times of day are milliseconds since 1970.
const TABLES: &str = "
    -- One row: a random number that tells this ledger from all others.
    CREATE TABLE ledger (id INTEGER NOT NULL, seal INTEGER NOT NULL);
    CREATE TABLE workers (
        worker INTEGER PRIMARY KEY, instance BLOB NOT NULL UNIQUE, name TEXT NOT NULL, host TEXT NOT NULL,
        kernel TEXT NOT NULL, version TEXT NOT NULL, threads INTEGER NOT NULL, at_ms INTEGER NOT NULL,
        seal INTEGER NOT NULL
    );
    CREATE TABLE quarantines (
        worker INTEGER PRIMARY KEY, reason TEXT NOT NULL, at_ms INTEGER NOT NULL, seal INTEGER NOT NULL
    );
    CREATE TABLE runs (
        run INTEGER PRIMARY KEY, request_id TEXT NOT NULL, n INTEGER NOT NULL, goal TEXT NOT NULL,
        audit_share REAL NOT NULL, audit_seed INTEGER NOT NULL, at_ms INTEGER NOT NULL, seal INTEGER NOT NULL
    );
    CREATE TABLE parts (
        run INTEGER NOT NULL, part INTEGER NOT NULL, kind TEXT NOT NULL, depth INTEGER NOT NULL,
        jobs INTEGER NOT NULL, seal INTEGER NOT NULL, PRIMARY KEY (run, part)
    ) WITHOUT ROWID;
    -- How runs were paused, resumed and ended. tally and the answer are decimal text, since they may exceed 64 bits.
    CREATE TABLE changes (
        id INTEGER PRIMARY KEY, run INTEGER NOT NULL, change TEXT NOT NULL, ran_us INTEGER NOT NULL,
        reason TEXT NOT NULL, jobs_done INTEGER NOT NULL, tally TEXT NOT NULL, total TEXT NOT NULL,
        fundamental TEXT NOT NULL, half_turn TEXT NOT NULL, quarter_turn TEXT NOT NULL, at_ms INTEGER NOT NULL,
        seal INTEGER NOT NULL
    );
    CREATE INDEX changes_of_run ON changes (run);
    -- Jobs below this rank of the lending order may have been lent.
    CREATE TABLE marks (
        run INTEGER PRIMARY KEY, below_rank INTEGER NOT NULL, ran_us INTEGER NOT NULL, seal INTEGER NOT NULL
    );
    -- The first result of each job. count holds all 64 bits: a negative number stands for that number plus 2^64.
    CREATE TABLE results (
        run INTEGER NOT NULL, job INTEGER NOT NULL, count INTEGER NOT NULL, weight INTEGER NOT NULL,
        worker INTEGER NOT NULL, elapsed_us INTEGER NOT NULL, at_ms INTEGER NOT NULL, seal INTEGER NOT NULL,
        PRIMARY KEY (run, job)
    ) WITHOUT ROWID;
    -- Second computations of jobs: check, audit, alarm or audit alarm (recorded and
    -- reported differ), settled or audit settled (was and is).
    CREATE TABLE checks (
        id INTEGER PRIMARY KEY, run INTEGER NOT NULL, job INTEGER NOT NULL, what TEXT NOT NULL,
        worker INTEGER NOT NULL, count INTEGER NOT NULL, weight INTEGER NOT NULL, other_worker INTEGER NOT NULL,
        other_count INTEGER NOT NULL, at_ms INTEGER NOT NULL, seal INTEGER NOT NULL
    );
    CREATE INDEX checks_of_job ON checks (run, job);
";

/// Prepares a connection: durable commits, and tables of the version that this program knows. What is not a ledger is left
/// as it is. Whether the file is whole shows [`check`].
pub(super) fn prepare(connection: &mut Connection, path: &Path) -> Result<(), LedgerError> {
    if rusqlite::version_number() < SQLITE_MIN {
        return Err(LedgerError::Damaged(format!("SQLite {} is too old to trust", rusqlite::version())));
    }
    let not_a_ledger = || LedgerError::NotALedger(path.to_owned());
    let found = identity(connection).map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => not_a_ledger(),
        Some(ErrorCode::DatabaseCorrupt) => LedgerError::Damaged(error.to_string()),
        _ => error.into(),
    })?;
    match found {
        Identity { application: APPLICATION_ID, version: OLDEST..=VERSION, .. } => {}
        Identity { application: APPLICATION_ID, version, .. } => {
            return Err(LedgerError::Newer { found: version, known: VERSION });
        }
        Identity { application: 0, version: 0, tables: 0 } => {}
        _ => return Err(not_a_ledger()),
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    if found.tables == 0 {
        create(connection)?;
    } else if found.version < VERSION {
        connection.pragma_update(None, "user_version", VERSION)?;
    }
    Ok(())
}

struct Identity {
    application: u32,
    version: u32,
    tables: u32,
}

fn identity(connection: &Connection) -> Result<Identity, rusqlite::Error> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get(0));
    Ok(Identity {
        application: number("PRAGMA application_id")?,
        version: number("PRAGMA user_version")?,
        tables: number("SELECT count(*) FROM sqlite_schema")?,
    })
}

fn create(connection: &mut Connection) -> Result<(), LedgerError> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(TABLES)?;
    // A keyed hash of anything is random, since the standard library draws its keys from the system.
    let id = RandomState::new().hash_one(APPLICATION_ID).max(1);
    row::insert(
        &mut transaction.prepare_cached("INSERT INTO ledger VALUES (?, ?)")?,
        "ledger",
        &[id.into()],
    )?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    write_version(&transaction)?;
    Ok(transaction.commit()?)
}

/// Writes the version of the tables. Its page is written even if the version is there already.
pub(super) fn write_version(connection: &Connection) -> Result<(), LedgerError> {
    Ok(connection.pragma_update(None, "user_version", VERSION)?)
}

/// Looks for damage in the structure of the file, all of which is read; damage inside of rows shows in their seals.
pub(super) fn check(path: &Path) -> Result<(), LedgerError> {
    let damaged = |error: rusqlite::Error| LedgerError::Damaged(error.to_string());
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(damaged)?;
    let complaint: Option<String> =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).optional().map_err(damaged)?;
    match complaint.as_deref() {
        Some("ok") => Ok(()),
        complaint => Err(LedgerError::Damaged(complaint.unwrap_or("the check says nothing").to_owned())),
    }
}
