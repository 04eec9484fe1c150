//! Kinds whose checks have scripted results.

use crate::kinds::kind::{Decision, Seen};
use crate::kinds::{Field, HostType, Kind, KindDecl, Params, Sendable, Traits, Want};
use crate::value::Value;
use crate::vocab::{CommandSpec, Finding, Outcome, Probe, Step, Watch, file, message};

/// A kind that reacts to notifications.
pub(super) static SCRIPTED: Script = Script { decl: &SCRIPTED_DECL };
/// One that does not.
pub(super) static PLAIN: Script = Script { decl: &PLAIN_DECL };

/// A kind that makes the directory `/w/TEXT`.
pub(super) static MAKER: Script = Script { decl: &MAKER_DECL };
/// A kind that cannot be undone before `/w/NAME.undo` exists.
pub(super) static STUBBORN: Script = Script { decl: &STUBBORN_DECL };

/// A kind that cannot be looked at while `/w/NAME.block` exists, which it does not watch.
pub(super) static BLOCKED: Blocked = Blocked;

pub(super) struct Blocked;

static BLOCKED_DECL: KindDecl = KindDecl { name: "blocked", ..PLAIN_DECL };

impl Kind for Blocked {
    fn decl(&self) -> &'static KindDecl {
        &BLOCKED_DECL
    }

    fn backend(&self) -> &'static str {
        "nothing."
    }

    fn probes(&self, want: &Want) -> Vec<Probe> {
        vec![file::Probe::Read { path: format!("/w/{}.block", want.name), limit: 100 }.into()]
    }

    fn decide(&self, _: &Want, seen: &Seen) -> Decision {
        match seen.findings {
            [Finding::File(file::Finding::Bytes(what))] if what.is_empty() => {
                Decision::CannotTell("something is in the way".to_string())
            }
            [Finding::File(file::Finding::Bytes(what))] => {
                Decision::CannotTell(format!("{} is in the way", String::from_utf8_lossy(what)))
            }
            _ => Decision::InState(Vec::new()),
        }
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        vec![file::Watch { path: format!("/w/{}", want.name), recursive: false }.into()]
    }
}

pub(super) struct Script {
    decl: &'static KindDecl,
}

const TRAITS: Traits =
    Traits { recvable: true, sends: &[Sendable { name: "out", host: HostType::Str, nullable: true }], ..Traits::NONE };
const FIELDS: &[Field] = &[Field::str("text", "Text", "Anything.").nullable()];

static SCRIPTED_DECL: KindDecl = KindDecl {
    name: "scripted",
    doc: "Does as told.",
    fields: FIELDS,
    traits: Traits { refreshable: true, reversible: true, ..TRAITS },
    constants: &[],
    policy: &[],
};
static PLAIN_DECL: KindDecl =
    KindDecl { name: "plain", doc: "Does as told.", fields: FIELDS, traits: TRAITS, constants: &[], policy: &[] };
static MAKER_DECL: KindDecl = KindDecl { name: "maker", ..SCRIPTED_DECL };
static STUBBORN_DECL: KindDecl = KindDecl { name: "stubborn", ..SCRIPTED_DECL };

impl Kind for Script {
    fn decl(&self) -> &'static KindDecl {
        self.decl
    }

    fn backend(&self) -> &'static str {
        "nothing."
    }

    fn probes(&self, want: &Want) -> Vec<Probe> {
        vec![Probe::Command(CommandSpec {
            argv: vec![want.name.to_string()],
            env: Vec::new(),
            cwd: String::new(),
            user: String::new(),
            group: String::new(),
            signal: "SIGTERM".into(),
        })]
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        let Some(Finding::Command(outcome)) = seen.findings.first() else {
            return Decision::CannotTell(format!("{:?}", seen.findings));
        };
        let sent = vec![("out", outcome.stdout.clone().map(Value::from))];
        match (outcome.status, seen.outcomes) {
            (Some(0), _) => Decision::InState(sent),
            (Some(1), []) if self.decl.name == "maker" => {
                let path = format!("/w/{}", want.text("text"));
                Decision::Drifted(vec![Step::File(file::Step::MakeDir { path, parents: false, mode: None })])
            }
            (Some(1), []) => {
                let text = format!("{} refresh={} received={:?}", want.name, seen.refresh, seen.received);
                Decision::Drifted(vec![Step::Message(message::Step::Print { text })])
            }
            (Some(1), [Outcome::Done]) => Decision::Mended(sent),
            _ => Decision::CannotTell(format!("{} fails", want.name)),
        }
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        let path = file::Watch { path: format!("/w/{}", want.name), recursive: false };
        vec![path.into()]
    }

    fn reverse_probes(&self, want: &Want) -> Result<Vec<Probe>, String> {
        let undo = Probe::File(file::Probe::Stat { path: format!("/w/{}.undo", want.name), follow: false });
        Ok(if self.decl.name == "stubborn" { vec![undo] } else { Vec::new() })
    }

    fn reverse(&self, want: &Want, findings: &[Finding]) -> Result<Params, String> {
        match findings {
            [Finding::File(file::Finding::Stat(None))] => Err("nobody knows how to undo it".to_string()),
            _ => Ok(want.params.clone()),
        }
    }
}
