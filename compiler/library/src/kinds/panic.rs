//! `_panic`: placeholder kind used by the language's panic function; always up to date. Resource spec, 9.

use crate::kinds::{Decision, Kind, KindDecl, Seen, Traits, Want};

/// The kind `_panic`.
pub(crate) struct Panic;

static DECL: KindDecl = KindDecl {
    name: "_panic",
    doc: "Internal kind of the `panic` statement; always up to date. It cannot be used in a program, because names \
          cannot begin with an underscore.",
    fields: &[],
    traits: Traits::NONE,
    constants: &[],
    policy: &[],
};

impl Kind for Panic {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn backend(&self) -> &'static str {
        "nothing is changed on the host."
    }

    fn decide(&self, _want: &Want, _seen: &Seen) -> Decision {
        Decision::InState(Vec::new())
    }
}
