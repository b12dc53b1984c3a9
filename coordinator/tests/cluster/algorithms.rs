//! Counting by columns and by both algorithms, and what comes of a kernel that is wrong in the same way everywhere.

use nqueens_proto::v1::{Algorithm, CreateRunRequest, Goal, PlanKind, Run, RunState};
use queens::{
    Size, audit::Auditor, columns::ColumnSet, columns::scalar, kernel::Kernel, known, plain, split::Work,
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

/// Counts with a wrong column kernel. Audits, which use another algorithm, come out right.
fn mistaken(job: &Job) -> Result<u64, String> {
    match &job.work {
        _ if job.id.audit => {
            let mut auditor = Auditor::new(Kernel::best()).map_err(|error| error.to_string())?;
            let count = auditor.count_while(job.size, &job.work, &mut || true);
            Ok(count.map_err(|error| error.to_string())?.unwrap())
        }
        Work::Columns(set) => Ok(one_too_many(*set)),
        work => plain::count(job.size, work).map_err(|error| error.to_string()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kernel_that_is_wrong_on_every_machine_is_caught_by_audits() {
    let cluster = Cluster::start().await;
    let _workers = ["ann", "bob", "cid"].map(|name| cluster.work_as(name, mistaken));
    let run = create(&cluster, wanted(10, Algorithm::Columns, false, 0.2)).await;
    let progress = |run: &Run| run.progress.clone().unwrap();
    let caught = cluster.watch(run, |run| progress(run).alarms > 0).await;
    assert!(progress(&caught).alarms_open > 0 && caught.answer.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kernel_that_is_wrong_on_every_machine_fails_a_full_audit() {
    let cluster = Cluster::start().await;
    let _workers = ["ann", "bob"].map(|name| cluster.work_as(name, mistaken));
    for algorithm in [Algorithm::Cross, Algorithm::Columns] {
        let run = create(&cluster, wanted(10, algorithm, true, 0.0)).await;
        let failed = cluster.watch(run, |run| run.state() == RunState::Failed).await;
        assert!(failed.reason.contains("full audit") && failed.reason.contains("724"), "{}", failed.reason);
        assert!(failed.answer.is_none());
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
