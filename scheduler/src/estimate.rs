//! How large a problem is, before anything was counted. It only serves to choose a depth and to size the first leases, so a
//! factor of two does no harm.

use std::time::Duration;

use queens::{Size, split::Kind};

/// One core's time for a solution of the whole problem in a cross plan, which counts up to eight of them at once.
const CROSS_NS: f64 = 5.0;

/// One core's time for a solution in a rows plan, which makes no use of symmetry.
const ROWS_NS: f64 = 40.0;

/// Returns about Q(n). Simkin (2021) proved that Q(n) is ((1 + o(1)) n e^-1.942)^n; the two more terms are fitted to the
/// known values, since the o(1) is worth a factor of 30 at these sizes.
pub(crate) fn solutions(size: Size) -> f64 {
    let n = f64::from(size.get());
    (n * n.ln() - 1.942 * n + 0.022 * n + 2.87).exp()
}

/// Returns about how long one thread takes for all jobs of a plan of this kind.
pub(crate) fn work(size: Size, kind: Kind) -> Duration {
    let ns = match kind {
        Kind::Rows => ROWS_NS,
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
