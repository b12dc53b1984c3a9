//! The gRPC services. Generated types come in and go out here and nowhere else in this crate; everything is decided by
//! the driver.

mod boards;
mod cluster;
mod convert;
mod export;
mod run;
mod session;
mod session_messages;
mod status;

pub(crate) use cluster::ClusterService;
pub(crate) use run::RunService;
pub(crate) use session::WorkerService;
