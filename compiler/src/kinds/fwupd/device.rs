//! `fwupd:device`: Brings one device to an exact firmware version through fwupd. Resource spec, 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

/// The kind `fwupd:device`.
pub(crate) struct FwupdDevice;

static DECL: KindDecl = KindDecl {
    name: "fwupd:device",
    doc: "Brings one device to an exact firmware version through fwupd.",
    fields: &[
        Field::str("device", "Device", "GUID or device id; empty means the resource name."),
        Field::str("version", "Version", "Exact version (mandatory).").required(),
        Field::bool("allow_downgrade", "AllowDowngrade", "Permit an older release."),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for FwupdDevice {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
