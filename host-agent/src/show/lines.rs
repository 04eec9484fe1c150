//! Events as lines for people.

use super::counted;
use mclive_base::protocol::{Event, Moment, Phase, ResourceId, StepReport, What};
use mclive_base::vocab::FieldChange;
use std::borrow::Cow;

/// A line for people; `None` for irrelevant events.
pub(super) fn line(event: &Event, colour: bool) -> Option<String> {
    let paint = |code: &str, text: &str| if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() };
    let at = paint("2", &format!("{:9.3}", event.at.0 as f64 / 1e9));
    let said = match &event.what {
        What::Refused { text } => return Some(visible_lines(text)),
        What::Stream { text } => paint("31", &visible_lines(text)),
        What::GraphSwitched { n_vertices, added, removed, .. } => {
            paint("2", &format!("{} (+{added} -{removed})", counted(*n_vertices, "resource")))
        }
        What::Resource { id, phase, text, dry } => {
            let word = match phase {
                // Only what waits behind a failure says what for.
                Phase::Waiting if is_blocked(text) => paint("2", if *dry { "would wait" } else { "waiting" }),
                Phase::Waiting | Phase::Checking | Phase::Applying | Phase::InState => return None,
                // A plan reports the final outcome.
                Phase::Retrying if *dry => return None,
                Phase::Changed => paint("32", "changed"),
                Phase::WouldChange => paint("33", "would change"),
                Phase::Retrying => paint("33", "retrying"),
                Phase::Limited => paint("2", "limited"),
                Phase::Failed => paint("1;31", if *dry { "would fail" } else { "failed" }),
                Phase::Unknown => paint("33", "unknown"),
                Phase::Removed => paint("2", "removed from the graph"),
            };
            let id = paint("1", &visible(&id.to_string()));
            match phase {
                Phase::Changed if !text.is_empty() => {
                    return Some(format!("{at} {id} {}", paint("32", &visible(text))));
                }
                Phase::WouldChange if !text.is_empty() => {
                    return Some(format!("{at} {id} {}", paint("33", &format!("would be {}", visible(text)))));
                }
                _ => {}
            }
            let text = if text.is_empty() { String::new() } else { format!(": {}", visible(text)) };
            format!("{id} {word}{text}")
        }
        What::Steps { id, steps } => return steps_shown(&at, id, steps, &paint),
        What::Converged { seconds } => paint("32", &format!("converged ({seconds} s without changes)")),
        What::Grouped { .. } | What::Unconverged => return None,
        What::Log { text } => visible(text).into_owned(),
    };
    Some(format!("{at} {said}"))
}

/// The program's values give no graph: the consequence for the host, and the reasons as the compiler renders them.
pub(super) fn trouble(event: &Event, rendered: &str, has_graph: bool, colour: bool) -> String {
    let paint = |code: &str, text: &str| if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() };
    let at = paint("2", &format!("{:9.3}", event.at.0 as f64 / 1e9));
    let what = match has_graph {
        true => "the program's values are not valid; keeping the last good graph",
        false => "the program's values are not valid; nothing is applied until they are",
    };
    format!("{at} {}\n{}", paint("31", what), rendered.trim_end())
}

/// A changed program is not deployed, and why.
pub(super) fn rejected(at: Moment, why: &str, colour: bool) -> String {
    let paint = |code: &str, text: &str| if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() };
    let at = paint("2", &format!("{:9.3}", at.0 as f64 / 1e9));
    let what = "the changed program is not valid; the previous version keeps running";
    format!("{at} {}\n{}", paint("31", what), why.trim_end())
}

/// Whether a resource waits because of a failure, and not for its turn. `text`: what it waits for, and why.
pub(super) fn is_blocked(text: &str) -> bool {
    text.rsplit_once(", which ").is_some_and(|(_, why)| why.contains("fail"))
}

