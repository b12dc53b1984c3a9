//! One file for each command.

pub(crate) mod bench;
pub(crate) mod boards;
pub(crate) mod certs;
pub(crate) mod completions;
pub(crate) mod coordinator;
pub(crate) mod count;
pub(crate) mod export;
pub(crate) mod health;
pub(crate) mod man;
pub(crate) mod plan;
pub(crate) mod runs;
pub(crate) mod top;
pub(crate) mod verify;
pub(crate) mod worker;
pub(crate) mod workers;
