//! The two algorithms that count, and which of them is the faster.

use queens::{Size, columns, split::Kind};

use crate::estimate;

/// How the solutions of a whole board are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// By search below central-cross presets. It serves every n.
    Cross,
    /// By joining halves, for each set of columns that the upper one may use. It serves n = 6 to 27.
    Columns,
}

impl Algorithm {
    /// Both, the one that serves every n first.
    pub const ALL: [Self; 2] = [Self::Cross, Self::Columns];

    /// Returns the name by which users pick the algorithm.
    pub const fn name(self) -> &'static str {
        self.kind().name()
    }

    /// Returns the kind of plan that it works on.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Cross => Kind::Cross,
            Self::Columns => Kind::Columns,
        }
    }

    /// Returns the algorithm that works on plans of this kind, if it counts.
    pub fn of_kind(kind: Kind) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.kind() == kind)
    }

    /// Returns the other one.
    pub const fn other(self) -> Self {
        match self {
            Self::Cross => Self::Columns,
            Self::Columns => Self::Cross,
        }
    }

    /// Tells whether it serves boards of this size.
    pub fn serves(self, size: Size) -> bool {
        self == Self::Cross || columns::set::SERVED.contains(&size.get())
    }

    /// Returns about how many nanoseconds one core takes for a solution of the whole board, with the kernel of this name.
    pub fn ns_per_solution(self, size: Size, kernel: &str) -> f64 {
        estimate::ns_per_solution(size, self.kind(), kernel)
    }

    /// Returns the faster one on a board of this size for a crew of threads, each group with the name of its kernel. A crew
    /// of nobody is taken to have a kernel with vectors, as almost all have.
    ///
    /// The speeds are those of `estimate.rs`, measured.
    pub fn fastest<'a>(size: Size, crew: impl IntoIterator<Item = (&'a str, u32)>) -> Self {
        let crew: Vec<_> = crew.into_iter().collect();
        let crew = if crew.is_empty() { vec![("avx512", 1)] } else { crew };
        let speed = |algorithm: Self| -> f64 {
            let of_one = |kernel| 1.0 / algorithm.ns_per_solution(size, kernel);
            crew.iter().map(|&(kernel, threads)| f64::from(threads) * of_one(kernel)).sum()
        };
        let is_faster = Self::Columns.serves(size) && speed(Self::Columns) > speed(Self::Cross);
        if is_faster { Self::Columns } else { Self::Cross }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fastest(n: u64, crew: &[(&str, u32)]) -> Algorithm {
        Algorithm::fastest(Size::new(n).unwrap(), crew.iter().copied())
    }

    #[test]
    fn columns_win_on_large_boards_if_there_are_vectors() {
        for crew in [&[][..], &[("avx512", 2)], &[("avx2", 8)], &[("avx2", 8), ("scalar", 8)]] {
            assert_eq!(fastest(17, crew), Algorithm::Cross, "{crew:?}");
            for n in 20..=27 {
                assert_eq!(fastest(n, crew), Algorithm::Columns, "{crew:?}, n = {n}");
            }
        }
        assert_eq!(fastest(18, &[("avx512", 1)]), Algorithm::Cross);
        assert_eq!(fastest(18, &[("avx2", 1)]), Algorithm::Columns);
        for crew in [&[("queue", 1)][..], &[("scalar", 64)], &[("unheard of", 1)]] {
            assert_eq!(fastest(22, crew), Algorithm::Cross, "{crew:?}");
        }
    }

    #[test]
    fn what_is_not_served_is_not_chosen() {
        for n in [1, 5, 28, 32] {
            assert_eq!(fastest(n, &[("avx512", 1)]), Algorithm::Cross);
        }
    }
}
