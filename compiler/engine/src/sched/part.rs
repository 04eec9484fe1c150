//! Parting: a member of a group that cannot be as wanted leaves it, so that nobody else fails with it. The group comes
//! again without it, and it stands alone.

use super::Scheduler;
use super::state::{CancelReason, Slot};
use crate::protocol::ResourceId;

impl Scheduler {
    /// The check of a group ends: members of these names are to stand alone. `why` is what is wrong with the first.
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

    /// Those that are to stand alone, since this was asked last.
    pub(crate) fn take_apart(&mut self) -> Vec<ResourceId> {
        std::mem::take(&mut self.apart)
    }
}
