//! The column split against known values, against plain backtracking, and its jobs against their definition.

use proptest::prelude::*;
use queens::{
    Size,
    columns::{ColumnSet, Columns, Counter, Job, Kernel, NotAColumnSet, restricted, scalar},
    estimate::Draws,
    kernel, known,
};

fn size(n: u64) -> Size {
    Size::new(n).unwrap()
}

fn plan(n: u64) -> Columns {
    Columns::new(size(n)).unwrap()
}

fn counters() -> Vec<Counter> {
    Kernel::ALL.into_iter().filter_map(|kernel| kernel.counter().ok()).collect()
}

fn sum(n: u64, mut result: impl FnMut(ColumnSet) -> u64) -> u64 {
    plan(n).jobs_from(0).map(|job| u64::from(job.weight) * result(job.set)).sum()
}

/// What audits compute, with every kernel of the search.
fn searched(set: ColumnSet) -> Vec<u64> {
    let supported = kernel::Kernel::ALL.into_iter().filter_map(|kernel| kernel.counter().ok());
    supported.map(|mut search| restricted::search_while(&mut search, set, &mut || true).unwrap()).collect()
}

fn check_total(kernel: Kernel, n: u64) {
    let Ok(mut counter) = kernel.counter() else { return };
    assert_eq!(Some(sum(n, |set| counter.count(set))), known::total(size(n)), "{kernel}, n = {n}");
}

#[test]
fn every_job_of_n_6_to_13_equals_plain_backtracking_and_they_add_up() {
    let mut counters = counters();
    for n in 6..=13 {
        let total = sum(n, |set| {
            let expected = restricted::count(set);
            if n < 13 {
                assert!(searched(set).iter().all(|&count| count == expected), "the search of {set:?}");
            }
            // The plain join of 13 rows takes a while.
            let (first, last) = (set.columns() % 8 == 7, n < 13);
            for counter in &mut counters {
                if last || first || counter.kernel() != Kernel::Scalar {
                    assert_eq!(counter.count(set), expected, "{}, {set:?}", counter.kernel());
                }
            }
            expected
        });
        assert_eq!(Some(total), known::total(size(n)), "n = {n}");
    }
}

#[test]
fn the_fast_variants_count_n_14_to_16() {
    for kernel in [Kernel::Avx2, Kernel::Avx512] {
        (14..=16).for_each(|n| check_total(kernel, n));
    }
}

#[test]
fn there_are_as_many_jobs_as_there_are_classes() {
    for (n, jobs) in [(18, 12_283), (20, 46_508), (22, 176_870), (24, 677_294)] {
        assert_eq!(plan(n).jobs(), jobs, "n = {n}");
    }
    // Main jobs of n = 21: the middle column and 9 of 20 others. Centre jobs: as for n = 20.
    assert_eq!(plan(21).jobs(), 167_960 + 46_508);
}

#[test]
fn every_set_belongs_to_one_job() {
    for n in 6..=16 {
        let plan = plan(n);
        let jobs: Vec<Job> = plan.jobs_from(0).collect();
        assert_eq!(jobs.len() as u64, plan.jobs());
        let by_columns = |columns| jobs.binary_search_by_key(&columns, |job| job.set.columns()).ok();
        let mut members = vec![0; jobs.len()];
        for columns in (0..1_u32 << n).filter(|columns| columns.count_ones() == n as u32 / 2) {
            let set = ColumnSet::new(size(n), columns).unwrap();
            let index = images(set).into_iter().find_map(by_columns).unwrap_or_else(|| panic!("{set:?}"));
            members[index] += 1;
        }
        for (job, members) in jobs.iter().zip(members) {
            // A main job stands for four sets of boards by its class rule, not by its columns.
            let is_main = n % 2 == 1 && !job.set.is_centre();
            assert_eq!(job.weight, if is_main { 4 } else { members }, "{job:?}");
        }
    }
}

/// The sets that have the same number of boards, this one included.
fn images(set: ColumnSet) -> Vec<u32> {
    let n = set.size().get();
    if n % 2 == 1 && !set.is_centre() {
        return vec![set.columns()];
    }
    let centre = if n % 2 == 1 { 1 << (n / 2) } else { 0 };
    let complement = set.complement() & !centre;
    let mirrored = |columns: u32| (0..n).map(|c| (columns >> c & 1) << (n - 1 - c)).sum::<u32>();
    vec![set.columns(), mirrored(set.columns()), complement, mirrored(complement)]
}

