//! `deploy:tar`: Builds a tar archive of the file system of the current deploy. Resource spec, 9.

use crate::kinds::rules::absolute_file;
use crate::kinds::{Field, HostType, Kind, KindDecl, Traits, Want};

/// The kind `deploy:tar`.
pub(crate) struct DeployTar;

static DECL: KindDecl = KindDecl {
    name: "deploy:tar",
    doc: "Builds a tar archive of the file system of the current deploy.",
    fields: &[
        Field::str("path", "Path", "Archive path; empty means the resource name."),
        Field::int("format", "Format", HostType::Int, "As for tar."),
    ],
    traits: Traits { uses_vardir: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for DeployTar {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        absolute_file("path", &want.effective("path"))
    }
}
