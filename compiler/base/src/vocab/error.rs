//! The errors of a host.

use serde::{Deserialize, Serialize};

/// Why a host could not do something, as far as decisions depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum HostErrorKind {
    /// Nothing is there.
    NotFound,
    /// Something is already there.
    Exists,
    /// A parent is not a directory.
    NotADirectory,
    /// It is a directory.
    IsADirectory,
    /// The directory is not empty.
    NotEmpty,
    /// The system denied permission.
    PermissionDenied,
    /// The policy forbids the step or probe.
    Refused,
    /// A time limit was reached.
    TimedOut,
    /// Cancelled by the brain: a deadline, an interrupt, a removed vertex.
    Cancelled,
    /// This body does not support it at all.
    Unavailable,
    /// Anything else.
    Other,
    /// A plan does not do this even to look, so the result stays unknown.
    Untried,
    /// Nothing was begun: another attempt does nothing twice.
    NotBegun,
}

/// A failure of the host.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct HostError {
    /// Its kind.
    pub kind: HostErrorKind,
    /// A sentence that names the path or command, such as `open /a/b: no such file or directory`.
    pub message: String,
}

impl HostError {
    /// An error with this message.
    pub fn new(kind: HostErrorKind, message: impl Into<String>) -> HostError {
        HostError { kind, message: message.into() }
    }

    /// An error for an operation this body does not support: what was asked for, and why.
    pub fn unavailable(what: &str, why: &str) -> HostError {
        HostError::new(HostErrorKind::Unavailable, format!("{what} is not available here: {why}"))
    }
}

impl std::fmt::Display for HostError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}