fn steps_shown(
    at: &str,
    id: &ResourceId,
    steps: &[StepReport],
    paint: &dyn Fn(&str, &str) -> String,
) -> Option<String> {
    let mut lines = Vec::new();
    for step in steps {
        let values = values(step);
        let values = if values.is_empty() { values } else { paint("2", &visible(&values)) };
        lines.push(format!("{at} {} {}{values}", paint("1", &visible(&id.to_string())), visible(&step.summary)));
        lines.extend(diff(step, paint).map(|line| format!("          {line}")));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The lines of a step's diff.
pub(super) fn diff<'a>(
    step: &'a StepReport,
    paint: &'a dyn Fn(&str, &str) -> String,
) -> impl Iterator<Item = String> + 'a {
    step.diff.as_deref().unwrap_or_default().lines().map(|line| {
        let code = match line.as_bytes().first() {
            Some(b'+') => "32",
            Some(b'-') => "31",
            Some(b'@') => "36",
            _ => "0",
        };
        paint(code, &visible(line))
    })
}

/// ` (mode 0644 → 0600, owner 0:0 → nobody:0)`. If the content is shown, its hash is omitted.
fn values(step: &StepReport) -> String {
    let is_told = |change: &FieldChange| match change.field.as_str() {
        "state" => true,
        "sha256" => step.diff.is_some(),
        // The summary already contains them.
        "size" | "mode" | "owner" => change.old.is_none(),
        _ => false,
    };
    let told = step.changes.iter().filter(|change| !is_told(change)).map(|change| {
        let value = |value: &str| match change.field.as_str() {
            "sha256" => value.chars().take(12).collect(),
            _ => value.to_owned(),
        };
        match (&change.old, &change.new) {
            (Some(old), Some(new)) => format!("{} {} → {}", change.field, value(old), value(new)),
            (None, Some(new)) => format!("{} {}", change.field, value(new)),
            (Some(old), None) => format!("{} was {}", change.field, value(old)),
            (None, None) => change.field.clone(),
        }
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) }
}

/// A text on one line, without terminal controls.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    mclive_base::unicode::visible(text.strip_suffix('\n').unwrap_or(text))
}

/// Several lines, without terminal controls. Not for rendered diagnostics: they have colours, and the compiler escapes what
/// they quote.
pub(super) fn visible_lines(text: &str) -> String {
    text.trim_end().lines().map(mclive_base::unicode::visible).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(what: What) -> Option<String> {
        line(&Event { at: Moment(0), what, because: Vec::new() }, false)
    }

    #[test]
    fn an_error_keeps_its_lines_and_has_no_colours_of_its_own() {
        let text = "cannot read\n\u{1b}[32mok\u{1b}[0m\n".to_owned();
        assert_eq!(told(What::Refused { text: text.clone() }).unwrap(), "cannot read\n\\u{1b}[32mok\\u{1b}[0m");
        assert!(!told(What::Stream { text }).unwrap().contains('\u{1b}'));
    }

    #[test]
    fn what_became_of_a_resource_is_one_word_and_a_plan_tells_no_attempts() {
        let resource = |phase, text: &str, dry| {
            let id = ResourceId::new("file", "/t/a");
            told(What::Resource { id, phase, text: text.into(), dry })
        };
        let at = "    0.000 file[/t/a] ";
        assert_eq!(resource(Phase::Changed, "created", false), Some(format!("{at}created")));
        assert_eq!(resource(Phase::WouldChange, "removed", true), Some(format!("{at}would be removed")));
        assert_eq!(resource(Phase::Retrying, "no", false), Some(format!("{at}retrying: no")));
        assert_eq!(resource(Phase::Retrying, "no", true), None);
        assert_eq!(resource(Phase::Failed, "no", true), Some(format!("{at}would fail: no")));
        assert_eq!(resource(Phase::Unknown, "no", true), Some(format!("{at}unknown: no")));
        let blocked = "exec[a], which has failed";
        assert_eq!(resource(Phase::Waiting, blocked, false), Some(format!("{at}waiting: {blocked}")));
        assert_eq!(resource(Phase::Waiting, "for exec[a]", false), None);
    }

    #[test]
    fn old_and_new_values_follow_the_step() {
        let change = |field: &str, old: Option<&str>, new: &str| FieldChange {
            field: field.into(),
            old: old.map(str::to_owned),
            new: Some(new.to_owned()),
        };
        let changes =
            vec![change("mode", Some("0644"), "0600"), change("size", None, "5"), change("state", None, "file")];
        let steps = vec![StepReport { summary: "write /t/a".into(), diff: None, changes }];
        let said = told(What::Steps { id: ResourceId::new("file", "/t/a"), steps });
        assert_eq!(said.as_deref(), Some("    0.000 file[/t/a] write /t/a (mode 0644 → 0600)"));
    }
}
