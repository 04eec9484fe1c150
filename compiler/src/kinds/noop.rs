//! `noop`: Does nothing; useful as a synchronisation point or for tests. Resource spec, 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

/// The kind `noop`.
pub(crate) struct Noop;

static DECL: KindDecl = KindDecl {
    name: "noop",
    doc: "Does nothing; useful as a synchronisation point or for tests.",
    fields: &[Field::str("comment", "Comment", "Free text, ignored except for comparison.")],
    traits: Traits { groupable: true, groups_others: true, refreshable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for Noop {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
