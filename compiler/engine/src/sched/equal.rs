//! Equality of resources: an equal one keeps running. Engine spec, 6.

use crate::kinds::{Compared, Want};
use crate::rgraph::Resource;
use crate::sort;
use crate::vocab::Datum;
use std::sync::Arc;

/// Whether two resources with the same id are equal, apart from wires.
pub(super) fn equal(old: &Resource, new: &Resource) -> bool {
    old.meta == new.meta
        && old.is_reversal == new.is_reversal
        && old.secret_fields == new.secret_fields
        && old.kind.compare(&old.want(), &new.want()).is_ok()
        && equal_besides(&old.want(), &new.want())
        && equal_children(old, new)
}

/// Fields that do not distinguish duplicates, or not all of whose differences do, still count as new values of a running
/// resource, except functions.
fn equal_besides(old: &Want, new: &Want) -> bool {
    let plain = |want: &Want, name: &str| want.get(name).and_then(|value| Datum::of(&value));
    let is_set = |want: &Want, name: &str| want.set(name).is_some();
    old.decl.fields.iter().all(|field| match field.compared {
        Compared::AsWritten | Compared::Effective => true,
        Compared::Loosely if is_set(old, field.name) != is_set(new, field.name) => false,
        Compared::Loosely | Compared::Never => plain(old, field.name) == plain(new, field.name),
    })
}

fn equal_children(old: &Resource, new: &Resource) -> bool {
    if old.children.len() != new.children.len() {
        return false;
    }
    let sorted = |resource: &Resource| {
        let mut children = resource.children.clone();
        sort::by(&mut children, |a, b| a.id.cmp(&b.id));
        children
    };
    sorted(old)
        .iter()
        .zip(&sorted(new))
        .all(|(old, new)| old.id == new.id && (Arc::ptr_eq(old, new) || equal(old, new)))
}
