use std::time::Duration;

use scheduler::JobId;
use tokio::time::Instant;
use tracing::Level;

use super::{Log, START, world};
use crate::driver::leases::Leases;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_lease_has_a_span_until_its_last_job_is_delivered_or_given_back() {
    let world = world();
    let job = |place: usize| JobId::new(world.run, world.jobs[place].index);
    Log::of(Level::DEBUG, |log| {
        let mut leases = Leases::default();
        leases.begin(world.worker, world.run, &world.jobs[..3]);
        leases.begin(world.worker, world.run, &world.jobs[3..]);
        leases.deliver(world.worker, job(0));
        leases.give_back(world.worker, job(1));
        leases.deliver(world.worker, job(0));
        assert_eq!(log.take(), "");
        leases.deliver(world.worker, job(2));
        let ended = log.take();
        let fields = format!("lease{{run=1 worker=1 jobs=3 first_job={} results=2}}: ", job(0).index);
        assert!(ended.contains(&fields) && ended.contains("nqueens::lease: close"), "{ended}");
        assert_eq!(ended.lines().count(), 1);
    });
}

#[test]
fn a_lease_that_expires_ends_its_span() {
    let mut world = world();
    Log::of(Level::DEBUG, |log| {
        let (mut leases, now) = (Leases::default(), Instant::now());
        leases.begin(world.worker, world.run, &world.jobs);
        leases.look(&world.scheduler, now);
        leases.look(&world.scheduler, now + 2 * SECOND);
        assert_eq!((log.take().as_str(), leases.next_wake()), ("", Some(now + 3 * SECOND)));
        world.scheduler.tick(START.plus(100 * SECOND));
        leases.look(&world.scheduler, now + 4 * SECOND);
        assert!(log.take().contains("results=0"));
        leases.look(&world.scheduler, now + 4 * SECOND);
        assert_eq!(leases.next_wake(), None);
    });
}

#[test]
fn nothing_is_kept_for_nobody() {
    let world = world();
    Log::of(Level::INFO, |log| {
        let mut leases = Leases::default();
        leases.begin(world.worker, world.run, &world.jobs);
        assert!(leases.is_empty());
        assert_eq!(log.take(), "");
    });
}
