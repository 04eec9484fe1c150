//! `augeas`: Sets values in a configuration file through Augeas. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::{Field, HostField, HostType, Kind, KindDecl, Traits, Want};

/// The kind `augeas`.
pub(crate) struct Augeas;

static DECL: KindDecl = KindDecl {
    name: "augeas",
    doc: "Sets values in a configuration file through Augeas.",
    fields: &[
        Field::str("file", "File", "Absolute target file (mandatory).").required(),
        Field::str("lens", "Lens", "Lens module ending in .lns.").required(),
        Field::new(
            "sets",
            "Sets",
            HostType::List(&HostType::Struct(&[
                HostField::new("path", HostType::Str),
                HostField::new("value", HostType::Str),
            ])),
            "Path/value pairs relative to the file.",
        ),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for Augeas {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let (file, lens) = (want.text("file"), want.text("lens"));
        ensure(file.is_empty() == lens.is_empty(), "set both `file` and `lens`, or neither")?;
        ensure(file.starts_with('/'), "`file` must be absolute")?;
        ensure(lens.ends_with(".lns"), "`lens` must end with `.lns`")
    }
}
