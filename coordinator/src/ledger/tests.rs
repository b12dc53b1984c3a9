use std::{fs, path::Path, sync::Arc, time::Duration};

use queens::Size;
use scheduler::{
    Algorithm, Answer, Event, Goal, JobId, NewWorker, Problem, Recorded, RunId, RunPlan, Split, WorkerId,
};

use super::{Ledger, LedgerError, Sqlite};

const RUN: RunId = RunId(1);
const ANN: WorkerId = WorkerId(1);
const BOB: WorkerId = WorkerId(2);
const RAN: Duration = Duration::from_micros(1_500_007);

fn created(run: RunId, goal: Goal) -> Event {
    let problem = Problem { size: Size::new(8).unwrap(), goal };
    let plan = Arc::new(RunPlan::choose(problem, &Split::new(Duration::from_secs(5)).at_depth(1)).unwrap());
    let request_id = format!("request of {run}");
    Event::RunCreated { run, request_id, plan, audit_share: 0.25, audit_seed: 7, at_ms: 1_700_000_000_000 }
}

fn registered(worker: WorkerId) -> Event {
    let who = NewWorker {
        instance: [worker.0 as u8; 16],
        name: format!("worker {worker}"),
        host: "löcal".to_owned(),
        kernel: "scalar".to_owned(),
        version: "0.1.0".to_owned(),
        threads: 4,
    };
    Event::WorkerRegistered { worker, who }
}

fn result(index: u64, count: u64, worker: WorkerId) -> Event {
    Event::ResultAdded { job: JobId::new(RUN, index), count, weight: 8, worker, elapsed: RAN }
}

/// A run that went through everything that can happen to one that is still open.
fn story() -> Vec<Event> {
    let job = |index| JobId::new(RUN, index);
    vec![
        registered(ANN),
        registered(BOB),
        created(RUN, Goal::Count),
        result(0, 4, ANN),
        result(1, u64::MAX, BOB),
        result(5, 3, BOB),
        Event::CheckPassed { job: job(0), worker: BOB },
        Event::AuditPassed { job: job(5), worker: ANN },
        Event::AlarmRaised {
            job: job(1),
            recorded_worker: BOB,
            recorded_count: u64::MAX,
            worker: ANN,
            count: 6,
            audit: true,
        },
        Event::AlarmSettled { job: job(1), was: u64::MAX, count: 6, weight: 8, worker: ANN, audit: true },
        Event::Opened { run: RUN, below_rank: 64, ran: RAN },
        Event::RunPaused { run: RUN, ran: RAN },
        Event::RunResumed { run: RUN, ran: RAN },
        Event::WorkerQuarantined { worker: BOB, reason: "it was wrong".to_owned() },
    ]
}

fn replayed(ledger: &mut dyn Ledger) -> Vec<Event> {
    let mut events = Vec::new();
    ledger.replay(&mut |event| events.push(event)).unwrap();
    events
}

fn open_error(path: &Path) -> LedgerError {
    let opened = Sqlite::open(path).and_then(|mut ledger| ledger.replay(&mut drop));
    opened.expect_err("the ledger should be refused")
}

#[test]
fn what_was_appended_comes_back_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let story = story();
    let mut ledger = Sqlite::open(&path).unwrap();
    for events in story.chunks(3) {
        ledger.append(events, 1).unwrap();
    }
    drop(ledger);
    assert_eq!(replayed(&mut Sqlite::open(&path).unwrap()), story);
}

#[test]
fn a_later_mark_takes_the_place_of_an_earlier_one() {
    let mut ledger = Sqlite::in_memory().unwrap();
    let mark = |below_rank| Event::Opened { run: RUN, below_rank, ran: RAN };
    ledger.append(&[created(RUN, Goal::Count), mark(64)], 1).unwrap();
    ledger.append(&[mark(128)], 2).unwrap();
    assert_eq!(replayed(&mut ledger), [created(RUN, Goal::Count), mark(128)]);
}

