//! `tftp:file`: one file on a tftp:server. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::ensure;
use crate::kinds::{Decision, Field, Kind, KindDecl, Seen, Traits, Want};

/// The kind `tftp:file`.
pub(crate) struct TftpFile;

static DECL: KindDecl = KindDecl {
    name: "tftp:file",
    doc: "A file on a `tftp:server`.",
    fields: &[
        Field::str("server", "Server", "Name of the `tftp:server` it belongs to."),
        Field::str("filename", "Filename", "Name on the server; defaults to the resource name."),
        Field::str("path", "Path", "Absolute path of the file; cannot be combined with `data`."),
        Field::str("data", "Data", "Inline content."),
    ],
    traits: Traits { edgeable_inert: true, groupable: true, ..Traits::NONE },
    constants: &[],
    policy: &[Required::list(PolicyList::Reads).case("`path`")],
};

impl Kind for TftpFile {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let path = want.text("path");
        ensure(path.is_empty() || path.starts_with('/'), "`path` must be absolute")?;
        ensure(path.is_empty() || want.text("data").is_empty(), "`path` cannot be combined with `data`")
    }

    fn backend(&self) -> &'static str {
        "the TFTP server of the agent; see `tftp:server`."
    }

    /// Without a server it has nothing to do.
    fn decide(&self, _want: &Want, _seen: &Seen) -> Decision {
        Decision::InState(Vec::new())
    }
}
