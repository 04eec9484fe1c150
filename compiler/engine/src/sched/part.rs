//! Parting: a group member that cannot reach its wanted state leaves the group, so that the others do not fail with it.
//! The group is formed again without the member, which is applied on its own.

use super::Scheduler;
use super::state::{CancelReason, Slot};
use crate::protocol::ResourceId;

impl Scheduler {
    /// Ends the check of a group, and removes the members with these names from it. `why` is the first one's error.
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

    /// The members that have left their groups since the last call.
    pub(crate) fn take_apart(&mut self) -> Vec<ResourceId> {
        std::mem::take(&mut self.apart)
    }
}
