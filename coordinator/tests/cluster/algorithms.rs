//! Counting by columns and by both algorithms, and what comes of a kernel that is wrong in the same way everywhere.

use nqueens_proto::v1::{Algorithm, CreateRunRequest, Goal, PlanKind, Run, RunState};
use queens::{
    Position, Size, Square, audit::Auditor, columns::ColumnSet, columns::scalar, kernel::Kernel, known,
    plain, split::Work,
};
use worker::Job;

use crate::cluster::Cluster;

fn wanted(n: u32, algorithm: Algorithm, full_audit: bool, audit_share: f64) -> CreateRunRequest {
    let (goal, algorithm) = (Goal::Count.into(), algorithm.into());
    CreateRunRequest { n, goal, algorithm, full_audit, audit_share, ..CreateRunRequest::default() }
}

async fn create(cluster: &Cluster, wanted: CreateRunRequest) -> u64 {
    cluster.runs().await.create_run(wanted).await.unwrap().into_inner().run.unwrap().run_id
}

fn kinds(run: &Run) -> Vec<PlanKind> {
    run.plan.iter().map(|part| part.kind()).collect()
}

fn known_total(n: u32) -> String {
    known::total(Size::new(n.into()).unwrap()).unwrap().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_count_right_and_are_exported() {
    let cluster = Cluster::start().await;
    let _workers = ["ann", "bob"].map(|name| cluster.work(name, 1));
    for n in 6..=13 {
        let run = create(&cluster, wanted(n, Algorithm::Columns, false, 0.3)).await;
        assert_eq!(cluster.answer(run).await.0, known_total(n), "n = {n}");
        let seen = cluster.get(run).await;
        assert_eq!(kinds(&seen)[2..], [PlanKind::Columns]);
        let progress = seen.progress.unwrap();
        assert_eq!((progress.alarms, progress.audits_done), (0, progress.audits_wanted));
        let results = cluster.export(run).await;
        let sets = results.iter().filter_map(|result| result.column_set.as_ref());
        assert!(sets.clone().all(|set| set.columns.len() == n as usize / 2));
        assert_eq!(sets.count(), results.len() - 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_audit_counts_by_both() {
    let cluster = Cluster::start().await;
    let _worker = cluster.work("ann", 2);
    for algorithm in [Algorithm::Cross, Algorithm::Columns] {
        let run = create(&cluster, wanted(11, algorithm, true, 0.0)).await;
        assert_eq!(cluster.answer(run).await.0, known_total(11));
        let mut kinds = kinds(&cluster.get(run).await);
        kinds.sort_unstable();
        let both = [PlanKind::Cross, PlanKind::HalfTurn, PlanKind::QuarterTurn, PlanKind::Columns];
        assert_eq!(kinds, both);
    }
}

/// A column kernel with a mistake: of every third set it counts one board too many, on every machine.
fn one_too_many(set: ColumnSet) -> u64 {
    scalar::count(set) + u64::from(set.columns().is_multiple_of(3))
}

/// A search with a mistake: row by row, with the columns and diagonals of the queens that it has placed, and without the shift
/// of the diagonals past a row that has its queen already.
fn wrong_shift(position: &Position, row: u8, columns: u32, left: u32, right: u32) -> u64 {
    let n = position.size().get() as u8;
    if row == n {
        return 1;
    }
    if position.rows() >> row & 1 == 1 {
        return wrong_shift(position, row + 1, columns, left, right);
    }
    let is_free = |column: u8| {
        position.is_free(Square::new(row, column)) && (columns | left | right) >> column & 1 == 0
    };
    let below = |column: u8| {
        let queen = 1 << column;
        wrong_shift(position, row + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1)
    };
    (0..n).filter(|&column| is_free(column)).map(below).sum()
}

/// Counts with both of these. Audits, which use another algorithm, come out right.
fn mistaken(job: &Job) -> Result<u64, String> {
    match &job.work {
        _ if job.id.audit => {
            let mut auditor = Auditor::new(Kernel::best()).map_err(|error| error.to_string())?;
            let count = auditor.count_while(job.size, &job.work, &mut || true);
            Ok(count.map_err(|error| error.to_string())?.unwrap())
        }
        Work::Columns(set) => Ok(one_too_many(*set)),
        Work::Complete(queens) => {
            let position = Position::with_queens(job.size, queens.iter().copied());
            Ok(wrong_shift(&position.map_err(|error| error.to_string())?, 0, 0, 0, 0))
        }
        turn => plain::count(job.size, turn).map_err(|error| error.to_string()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kernel_that_is_wrong_on_every_machine_is_caught_by_audits() {
    let cluster = Cluster::start().await;
    let _workers = ["ann", "bob", "cid"].map(|name| cluster.work_as(name, mistaken));
    for algorithm in [Algorithm::Cross, Algorithm::Columns] {
        let run = create(&cluster, wanted(10, algorithm, false, 0.5)).await;
        let progress = |run: &Run| run.progress.clone().unwrap();
        let caught = cluster.watch(run, |run| progress(run).alarms > 0).await;
        assert!(progress(&caught).alarms_open > 0 && caught.answer.is_none(), "{algorithm:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kernel_that_is_wrong_on_every_machine_fails_a_full_audit() {
    let cluster = Cluster::start().await;
    let right_search = |job: &Job| match &job.work {
        Work::Columns(_) => mistaken(job),
        work => plain::count(job.size, work).map_err(|error| error.to_string()),
    };
    let right_columns = |job: &Job| match &job.work {
        Work::Complete(_) => mistaken(job),
        work => plain::count(job.size, work).map_err(|error| error.to_string()),
    };
    full_audits_fail(&cluster, right_search).await;
    full_audits_fail(&cluster, right_columns).await;
}

/// Lets two workers that count like this do a full audit of each kind: both fail, with the right number beside the wrong one.
async fn full_audits_fail(
    cluster: &Cluster,
    count: impl Fn(&Job) -> Result<u64, String> + Copy + Send + Sync + 'static,
) {
    let workers = ["ann", "bob"].map(|name| cluster.work_as(name, count));
    for algorithm in [Algorithm::Cross, Algorithm::Columns] {
        let run = create(cluster, wanted(10, algorithm, true, 0.0)).await;
        let failed = cluster.watch(run, |run| run.state() == RunState::Failed).await;
        assert!(failed.reason.contains("full audit") && failed.reason.contains("724"), "{}", failed.reason);
        assert!(failed.answer.is_none());
    }
    for worker in workers {
        worker.drain().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_is_refused_in_a_sentence() {
    let cluster = Cluster::start().await;
    let boards = |wanted| CreateRunRequest { goal: Goal::Boards.into(), ..wanted };
    let cases = [
        (wanted(5, Algorithm::Columns, false, 0.0), "n = 6 to 27"),
        (wanted(28, Algorithm::Columns, false, 0.0), "n = 6 to 27"),
        (wanted(5, Algorithm::Unspecified, true, 0.0), "n = 6 to 27"),
        (CreateRunRequest { depth: Some(1), ..wanted(8, Algorithm::Columns, false, 0.0) }, "no depth"),
        (boards(wanted(8, Algorithm::Cross, false, 0.0)), "for counts"),
        (boards(wanted(8, Algorithm::Unspecified, true, 0.0)), "for counts"),
        (CreateRunRequest { algorithm: 9, ..wanted(8, Algorithm::Cross, false, 0.0) }, "ALGORITHM_CROSS"),
    ];
    for (wanted, words) in cases {
        let status = cluster.runs().await.create_run(wanted.clone()).await.unwrap_err();
        assert_eq!(status.code(), tonic::Code::InvalidArgument, "{wanted:?}");
        assert!(status.message().contains(words), "{status}");
    }
    // Without a word about the algorithm there is always one.
    let run = create(&cluster, wanted(5, Algorithm::Unspecified, false, 0.0)).await;
    assert_eq!(kinds(&cluster.get(run).await)[2..], [PlanKind::Cross]);
}