#[test]
fn a_run_that_is_over_comes_back_without_its_results() {
    let endings = [
        Event::RunDone {
            run: RUN,
            answer: Answer::Count { total: 1 << 70, fundamental: 12, half_turn: 4, quarter_turn: 0 },
            ran: RAN,
        },
        Event::RunCancelled { run: RUN, ran: RAN, jobs_done: 3, tally: 1 << 90 },
        Event::RunFailed { run: RUN, reason: "no".to_owned(), ran: RAN, jobs_done: 1, tally: 0 },
    ];
    for ending in endings {
        let mut ledger = Sqlite::in_memory().unwrap();
        ledger.append(&[created(RUN, Goal::Count), result(0, 4, ANN), ending.clone()], 1).unwrap();
        assert_eq!(replayed(&mut ledger), [created(RUN, Goal::Count), ending]);
        assert_eq!(ledger.results(RUN, 0, 10).unwrap().len(), 1, "the ledger keeps them all the same");
    }
    let done = Event::RunDone { run: RUN, answer: Answer::Boards { total: 92 }, ran: RAN };
    let mut ledger = Sqlite::in_memory().unwrap();
    ledger.append(&[created(RUN, Goal::Boards), done.clone()], 1).unwrap();
    assert_eq!(replayed(&mut ledger), [created(RUN, Goal::Boards), done]);
}

#[test]
fn all_or_none_of_a_batch_is_durable() {
    let mut ledger = Sqlite::in_memory().unwrap();
    ledger.append(&[created(RUN, Goal::Count), result(0, 4, ANN)], 1).unwrap();
    let again = [result(1, 5, ANN), result(0, 4, ANN)];
    assert!(ledger.append(&again, 2).is_err(), "a job was recorded twice");
    assert_eq!(ledger.results(RUN, 0, 10).unwrap().len(), 1);
}

#[test]
fn what_is_recorded_is_what_an_alarm_was_settled_to() {
    let mut ledger = Sqlite::in_memory().unwrap();
    ledger.append(&story(), 1).unwrap();
    let recorded = |index, worker| ledger.recorded(JobId::new(RUN, index), worker).unwrap();
    assert_eq!(recorded(0, BOB), Some(Recorded { count: 4, worker: ANN, repeated: true }));
    assert_eq!(recorded(0, ANN), Some(Recorded { count: 4, worker: ANN, repeated: false }));
    assert_eq!(recorded(1, BOB), Some(Recorded { count: 6, worker: ANN, repeated: false }));
    assert_eq!(recorded(2, ANN), None);
    let lines: Vec<_> =
        ledger.results(RUN, 0, 10).unwrap().into_iter().map(|line| (line.index, line.count)).collect();
    assert_eq!(lines, [(0, 4), (1, 6), (5, 3)]);
    assert_eq!(ledger.results(RUN, 1, 1).unwrap()[0].index, 1);
}

#[test]
fn who_stands_behind_a_job_is_whoever_came_to_what_is_recorded() {
    let mut ledger = Sqlite::in_memory().unwrap();
    ledger.append(&story(), 1).unwrap();
    let behind = |worker| -> Vec<(u64, Vec<WorkerId>)> {
        let supports = ledger.supports(RUN, worker).unwrap();
        supports.iter().map(|support| (support.job().index, support.workers().collect())).collect()
    };
    assert_eq!(behind(BOB), [(0, vec![ANN, BOB]), (1, vec![ANN]), (5, vec![BOB, ANN])]);
    assert_eq!(behind(ANN), [(0, vec![ANN, BOB]), (1, vec![ANN]), (5, vec![BOB, ANN])]);
    assert_eq!(behind(WorkerId(9)), []);
}

