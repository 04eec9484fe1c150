//! What differs between two resource graphs, by identity.

use super::{ResGraph, Resource};
use crate::protocol::ResourceId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Resources by change, each list sorted by id. Hidden twins are counted separately.
#[derive(Default, Debug)]
pub struct Diff {
    /// Only in the new graph.
    pub added: Vec<ResourceId>,
    /// Only in the old graph.
    pub removed: Vec<ResourceId>,
    /// The same id, with other fields, meta parameters, wiring or members.
    pub changed: Vec<ResourceId>,
    /// Unchanged.
    pub kept: Vec<ResourceId>,
}

/// Compares two graphs. Cost: resources that share their storage are skipped.
pub fn diff(old: &ResGraph, new: &ResGraph) -> Diff {
    let mut before = by_id(old);
    let mut diff = Diff::default();
    for (id, resources) in by_id(new) {
        let mut olds = before.remove(id).unwrap_or_default().into_iter();
        for resource in resources {
            match olds.next() {
                None => diff.added.push(id.clone()),
                Some(old) if same(old, resource) => diff.kept.push(id.clone()),
                Some(_) => diff.changed.push(id.clone()),
            }
        }
        diff.removed.extend(olds.map(|old| old.id.clone()));
    }
    diff.removed.extend(before.into_values().flatten().map(|old| old.id.clone()));
    diff.removed.sort();
    diff
}

fn by_id(graph: &ResGraph) -> BTreeMap<&ResourceId, Vec<&Arc<Resource>>> {
    let mut by_id: BTreeMap<&ResourceId, Vec<&Arc<Resource>>> = BTreeMap::new();
    for resource in graph.resources.values() {
        by_id.entry(&resource.id).or_default().push(resource);
    }
    by_id
}

fn same(old: &Arc<Resource>, new: &Arc<Resource>) -> bool {
    Arc::ptr_eq(old, new)
        || old.kind.compare(&old.want(), &new.want()).is_ok()
            && old.meta == new.meta
            && old.receives == new.receives
            && old.children.len() == new.children.len()
            && old.children.iter().zip(&new.children).all(|(old, new)| old.id == new.id && same(old, new))
}
