//! TFTP servers run by a program. Resource spec, 9.52 and 9.53.

use super::subject::never;
use super::{Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Step, Fact }

/// A server that is open while it is watched. It answers after the first successful [`Probe`]. Requests do not count as
/// changes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    /// `host:port`; without a host, every address of the machine.
    pub address: String,
    /// How long to wait for a client before a packet is sent again. Units: seconds.
    pub timeout_s: u64,
    /// The files to serve.
    pub files: Vec<Served>,
    /// A fallback directory, with a trailing slash; empty: none.
    pub root: String,
}

/// One file to serve.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Served {
    /// The name that clients request.
    pub name: String,
    /// Its content.
    pub source: Payload,
}

/// Where the content comes from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Payload {
    /// These bytes.
    Data(Vec<u8>),
    /// A file of the host.
    File(String),
}

/// → `Ready`, or an error: whether everything to serve exists and the server, if watched, is open.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The server.
    pub server: Watch,
}

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// Everything is in place.
    Ready,
}

/// The source of a served file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found<'a> {
    /// These bytes.
    Data(&'a [u8]),
    /// A file of the host.
    File(&'a str),
    /// The file at a relative path below a directory; links must not lead out of it.
    Below(&'a str, &'a str),
}

impl Watch {
    /// Looks up a requested name.
    pub fn find<'a>(&'a self, name: &'a str) -> Option<Found<'a>> {
        let known = self.files.iter().find(|file| file.name == name);
        let found = known.map(|file| match &file.source {
            Payload::Data(bytes) => Found::Data(bytes),
            Payload::File(path) => Found::File(path),
        });
        let is_inside = !self.root.is_empty() && !name.split('/').any(|part| part == "..");
        found.or_else(|| is_inside.then(|| Found::Below(&self.root, name.trim_start_matches('/'))))
    }

    /// The host files that are served by name.
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
