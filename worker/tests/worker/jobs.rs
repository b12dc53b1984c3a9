//! Jobs: lent, computed, delivered, taken back.

use nqueens_proto::{PROTOCOL, v1, v1::work_request::Message as Said, v1::work_response::Message};
use queens::{
    Size, Square,
    kernel::Kernel,
    plain,
    split::{self, Kind, Plan, Work},
    turns::Turn,
};
use worker::{Job, Pool};

use crate::{any_jobs, config, coordinator::Coordinator, gate::Gate, queen, real_pool, slots, start};

#[tokio::test]
async fn a_worker_says_who_it_is_and_what_it_can_take() {
    let mut coordinator = Coordinator::start().await;
    let expected = config();
    let _worker = start(expected.clone(), &coordinator.uri(), real_pool());
    let mut session = coordinator.session().await;
    let hello = &session.hello;
    assert_eq!((hello.protocol, hello.name.as_str(), hello.host.as_str()), (PROTOCOL, "ada", "engine"));
    assert_eq!((hello.threads, hello.kernel.as_str()), (2, "scalar"));
    assert_eq!(hello.instance, expected.instance);
    assert!(hello.held.is_empty());
    assert!(matches!(session.hear().await, Said::Capacity(v1::Capacity { jobs: 65_536 })));
}

#[tokio::test]
async fn results_are_right_and_come_until_acknowledged() {
    let mut coordinator = Coordinator::start().await;
    let _worker = start(config(), &coordinator.uri(), real_pool());
    let mut session = coordinator.session().await;
    session.lend(3, 8, (0..8).map(|column| (u64::from(column), queen(0, column)))).await;
    let first_row = session.take_results(8).await;
    let counts = [4, 8, 16, 18, 18, 16, 8, 4];
    assert_eq!(first_row, (0..).zip(counts).collect::<Vec<_>>());
    session.lend(3, 8, [(8, Work::Turn(Turn::Half)), (9, Work::Turn(Turn::Quarter))]).await;
    assert_eq!(session.take_results(2).await, [(8, 4), (9, 0)]);
}

