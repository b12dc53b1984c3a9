//! Audits: what every job comes to by another algorithm than the one that is usual for it.

use queens::{
    Position, Size,
    audit::Auditor,
    columns::halves,
    kernel::{Kernel, scalar},
    plain,
    split::{Kind, Plan, Work},
};

mod random;

use random::Random;

fn size(n: u64) -> Size {
    Size::new(n).unwrap()
}

fn audit(size: Size, work: &Work) -> u64 {
    let mut auditor = Auditor::new(Kernel::best()).unwrap();
    auditor.count_while(size, work, &mut || true).unwrap().unwrap()
}

#[test]
fn every_job_of_small_boards_comes_to_the_same() {
    for n in 1..=10 {
        for kind in Kind::ALL {
            let Ok(plan) = Plan::new(size(n), kind, 0) else { continue };
            for job in plan.jobs_from(0) {
                let expected = plain::count(size(n), &job.work).unwrap();
                assert_eq!(audit(size(n), &job.work), expected, "n = {n}, {job:?}");
            }
        }
    }
}

#[test]
fn a_board_with_more_rows_than_are_listed_is_counted_right() {
    for (n, total) in [(15, 2_279_184), (16, 14_772_512)] {
        let plan = Plan::new(size(n), Kind::Cross, 0).unwrap();
        let jobs = plan.jobs_from(0).step_by(200);
        for job in jobs {
            assert_eq!(audit(size(n), &job.work), plain::count(size(n), &job.work).unwrap(), "{job:?}");
        }
        assert!(n > 15 || halves::count(&Position::empty(size(n))) == total);
    }
}

#[test]
fn any_position_comes_to_the_same() {
    let mut random = Random::new(11);
    for n in 1..=32 {
        for _ in 0..if n < 20 { 40 } else { 10 } {
            let position = random.position(size(n));
            assert_eq!(halves::count(&position), scalar::count(&position), "{position:?}");
        }
    }
}

#[test]
fn an_audit_ends_when_it_may_not_go_on() {
    let mut auditor = Auditor::new(Kernel::Scalar).unwrap();
    for kind in [Kind::Cross, Kind::Columns, Kind::HalfTurn] {
        let job = Plan::new(size(12), kind, 0).unwrap().job(0).unwrap();
        assert_eq!(auditor.count_while(size(12), &job.work, &mut || false), Ok(None), "{kind:?}");
    }
}

#[test]
fn queens_that_cannot_stand_so_are_an_error() {
    let attacked = Work::Complete(vec![queens::Square::new(0, 0), queens::Square::new(1, 1)]);
    assert!(Auditor::new(Kernel::Scalar).unwrap().count_while(size(8), &attacked, &mut || true).is_err());
    assert!(plain::count(size(8), &attacked).is_err());
}
