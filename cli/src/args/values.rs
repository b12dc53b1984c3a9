//! The values of arguments: each parser turns text into a value that is right by its type, or says in a sentence what
//! would be right.

use std::{num::NonZeroUsize, time::Duration};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use nqueens_proto::v1;
use queens::{
    enumerate::Order,
    format::Format,
    kernel::{Kernel, Unsupported},
};
use scheduler::Algorithm;

/// Parses a log filter, and keeps its text.
pub(super) fn log_filter(text: &str) -> Result<String, &'static str> {
    const WANTED: &str =
        "a log filter is a level (error, warn, info, debug, trace, off) or a list like info,worker=debug";
    tracing_subscriber::EnvFilter::builder().parse(text).map_err(|_| WANTED)?;
    Ok(text.to_owned())
}

/// Returns the parser of `--format`.
pub(super) fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(|name| name.parse::<Format>())
}

/// Returns the parser of `--order`.
pub(super) fn order_parser() -> impl TypedValueParser<Value = Order> {
    PossibleValuesParser::new(["ascending", "descending"]).map(|name| match name.as_str() {
        "descending" => Order::Descending,
        _ => Order::Ascending,
    })
}

/// Returns the parser of `--kernel`; an error too if this processor cannot run the kernel.
pub(super) fn kernel_parser() -> impl TypedValueParser<Value = Kernel> {
    let names = ["auto"].into_iter().chain(Kernel::ALL.map(Kernel::name));
    PossibleValuesParser::new(names).try_map(|name| kernel(&name))
}

fn kernel(name: &str) -> Result<Kernel, Unsupported> {
    let kernel = name.parse().unwrap_or_else(|_| Kernel::best());
    if kernel.is_supported() { Ok(kernel) } else { Err(Unsupported(kernel)) }
}

/// Checks an address to listen on.
pub(super) fn host_and_port(text: &str) -> Result<String, &'static str> {
    let port = text
        .rsplit_once(':')
        .and_then(|(host, port)| (!host.is_empty()).then(|| port.parse::<u16>().ok())?);
    port.map(|_| text.to_owned()).ok_or("an address to listen on looks like 127.0.0.1:7117")
}

/// Parses the address of a collector of traces.
#[cfg(feature = "otel")]
pub(super) fn collector(text: &str) -> Result<crate::url::Url, &'static str> {
    text.parse().map_err(|_| "the address of a collector looks like http://127.0.0.1:4317")
}

/// Parses a time in seconds, whole or not.
pub(super) fn seconds(text: &str) -> Result<Duration, &'static str> {
    const WANTED: &str = "a time is a number of seconds above 0 and at most 1000000";
    let seconds: f64 = text.parse().map_err(|_| WANTED)?;
    if seconds > 0.0 && seconds <= 1e6 { Ok(Duration::from_secs_f64(seconds)) } else { Err(WANTED) }
}

/// Parses a share: `1%` or `0.01`.
pub(super) fn share(text: &str) -> Result<f64, &'static str> {
    let (number, whole) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 100.0));
    let share = number.parse::<f64>().ok().map(|number| number / whole);
    share
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or("a share is a percentage from 0% to 100%, or 0 to 1")
}

/// What is computed a second time before there is an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Audit {
    /// This share of the jobs, 0 to 1.
    Share(f64),
    /// The whole answer, by the other algorithm.
    Full,
}

impl Audit {
    /// Returns the share of the jobs.
    pub(crate) const fn share(self) -> f64 {
        match self {
            Self::Share(share) => share,
            Self::Full => 0.0,
        }
    }
}

/// Parses `full`, or a share.
pub(super) fn audit(text: &str) -> Result<Audit, &'static str> {
    match text {
        "full" => Ok(Audit::Full),
        _ => share(text)
            .map(Audit::Share)
            .map_err(|_| "an audit is full, or a share of the jobs: a percentage from 0% to 100%, or 0 to 1"),
    }
}

