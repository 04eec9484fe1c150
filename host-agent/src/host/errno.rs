//! System errors in words: `open /a/b: no such file or directory`.

use mclive_base::vocab::path::shown;
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::io::Errno;

/// The error of an operation (`open`, `mkdir`) on a path.
pub(crate) fn failed(verb: &str, path: &str, errno: Errno) -> HostError {
    HostError::new(kind(errno), format!("{verb} {}: {}{}", shown(path), words(errno), hint(errno)))
}

/// An explanation beyond the system's words.
fn hint(errno: Errno) -> &'static str {
    match errno {
        Errno::BUSY => " (is something mounted there?)",
        Errno::PERM if rustix::process::geteuid().is_root() => " (is it immutable or append-only? check with `lsattr`)",
        Errno::PERM => " (root is required)",
        _ => "",
    }
}

/// The same for errors of the standard library.
pub(crate) fn io_failed(verb: &str, path: &str, error: &std::io::Error) -> HostError {
    match Errno::from_io_error(error) {
        Some(errno) => failed(verb, path, errno),
        None => HostError::new(HostErrorKind::Other, format!("{verb} {}: {error}", shown(path))),
    }
}

/// The network's thread cannot be started.
pub(crate) fn no_network(error: std::io::Error) -> HostError {
    HostError::new(HostErrorKind::Unavailable, format!("cannot start the network thread: {error}"))
}

/// An error of the standard library, in the same words.
pub(crate) fn io_words(error: &std::io::Error) -> String {
    Errno::from_io_error(error).map_or_else(|| error.to_string(), words)
}

pub(crate) fn kind(errno: Errno) -> HostErrorKind {
    match errno {
        Errno::NOENT => HostErrorKind::NotFound,
        Errno::EXIST => HostErrorKind::Exists,
        Errno::NOTDIR => HostErrorKind::NotADirectory,
        Errno::ISDIR => HostErrorKind::IsADirectory,
        Errno::NOTEMPTY => HostErrorKind::NotEmpty,
        Errno::ACCESS | Errno::PERM | Errno::ROFS => HostErrorKind::PermissionDenied,
        Errno::TIMEDOUT => HostErrorKind::TimedOut,
        _ => HostErrorKind::Other,
    }
}

/// The system's words for an error, in lower case.
pub(crate) fn words(errno: Errno) -> String {
    let text = std::io::Error::from(errno).to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    // `I/O error` keeps its capitals; others begin in lower case.
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().to_string() + &text[first.len_utf8()..]
        }
        _ => text.to_owned(),
    }
}