#[test]
fn a_second_coordinator_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let _first = Sqlite::open(&path).unwrap();
    assert!(matches!(open_error(&path), LedgerError::InUse(_)));
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    fs::write(&text, "not a database at all, but longer than a header of one hundred bytes, ".repeat(4))
        .unwrap();
    let before = fs::read(&text).unwrap();
    assert!(matches!(open_error(&text), LedgerError::NotALedger(_)));
    assert_eq!(fs::read(&text).unwrap(), before);

    let other = folder.path().join("other.db");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE songs (title TEXT)").unwrap();
    assert!(matches!(open_error(&other), LedgerError::NotALedger(_)));

    assert!(matches!(open_error(&folder.path().join("no/such/folder.db")), LedgerError::Open { .. }));
}

#[test]
fn a_newer_ledger_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    drop(Sqlite::open(&path).unwrap());
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(open_error(&path), LedgerError::Newer { found: 99, known: 2 }));
}

#[test]
fn a_ledger_of_the_first_version_is_read_and_becomes_one_of_this() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let version = |set: Option<u32>| -> u32 {
        let connection = rusqlite::Connection::open(&path).unwrap();
        set.iter().for_each(|version| connection.pragma_update(None, "user_version", version).unwrap());
        connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
    };
    let before = [registered(ANN), created(RUN, Goal::Count), result(0, 4, ANN)];
    Sqlite::open(&path).unwrap().append(&before, 1).unwrap();
    assert_eq!(version(Some(1)), 1);
    assert_eq!(replayed(&mut Sqlite::open(&path).unwrap()), before);
    assert_eq!(version(None), 2);
}

#[test]
fn runs_by_either_algorithm_and_by_both_come_back() {
    let mut ledger = Sqlite::in_memory().unwrap();
    let problem = Problem { size: Size::new(8).unwrap(), goal: Goal::Count };
    let run = |(run, (algorithm, is_full_audit))| {
        let split = Split { algorithm, is_full_audit, ..Split::new(RAN) };
        let plan = Arc::new(RunPlan::choose(problem, &split).unwrap());
        let request_id = String::new();
        Event::RunCreated { run: RunId(run), request_id, plan, audit_share: 0.0, audit_seed: 7, at_ms: 1 }
    };
    let algorithms = Algorithm::ALL.into_iter().flat_map(|algorithm| [(algorithm, false), (algorithm, true)]);
    let created: Vec<Event> = (1..).zip(algorithms).map(run).collect();
    ledger.append(&created, 1).unwrap();
    assert_eq!(replayed(&mut ledger), created);
}

#[test]
fn a_flipped_bit_anywhere_in_a_result_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let mut ledger = Sqlite::open(&path).unwrap();
    ledger.append(&[created(RUN, Goal::Count), result(0, 0x1122_3344_5566, ANN)], 1).unwrap();
    drop(ledger);
    let whole = fs::read(&path).unwrap();
    let needle = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66];
    let at = whole.windows(6).position(|bytes| bytes == needle).expect("the count stands in the file");
    for bit in 0..48 {
        let mut damaged = whole.clone();
        damaged[at + bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &damaged).unwrap();
        assert!(matches!(open_error(&path), LedgerError::Damaged(_)), "bit {bit}");
    }
}

#[test]
fn a_ledger_cut_short_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let mut ledger = Sqlite::open(&path).unwrap();
    ledger.append(&story(), 1).unwrap();
    drop(ledger);
    let whole = fs::read(&path).unwrap();
    for pages in 1..whole.len() / 4096 {
        fs::write(&path, &whole[..pages * 4096]).unwrap();
        let error = open_error(&path);
        assert!(
            matches!(error, LedgerError::Damaged(_) | LedgerError::Database(_)),
            "{pages} pages: {error}"
        );
    }
}

#[test]
fn a_probe_writes_to_the_disk_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (path, log) = (folder.path().join("ledger.db"), folder.path().join("ledger.db-wal"));
    let mut ledger = Sqlite::open(&path).unwrap();
    ledger.append(&story(), 7).unwrap();
    let (before, written) = (replayed(&mut ledger), fs::metadata(&log).unwrap().len());
    ledger.probe().unwrap();
    assert!(fs::metadata(&log).unwrap().len() > written, "it wrote nothing");
    assert_eq!(replayed(&mut ledger), before);
}
