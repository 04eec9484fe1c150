//! `exit`: ends the whole program with the given status code. Resource spec, 6.4 and 9.

use crate::kinds::rules::ensure;
use crate::kinds::{Decision, Field, HostType, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::{Outcome, Step, message};

/// The kind `exit`.
pub(crate) struct Exit;

static DECL: KindDecl = KindDecl {
    name: "exit",
    doc: "Ends the run with the given exit status.",
    fields: &[Field::int("code", "Code", HostType::Uint8, "Exit status, 0 to 125.")],
    traits: Traits::NONE,
    constants: &[],
    policy: &[],
};

impl Kind for Exit {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(want.int("code") <= 125, "`code` must be in the range [0, 125]")
    }

    fn backend(&self) -> &'static str {
        "the exit status of the agent. Nothing is changed on the host."
    }

    /// Prints a message; that step ends the program.
    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        match seen.outcomes.last() {
            None => {
                let text = format!("about to exit with code: {}", want.int("code"));
                Decision::Drifted(vec![Step::Message(message::Step::Print { text })])
            }
            Some(Outcome::Failed(error)) => Decision::CannotTell(error.to_string()),
            Some(Outcome::Done | Outcome::Command(_)) => Decision::Mended(Vec::new()),
        }
    }

    fn exits(&self, want: &Want) -> Option<i32> {
        i32::try_from(want.int("code")).ok()
    }
}
