//! `fwupd:system`: Updates the firmware of every updatable device through fwupd. Resource spec, 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

/// The kind `fwupd:system`.
pub(crate) struct FwupdSystem;

static DECL: KindDecl = KindDecl {
    name: "fwupd:system",
    doc: "Updates the firmware of every updatable device through fwupd.",
    fields: &[
        Field::str("state", "State", "Must be newest (mandatory).").required(),
        Field::strs("exclude", "Exclude", "Device ids or GUIDs to leave alone."),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for FwupdSystem {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
