//! `password`: generates a random password once and sends it to other resources. Resource spec, 9.

use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Field, FieldDefault, HostType, Kind, KindDecl, Seen, Sendable, Traits, Want};
use crate::value::Value;
use crate::vocab::password::{Finding as Found, LETTERS, Probe as Look, Secret, Step as Change, Watch as Token};
use crate::vocab::{Datum, Finding, Probe, Watch};

/// The kind `password`.
pub(crate) struct Password;

static DECL: KindDecl = KindDecl {
    name: "password",
    doc: "Generates a random password once and sends it to other resources. The token is kept in the state directory, \
          in a file that only its owner can read.",
    fields: &[
        Field::int("length", "Length", HostType::Uint16, "Number of characters.").default(FieldDefault::Int(64)),
        Field::bool(
            "saved",
            "Saved",
            "Also keep the password in clear text, so that it can be sent again after a restart.",
        ),
        Field::bool(
            "check_recovery",
            "CheckRecovery",
            "Generate a new password instead of failing if the stored token is corrupt.",
        ),
    ],
    traits: Traits {
        refreshable: true,
        uses_vardir: true,
        sends: &[Sendable { name: "password", host: HostType::Str, nullable: true }],
        sends_secrets: true,
        ..Traits::NONE
    },
    constants: &[],
    policy: &[],
};

impl Kind for Password {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn backend(&self) -> &'static str {
        "the random numbers of the kernel. The token is a file in the state directory of the agent, which is watched."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, seen, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    /// An unsaved password is sent as long as the agent runs.
    fn keep(&self, _want: &Want, seen: &Seen) -> Option<Datum> {
        let drawn = seen.findings.iter().find_map(|finding| match finding {
            Finding::Password(Found::Drawn(drawn)) => Some(Datum::text(drawn.0.as_str())),
            _ => None,
        });
        drawn.or_else(|| seen.kept.cloned())
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        vec![Token { name: want.name.to_owned() }.into()]
    }
}

fn walk(want: &Want, seen: &Seen, walk: &mut Walk) -> Result<Decision, Decision> {
    let token = match &walk.look(vec![Probe::from(Look::Token)])?[0] {
        Finding::Password(Found::Token(token)) => token.as_ref(),
        other => return Err(cannot_tell(other)),
    };
    if let Some(token) = token.filter(|_| !seen.refresh) {
        match check(want, token) {
            Ok(()) => return Ok(Decision::InState(vec![("password", Some(known(want, seen, token)))])),
            Err(_) if want.bool("check_recovery") => {}
            Err(why) => return Err(Decision::CannotTell(format!("check failed: {why}"))),
        }
    }
    let length = u32::try_from(want.int("length")).unwrap_or_default();
    if length == 0 && want.bool("saved") {
        return Err(Decision::CannotTell("a saved password cannot be empty: `length` must be at least 1".into()));
    }
    let drawn = match &walk.look(vec![Probe::from(Look::Draw { length })])?[0] {
        Finding::Password(Found::Drawn(drawn)) => drawn.clone(),
        other => return Err(cannot_tell(other)),
    };
    let kept = if want.bool("saved") { drawn.clone() } else { Secret::default() };
    walk.act(vec![Change { token: kept, replaces: token.is_some() }.into()])?;
    Ok(Decision::Mended(vec![("password", Some(Value::str(drawn.0)))]))
}

/// The password: from the token, or generated in this run.
fn known(want: &Want, seen: &Seen, token: &Secret) -> Value {
    match seen.kept {
        Some(Datum::Bytes(drawn)) if !want.bool("saved") => Value::str(drawn),
        Some(_) | None => Value::str(&token.0),
    }
}

/// Whether a token matches the fields. Errors: why not.
fn check(want: &Want, Secret(token): &Secret) -> Result<(), &'static str> {
    if !want.bool("saved") {
        return if token.is_empty() { Ok(()) } else { Err("expected empty token only") };
    }
    if token.is_empty() {
        return Err("the stored token is empty");
    }
    if token.len() as i64 != want.int("length") {
        return Err("the stored token has a different length");
    }
    let is_letter = |byte: u8| LETTERS.contains(&byte);
    if token.bytes().all(is_letter) { Ok(()) } else { Err("the stored token contains an invalid character") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;

    /// The decision about a token; `None`: there is none.
    fn decided(draft: &Draft, token: Option<&str>) -> Decision {
        let findings = [Finding::Password(Found::Token(token.map(|token| Secret(token.to_owned()))))];
        draft.kind.decide(&draft.want(), &Seen { findings: &findings, ..Seen::first() })
    }

    #[test]
    fn a_saved_password_is_never_empty() {
        let none = || Draft::new("password", "p").set("length", Value::Int(0));
        let saved = none().set("saved", true.into());
        let refused = "a saved password cannot be empty: `length` must be at least 1";
        assert_eq!(decided(&saved, None), Decision::CannotTell(refused.into()));
        assert_eq!(decided(&saved, Some("")), Decision::CannotTell("check failed: the stored token is empty".into()));
        let again = none().set("saved", true.into()).set("check_recovery", true.into());
        assert_eq!(decided(&again, Some("")), Decision::CannotTell(refused.into()));
        assert!(matches!(decided(&none(), None), Decision::LookFurther(_)));
        assert!(matches!(decided(&none(), Some("")), Decision::InState(_)));
    }
}
