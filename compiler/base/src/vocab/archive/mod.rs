//! Archives and compressed files made from files of the host.

pub mod gzip;
pub mod tar;

use super::subject::never;
use super::{Change, Content, FileKind, FileStat, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Watch, Fact }

/// → `Manifest`: the SHA-256 of a text with one line for each file below each input, see [`entry`]. Anything other than a
/// file, a directory or a symbolic link is an error.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// Absolute paths.
    pub inputs: Vec<String>,
}

/// See the variants.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The digest.
    Manifest([u8; 32]),
}

/// Replaces the target when the new file is complete; until then the old one stays.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Step {
    /// Compresses one content with gzip.
    Compress { from: Content, to: String, level: i32 },
    /// Packs files into a tar archive.
    Pack { inputs: Vec<String>, to: String, format: tar::Format },
}

/// One line of a manifest.
pub fn line(path: &str, hash: Option<[u8; 32]>) -> String {
    let hash: String = hash.iter().flatten().map(|byte| format!("{byte:02x}")).collect();
    format!("{path}|{hash}\n")
}

/// One line of a manifest, for a file of a host. Its mode and owner are in the archive as well. So is the time of its last
/// change, but that alone is no reason for a new archive: tools touch files without changing them.
pub fn entry(path: &str, stat: &FileStat, hash: Option<[u8; 32]>) -> String {
    // Links have no mode.
    let mode = if stat.kind == FileKind::Symlink { 0 } else { stat.mode };
    line(&format!("{path}|{mode:o}|{}|{}", stat.uid, stat.gid), hash)
}

/// The hash of a symbolic link in a manifest: that of a text that no file is likely to contain.
pub fn link(target: &str) -> [u8; 32] {
    crate::hash::sha256(format!("\0link\0{target}").as_bytes())
}

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        self.inputs.iter().map(|input| Power::Read(input)).collect()
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Step::Compress { from: Content::Bytes(bytes), to, .. } => {
                write!(f, "compress {} bytes into {to}", bytes.len())
            }
            Step::Compress { from: Content::CopyOf(from), to, .. } => write!(f, "compress {from} into {to}"),
            Step::Pack { inputs, to, .. } if inputs.is_empty() => write!(f, "create the empty archive {to}"),
            Step::Pack { inputs, to, .. } => write!(f, "pack {} into {to}", inputs.join(", ")),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        let (reads, to): (Vec<&str>, &str) = match self {
            Step::Compress { from: Content::Bytes(_), to, .. } => (Vec::new(), to),
            Step::Compress { from: Content::CopyOf(from), to, .. } => (vec![from], to),
            Step::Pack { inputs, to, .. } => (inputs.iter().map(String::as_str).collect(), to),
        };
        reads.into_iter().map(Power::Read).chain([Power::Write(to)]).collect()
    }
}
