//! Two resources that say the same: then the running one is kept. Engine spec, 6.

use crate::rgraph::Resource;
use std::sync::Arc;

/// Two resources of one identity say the same, wires aside.
pub(super) fn equal(old: &Resource, new: &Resource) -> bool {
    old.meta == new.meta
        && old.is_reversal == new.is_reversal
        && old.kind.compare(&old.want(), &new.want()).is_ok()
        && equal_children(old, new)
}

fn equal_children(old: &Resource, new: &Resource) -> bool {
    if old.children.len() != new.children.len() {
        return false;
    }
    let sorted = |resource: &Resource| {
        let mut children = resource.children.clone();
        children.sort_by(|a, b| a.id.cmp(&b.id));
        children
    };
    sorted(old)
        .iter()
        .zip(&sorted(new))
        .all(|(old, new)| old.id == new.id && (Arc::ptr_eq(old, new) || equal(old, new)))
}
