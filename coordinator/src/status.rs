//! The one place where errors become gRPC status codes.

use scheduler::{CreateError, NoSuchWorker, Refused, RunError};
use tonic::{Code, Status};

use crate::driver::Refusal;

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        let code = match &refusal {
            Refusal::Create(error) => create_code(error),
            Refusal::Run(error) => run_code(error),
            Refusal::Worker(NoSuchWorker) | Refusal::NoSuchRun(_) => Code::NotFound,
            Refusal::Refused(Refused::Quarantined(_)) => Code::PermissionDenied,
            Refusal::NotBoards(_) | Refusal::Unfinished(_) => Code::FailedPrecondition,
            Refusal::Ledger(_) | Refusal::Stopping => Code::Unavailable,
            Refusal::Full(_) => Code::ResourceExhausted,
        };
        Status::new(code, refusal.to_string())
    }
}
