//! The outcome of a resource in a few words, and why: `created`, ``updated by a new value of `$now` ``,
//! `repaired after /etc/motd changed`.

use super::state::{Run, Why};
use crate::protocol::{Cause, StepReport};

/// A summary of the steps of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Deed {
    Created,
    Updated,
    Removed,
}

impl Deed {
    /// `None` if nothing is known about the previous state.
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

/// The report of a check that changed something; empty if no more is known.
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
    // A variable is what the user named; without one, the value of the field says most.
    let variable = causes.iter().rev().find_map(|cause| match cause {
        Cause::Vertex { label } if label.starts_with('$') => Some(format!("`{label}`")),
        _ => None,
    });
    let value = variable.or_else(|| {
        causes.iter().rev().find_map(|cause| match cause {
            Cause::Vertex { label } => Some(format!("`{label}`")),
            Cause::Fact { name } => Some(name.clone()),
            Cause::Received { from, field } => Some(format!("`{field}` from {from}")),
            Cause::Deployed
            | Cause::Started
            | Cause::Fired { .. }
            | Cause::Timer { .. }
            | Cause::Poked { .. }
            | Cause::Notified { .. } => None,
        })
    });
    match (deed, value) {
        (deed, Some(value)) => format!("{} by a new value of {value}", deed.unwrap_or("updated")),
        (deed, None) => deed.unwrap_or_default().to_owned(),
    }
}
