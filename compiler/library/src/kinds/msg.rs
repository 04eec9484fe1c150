//! `msg`: logs a message to the engine log and optionally to the system journal. Resource spec, 9.

use crate::hash::sha256;
use crate::kinds::rules::{ensure, one_of_named};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Field, HostType, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::message::{self, Priority};
use crate::vocab::{Finding, HostErrorKind, Probe, Step, Watch, file, machine, state};
use mclive_base::protocol::digest::hex;

/// The kind `msg`.
pub(crate) struct Msg;

static DECL: KindDecl = KindDecl {
    name: "msg",
    doc: "Logs a message to the output of the agent, and optionally to the system journal or syslog.",
    fields: &[
        Field::str("body", "Body", "Text of the message."),
        Field::str("priority", "Priority", "`Emerg`, `Alert`, `Crit`, `Err`, `Warning`, `Notice`, `Info` or `Debug`.")
            .required(),
        Field::new("fields", "Fields", HostType::STR_MAP, "Additional journal fields."),
        Field::bool("journal", "Journal", "Also write to the systemd journal.").not_compared(),
        Field::bool("syslog", "Syslog", "Also write to syslog.").not_compared(),
    ],
    traits: Traits { refreshable: true, ..Traits::NONE },
    constants: &[],
    policy: &[],
};

impl Kind for Msg {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        for (name, _) in want.map("fields").iter() {
            let name = name.as_text().unwrap_or_default();
            let word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            ensure(word, format!("a name in `fields` may only contain letters, digits and `_`, unlike `{name}`"))?;
            ensure(!name.starts_with('_'), format!("a name in `fields` cannot begin with `_`: `{name}`"))?;
        }
        let priority = want.text("priority");
        let known = Priority::ALL.map(|(_, name)| name);
        one_of_named("priority", &priority, &known)
    }

    fn backend(&self) -> &'static str {
        "the output of the agent; with `journal`, the socket of systemd-journald; with `syslog`, `/dev/log`. A digest \
         of each sent message is kept in the state directory until the next boot."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, seen, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    /// Fires when a destination becomes available.
    fn watches(&self, want: &Want) -> Vec<Watch> {
        let takers = [("journal", message::JOURNAL), ("syslog", message::SYSLOG)];
        let wanted = takers.into_iter().filter(|(field, _)| want.bool(field));
        wanted.map(|(_, path)| file::Watch { path: path.to_owned(), recursive: false }.into()).collect()
    }
}

/// The state file with the messages sent, one line per destination.
const SENT: &str = "sent";

/// Each destination gets the message once, and again if it changed, after a notification, and after each boot.
fn walk(want: &Want, seen: &Seen, walk: &mut Walk) -> Result<Decision, Decision> {
    let look = vec![machine::Probe.into(), Probe::State(state::Probe::Read { name: SENT.into() })];
    let [boot, sent] = walk.look(look)? else {
        return Err(Decision::CannotTell("the host did not answer".into()));
    };
    let boot = match boot {
        Finding::Machine(machine::Finding::Boot(boot)) => boot,
        other => return Err(cannot_tell(other)),
    };
    let sent = match sent {
        Finding::State(state::Finding::Bytes(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        Finding::Failed(error) if error.kind == HostErrorKind::NotFound => String::new(),
        other => return Err(cannot_tell(other)),
    };
    let all = destinations(want)?.into_iter().map(|(name, step)| {
        // A digest, since the message itself must not be kept.
        let digest = sha256(format!("{boot} {step:?}").as_bytes());
        (format!("{name} {}\n", hex(&digest)), step)
    });
    let (done, due): (Vec<_>, Vec<_>) = all.partition(|(line, _)| !seen.refresh && sent.contains(line.as_str()));
    let mut kept: String = done.into_iter().map(|(line, _)| line).collect();
    let mut steps = Vec::new();
    for (line, step) in due {
        kept.push_str(&line);
        steps.push(Step::Message(step));
        steps.push(Step::State(state::Step::Write { name: SENT.into(), content: kept.clone().into_bytes() }));
    }
    walk.mend(steps)
}

/// The destinations, the agent's own output last.
fn destinations(want: &Want) -> Result<Vec<(&'static str, message::Step)>, Decision> {
    let text = || want.text("body").into_owned();
    let priority = Priority::parse(&want.text("priority"));
    let priority = priority.ok_or_else(|| Decision::CannotTell("unknown priority".into()))?;
    let mut all = Vec::new();
    if want.bool("journal") {
        let mut fields = Vec::new();
        for (name, value) in want.map("fields").iter() {
            // The journal silently drops other names.
            let name = name.as_text().unwrap_or_default().to_ascii_uppercase();
            if !message::is_field(&name) {
                let rule = "a letter, then up to 63 letters, digits and underscores";
                return Err(Decision::CannotTell(format!("invalid journal field `{name}`: {rule}")));
            }
            fields.push((name, value.as_text().unwrap_or_default().into_owned()));
        }
        all.push(("journal", message::Step::Journal { priority, text: text(), fields }));
    }
    if want.bool("syslog") {
        all.push(("syslog", message::Step::Syslog { priority, text: text() }));
    }
    all.push(("output", message::Step::Print { text: format!("Body: {}", text()) }));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;
    use crate::value::Value;

    #[test]
    fn fields_of_the_journal_are_raised_or_refused() {
        let msg = |name: &str| {
            let fields = Value::map([(name.into(), "v".into())]);
            Draft::new("msg", "m").text("priority", "Notice").set("journal", true.into()).set("fields", fields)
        };
        let told = |draft: Draft| destinations(&draft.want());
        let Ok(all) = told(msg("code_1")) else { panic!("it is taken") };
        assert!(matches!(&all[0].1, message::Step::Journal { fields, .. } if fields[0].0 == "CODE_1"), "{all:?}");
        assert!(told(msg("")).is_err() && told(msg("1a")).is_err());
        let without = Draft::new("msg", "m").text("priority", "Notice");
        assert_eq!(told(without).unwrap().len(), 1);
    }
}