#[tokio::test]
async fn jobs_of_columns_and_audits_come_to_what_they_should() {
    let mut coordinator = Coordinator::start().await;
    let _worker = start(config(), &coordinator.uri(), real_pool());
    let mut session = coordinator.session().await;
    // Two sizes of board, since what a slot counts with depends on it.
    for n in [10, 11] {
        let size = Size::new(n.into()).unwrap();
        let jobs: Vec<split::Job> = Plan::new(size, Kind::Columns, 0).unwrap().jobs_from(0).collect();
        let expected: Vec<u64> = jobs.iter().map(|job| plain::count(size, &job.work).unwrap()).collect();
        let expected: Vec<(u64, u64)> = (0..).zip(expected).collect();
        session.lend(1, n, jobs.iter().map(|job| (job.index, job.work.clone()))).await;
        assert_eq!(session.take_results(jobs.len()).await, expected);
        session.lend_as(true, 1, n, jobs.iter().map(|job| (job.index, job.work.clone()))).await;
        assert_eq!(session.take_results(jobs.len()).await, expected);
    }
    session.lend_as(true, 2, 8, (0..8).map(|column| (u64::from(column), queen(0, column)))).await;
    let counts = [4, 8, 16, 18, 18, 16, 8, 4];
    assert_eq!(session.take_results(8).await, (0..).zip(counts).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_job_and_its_audit_are_two_jobs() {
    let mut coordinator = Coordinator::start().await;
    let count = || |job: &Job| Ok(10 + u64::from(job.id.audit));
    let _worker = start(config(), &coordinator.uri(), Pool::threads_with(slots(1), count).unwrap());
    let mut session = coordinator.session().await;
    session.lend(1, 8, any_jobs([5])).await;
    session.lend_as(true, 1, 8, any_jobs([5])).await;
    let both = session.take_all(2).await.into_iter();
    let told: Vec<_> = both.map(|result| (result.index, result.count, result.audit)).collect();
    assert_eq!(told, [(5, 10, false), (5, 11, true)]);
}

#[tokio::test]
async fn many_short_jobs_come_in_batches() {
    let mut coordinator = Coordinator::start().await;
    let _worker = start(config(), &coordinator.uri(), real_pool());
    let mut session = coordinator.session().await;
    session.lend(1, 6, (0..20_000).map(|index| (index, queen(0, (index % 6) as u8)))).await;
    let results = session.take_results(20_000).await;
    let counts = [0, 1, 1, 1, 1, 0];
    assert!((0..).zip(&results).all(|(index, result)| *result == (index, counts[index as usize % 6])));
}

#[tokio::test]
async fn a_job_that_panics_fails_and_its_slot_lives_on() {
    let mut coordinator = Coordinator::start().await;
    let make = || {
        |job: &Job| match job.id.index {
            5 => panic!("a queen fell over"),
            6 => Err("no reason".to_owned()),
            index => Ok(index * 10),
        }
    };
    let _worker = start(config(), &coordinator.uri(), Pool::threads_with(slots(1), make).unwrap());
    let mut session = coordinator.session().await;
    session.lend(1, 8, any_jobs([5, 6])).await;
    let failure = session.failure().await;
    assert_eq!((failure.run_id, failure.index), (1, 5));
    assert_eq!(failure.reason, "the kernel panicked: a queen fell over");
    assert_eq!(session.failure().await.reason, "no reason");
    session.lend(1, 8, any_jobs([7])).await;
    assert_eq!(session.take_results(1).await, [(7, 70)]);
}

#[tokio::test]
async fn a_job_that_makes_no_sense_fails_and_the_others_go_on() {
    let mut coordinator = Coordinator::start().await;
    let _worker = start(config(), &coordinator.uri(), real_pool());
    let mut session = coordinator.session().await;
    let attacked = Work::Complete(vec![Square::new(0, 0), Square::new(1, 1)]);
    session.lend(1, 8, [(0, attacked)]).await;
    assert!(session.failure().await.reason.contains("attacked"));
    let off_the_board = v1::job::Work::Complete(v1::Prefix { squares: vec![64] });
    let works = [None, Some(off_the_board), Some(v1::job::Work::Turn(99))];
    let jobs = (1..).zip(works).map(|(index, work)| v1::Job { index, work, audit: false }).collect();
    session.say(Message::Lease(v1::Lease { run_id: 1, n: 8, jobs })).await;
    for index in 1..=3 {
        assert_eq!(session.failure().await.index, index);
    }
    session.lend(1, 8, [(4, queen(0, 0))]).await;
    assert_eq!(session.take_results(1).await, [(4, 4)]);
}

#[tokio::test]
async fn a_heartbeat_says_what_is_begun_and_what_waits() {
    let mut coordinator = Coordinator::start().await;
    let (mut gate, pool) = Gate::pool(2);
    let _worker = start(config(), &coordinator.uri(), pool);
    let mut session = coordinator.session().await;
    session.lend(1, 8, any_jobs(0..5)).await;
    gate.begun().await;
    gate.begun().await;
    let counts = |heartbeat: v1::Heartbeat| (heartbeat.jobs_begun, heartbeat.jobs_waiting);
    // One may have been on its way before the jobs were.
    while counts(session.heartbeat().await) != (2, 3) {}
    gate.open(0..5);
    session.take_results(5).await;
    while counts(session.heartbeat().await) != (0, 0) {}
}

#[tokio::test]
async fn revoked_jobs_come_back_unless_they_are_begun() {
    let mut coordinator = Coordinator::start().await;
    let (mut gate, pool) = Gate::pool(1);
    let _worker = start(config(), &coordinator.uri(), pool);
    let mut session = coordinator.session().await;
    session.lend(1, 8, any_jobs(0..4)).await;
    assert_eq!(gate.begun().await, 0);
    session.revoke(1, vec![0, 2, 3, 77], false).await;
    assert_eq!(session.handed_back().await, v1::JobSet { run_id: 1, indices: vec![2, 3] });
    gate.open(0..4);
    assert_eq!(session.take_results(2).await, [(0, 100), (1, 101)]);
}

#[tokio::test]
async fn stopped_jobs_are_forgotten_even_if_they_are_begun() {
    let mut coordinator = Coordinator::start().await;
    let (mut gate, pool) = Gate::pool(1);
    let (_, worker) = start(config(), &coordinator.uri(), pool);
    let mut session = coordinator.session().await;
    session.lend(1, 8, any_jobs(0..4)).await;
    assert_eq!(gate.begun().await, 0);
    session.revoke(1, vec![0, 1, 2], true).await;
    // An answer to this shows that the worker has heard what came before.
    session.revoke(1, vec![3], false).await;
    assert_eq!(session.handed_back().await.indices, [3]);
    session.lend(1, 8, any_jobs([4])).await;
    gate.open(0..5);
    assert_eq!(session.take_results(1).await, [(4, 104)]);
    session.say(Message::Drain(v1::Drain {})).await;
    let rest = session.rest().await;
    assert!(!rest.iter().any(|said| matches!(said, Said::Results(_) | Said::HandBack(_))), "{rest:?}");
    drop(session);
    worker.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_job_lent_twice_is_computed_once_and_one_stopped_and_lent_again_is_delivered() {
    let mut coordinator = Coordinator::start().await;
    let (mut gate, pool) = Gate::pool(1);
    let _worker = start(config(), &coordinator.uri(), pool);
    let mut session = coordinator.session().await;
    session.lend(1, 8, any_jobs([0, 0, 1])).await;
    assert_eq!(gate.begun().await, 0);
    session.revoke(1, vec![0], true).await;
    session.lend(1, 8, any_jobs([0, 1, 2])).await;
    // An answer to this shows that the worker has heard what came before.
    session.revoke(1, vec![2], false).await;
    session.handed_back().await;
    gate.open(0..2);
    assert_eq!(session.take_results(2).await, [(0, 100), (1, 101)]);
    session.lend(1, 8, any_jobs([3])).await;
    assert_eq!((gate.begun().await, gate.begun().await), (1, 3));
}

#[tokio::test]
async fn jobs_beyond_all_bounds_are_handed_back() {
    let mut coordinator = Coordinator::start().await;
    let (_gate, pool) = Gate::pool(1);
    let mut config = config();
    config.capacity = 3;
    let _worker = start(config, &coordinator.uri(), pool);
    let mut session = coordinator.session().await;
    session.lend(1, 8, any_jobs(0..8)).await;
    assert_eq!(session.handed_back().await.indices, [6, 7]);
}

#[tokio::test]
async fn a_job_that_is_not_wanted_any_more_frees_its_slot_at_once() {
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_supported()) {
        let mut coordinator = Coordinator::start().await;
        let _worker = start(config(), &coordinator.uri(), Pool::threads(slots(1), kernel).unwrap());
        let mut session = coordinator.session().await;
        // This would take years.
        session.lend(1, 32, [(0, Work::Complete(Vec::new()))]).await;
        session.lend(2, 8, [(1, queen(0, 0))]).await;
        session.revoke(1, vec![0], true).await;
        assert_eq!(session.take_results(1).await, [(1, 4)], "{kernel}");
    }
}
