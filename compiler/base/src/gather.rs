//! Ordered maps and sets that share their code.
//!
//! `collect` sorts first, and the code of that sort exists once for each type of iterator: several kilobytes each time
//! in a module for the browser. So these functions, which fill maps and sets one by one, are for collections that are
//! small, or built in one place only.

use std::collections::{BTreeMap, BTreeSet};

/// A map with boxed values. The code of a map is compiled once for each key type and size of its values (several
/// kilobytes, mostly for removals), so all boxed maps with equal keys share it.
pub type Boxed<K, V> = BTreeMap<K, Box<V>>;

/// Keeps the entries for which this holds. `retain` has separate code for removals; this one shares that of `remove`.
pub fn keep<K: Ord + Clone, V>(map: &mut BTreeMap<K, V>, mut holds: impl FnMut(&K, &mut V) -> bool) {
    let gone = map.iter_mut().filter_map(|(key, value)| (!holds(key, value)).then(|| key.clone()));
    for key in gone.collect::<Vec<K>>() {
        map.remove(&key);
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_may_be_changed_on_the_way() {
        let mut counts = map((0..6_u32).map(|number| (number, number)));
        keep(&mut counts, |number, count| {
            *count += 10;
            number % 2 == 1
        });
        assert_eq!(counts, BTreeMap::from([(1, 11), (3, 13), (5, 15)]));
    }
}
