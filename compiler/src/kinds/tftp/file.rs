//! `tftp:file`: One file on a tftp:server. Resource spec, 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

/// The kind `tftp:file`.
pub(crate) struct TftpFile;

static DECL: KindDecl = KindDecl {
    name: "tftp:file",
    doc: "One file on a tftp:server.",
    fields: &[
        Field::str("server", "Server", "Name of the tftp:server to join."),
        Field::str("filename", "Filename", "Name on the server; empty means the resource name."),
        Field::str("path", "Path", "Absolute local file; excludes data."),
        Field::str("data", "Data", "Inline contents."),
    ],
    traits: Traits { edgeable_inert: true, groupable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for TftpFile {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
