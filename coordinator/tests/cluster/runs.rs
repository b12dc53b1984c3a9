//! What clusters are for.

use std::{thread::sleep, time::Duration};

use nqueens_proto::v1::{
    CancelRunRequest, DrainWorkerRequest, GetClusterRequest, Goal, ListWorkersRequest, Order,
    PauseRunRequest, ResumeRunRequest, RunState, WorkerState,
};
use queens::{Size, enumerate, known};

use crate::cluster::{Cluster, honest};

fn known_answer(n: u32) -> (String, String) {
    let size = Size::new(n.into()).unwrap();
    (known::total(size).unwrap().to_string(), known::fundamental(size).unwrap().to_string())
}

fn all_boards(n: u32, order: enumerate::Order) -> Vec<u8> {
    let mut boards = Vec::new();
    let mut listed = enumerate::Boards::under(Size::new(n.into()).unwrap(), &[], order).unwrap();
    listed.append_to(&mut boards, usize::MAX);
    boards
}

#[tokio::test(flavor = "multi_thread")]
async fn every_small_board_is_counted_right() {
    let cluster = Cluster::start().await;
    let _worker = cluster.work("ann", 2);
    for n in 1..=12 {
        let run = cluster.create(n, Goal::Count).await;
        assert_eq!(cluster.answer(run).await, known_answer(n), "n = {n}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn three_workers_carry_three_runs_at_once() {
    let cluster = Cluster::start().await;
    let _workers = ["ann", "bob", "cid"].map(|name| cluster.work(name, 1));
    let count_11 = cluster.create_deep(11, Goal::Count, Some(2)).await;
    let count_13 = cluster.create_deep(13, Goal::Count, Some(1)).await;
    let boards_9 = cluster.create(9, Goal::Boards).await;
    let (ascending, descending) = (Order::Ascending, Order::Descending);
    let (eleven, thirteen, up, down) = tokio::join!(
        cluster.answer(count_11),
        cluster.answer(count_13),
        cluster.boards(boards_9, ascending, 0, None),
        cluster.boards(boards_9, descending, 0, None),
    );
    assert_eq!(eleven, known_answer(11));
    assert_eq!(thirteen, known_answer(13));
    assert_eq!(up.unwrap(), all_boards(9, enumerate::Order::Ascending));
    assert_eq!(down.unwrap(), all_boards(9, enumerate::Order::Descending));
}

#[tokio::test(flavor = "multi_thread")]
async fn offset_and_limit_cut_exactly() {
    let cluster = Cluster::start().await;
    let _worker = cluster.work("ann", 2);
    let run = cluster.create_deep(8, Goal::Boards, Some(2)).await;
    let all = all_boards(8, enumerate::Order::Ascending);
    for (offset, limit) in [(0, 0), (0, 1), (1, 3), (45, 50), (91, 1), (91, 9), (92, 1), (1_000_000, 5)] {
        let boards = cluster.boards(run, Order::Unspecified, offset, Some(limit)).await.unwrap();
        let from = (offset as usize * 8).min(all.len());
        let to = (from + limit as usize * 8).min(all.len());
        assert_eq!(boards, all[from..to], "offset {offset}, limit {limit}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_worker_costs_time_and_nothing_else() {
    let cluster = Cluster::start().await;
    // This one would never finish anything.
    let stuck = cluster.work_as("stuck", |job| {
        sleep(Duration::from_secs(1));
        honest(job)
    });
    let run = cluster.create_deep(10, Goal::Count, Some(1)).await;
    cluster.watch(run, |run| run.progress.as_ref().unwrap().jobs_leased > 0).await;
    stuck.kill().await;
    let _worker = cluster.work("ann", 2);
    assert_eq!(cluster.answer(run).await, known_answer(10));
    assert!(cluster.get(run).await.progress.unwrap().jobs_lent_again > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drained_worker_leaves_in_good_order_and_nothing_is_computed_twice() {
    let cluster = Cluster::start().await;
    let slow = cluster.work_as("slow", |job| {
        sleep(Duration::from_millis(2));
        honest(job)
    });
    let run = cluster.create_deep(10, Goal::Count, Some(1)).await;
    cluster.watch(run, |run| run.progress.as_ref().unwrap().jobs_done > 0).await;
    slow.drain().await;
    let _worker = cluster.work("ann", 2);
    assert_eq!(cluster.answer(run).await, known_answer(10));
    let progress = cluster.get(run).await.progress.unwrap();
    assert_eq!((progress.free_checks, progress.alarms), (0, 0));
    let workers =
        cluster.itself().await.list_workers(ListWorkersRequest {}).await.unwrap().into_inner().workers;
    let slow = workers.iter().find(|worker| worker.name == "slow").unwrap();
    assert_eq!((slow.state(), slow.jobs_held), (WorkerState::Gone, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_can_be_drained_from_outside() {
    let cluster = Cluster::start().await;
    let worker = cluster.work("ann", 1);
    let mut itself = cluster.itself().await;
    while itself.get_cluster(GetClusterRequest {}).await.unwrap().into_inner().workers == 0 {
        tokio::task::yield_now().await;
    }
    itself.drain_worker(DrainWorkerRequest { worker_id: 1 }).await.unwrap();
    worker.drain().await;
    assert_eq!(itself.get_cluster(GetClusterRequest {}).await.unwrap().into_inner().workers, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_pause_resume_and_cancel() {
    let cluster = Cluster::start().await;
    let [paused, cancelled, other] = [9, 10, 8].map(|n| cluster.create(n, Goal::Count));
    let (paused, cancelled, other) = (paused.await, cancelled.await, other.await);
    let mut runs = cluster.runs().await;
    runs.pause_run(PauseRunRequest { run_id: paused }).await.unwrap();
    runs.cancel_run(CancelRunRequest { run_id: cancelled }).await.unwrap();
    let _worker = cluster.work("ann", 1);
    assert_eq!(cluster.answer(other).await, known_answer(8));
    for (run, state) in [(paused, RunState::Paused), (cancelled, RunState::Cancelled)] {
        let run = cluster.get(run).await;
        assert_eq!((run.state(), run.progress.unwrap().jobs_done), (state, 0));
    }
    cluster.watch(cancelled, |run| run.state() == RunState::Cancelled).await;
    runs.resume_run(ResumeRunRequest { run_id: paused }).await.unwrap();
    assert_eq!(cluster.answer(paused).await, known_answer(9));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_cannot_be_computed_stops_its_run_with_the_reason() {
    let cluster = Cluster::start().await;
    let _worker = cluster.work_as("ill", |job| match job.id.index {
        7 => Err("the abacus is broken".to_owned()),
        _ => honest(job),
    });
    let run = cluster.create_deep(8, Goal::Count, Some(1)).await;
    let failed = cluster.watch(run, |run| run.state() == RunState::Failed).await;
    assert!(failed.reason.contains("the abacus is broken"), "{}", failed.reason);
    assert!(failed.answer.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_export_adds_up_to_the_answer() {
    let cluster = Cluster::start().await;
    let _worker = cluster.work("ann", 2);
    let run = cluster.create_deep(11, Goal::Count, Some(1)).await;
    let (total, _) = cluster.answer(run).await;
    let results = cluster.export(run).await;
    assert!((0..).zip(&results).all(|(index, result)| result.index == index));
    let sum: u64 = results[2..].iter().map(|result| result.count * u64::from(result.weight)).sum();
    assert_eq!(sum.to_string(), total);
}
