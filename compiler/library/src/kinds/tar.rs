//! `tar`: Builds a tar archive from files and directories. Resource spec, 9.

use crate::kinds::rules::absolute_file;
use crate::kinds::rules::ensure;
use crate::kinds::{Constant, Field, HostType, Kind, KindDecl, Traits, Want};

/// The kind `tar`.
pub(crate) struct Tar;

static DECL: KindDecl = KindDecl {
    name: "tar",
    doc: "Builds a tar archive from files and directories.",
    fields: &[
        Field::str("path", "Path", "Archive path; empty means the resource name."),
        Field::strs(
            "inputs",
            "Inputs",
            "Absolute input paths. A directory without a trailing slash is stored under its last component.",
        ),
        Field::int("format", "Format", HostType::Int, "0 automatic, 2 USTAR, 4 PAX, 8 GNU."),
    ],
    traits: Traits { uses_vardir: true, ..Traits::NONE },
    constants: &[
        ("format.unknown", Constant::Int(0)),
        ("format.ustar", Constant::Int(2)),
        ("format.pax", Constant::Int(4)),
        ("format.gnu", Constant::Int(8)),
    ],
};

impl Kind for Tar {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        absolute_file("path", &want.effective("path"))?;
        for (index, input) in want.texts("inputs").iter().enumerate() {
            ensure(input.starts_with('/'), format!("input #{index} must be absolute"))?;
        }
        Ok(())
    }
}
