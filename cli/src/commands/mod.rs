//! One file for each command.

pub(crate) mod boards;
pub(crate) mod completions;
pub(crate) mod coordinator;
pub(crate) mod count;
pub(crate) mod man;
pub(crate) mod runs;
pub(crate) mod worker;
pub(crate) mod workers;
