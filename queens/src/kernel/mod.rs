//! Kernels: each turns a position into the number of ways to complete it.
//!
//! [`scalar`] is the specification, short and plain. The others are one algorithm, the level-queue search of
//! `level_queue.rs`, with the steps written for an instruction set each: `queue` in portable code, `avx2` and `avx512` with
//! intrinsics, under the same names. All must agree on every position.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod level;
mod level_queue;
mod queue;
mod rows;
pub mod scalar;
mod state;

use std::{error::Error, fmt, str::FromStr};

use crate::position::Position;

use level_queue::LevelQueues;
use rows::{Rows, recurse};
use state::State;

/// An algorithm and instruction set to count with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Plain recursion, the specification of the others.
    Scalar,
    /// Level queues in portable code.
    Queue,
    /// Level queues with AVX2.
    Avx2,
    /// Level queues with AVX-512.
    Avx512,
}

/// What kernels may have in common: a mistake in an algorithm shows in all kernels of its family, and only there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// One state at a time, row by row from the top.
    Recursion,
    /// Many states at a time, in a queue for each row.
    LevelQueue,
}

impl Kernel {
    /// Every kernel, the slowest first.
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Queue, Self::Avx2, Self::Avx512];

    /// Returns the fastest kernel that this processor supports.
    pub fn best() -> Self {
        Self::ALL.into_iter().rev().find(|kernel| kernel.is_supported()).unwrap_or(Self::Scalar)
    }

    /// Tells whether this processor has the instructions that the kernel uses.
    pub fn is_supported(self) -> bool {
        Steps::of(self).is_some()
    }

    /// Returns the name by which users pick the kernel.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Queue => "queue",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Returns the kernel's algorithm. An audit is worth most with a kernel of another family.
    pub const fn family(self) -> Family {
        match self {
            Self::Scalar => Family::Recursion,
            Self::Queue | Self::Avx2 | Self::Avx512 => Family::LevelQueue,
        }
    }

    /// Returns a counter, which owns the memory that this kernel works in (at most 0.8 MB); or an error if this processor
    /// lacks the instructions. One thread needs one counter and uses it for position after position.
    pub fn counter(self) -> Result<Counter, Unsupported> {
        let steps = Steps::of(self).ok_or(Unsupported(self))?;
        Ok(Counter { kernel: self, steps, queues: LevelQueues::new() })
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Kernel {
    type Err = UnknownKernel;

    fn from_str(name: &str) -> Result<Self, UnknownKernel> {
        Self::ALL.into_iter().find(|kernel| kernel.name() == name).ok_or(UnknownKernel)
    }
}

/// A kernel with the memory that it works in.
#[derive(Debug)]
pub struct Counter {
    kernel: Kernel,
    steps: Steps,
    queues: LevelQueues,
}

impl Counter {
    /// Returns the kernel.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Returns the number of ways to complete `position` to a solution. A position with a queen in every row has 1.
    pub fn count(&mut self, position: &Position) -> u64 {
        self.count_while(position, &mut || true).expect("it goes on to the end")
    }

    /// Does the same as long as `go_on` says so, which is asked every millisecond or more often; `None` once it says no.
    pub fn count_while(&mut self, position: &Position, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
        match self.steps {
            Steps::Scalar => scalar::count_while(position, go_on),
            _ => self.count_rows(&Rows::of(position), go_on),
        }
    }

    /// Counts only the completions whose queen of row `r`, if it is not in `position` already, is in one of the columns of
    /// `allowed(r)`. `None` once `go_on` says no.
    pub(crate) fn count_within_while(
        &mut self,
        position: &Position,
        allowed: impl Fn(u32) -> u32,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<u64> {
        self.count_rows(&Rows::within(position, allowed), go_on)
    }

    fn count_rows(&mut self, rows: &Rows, go_on: &mut dyn FnMut() -> bool) -> Option<u64> {
        match self.steps {
            Steps::Scalar => go_on().then(|| recurse(rows.all(), State::ROOT)),
            Steps::Queue(steps) => self.queues.count_while(steps, rows, go_on),
            #[cfg(target_arch = "x86_64")]
            Steps::Avx2(steps) => self.queues.count_while(steps, rows, go_on),
            #[cfg(target_arch = "x86_64")]
            Steps::Avx512(steps) => self.queues.count_while(steps, rows, go_on),
        }
    }
}

/// The code of a kernel. To hold one proves that the processor has the instructions.
#[derive(Clone, Copy, Debug)]
enum Steps {
    Scalar,
    Queue(queue::Queue),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
}

impl Steps {
    fn of(kernel: Kernel) -> Option<Self> {
        match kernel {
            Kernel::Scalar => Some(Self::Scalar),
            Kernel::Queue => Some(Self::Queue(queue::Queue)),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => avx2::Avx2::new().map(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => avx512::Avx512::new().map(Self::Avx512),
            #[cfg(not(target_arch = "x86_64"))]
            Kernel::Avx2 | Kernel::Avx512 => None,
        }
    }
}

/// This processor lacks the instructions of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported(pub Kernel);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let best = Kernel::best();
        write!(
            f,
            "this processor lacks the instructions of kernel {}; the fastest it can run is {best}",
            self.0
        )
    }
}

impl Error for Unsupported {}

/// No kernel has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownKernel;

impl fmt::Display for UnknownKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Kernel::ALL.map(Kernel::name).join(", ");
        write!(f, "unknown kernel; choose one of: auto, {names}")
    }
}

impl Error for UnknownKernel {}