#[test]
fn a_job_found_by_its_index_is_the_one_that_is_listed() {
    for n in [6, 7, 13, 14, 17, 18] {
        let plan = plan(n);
        for job in plan.jobs_from(0).step_by(if n < 14 { 1 } else { 97 }) {
            assert_eq!(plan.job(job.index), Some(job));
        }
        let last = plan.jobs() - 1;
        assert_eq!(plan.jobs_from(last).map(|job| job.index).collect::<Vec<_>>(), [last]);
        for beyond in [last + 1, last + 1000, u64::MAX] {
            assert_eq!(plan.job(beyond), None);
        }
    }
}

#[test]
fn what_is_not_served_is_refused() {
    for n in Size::all() {
        let served = (6..=27).contains(&n.get());
        assert_eq!(Columns::new(n).err(), (!served).then_some(NotAColumnSet::Size(n)));
    }
    let refused = |n, columns| ColumnSet::new(size(n), columns).unwrap_err();
    assert_eq!(refused(8, 0b111), NotAColumnSet::Columns(size(8)));
    assert_eq!(refused(8, 0b1_0000_0111), NotAColumnSet::Columns(size(8)));
    assert_eq!(refused(28, 0x3fff), NotAColumnSet::Size(size(28)));
    assert!(refused(28, 0x3fff).to_string().contains("cross"));
}

#[test]
fn a_count_ends_when_it_may_not_go_on() {
    let set = plan(16).job(1000).unwrap().set;
    let expected = restricted::count(set);
    for mut counter in counters() {
        let mut asked = 0;
        assert_eq!(
            counter.count_while(set, &mut || {
                asked += 1;
                true
            }),
            Some(expected)
        );
        for last in [0, 1, asked / 2, asked - 1] {
            let mut left = last;
            let mut go_on = || {
                left -= 1;
                left >= 0
            };
            assert_eq!(counter.count_while(set, &mut go_on), None, "{}, {last} of {asked}", counter.kernel());
            assert_eq!(counter.count(set), expected, "after {last} of {asked}");
        }
    }
    assert_eq!(restricted::count_while(set, &mut || false), None);
}

#[test]
fn a_dropped_weight_shows_in_the_sum() {
    for n in [9, 12] {
        let unweighted: u64 = plan(n).jobs_from(0).map(|job| 4 * scalar::count(job.set)).sum();
        assert_ne!(Some(unweighted), known::total(size(n)));
    }
}

/// Any set, whether it stands for its class or not.
fn sets(sizes: std::ops::RangeInclusive<u64>) -> impl Strategy<Value = ColumnSet> {
    sizes.prop_flat_map(|n| {
        let columns = Just((0..n as u32).collect::<Vec<_>>()).prop_shuffle();
        columns.prop_map(move |columns| {
            let mask = columns[..n as usize / 2].iter().map(|column| 1 << column).sum();
            ColumnSet::new(size(n), mask).unwrap()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_set_equals_plain_backtracking(set in sets(6..=14)) {
        let expected = restricted::count(set);
        prop_assert!(searched(set).iter().all(|&count| count == expected));
        for mut counter in counters() {
            prop_assert_eq!(counter.count(set), expected, "{}", counter.kernel());
        }
    }

    #[test]
    fn images_have_equal_results(set in sets(6..=13)) {
        let results = images(set).into_iter().map(|columns| scalar::count(ColumnSet::new(set.size(), columns).unwrap()));
        prop_assert!(results.collect::<std::collections::HashSet<_>>().len() == 1);
    }
}

/// Checks random jobs of n against plain backtracking.
fn check_random_jobs(n: u64, jobs: u32) {
    let (plan, mut draws, mut counters) = (plan(n), Draws::new(n), counters());
    counters.retain(|counter| n <= 16 || counter.kernel() != Kernel::Scalar);
    for _ in 0..jobs {
        let job = plan.job(draws.bits() % plan.jobs()).unwrap();
        let expected = restricted::count(job.set);
        for counter in &mut counters {
            assert_eq!(counter.count(job.set), expected, "{}, {job:?}", counter.kernel());
        }
    }
}

#[test]
#[ignore = "by hand: half a minute"]
fn by_hand_random_jobs_of_n_16_and_18() {
    check_random_jobs(16, 300);
    check_random_jobs(18, 100);
}

#[test]
#[ignore = "by hand: minutes"]
fn by_hand_random_jobs_of_n_20_and_22() {
    check_random_jobs(20, 20);
    check_random_jobs(22, 3);
}

#[test]
#[ignore = "by hand: many minutes"]
fn by_hand_random_jobs_of_n_23_and_24() {
    check_random_jobs(23, 3);
    check_random_jobs(24, 3);
}

#[test]
#[ignore = "by hand: minutes"]
fn by_hand_n_17_to_19() {
    for kernel in [Kernel::Avx2, Kernel::Avx512] {
        (17..=19).for_each(|n| check_total(kernel, n));
    }
}

#[test]
#[ignore = "by hand: minutes"]
fn by_hand_n_20() {
    check_total(Kernel::best(), 20);
}
