//! Why a worker, or one session of it, came to an end.

use std::{error::Error as StdError, io, time::Duration};

use nqueens_proto::Invalid;
use queens::{kernel::Unsupported, position::CannotPlace, size::SizeOutOfRange};
use tonic::{Code, Status};

/// Why a worker, or one session of it, came to an end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address of the coordinator makes no sense.
    #[error("{0:?} is not an address of a coordinator; give one like http://127.0.0.1:7117")]
    Address(String),
    /// The coordinator cannot be reached now, or the session with it was lost. It is tried again.
    #[error("the coordinator cannot be reached: {0}")]
    Unreachable(String),
    /// No session came about within `connect_timeout`.
    #[error("gave up after {} s: {reason}", waited.as_secs_f32())]
    GaveUp {
        /// How long it was tried.
        waited: Duration,
        /// What the last attempt came to.
        reason: Box<Error>,
    },
    /// The coordinator will not have this worker, and says why.
    #[error("the coordinator refused this worker: {0}")]
    Refused(String),
    /// The coordinator does not, or no longer, accept what this worker shows of itself. Once it has had a session it tries
    /// again, since a newer token or certificate may be on its way.
    #[error("the coordinator does not accept this worker: {0}")]
    NotAccepted(String),
    /// What the worker shows of itself cannot be read now. It is tried again.
    #[error("cannot show who this worker is: {0}")]
    Credentials(String),
    /// The coordinator sent something that makes no sense. The session is ended and a new one is begun.
    #[error("the coordinator sent a message that makes no sense: {0}")]
    Nonsense(String),
    /// A listing could not be continued. The session is ended, so that another worker takes it up.
    #[error("a listing failed: {0}")]
    Listing(String),
    /// The processor cannot run the kernel.
    #[error(transparent)]
    Kernel(#[from] Unsupported),
    /// A kernel thread could not be started.
    #[error("cannot start a kernel thread: {0}")]
    Thread(#[from] io::Error),
    /// The grace time of a drain was over before the coordinator had everything.
    #[error(
        "left with {results} results that the coordinator has not acknowledged; others will compute them again"
    )]
    Undelivered {
        /// The number of results lost.
        results: usize,
    },
    /// The worker was told to stop at once.
    #[error("stopped at once, with {results} results not delivered")]
    Stopped {
        /// The number of results lost.
        results: usize,
    },
}

impl Error {
    /// Tells whether trying again is of no use.
    pub(crate) fn is_final(&self) -> bool {
        !matches!(
            self,
            Self::Unreachable(_)
                | Self::NotAccepted(_)
                | Self::Credentials(_)
                | Self::Nonsense(_)
                | Self::Listing(_)
        )
    }
}

impl From<Status> for Error {
    // Everything else may pass, also `Cancelled`: a time-out on this side can come as that.
    fn from(status: Status) -> Self {
        match status.code() {
            Code::Unauthenticated => Self::NotAccepted(status.message().to_owned()),
            Code::FailedPrecondition | Code::PermissionDenied | Code::InvalidArgument => {
                Self::Refused(status.message().to_owned())
            }
            code => Self::Unreachable(format!("{}{}", described(code, status.message()), causes(&status))),
        }
    }
}

impl From<tonic::transport::Error> for Error {
    fn from(error: tonic::transport::Error) -> Self {
        Self::Unreachable(format!("{error}{}", causes(&error)))
    }
}

impl From<Invalid> for Error {
    fn from(error: Invalid) -> Self {
        Self::Nonsense(error.to_string())
    }
}

impl From<SizeOutOfRange> for Error {
    fn from(error: SizeOutOfRange) -> Self {
        Self::Nonsense(error.to_string())
    }
}

impl From<CannotPlace> for Error {
    fn from(error: CannotPlace) -> Self {
        Self::Nonsense(error.to_string())
    }
}

fn described(code: Code, message: &str) -> String {
    if message.is_empty() { code.description().to_owned() } else { message.to_owned() }
}

// The transport keeps what really happened ("connection refused") in the sources of its errors.
fn causes(error: &(dyn StdError + 'static)) -> String {
    let chain = std::iter::successors(error.source(), |&error| error.source());
    chain.map(|cause| format!(": {cause}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_final_and_outages_are_not() {
        for code in [Code::FailedPrecondition, Code::PermissionDenied, Code::InvalidArgument] {
            assert!(Error::from(Status::new(code, "why")).is_final(), "{code}");
        }
        for code in [
            Code::Unavailable,
            Code::Cancelled,
            Code::DeadlineExceeded,
            Code::Internal,
            Code::Unauthenticated,
        ] {
            assert!(!Error::from(Status::new(code, "why")).is_final(), "{code}");
        }
    }
}
