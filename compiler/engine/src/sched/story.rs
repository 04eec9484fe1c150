//! The outcome of a resource in a few words, and why: `created`, ``updated because `$now` changed``,
//! `updated because the content of /etc/motd.src changed`, `repaired after /etc/motd changed`.

use super::state::{Run, Why};
use crate::protocol::{Cause, StepReport};
use mclive_base::excerpt::excerpt;

/// A summary of the steps of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Deed {
    Created,
    Updated,
    Removed,
}

impl Deed {
    /// `None` if the previous state is unknown.
    pub(super) fn of(steps: &[StepReport]) -> Option<Deed> {
        let changes: Vec<_> = steps.iter().flat_map(|step| &step.changes).collect();
        let mut states = changes.iter().filter(|change| change.field == "state");
        let was_absent = states.clone().next().is_some_and(|first| first.old.as_deref() == Some("absent"));
        let is_absent = states.next_back().is_some_and(|last| last.new.as_deref() == Some("absent"));
        match (was_absent, is_absent) {
            _ if changes.is_empty() => None,
            (true, false) => Some(Deed::Created),
            (false, true) => Some(Deed::Removed),
            (true, true) | (false, false) => Some(Deed::Updated),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Deed::Created => "created",
            Deed::Updated => "updated",
            Deed::Removed => "removed",
        }
    }
}

/// The report of a check that changed something; empty if there are no details.
pub(super) fn told(run: &Run) -> String {
    let deed = run.deed().map(Deed::word);
    let causes = Why::list(run.why());
    let fired = causes.iter().rev().find_map(|cause| match cause {
        Cause::Fired { path } if run.by_event() => Some(path),
        _ => None,
    });
    if let Some(path) = fired {
        return format!("repaired after {path} changed");
    }
    let reason = reason(&causes);
    match (deed, reason) {
        (deed, Some(reason)) => format!("{} because {reason}", deed.unwrap_or("updated")),
        (deed, None) => deed.unwrap_or_default().to_owned(),
    }
}

/// What changed, as the user knows it: a part of the world, a value that another resource sent, or else a variable; an
/// expression only if the program has no name for it.
fn reason(causes: &[Cause]) -> Option<String> {
    let received = causes.iter().rev().find_map(|cause| match cause {
        Cause::Received { from, field } => Some(format!("{from} sent a new `{field}`")),
        _ => None,
    });
    let fact = causes.iter().rev().find_map(|cause| match cause {
        Cause::Fact { name } => Some(format!("{} changed", excerpt(name.clone(), LONGEST_FACT))),
        _ => None,
    });
    let label = |is_wanted: fn(&str) -> bool| {
        causes.iter().rev().find_map(|cause| match cause {
            Cause::Vertex { label } if is_wanted(label) => Some(format!("`{label}` changed")),
            _ => None,
        })
    };
    received.or(fact).or_else(|| label(|label| label.starts_with('$'))).or_else(|| label(|_| true))
}

/// The maximum number of bytes of a fact that are shown here; the causes of the event contain all of it.
const LONGEST_FACT: usize = 120;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ResourceId;

    #[test]
    fn the_reason_is_what_the_user_knows() {
        let fact = |name: &str| Cause::Fact { name: name.into() };
        let vertex = |label: &str| Cause::Vertex { label: label.into() };
        let received = Cause::Received { from: ResourceId::new("exec", "date"), field: "content".into() };
        for (causes, expect) in [
            (
                vec![fact("the content of /etc/a"), vertex("os.readfile(\"…\")"), vertex("$text")],
                "the content of /etc/a changed",
            ),
            (vec![vertex("datetime.now()"), vertex("$now"), vertex("concat")], "`$now` changed"),
            (vec![vertex("datetime.now()")], "`datetime.now()` changed"),
            (vec![fact("the time"), received], "exec[date] sent a new `content`"),
        ] {
            assert_eq!(reason(&causes).as_deref(), Some(expect));
        }
        assert_eq!(reason(&[Cause::Deployed, Cause::Started]), None);
    }
}
