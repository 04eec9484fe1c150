//! The outputs of a run as lines, and a digest of all of them: two runs with the same decisions have the same digest.

use super::{Moment, Output};
use crate::hash::sha256;

/// An output as one line of JSON, as `mclive replay` prints it.
pub fn line(at: Moment, output: &Output) -> String {
    serde_json::json!({ "at_ns": at.0, "output": output }).to_string()
}

/// A digest in hexadecimal.
pub fn hex(digest: &[u8; 32]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digest of all lines up to and including this one.
pub fn chain(before: [u8; 32], line: &str) -> [u8; 32] {
    let mut bytes = before.to_vec();
    bytes.extend_from_slice(line.as_bytes());
    sha256(&bytes)
}

/// Adds an output to the digest of those before it. A driver has one only where a digest is wanted: it needs the
/// encoders of all outputs, which would make a module for the browser bigger.
pub type Chain = fn([u8; 32], Moment, &Output) -> [u8; 32];

/// The [`chain`] of [`line()`]s.
pub fn of_lines(before: [u8; 32], at: Moment, output: &Output) -> [u8; 32] {
    chain(before, &line(at, output))
}
