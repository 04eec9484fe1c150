//! Archives and compressed files that are made of files of the host.

pub mod gzip;
pub mod tar;

use super::subject::never;
use super::{Change, Content, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Watch, Fact }

/// → `Manifest`: the SHA-256 of a text with one line for each of these inputs and what is below it: its path, and the
/// SHA-256 of its content. What is neither a file, a directory nor a symbolic link is an error.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    pub inputs: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    Manifest([u8; 32]),
}

/// What is made takes its place when it is whole; until then what was there stays.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    Compress { from: Content, to: String, level: i32 },
    Pack { inputs: Vec<String>, to: String, format: tar::Format },
}

/// One line of a manifest.
pub fn line(path: &str, hash: Option<[u8; 32]>) -> String {
    let hash: String = hash.iter().flatten().map(|byte| format!("{byte:02x}")).collect();
    format!("{path}|{hash}\n")
}

/// What stands for a symbolic link in a manifest: no content that a file is likely to have.
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
