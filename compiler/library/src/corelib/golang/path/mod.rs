//! Modules `golang/path` and `golang/path/filepath`: paths as text. Functions spec, 11.6, 11.7, 15.7.

pub(super) mod host;
pub(super) mod lexical;
mod pattern;
pub(super) mod relative;

use crate::corelib::paths;

/// The last element; `.` for an empty path, `/` for slashes only.
fn base(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte != b'/').map(|at| at + 1);
    match end {
        None if path.is_empty() => b".",
        None => b"/",
        Some(end) => {
            let start = path[..end].iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
            &path[start..end]
        }
    }
}

/// All but the last element, cleaned.
fn dir(path: &[u8]) -> Vec<u8> {
    let end = path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    paths::clean(&path[..end])
}

/// From the last dot of the last element on; empty if there is none.
fn ext(path: &[u8]) -> &[u8] {
    let start = path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    let dot = path[start..].iter().rposition(|byte| *byte == b'.');
    dot.map_or(&[], |at| &path[start + at..])
}

/// The non-empty elements joined and cleaned; empty if there are none.
fn join(elements: &[&[u8]]) -> Vec<u8> {
    let present: Vec<&[u8]> = elements.iter().copied().filter(|element| !element.is_empty()).collect();
    if present.is_empty() { Vec::new() } else { paths::clean(&present.join(&b'/')) }
}
