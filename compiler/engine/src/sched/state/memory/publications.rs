//! [`Publications`]: what this program published for other hosts, and what is still to be taken back. Engine
//! spec, 15.

use crate::protocol::ResourceId;
use crate::sched::state::{Slot, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[derive(Default)]
pub(crate) struct Publications {
    /// What was last published for each vertex, encoded.
    last: Table<Option<Arc<[u8]>>>,
    /// The keys that were published, by who published them.
    keys: BTreeMap<ResourceId, BTreeSet<String>>,
    /// How many are being taken back.
    n_leaving: usize,
    /// Those that could not be taken back when it was tried last.
    stuck: BTreeSet<ResourceId>,
}

impl Publications {
    /// Nothing is known to be published for who takes a place.
    pub(crate) fn join(&mut self, slot: Slot) {
        self.last.put(slot, None);
    }

    /// What was last published for a vertex; `None`: nothing is known.
    pub(crate) fn last(&self, slot: Slot) -> Option<&[u8]> {
        self.last[slot].as_deref()
    }

    pub(crate) fn published(&mut self, slot: Slot, id: ResourceId, keys: Vec<String>, content: Arc<[u8]>) {
        self.last[slot] = Some(content);
        self.keys.entry(id).or_default().extend(keys);
    }

    /// Nothing was published that could be taken back.
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// What nobody exports any more, to be taken back now.
    pub(crate) fn take_stale(&mut self, exported: &BTreeSet<&ResourceId>) -> Vec<(ResourceId, BTreeSet<String>)> {
        let stale: Vec<_> = self.keys.extract_if(.., |id, _| !exported.contains(id)).collect();
        // They come in order.
        self.stuck.retain(|id| stale.binary_search_by(|(stale, _)| stale.cmp(id)).is_ok());
        self.n_leaving += stale.len();
        stale
    }

    /// Something was taken back.
    pub(crate) fn taken_back(&mut self, id: &ResourceId) {
        self.n_leaving -= 1;
        self.stuck.remove(id);
    }

    /// Something could not be taken back: it stays to be taken back later.
    pub(crate) fn stay(&mut self, id: ResourceId, keys: BTreeSet<String>) {
        self.n_leaving -= 1;
        self.keys.entry(id.clone()).or_default().extend(keys);
        self.stuck.insert(id);
    }

    /// Something is being taken back.
    pub(crate) fn is_busy(&self) -> bool {
        self.n_leaving > 0
    }

    /// Something is published that should not be.
    pub(crate) fn has_failed(&self) -> bool {
        !self.stuck.is_empty()
    }
}
