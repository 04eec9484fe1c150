//! `http:server:file`: Serves one file, one inline string, or a directory subtree on an
//! http:server. Resource spec, 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

/// The kind `http:server:file`.
pub(crate) struct HttpServerFile;

static DECL: KindDecl = KindDecl {
    name: "http:server:file",
    doc: "Serves one file, one inline string, or a directory subtree on an http:server.",
    fields: &[
        Field::str("server", "Server", "Name of the http:server to join; empty joins any."),
        Field::str("filename", "Filename", "URL path; empty means the resource name."),
        Field::str("path", "Path", "Absolute local path to serve; a trailing slash serves a subtree."),
        Field::str("data", "Data", "Inline contents; excludes path."),
        Field::bool("longpoll", "Longpoll", "Hold conditional requests until the content changes."),
    ],
    traits: Traits { edgeable: true, groupable: true, recvable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for HttpServerFile {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
