//! Ordered maps and sets that are filled one by one.
//!
//! `collect` sorts first, and the code of that sort exists once for each type of iterator: several kilobytes each time
//! in a module for the browser. So these functions are for what is small, or collected in one place only.

use std::collections::{BTreeMap, BTreeSet};

/// The map of these entries; of equal keys the last value counts.
pub fn map<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(entries);
    map
}

/// The set of these items.
pub fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(items);
    set
}
