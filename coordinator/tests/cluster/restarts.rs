//! A coordinator that goes away and comes back on its ledger.

use std::{thread::sleep, time::Duration};

use coordinator::LedgerPlace;
use nqueens_proto::v1::Goal;

use crate::cluster::{Cluster, honest, settings};

#[tokio::test(flavor = "multi_thread")]
async fn a_restarted_coordinator_goes_on_where_it_was_and_its_worker_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = LedgerPlace::File(folder.path().join("ledger.db"));
    let cluster = Cluster::with(settings(ledger.clone()), "127.0.0.1:0").await;
    let address = cluster.address.clone();
    let _worker = cluster.work_as("slow", |job| {
        sleep(Duration::from_millis(2));
        honest(job)
    });
    let run = cluster.create_deep(10, Goal::Count, Some(1)).await;
    let before = cluster.watch(run, |run| run.progress.as_ref().unwrap().jobs_done > 20).await;
    cluster.stop().await;

    let cluster = Cluster::with(settings(ledger), &address).await;
    let after = cluster.get(run).await.progress.unwrap().jobs_done;
    assert!(after >= before.progress.unwrap().jobs_done, "acknowledged results are kept");
    assert_eq!(cluster.answer(run).await, ("724".to_owned(), "92".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_run_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = LedgerPlace::File(folder.path().join("ledger.db"));
    let cluster = Cluster::with(settings(ledger.clone()), "127.0.0.1:0").await;
    let worker = cluster.work("ann", 1);
    let run = cluster.create(8, Goal::Count).await;
    cluster.answer(run).await;
    worker.drain().await;
    cluster.stop().await;

    let cluster = Cluster::with(settings(ledger), "127.0.0.1:0").await;
    assert_eq!(cluster.answer(run).await, ("92".to_owned(), "12".to_owned()));
    assert_eq!(cluster.export(run).await.len() as u64, cluster.get(run).await.progress.unwrap().jobs);
}

#[tokio::test(flavor = "multi_thread")]
async fn results_for_another_ledger_are_forgotten() {
    let cluster = Cluster::start().await;
    let address = cluster.address.clone();
    let _worker = cluster.work_as("slow", |job| {
        sleep(Duration::from_millis(2));
        honest(job)
    });
    let run = cluster.create_deep(10, Goal::Count, Some(1)).await;
    cluster.watch(run, |run| run.progress.as_ref().unwrap().jobs_done > 5).await;
    cluster.stop().await;

    // The new ledger has a run with the same number, of another board.
    let cluster = Cluster::with(settings(LedgerPlace::Memory), &address).await;
    let run = cluster.create_deep(9, Goal::Count, Some(1)).await;
    assert_eq!(cluster.answer(run).await, ("352".to_owned(), "46".to_owned()));
    assert_eq!(cluster.get(run).await.progress.unwrap().alarms, 0);
}
