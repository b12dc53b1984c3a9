//! How large a problem is, before anything was counted. It serves to choose an algorithm and a depth, to size the first leases,
//! and to weigh the two sums of a full audit against each other in progress, so a factor of two does no harm.

use std::time::Duration;

use queens::{Size, split::Kind};

/// One core's time for a solution of the whole problem in a cross plan, which counts up to eight of them at once, whatever
/// the kernel may be.
const CROSS_NS: f64 = 5.0;

/// One core's time for a solution in a rows plan, which makes no use of symmetry.
const ROWS_NS: f64 = 40.0;

/// Returns about Q(n). Simkin (2021) proved that Q(n) is ((1 + o(1)) n e^-1.942)^n; the two more terms are fitted to the
/// known values, since the o(1) is worth a factor of 30 at these sizes.
pub(crate) fn solutions(size: Size) -> f64 {
    let n = f64::from(size.get());
    (n * n.ln() - 1.942 * n + 0.022 * n + 2.87).exp()
}

/// One core's time for a solution in a columns plan by board size, from n = 16 on, with AVX-512. Measured on random jobs, as
/// `nqueens bench --algorithm both` does, on a Xeon of 2023 that others used too; so each may be off by a fifth. On smaller
/// boards it is more.
const COLUMNS_NS: [f64; 12] = [17.0, 14.0, 3.9, 3.3, 1.7, 2.0, 1.3, 1.15, 0.9, 0.8, 0.63, 0.52];

/// With AVX2 a columns plan takes longer by this factor.
const COLUMNS_AVX2: f64 = 1.6;

/// Returns one core's time for a solution of the whole problem, in nanoseconds, with the kernel of this name. A name
/// that is not known is taken for the slowest.
pub(crate) fn ns_per_solution(size: Size, kind: Kind, kernel: &str) -> f64 {
    let at = size.index().saturating_sub(16).min(COLUMNS_NS.len() - 1);
    match (kind, kernel) {
        (Kind::Columns, "avx512") => COLUMNS_NS[at],
        (Kind::Columns, "avx2") => COLUMNS_NS[at] * COLUMNS_AVX2,
        (Kind::Columns, _) => 1000.0,
        (Kind::Rows, _) => ROWS_NS,
        (_, "avx512") => 2.8,
        (_, "avx2") => 7.5,
        (_, "queue") => 20.0,
        _ => 92.0,
    }
}

/// Returns about how many times what a job costs its audit does, by another algorithm.
pub(crate) fn audit_cost(kind: Kind) -> f64 {
    match kind {
        Kind::Columns => 4.0,
        Kind::Cross | Kind::Rows => 40.0,
        Kind::HalfTurn | Kind::QuarterTurn => 1.0,
    }
}

/// Returns about how long one thread takes for all jobs of a plan of this kind.
pub(crate) fn work(size: Size, kind: Kind) -> Duration {
    let ns = match kind {
        Kind::Rows => ROWS_NS,
        Kind::Columns => ns_per_solution(size, kind, "avx2"),
        _ => CROSS_NS,
    };
    Duration::try_from_secs_f64(solutions(size) * ns * 1e-9).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_right_within_a_factor_of_two() {
        let known = [
            (8, 92.0),
            (12, 14_200.0),
            (16, 14_772_512.0),
            (20, 39_029_188_884.0),
            (24, 227_514_171_973_736.0),
            (27, 234_907_967_154_122_528.0),
        ];
        for (n, solutions) in known {
            let ratio = super::solutions(Size::new(n).unwrap()) / solutions;
            assert!((0.5..2.0).contains(&ratio), "n = {n}: {ratio}");
        }
    }
}
