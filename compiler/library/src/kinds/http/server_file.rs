//! `http:server:file`: serves one file, one inline string, or a directory subtree on an http:server. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::ensure;
use crate::kinds::{Claim, Decision, Direction, Field, Kind, KindDecl, Seen, Traits, Want, WantBatch};

/// The kind `http:server:file`.
pub(crate) struct HttpServerFile;

static DECL: KindDecl = KindDecl {
    name: "http:server:file",
    doc: "Serves a file, a string, or a directory tree on an `http:server`.",
    fields: &[
        Field::str("server", "Server", "Name of the `http:server` it belongs to; empty means any."),
        Field::str("filename", "Filename", "URL path; defaults to the resource name."),
        Field::str("path", "Path", "Absolute path of the file to serve. A trailing slash serves a directory tree."),
        Field::str("data", "Data", "Inline content; cannot be combined with `path`."),
        Field::bool("longpoll", "Longpoll", "Keep conditional requests open until the content changes."),
    ],
    traits: Traits { edgeable: true, groupable: true, recvable: true, ..Traits::NONE },
    constants: &[],
    policy: &[Required::list(PolicyList::Reads)],
};

impl Kind for HttpServerFile {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let path = want.text("path");
        ensure(path.is_empty() || path.starts_with('/'), "`path` must be absolute")?;
        ensure(path.is_empty() || want.text("data").is_empty(), "`path` cannot be combined with `data`")?;
        ensure(!(path.ends_with('/') && want.bool("longpoll")), "`longpoll` cannot be used when `path` is a directory")
    }

    fn backend(&self) -> &'static str {
        "the HTTP server of the agent. With `longpoll`, the file is watched with inotify."
    }

    /// Without a server it has nothing to do.
    fn decide(&self, _want: &Want, _seen: &Seen) -> Decision {
        Decision::InState(Vec::new())
    }

    fn wants(&self, want: &Want) -> Vec<WantBatch> {
        let path = want.text("path");
        if path.is_empty() {
            return Vec::new();
        }
        vec![WantBatch { claims: vec![(Claim::File(path.into_owned()), Direction::Before)], first_only: false }]
    }
}
