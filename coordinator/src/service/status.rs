//! The one place where refusals become gRPC status codes.

use scheduler::{CreateError, Refused, RunError};
use tonic::{Code, Status};

use crate::{choose::NoPlan, driver::Refusal};

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        Status::new(code(&refusal), refusal.to_string())
    }
}

impl From<NoPlan> for Status {
    fn from(reason: NoPlan) -> Self {
        let code = match reason {
            NoPlan::Asked(_) => Code::InvalidArgument,
            NoPlan::Broken => Code::Internal,
            NoPlan::Refused(refusal) => return refusal.into(),
        };
        Status::new(code, reason.to_string())
    }
}

fn code(refusal: &Refusal) -> Code {
    match refusal {
        Refusal::Create(CreateError::OtherProblem { .. }) => Code::AlreadyExists,
        Refusal::Create(CreateError::TooManyRuns(_)) | Refusal::TooManyStreams | Refusal::NotReading => {
            Code::ResourceExhausted
        }
        Refusal::Worker(Refused::Quarantined { .. }) => Code::PermissionDenied,
        Refusal::Create(_)
        | Refusal::Worker(Refused::NoThreads)
        | Refusal::Result(_)
        | Refusal::Chunk(_)
        | Refusal::Nonsense(_) => Code::InvalidArgument,
        Refusal::Run(RunError::NoSuchRun(_)) | Refusal::NoSuchWorker(_) => Code::NotFound,
        Refusal::Run(_) | Refusal::NotBoards(_) | Refusal::Ended(_) => Code::FailedPrecondition,
        Refusal::Ledger(_) | Refusal::Stopping => Code::Unavailable,
    }
}
