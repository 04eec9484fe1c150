//! `sysctl`: Sets a kernel parameter at run time and/or persistently. Resource spec, 9.

use crate::kinds::{Field, FieldDefault, Kind, KindDecl, Traits};

/// The kind `sysctl`.
pub(crate) struct Sysctl;

static DECL: KindDecl = KindDecl {
    name: "sysctl",
    doc: "Sets a kernel parameter at run time and/or persistently.",
    fields: &[
        Field::str("value", "Value", "Value text (mandatory).").required(),
        Field::bool("runtime", "Runtime", "Write under /proc/sys.").default(FieldDefault::Bool(true)),
        Field::bool("persist", "Persist", "Write a sysctl.d file.").default(FieldDefault::Bool(true)),
        Field::str("path", "Filename", "Persistent file; default /etc/sysctl.d/99-NAME.conf."),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for Sysctl {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
