//! Who may do what: a role has rights, and each call needs one.

use std::{fmt, str::FromStr};

/// What a caller is to the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// May read.
    Viewer,
    /// May read, and create and steer runs.
    Client,
    /// May open sessions, and nothing else.
    Worker,
}

/// What a call needs of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Right {
    /// Nothing: anybody may ask whether the coordinator is well.
    Open,
    /// To read runs, results and workers.
    Read,
    /// To create, pause, resume and cancel runs, and to drain workers.
    Steer,
    /// To open sessions.
    Work,
    /// More than anybody has: calls that nobody has given a right.
    Nobody,
}

impl Role {
    pub(crate) const ALL: [Self; 3] = [Self::Viewer, Self::Client, Self::Worker];

    /// Returns the name by which token files and certificates have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Client => "client",
            Self::Worker => "worker",
        }
    }

    /// Tells whether the role has a right.
    pub(crate) fn has(self, right: Right) -> bool {
        match right {
            Right::Open => true,
            Right::Read => matches!(self, Self::Viewer | Self::Client),
            Right::Steer => self == Self::Client,
            Right::Work => self == Self::Worker,
            Right::Nobody => false,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(name: &str) -> Result<Self, UnknownRole> {
        Self::ALL.into_iter().find(|role| role.name() == name).ok_or(UnknownRole)
    }
}

/// A name that is no role's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a role is one of viewer, client, worker")]
pub struct UnknownRole;

impl Right {
    /// Returns what to say to those who do not have it.
    pub(crate) fn wanted(self) -> &'static str {
        match self {
            Self::Open => "nothing",
            Self::Read => "the role client or viewer",
            Self::Steer => "the role client",
            Self::Work => "the role worker",
            Self::Nobody => "more than any role may",
        }
    }
}
