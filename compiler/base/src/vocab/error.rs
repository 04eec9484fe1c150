//! What a host answers when it could not look, change or watch.

use serde::{Deserialize, Serialize};

/// Why a host could not do something, as far as a decision depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum HostErrorKind {
    NotFound,
    Exists,
    NotADirectory,
    IsADirectory,
    NotEmpty,
    PermissionDenied,
    /// A step or probe that the policy forbids.
    Refused,
    TimedOut,
    /// Stopped by us: a deadline that the brain set, an interrupt, a removed vertex.
    Cancelled,
    /// This body cannot do that at all.
    Unavailable,
    Other,
    /// A plan does not do this, even to look, so what it would tell stays unknown.
    Untried,
}

/// A failure of the host, with the words for people.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HostError {
    pub kind: HostErrorKind,
    /// A sentence that names the path or command, such as `open /a/b: no such file or directory`.
    pub message: String,
}

impl HostError {
    pub fn new(kind: HostErrorKind, message: impl Into<String>) -> HostError {
        HostError { kind, message: message.into() }
    }

    /// "Not available here": what is asked, and why this body cannot do it.
    pub fn unavailable(what: &str, why: &str) -> HostError {
        HostError::new(HostErrorKind::Unavailable, format!("{what} is not available here: {why}"))
    }
}

impl std::fmt::Display for HostError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}
