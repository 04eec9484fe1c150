//! TFTP servers that a program opens. Resource spec, 9.52 and 9.53.

use super::subject::never;
use super::{Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Step, Fact }

/// A server that is open as long as it is watched. It answers from the first good [`Probe`] on. Nothing that is asked of it
/// is a change.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    /// `host:port`; without a host, every address of the machine.
    pub address: String,
    /// For a client's answer, at most, before a packet is sent again.
    pub timeout_s: u64,
    pub files: Vec<Served>,
    /// A directory, with a slash at the end, of what is not among the files; empty: none.
    pub root: String,
}

/// A file by the name that clients ask for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Served {
    pub name: String,
    pub source: Payload,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Payload {
    Data(Vec<u8>),
    /// A file of the host.
    File(String),
}

/// Whether all that is served is there, and the server is open if it is watched. → `Ready`, or why not.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    pub server: Watch,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    Ready,
}

/// What a client gets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found<'a> {
    Data(&'a [u8]),
    File(&'a str),
    /// The file at a relative path in a directory that no link leads out of.
    Below(&'a str, &'a str),
}

impl Watch {
    /// What is served under a name.
    pub fn find<'a>(&'a self, name: &'a str) -> Option<Found<'a>> {
        let known = self.files.iter().find(|file| file.name == name);
        let found = known.map(|file| match &file.source {
            Payload::Data(bytes) => Found::Data(bytes),
            Payload::File(path) => Found::File(path),
        });
        let is_inside = !self.root.is_empty() && !name.split('/').any(|part| part == "..");
        found.or_else(|| is_inside.then(|| Found::Below(&self.root, name.trim_start_matches('/'))))
    }

    /// The files of the host that are served by a name.
    pub fn paths(&self) -> impl Iterator<Item = &String> {
        self.files.iter().filter_map(|file| match &file.source {
            Payload::File(path) => Some(path),
            Payload::Data(_) => None,
        })
    }
}

fn powers(server: &Watch) -> Vec<Power<'_>> {
    vec![Power::Listen("tftp:server", (&*server.address).into())]
}

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        powers(&self.server)
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        write!(f, "the TFTP server on {}", self.address)
    }

    fn powers(&self) -> Vec<Power<'_>> {
        powers(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_file_or_a_place_below_the_root() {
        let file = |name: &str, source| Served { name: name.into(), source };
        let files = vec![file("pxe", Payload::Data(b"x".to_vec())), file("/k", Payload::File("/boot/k".into()))];
        let bare = Watch { address: ":69".into(), timeout_s: 5, files, root: String::new() };
        assert_eq!(bare.find("pxe"), Some(Found::Data(b"x")));
        assert_eq!(bare.find("/k"), Some(Found::File("/boot/k")));
        assert_eq!(bare.find("k"), None);
        let rooted = Watch { root: "/srv/".into(), ..bare };
        assert_eq!(rooted.find("/a/b"), Some(Found::Below("/srv/", "a/b")));
        assert_eq!(rooted.find("a/../../etc/passwd"), None);
    }
}