/// Returns the parser of `--algorithm`; nothing stands for the faster one.
pub(super) fn algorithm_parser() -> impl TypedValueParser<Value = Choice> {
    let names = ["auto"].into_iter().chain(Algorithm::ALL.map(Algorithm::name));
    PossibleValuesParser::new(names)
        .map(|name| Choice(Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name)))
}

/// Returns the parser of the algorithms to compare.
pub(super) fn algorithms_parser() -> impl TypedValueParser<Value = Algorithms> {
    let names = Algorithm::ALL.map(Algorithm::name).into_iter().chain(["both"]);
    PossibleValuesParser::new(names).map(|name| {
        let is_meant = |algorithm: &Algorithm| name == "both" || name == algorithm.name();
        Algorithms(Algorithm::ALL.into_iter().filter(is_meant).collect())
    })
}

/// Algorithms to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Algorithms(pub(crate) Vec<Algorithm>);

/// An algorithm that is asked for; none for the faster one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice(pub(crate) Option<Algorithm>);

impl From<Choice> for v1::Algorithm {
    fn from(Choice(algorithm): Choice) -> Self {
        match algorithm {
            None => Self::Unspecified,
            Some(Algorithm::Cross) => Self::Cross,
            Some(Algorithm::Columns) => Self::Columns,
        }
    }
}

/// Parses a number of threads.
pub(super) fn threads(text: &str) -> Result<NonZeroUsize, &'static str> {
    let threads: Option<NonZeroUsize> = text.parse().ok();
    threads.filter(|threads| threads.get() <= 4096).ok_or("threads must be a whole number from 1 to 4096")
}

/// Parses how much of something there may be at one time.
pub(super) fn limit(text: &str) -> Result<usize, &'static str> {
    let limit = text.parse().ok().filter(|limit| (1..=1_000_000).contains(limit));
    limit.ok_or("a limit is a whole number from 1 to 1000000")
}

/// Parses the size of the largest message.
pub(super) fn message_bytes(text: &str) -> Result<usize, &'static str> {
    let bytes = text.parse().ok().filter(|bytes| (65_536..=1 << 30).contains(bytes));
    bytes.ok_or("the size of a message is a whole number of bytes from 65536 to 1073741824")
}

/// Parses a number of boards.
pub(super) fn board_count(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "a number of boards must be a whole number from 0 to 18446744073709551615")
}

/// Parses a run's number.
pub(super) fn run_id(text: &str) -> Result<u64, &'static str> {
    positive(text).ok_or("a run is named by its number, from 1; see `nqueens runs list`")
}

/// Parses a worker's number.
pub(super) fn worker_id(text: &str) -> Result<u64, &'static str> {
    positive(text).ok_or("a worker is named by its number, from 1; see `nqueens workers list`")
}

fn positive(text: &str) -> Option<u64> {
    text.parse().ok().filter(|&number| number > 0)
}

/// Checks the length of a request id.
pub(super) fn request_id(text: &str) -> Result<String, &'static str> {
    if (1..=64).contains(&text.len()) { Ok(text.to_owned()) } else { Err("a request id has 1 to 64 bytes") }
}

/// Checks the length of a worker's name.
pub(super) fn worker_name(text: &str) -> Result<String, &'static str> {
    if (1..=64).contains(&text.len()) {
        Ok(text.to_owned())
    } else {
        Err("a worker's name has 1 to 64 bytes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_positive_and_finite() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for bad in ["0", "-1", "NaN", "inf", "1e7", "", "ten"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_audit_is_full_or_a_share() {
        assert_eq!((audit("full"), audit("5%")), (Ok(Audit::Full), Ok(Audit::Share(0.05))));
        assert_eq!((Audit::Full.share(), Audit::Share(0.5).share()), (0.0, 0.5));
        assert!(audit("all").is_err_and(|error| error.contains("full")));
    }

    #[test]
    fn shares_are_percentages_or_fractions() {
        assert_eq!((share("1%"), share("0.01"), share("100%")), (Ok(0.01), Ok(0.01), Ok(1.0)));
        for bad in ["101%", "2", "-1%", "NaN", "%", ""] {
            assert!(share(bad).is_err(), "{bad}");
        }
    }
}
