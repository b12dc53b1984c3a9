//! The variants of the column split's kernel, chosen at run time.

use std::{error::Error, fmt};

#[cfg(target_arch = "x86_64")]
use super::{avx2::Avx2, avx512::Avx512, search::Search};
use super::{
    scalar,
    set::{ColumnSet, SERVED},
};
use crate::{kernel, size::Size};

/// An instruction set to count column jobs with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Lists and a plain join, the specification of the others.
    Scalar,
    /// Bit slices of 256 bits.
    Avx2,
    /// Bit slices of 512 bits.
    Avx512,
}

impl Kernel {
    /// Every variant, the slowest first.
    pub const ALL: [Self; 3] = [Self::Scalar, Self::Avx2, Self::Avx512];

    /// Returns the fastest variant that this processor supports.
    pub fn best() -> Self {
        Self::ALL.into_iter().rev().find(|kernel| kernel.is_supported()).unwrap_or(Self::Scalar)
    }

    /// Returns the variant for the same instructions as a kernel of the search.
    pub const fn like(kernel: kernel::Kernel) -> Self {
        match kernel {
            kernel::Kernel::Scalar | kernel::Kernel::Queue => Self::Scalar,
            kernel::Kernel::Avx2 => Self::Avx2,
            kernel::Kernel::Avx512 => Self::Avx512,
        }
    }

    /// Tells whether this processor has the instructions that the variant uses.
    pub fn is_supported(self) -> bool {
        self.work().is_some()
    }

    /// Returns the name by which users pick the variant.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Returns a counter, which owns the memory that this variant works in; or an error if this processor lacks the
    /// instructions. One thread needs one counter and uses it for job after job.
    pub fn counter(self) -> Result<Counter, Unsupported> {
        self.work().map(|work| Counter { kernel: self, work }).ok_or(Unsupported(self))
    }

    #[cfg(target_arch = "x86_64")]
    fn work(self) -> Option<Work> {
        match self {
            Self::Scalar => Some(Work::Scalar),
            Self::Avx2 => Avx2::new().map(|proof| Work::Avx2(proof, Box::new(Search::new()))),
            Self::Avx512 => Avx512::new().map(|proof| Work::Avx512(proof, Box::new(Search::new()))),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn work(self) -> Option<Work> {
        (self == Self::Scalar).then_some(Work::Scalar)
    }
}

/// Returns about how many bytes the counter of one thread takes once it has counted the largest jobs of this size; at least
/// so measured, see the table in [`crate::columns`]. 0 for sizes that are not served.
pub fn memory_bytes(size: Size) -> u64 {
    const MEGABYTES: [u64; 10] = [4, 5, 5, 7, 9, 20, 40, 68, 210, 800];
    let served = SERVED.contains(&size.get());
    let megabytes = MEGABYTES[size.index().saturating_sub(18).min(MEGABYTES.len() - 1)];
    if served { megabytes * 1_000_000 } else { 0 }
}

/// How a counter counts.
#[derive(Debug)]
enum Work {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2, Box<Search>),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512, Box<Search>),
}

/// A variant with the memory that it works in.
#[derive(Debug)]
pub struct Counter {
    kernel: Kernel,
    work: Work,
}

impl Counter {
    /// Returns the variant.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Returns the result of a job.
    pub fn count(&mut self, set: ColumnSet) -> u64 {
        self.count_while(set, &mut || true).expect("it goes on to the end")
    }

    /// Does the same as long as `go_on` says so, which is asked every few milliseconds or more often; `None` once it says no.
    pub fn count_while(&mut self, set: ColumnSet, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
        match &mut self.work {
            Work::Scalar => scalar::count_while(set, go_on),
            #[cfg(target_arch = "x86_64")]
            Work::Avx2(proof, search) => search.count_while(*proof, set, go_on),
            #[cfg(target_arch = "x86_64")]
            Work::Avx512(proof, search) => search.count_while(*proof, set, go_on),
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// This processor lacks the instructions of the variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported(pub Kernel);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let best = Kernel::best();
        write!(
            f,
            "this processor lacks the instructions of column kernel {}; the fastest it can run is {best}",
            self.0
        )
    }
}

impl Error for Unsupported {}
