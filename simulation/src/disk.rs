//! A disk that fails. The ledger is a SQLite file, so a second connection can put triggers into it that refuse rows, or
//! swallow them, and can take them out again. The coordinator knows nothing of this.

use std::path::Path;

use rusqlite::Connection;

const TABLES: [&str; 8] =
    ["workers", "quarantines", "runs", "parts", "changes", "marks", "results", "checks"];

/// Makes every row be refused from now on.
pub(crate) fn fill(ledger: &Path) {
    let trigger = |table: &&str| {
        format!(
            "CREATE TRIGGER IF NOT EXISTS full_{table} BEFORE INSERT ON {table}
             BEGIN SELECT RAISE(ABORT, 'the simulated disk is full'); END;"
        )
    };
    change(ledger, &TABLES.iter().map(trigger).collect::<String>());
}

/// Lets rows be written again.
pub(crate) fn make_room(ledger: &Path) {
    change(
        ledger,
        &TABLES.iter().map(|table| format!("DROP TRIGGER IF EXISTS full_{table};")).collect::<String>(),
    );
}

/// Makes some results be swallowed from now on: the disk says that it has them.
pub(crate) fn forget_some(ledger: &Path) {
    let sql = "CREATE TRIGGER IF NOT EXISTS forgets BEFORE INSERT ON results WHEN NEW.job % 5 = 2
               BEGIN SELECT RAISE(IGNORE); END;";
    change(ledger, sql);
}

/// Returns what the ledger says about each job: index, count after all corrections, weight, the count that was recorded
/// first, and whose that was. Read without any of the coordinator's code.
pub(crate) fn results(ledger: &Path) -> rusqlite::Result<Vec<Row>> {
    let connection = Connection::open(ledger)?;
    let sql = "SELECT job, count, weight, worker,
                 (SELECT checks.count FROM checks WHERE checks.run = results.run AND checks.job = results.job
                  AND what IN ('settled', 'audit settled') ORDER BY id DESC LIMIT 1)
               FROM results WHERE run = 1 ORDER BY job";
    let mut statement = connection.prepare(sql)?;
    let row = |row: &rusqlite::Row<'_>| {
        let number = |column| row.get::<_, i64>(column).map(|number| number as u64);
        let settled = row.get::<_, Option<i64>>(4)?.map(|number| number as u64);
        let first = number(1)?;
        Ok(Row {
            job: number(0)?,
            count: settled.unwrap_or(first),
            weight: number(2)?,
            first,
            worker: number(3)?,
        })
    };
    statement.query_map([], row)?.collect()
}

/// A result in the ledger.
pub(crate) struct Row {
    pub(crate) job: u64,
    pub(crate) count: u64,
    pub(crate) weight: u64,
    pub(crate) first: u64,
    pub(crate) worker: u64,
}

/// Workers by number, each with its name.
type Names = Vec<(u64, String)>;

/// Returns the workers in quarantine, and the names of all workers by number.
pub(crate) fn workers(ledger: &Path) -> rusqlite::Result<(Vec<u64>, Names)> {
    let connection = Connection::open(ledger)?;
    let number = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0).map(|number| number as u64);
    let mut statement = connection.prepare("SELECT worker FROM quarantines")?;
    let out = statement.query_map([], number)?.collect::<Result<_, _>>()?;
    let mut statement = connection.prepare("SELECT worker, name FROM workers ORDER BY worker")?;
    let names = statement.query_map([], |row| Ok((number(row)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    Ok((out, names))
}

/// Changes the file, once the coordinator has made a ledger of it.
fn change(ledger: &Path, sql: &str) {
    if !ledger.exists() {
        return;
    }
    let connection = Connection::open(ledger).expect("the ledger of the simulation can be opened");
    let is_ledger = connection.table_exists(None, "checks").expect("the ledger can be read");
    if is_ledger {
        connection.execute_batch(sql).expect("the triggers are right");
    }
}
