//! `mount`: Manages an fstab entry and the matching mount. Resource spec, 9.

use crate::kinds::{Field, FieldDefault, HostType, Kind, KindDecl, Traits};

/// The kind `mount`.
pub(crate) struct Mount;

static DECL: KindDecl = KindDecl {
    name: "mount",
    doc: "Manages an fstab entry and the matching mount.",
    fields: &[
        Field::str("state", "State", "exists or absent (mandatory).").required(),
        Field::str("device", "Device", "Device, or UUID=/LABEL=/PARTUUID=/PARTLABEL= spec."),
        Field::str("type", "Type", "File system type."),
        Field::new(
            "options",
            "Options",
            HostType::STR_MAP,
            "Mount options as name to value; valueless options map to the empty string.",
        )
        .default(FieldDefault::StrMap(&[("defaults", "")])),
        Field::int("freq", "Freq", HostType::Int, "Fifth fstab column."),
        Field::int("passno", "PassNo", HostType::Int, "Sixth fstab column."),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for Mount {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
