//! `fwupd:device`: Brings one device to an exact firmware version through fwupd. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::{Claim, Direction, Field, Kind, KindDecl, Traits, Want, WantBatch};

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

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(!want.text("version").is_empty(), "`version` is empty")
    }

    fn claims(&self, want: &Want) -> Vec<Claim> {
        vec![Claim::FwupdDevice(want.effective("device").into_owned())]
    }

    fn wants(&self, _want: &Want) -> Vec<WantBatch> {
        // Which remotes there are is not known here; the empty name matches any.
        let any = (Claim::FwupdRemote(String::new()), Direction::Before);
        vec![WantBatch { claims: vec![any], first_only: false }]
    }
}
