//! Checks of the keys of a map literal: one hashable type, no duplicates. Language spec, section 4.

use super::known::{static_key, static_type};
use super::refuse;
use crate::ast::{Pair, Tree};
use crate::diag::Diags;
use crate::source::Source;
use crate::span::Span;
use crate::types::{Type, compare};
use crate::value::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Reports the first problem with the keys, as far as literals show it.
pub(super) fn check(tree: &Tree, source: &Source, pairs: &[Pair], diags: &mut Diags) {
    let mut first: Option<(Type, Span)> = None;
    for pair in pairs {
        let Some(ty) = static_type(tree, pair.key) else { continue };
        let span = tree.exprs[pair.key].span;
        let Some((first, first_span)) = &first else {
            first = Some((ty, span));
            continue;
        };
        if compare(first, &ty).is_err() {
            return diags.push(refuse::mixed_map_keys(&ty, span, (first, *first_span)));
        }
    }
    let Some((ty, span)) = first else { return };
    if !ty.is_hashable() {
        return diags.push(refuse::unhashable_map_key(&ty, span));
    }
    let mut seen: BTreeMap<Key, Span> = BTreeMap::new();
    for pair in pairs {
        let Some(key) = static_key(tree, source, pair.key) else { continue };
        let span = tree.exprs[pair.key].span;
        let shown = key.to_string();
        if let Some(first) = seen.insert(Key(key), span) {
            return diags.push(refuse::duplicate_map_key(&shown, span, first));
        }
    }
}

/// A key, ordered by value.
struct Key(Value);

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}
