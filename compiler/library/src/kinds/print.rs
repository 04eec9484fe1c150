//! `print`: writes a message to the engine log when it changes (or when notified). Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::{Decision, Field, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::{Datum, Outcome, Step, message};

/// The kind `print`.
pub(crate) struct Print;

static DECL: KindDecl = KindDecl {
    name: "print",
    doc: "Writes a message to the output of the agent when it changes, or on a notification.",
    fields: &[
        Field::str("msg", "Msg", "Text to print; an empty text is shown as `<empty>`."),
        Field::bool("refresh_only", "RefreshOnly", "Print only when a notification is pending."),
    ],
    traits: Traits { groupable: true, groups_others: true, refreshable: true, recvable: true, ..Traits::NONE },
    constants: &[],
    policy: &[],
};

impl Kind for Print {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn leads(&self, want: &Want) -> bool {
        !want.bool("refresh_only")
    }

    fn groups(&self, leader: &Want, member: &Want) -> Result<(), String> {
        ensure(member.decl.name == leader.decl.name, "only a `print` can be grouped with a `print`")?;
        let on_refresh = leader.bool("refresh_only") || member.bool("refresh_only");
        ensure(!on_refresh, "it is printed on notifications only")
    }

    fn backend(&self) -> &'static str {
        "the standard output of the agent. Nothing is changed on the host."
    }

    /// Prints the message if it is not the last one printed or, with `refresh_only`, when notified. In a group, all are
    /// printed if one of them is new. Resource spec, 2.7.
    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        if let Some(Outcome::Failed(error)) = seen.outcomes.last() {
            return Decision::CannotTell(error.to_string());
        }
        if !seen.outcomes.is_empty() {
            return Decision::Mended(Vec::new());
        }
        let lines = lines(want);
        let show = if want.bool("refresh_only") { seen.refresh } else { seen.kept != Some(&as_datum(&lines)) };
        if show {
            Decision::Drifted(lines.into_iter().map(|text| Step::Message(message::Step::Print { text })).collect())
        } else {
            Decision::InState(Vec::new())
        }
    }

    fn keep(&self, want: &Want, _seen: &Seen) -> Option<Datum> {
        Some(as_datum(&lines(want)))
    }
}

/// The lines to print: its own message, and those of the group.
fn lines(want: &Want) -> Vec<String> {
    fn line(want: &Want) -> String {
        let msg = want.text("msg");
        format!("Msg: {}", if msg.is_empty() { "<empty>" } else { &*msg })
    }
    let mut lines = vec![line(want)];
    lines.extend(want.members().map(|member| format!("{member}: {}", line(&member))));
    lines
}

fn as_datum(lines: &[String]) -> Datum {
    Datum::List(lines.iter().map(Datum::text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;

    fn seen<'a>(kept: Option<&'a Datum>, refresh: bool) -> Seen<'a> {
        Seen { refresh, kept, ..Seen::first() }
    }

    #[test]
    fn a_message_is_shown_once() {
        let print = Draft::new("print", "p").text("msg", "hi");
        let shown = print.kind.decide(&print.want(), &seen(None, false));
        assert_eq!(shown, Decision::Drifted(vec![Step::Message(message::Step::Print { text: "Msg: hi".into() })]));
        let kept = print.kind.keep(&print.want(), &seen(None, false));
        assert_eq!(print.kind.decide(&print.want(), &seen(kept.as_ref(), false)), Decision::InState(vec![]));
    }

    #[test]
    fn with_refresh_only_a_notification_decides() {
        let print = Draft::new("print", "p").set("refresh_only", true.into());
        assert_eq!(print.kind.decide(&print.want(), &seen(None, false)), Decision::InState(vec![]));
        let shown = print.kind.decide(&print.want(), &seen(None, true));
        assert_eq!(shown, Decision::Drifted(vec![Step::Message(message::Step::Print { text: "Msg: <empty>".into() })]));
    }
}
