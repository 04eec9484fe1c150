//! `value`: holds a value of any type in the host-local value store and forwards it by send/recv. Resource spec, 9.

use crate::kinds::walk::unexpected;
use crate::kinds::{Decision, Field, HostType, Kind, KindDecl, Seen, Sendable, Sent, Traits, Want};
use crate::vocab::{Datum, Finding, KeyStore, Outcome, Probe, Step, store};

/// The kind `value`.
pub(crate) struct Value;

static DECL: KindDecl = KindDecl {
    name: "value",
    doc: "Keeps a value of any type in the value store of the host, and sends it to other resources.",
    fields: &[Field::new("any", "Any", HostType::Any, "The value; null if there is none yet.").nullable()],
    traits: Traits {
        recvable: true,
        sends: &[Sendable { name: "any", host: HostType::Any, nullable: true }],
        ..Traits::NONE
    },
    constants: &[],
    policy: &[],
};

impl Kind for Value {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn probes(&self, want: &Want) -> Vec<Probe> {
        vec![Probe::Store(store::Probe { store: KeyStore::Local, key: want.name.to_owned() })]
    }

    fn backend(&self) -> &'static str {
        "the value store in the state directory of the agent."
    }

    /// The stored value must equal the field, and be null if that is unset. Resource spec, 2.14.
    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        if let Some(Outcome::Failed(error)) = seen.outcomes.last() {
            return Decision::CannotTell(error.to_string());
        }
        if !seen.outcomes.is_empty() {
            return Decision::Mended(snapshot(want));
        }
        let stored = match seen.findings.first() {
            Some(Finding::Store(store::Finding::Held(stored))) => stored,
            Some(Finding::Failed(error)) => return Decision::CannotTell(error.to_string()),
            Some(other) => return Decision::CannotTell(unexpected(other)),
            None => return Decision::CannotTell("the host did not answer".into()),
        };
        let wanted = want.set("any").and_then(Datum::of);
        if *stored != wanted {
            let (store, key) = (KeyStore::Local, want.name.to_owned());
            return Decision::Drifted(vec![Step::Store(store::Step { store, key, value: wanted })]);
        }
        let received = seen.received.iter().any(|(_, changed)| *changed);
        if received { Decision::Mended(snapshot(want)) } else { Decision::InState(snapshot(want)) }
    }

    fn sends_dry(&self, want: &Want, _seen: &Seen) -> Sent {
        snapshot(want)
    }
}

fn snapshot(want: &Want) -> Sent {
    vec![("any", want.set("any").cloned())]
}
