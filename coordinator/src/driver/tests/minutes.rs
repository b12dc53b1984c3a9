use std::time::Duration;

use tokio::time::Instant;
use tracing::Level;

use super::{Log, START, world};
use crate::driver::minutes::Minutes;

#[test]
fn a_run_gets_a_line_a_minute() {
    let world = world();
    Log::of(Level::INFO, |log| {
        let (mut minutes, begun) = (Minutes::default(), Instant::now());
        let mut lines = 0;
        for second in 0..=180 {
            minutes.note(&world.scheduler, START, begun + Duration::from_secs(second));
            let logged = log.take();
            assert!(logged.is_empty() || second % 60 == 0, "after {second} s: {logged}");
            lines += logged.matches("run goes on run=1").count();
        }
        assert_eq!(lines, 3);
    });
}
