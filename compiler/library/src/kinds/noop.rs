//! `noop`: does nothing; useful as a synchronisation point or for tests. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::{Decision, Field, Kind, KindDecl, Seen, Traits, Want};

/// The kind `noop`.
pub(crate) struct Noop;

static DECL: KindDecl = KindDecl {
    name: "noop",
    doc: "Does nothing. Useful as a synchronization point and for tests.",
    fields: &[Field::str("comment", "Comment", "Free text; has no effect.")],
    traits: Traits { groupable: true, groups_others: true, refreshable: true, ..Traits::NONE },
    constants: &[],
    policy: &[],
};

impl Kind for Noop {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn groups(&self, leader: &Want, member: &Want) -> Result<(), String> {
        ensure(member.decl.name == leader.decl.name, "only a `noop` can be grouped with a `noop`")
    }

    fn backend(&self) -> &'static str {
        "nothing is changed on the host."
    }

    fn decide(&self, _want: &Want, _seen: &Seen) -> Decision {
        Decision::InState(Vec::new())
    }
}
