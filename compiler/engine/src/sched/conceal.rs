//! Removes secrets from reports: marked fields, and values received from a sender of secrets.

use super::Scheduler;
use super::state::Slot;
use crate::kinds::{lookup, secrets};
use crate::rgraph::Resource;

impl Scheduler {
    /// The secret texts of a vertex and its group members.
    pub(super) fn secrets(&self, slot: Slot) -> Vec<String> {
        of(self.graph.resource(slot))
    }
}

fn of(resource: &Resource) -> Vec<String> {
    let is_sent_secretly = |field: usize| {
        let senders = resource.receives.iter().filter(|wire| wire.field == field).map(|wire| &wire.from.kind);
        senders.filter_map(|kind| lookup(kind)).any(|kind| kind.decl().traits.sends_secrets)
    };
    let own = secrets::of(&resource.want(), is_sent_secretly);
    own.into_iter().chain(resource.children.iter().flat_map(|child| of(child))).collect()
}
