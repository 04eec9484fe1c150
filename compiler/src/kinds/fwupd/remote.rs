//! `fwupd:remote`: Enables or disables an fwupd remote and keeps its metadata fresh. Resource spec,
//! 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

/// The kind `fwupd:remote`.
pub(crate) struct FwupdRemote;

static DECL: KindDecl = KindDecl {
    name: "fwupd:remote",
    doc: "Enables or disables an fwupd remote and keeps its metadata fresh.",
    fields: &[
        Field::bool("enabled", "Enabled", "Null leaves it as is.").nullable(),
        Field::str("refresh_age", "RefreshAge", "Maximum metadata age as a duration; empty never refreshes."),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for FwupdRemote {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
