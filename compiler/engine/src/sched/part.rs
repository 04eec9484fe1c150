//! Parting: a group member that cannot be applied leaves the group, so that nothing else fails with it. The group is
//! checked again without it, and the member runs alone.

use super::Scheduler;
use super::state::{CancelReason, Slot};
use crate::protocol::ResourceId;

impl Scheduler {
    /// Ends the check of a group: members of these names are to run alone. `why` is the problem of the first.
    pub(super) fn part(&mut self, slot: Slot, names: &[String], why: String) {
        let resource = self.graph.resource(slot).clone();
        let is_named = |id: &&&ResourceId| names.iter().any(|name| **name == *id.name);
        let ids = resource.ids();
        let apart: Vec<ResourceId> = ids.iter().filter(is_named).copied().cloned().collect();
        if ids.len() > 1 && !apart.is_empty() {
            self.apart.extend(apart);
            self.queue.run_mut(slot).cancel(CancelReason::Parted);
        }
        self.end_check(slot, Err(why));
    }

    /// The members to run alone, since the last call.
    pub(crate) fn take_apart(&mut self) -> Vec<ResourceId> {
        std::mem::take(&mut self.apart)
    }
}
