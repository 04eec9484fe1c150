//! [`Publications`]: what this program published for other hosts, and what remains to be removed. Engine spec, 15.

use crate::gather;
use crate::protocol::ResourceId;
use crate::rgraph::Unsealable;
use crate::sched::state::{Slot, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A publication, encoded; or why there is none.
pub(crate) type Published = Result<Arc<[u8]>, Unsealable>;

#[derive(Clone, Default)]
pub(crate) struct Publications {
    /// The last publication of each vertex.
    last: Table<Option<Published>>,
    /// The published keys, by resource.
    keys: BTreeMap<ResourceId, BTreeSet<String>>,
    /// The number of removals in flight.
    n_leaving: usize,
    /// Those whose last removal failed.
    stuck: BTreeSet<ResourceId>,
}

impl Publications {
    /// Resets a place for a new resource: no publication is known.
    pub(crate) fn join(&mut self, slot: Slot) {
        self.last.put(slot, None);
    }

    /// The last publication of a vertex; `None`: unknown.
    pub(crate) fn last(&self, slot: Slot) -> Option<&Published> {
        self.last[slot].as_ref()
    }

    /// Records that these keys are about to be written. A write may take effect although it fails, for example if the
    /// answer is lost, so from now on the keys are removed with their resource.
    pub(crate) fn publishing(&mut self, id: ResourceId, keys: Vec<String>) {
        self.keys.entry(id).or_default().extend(keys);
    }

    pub(crate) fn published(&mut self, slot: Slot, id: ResourceId, keys: Vec<String>, content: Published) {
        self.last[slot] = Some(content);
        self.keys.entry(id).or_default().extend(keys);
    }

    /// Whether there is nothing to remove.
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Publications that are no longer exported, or no longer for the same hosts, to be removed now. `exported` are the
    /// keys of each exporting resource.
    pub(crate) fn take_stale(
        &mut self,
        exported: &BTreeMap<ResourceId, BTreeSet<String>>,
    ) -> Vec<(ResourceId, BTreeSet<String>)> {
        let is_kept = |id: &ResourceId, key: &String| exported.get(id).is_some_and(|kept| kept.contains(key));
        // Nearly every graph changes no exports, and then no key is moved.
        if self.keys.iter().all(|(id, keys)| keys.iter().all(|key| is_kept(id, key))) {
            self.stuck = BTreeSet::new();
            return Vec::new();
        }
        let mut stale = Vec::new();
        for (id, keys) in std::mem::take(&mut self.keys) {
            let (stays, gone): (BTreeSet<String>, BTreeSet<String>) =
                keys.into_iter().partition(|key| is_kept(&id, key));
            if !stays.is_empty() {
                self.keys.entry(id.clone()).or_default().extend(stays);
            }
            if !gone.is_empty() {
                stale.push((id, gone));
            }
        }
        self.stuck = gather::set(stale.iter().map(|(id, _)| id).filter(|id| self.stuck.contains(*id)).cloned());
        self.n_leaving += stale.len();
        stale
    }

    /// A removal succeeded.
    pub(crate) fn taken_back(&mut self, id: &ResourceId) {
        self.n_leaving -= 1;
        self.stuck.remove(id);
    }

    /// A removal failed and remains to be done.
    pub(crate) fn stay(&mut self, id: ResourceId, keys: BTreeSet<String>) {
        self.n_leaving -= 1;
        self.keys.entry(id.clone()).or_default().extend(keys);
        self.stuck.insert(id);
    }

    /// Whether a removal is in flight.
    pub(crate) fn is_busy(&self) -> bool {
        self.n_leaving > 0
    }

    /// Whether something is published that should not be.
    pub(crate) fn has_failed(&self) -> bool {
        !self.stuck.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_exported_again_stays() {
        let id = || ResourceId::new("file", "/a");
        let keys = |keys: &[&str]| gather::set(keys.iter().map(|key| (*key).to_owned()));
        let both = BTreeMap::from([(id(), keys(&["x", "y"]))]);
        let mut all = Publications::default();
        all.publishing(id(), vec!["x".to_owned(), "y".to_owned()]);
        assert_eq!(all.take_stale(&both), []);
        assert!(!all.is_busy() && !all.is_empty());
        let one = BTreeMap::from([(id(), keys(&["x"]))]);
        assert_eq!(all.take_stale(&one), [(id(), keys(&["y"]))]);
        all.stay(id(), keys(&["y"]));
        assert!(all.has_failed());
        // Its removal failed, and now it is wanted.
        assert_eq!(all.take_stale(&both), []);
        assert!(!all.has_failed() && !all.is_busy());
        assert_eq!(all.take_stale(&BTreeMap::new()), [(id(), keys(&["x", "y"]))]);
        assert!(all.is_busy() && all.is_empty());
    }
}
