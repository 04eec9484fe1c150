//! `fwupd:system`: Updates the firmware of every updatable device through fwupd. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::{Claim, Direction, Field, Kind, KindDecl, Traits, Want, WantBatch};

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

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(want.text("state") == "newest", "`state` must be `newest`")?;
        ensure(want.texts("exclude").iter().all(|device| !device.is_empty()), "an Exclude entry is empty")
    }

    fn claims(&self, _want: &Want) -> Vec<Claim> {
        vec![Claim::FwupdSystem]
    }

    fn wants(&self, _want: &Want) -> Vec<WantBatch> {
        // Which remotes there are is not known here; the empty name matches any.
        let any = (Claim::FwupdRemote(String::new()), Direction::Before);
        vec![WantBatch { claims: vec![any], first_only: false }]
    }
}
