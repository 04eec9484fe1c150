//! Manual changes to a host, as events.

use super::event::Event;
use crate::shapes::host::HostAction;

impl HostAction {
    /// The scenario events that have the same effect.
    pub fn events(&self) -> Vec<Event> {
        vec![match self {
            HostAction::Write { path, text } => Event::Write { path: path.clone(), text: text.clone() },
            HostAction::Remove { path } => Event::Remove { path: path.clone() },
            HostAction::ReplaceByDir { path } => {
                return vec![Event::Remove { path: path.clone() }, Event::MakeFolder { path: path.clone() }];
            }
            HostAction::SetMode { path, mode } => Event::Mode { path: path.clone(), mode: *mode },
            HostAction::MakeDir { path } => Event::MakeFolder { path: path.clone() },
            HostAction::Link { path, to } => Event::Link { path: path.clone(), to: to.clone() },
            HostAction::Command { line, prints, status, takes_ms } => {
                let (line, prints) = (line.clone(), prints.clone());
                Event::Command { line, prints, status: *status, takes: *takes_ms }
            }
            HostAction::Environment { name, value } => Event::Environment { name: name.clone(), value: value.clone() },
            HostAction::Load { percent } => Event::Load { load: f64::from(*percent) / 100.0 },
            HostAction::Rename { hostname } => Event::Hostname { name: hostname.clone() },
            HostAction::Alter { subject, thing, how } => {
                let (subject, thing) = (subject.clone(), thing.clone());
                Event::Alter { subject, thing, how: how.clone() }
            }
        }]
    }
}
