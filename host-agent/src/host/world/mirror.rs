//! [`Mirror`]: the keys of the cluster as this host knows them: a snapshot at a revision, and all changes since then.

use mclive_base::vocab::store::Keys;
use mclive_base::vocab::{Datum, KeyStore};
use std::collections::BTreeMap;

/// What a key holds.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Held {
    pub(super) value: Datum,
    /// The revision of its latest change.
    pub(super) modified: i64,
    /// The lease that it belongs to; 0: none.
    pub(super) lease: i64,
}

impl Held {
    /// What it takes under a key. Units: bytes.
    pub(super) fn size(&self, key: &str) -> usize {
        key.len() + size(&self.value)
    }
}

fn size(value: &Datum) -> usize {
    match value {
        Datum::Bytes(bytes) => bytes.len(),
        Datum::List(items) => items.iter().map(size).sum(),
        _ => size_of::<i64>(),
    }
}

/// All keys at one revision.
#[derive(Clone, Default)]
pub(super) struct Snapshot {
    /// The identity of the store.
    pub(super) cluster: String,
    pub(super) revision: i64,
    pub(super) keys: BTreeMap<String, Held>,
}

/// A change of a key; `None`: it was removed.
pub(super) struct Change {
    pub(super) key: String,
    pub(super) revision: i64,
    pub(super) held: Option<Held>,
}

#[derive(Default)]
pub(super) struct Mirror {
    now: Snapshot,
    /// The latest revision that is known by more than a message without a change.
    certain: i64,
    /// The size of all keys and values. Units: bytes.
    size: usize,
    /// The key that was removed last, and when.
    removed: Option<(String, i64)>,
}

impl Mirror {
    pub(super) fn cluster(&self) -> &str {
        &self.now.cluster
    }

    /// Everything up to this revision is known.
    pub(super) fn revision(&self) -> i64 {
        self.now.revision
    }

    /// The latest revision that is known by a snapshot, a change, or a write of this host. Up to the mirror's, the store has
    /// only said that nothing changed.
    pub(super) fn certain(&self) -> i64 {
        self.certain
    }

    pub(super) fn n_keys(&self) -> usize {
        self.now.keys.len()
    }

    /// The size of all keys and values. Units: bytes.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn held(&self, key: &str) -> Option<&Held> {
        self.now.keys.get(key)
    }

    /// Every key with this prefix, by key.
    pub(super) fn under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a String, &'a Held)> {
        self.now.keys.range(prefix.to_owned()..).take_while(move |(key, _)| key.starts_with(prefix))
    }

    /// Keys by which another history is recognised, and the revisions of their latest changes at the mirror's revision: the
    /// one that was set last, and, with 0, the one that was removed after that.
    pub(super) fn witnesses(&self) -> Vec<(String, i64)> {
        let newest = self.now.keys.iter().max_by_key(|(_, held)| held.modified);
        let newest = newest.map(|(key, held)| (key.clone(), held.modified));
        let last = newest.as_ref().map_or(0, |(_, modified)| *modified);
        let removed = self.removed.iter().filter(|(key, at)| *at > last && !self.now.keys.contains_key(key));
        newest.into_iter().chain(removed.map(|(key, _)| (key.clone(), 0))).collect()
    }

    /// At this revision, a key was changed that is not followed. If it is the next one, everything up to it is known.
    pub(super) fn pass(&mut self, revision: i64) {
        if revision == self.now.revision + 1 {
            (self.now.revision, self.certain) = (revision, revision);
        }
    }

    /// Takes a snapshot over; returns the keys whose values differ, by key.
    pub(super) fn replace(&mut self, snapshot: Snapshot) -> Vec<String> {
        (self.removed, self.certain) = (None, snapshot.revision);
        let before = std::mem::replace(&mut self.now, snapshot).keys;
        self.size = self.now.keys.iter().map(|(key, held)| held.size(key)).sum();
        let gone = before.keys().filter(|key| !self.now.keys.contains_key(*key));
        let differs = |key: &str, held: &Held| before.get(key).is_none_or(|before| before.value != held.value);
        let other = self.now.keys.iter().filter(|(key, held)| differs(key, held)).map(|(key, _)| key);
        let mut changed: Vec<String> = gone.chain(other).cloned().collect();
        changed.sort();
        changed
    }

    /// Applies changes up to a revision; returns the keys whose values differ, in order. Known changes are skipped.
    pub(super) fn apply(&mut self, revision: i64, changes: Vec<Change>) -> Vec<String> {
        let known = self.now.revision;
        let mut changed = Vec::new();
        if !changes.is_empty() {
            self.certain = self.certain.max(revision);
        }
        for Change { key, revision, held } in changes.into_iter().filter(|change| change.revision > known) {
            if held.is_none() {
                self.removed = Some((key.clone(), revision));
            }
            let value = held.as_ref().map(|held| held.value.clone());
            self.size += held.as_ref().map_or(0, |held| held.size(&key));
            let before = match held {
                Some(held) => self.now.keys.insert(key.clone(), held),
                None => self.now.keys.remove(&key),
            };
            self.size -= before.as_ref().map_or(0, |before| before.size(&key));
            if before.map(|held| held.value) != value {
                changed.push(key);
            }
        }
        self.now.revision = known.max(revision);
        changed
    }
}

/// It is the shared store only.
impl Keys for Mirror {
    fn get(&self, _: KeyStore, key: &str) -> Option<Datum> {
        self.held(key).map(|held| held.value.clone())
    }

    fn below(&self, _: KeyStore, prefix: &str) -> Vec<(String, Datum)> {
        self.under(prefix).map(|(key, held)| (key.clone(), held.value.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(value: &str, modified: i64) -> Held {
        Held { value: Datum::text(value), modified, lease: 0 }
    }

    fn mirror(revision: i64, keys: &[(&str, &str)]) -> (Mirror, Vec<String>) {
        let mut mirror = Mirror::default();
        let changed = mirror.replace(snapshot(revision, keys));
        (mirror, changed)
    }

    fn snapshot(revision: i64, keys: &[(&str, &str)]) -> Snapshot {
        let keys = keys.iter().map(|(key, value)| ((*key).to_owned(), held(value, revision))).collect();
        Snapshot { cluster: "1".into(), revision, keys }
    }

    fn change(key: &str, revision: i64, value: Option<&str>) -> Change {
        Change { key: key.into(), revision, held: value.map(|value| held(value, revision)) }
    }

    #[test]
    fn a_snapshot_tells_only_differences() {
        let (mut mirror, first) = mirror(5, &[("a", "1"), ("b", "1"), ("c", "1")]);
        assert_eq!(first, ["a", "b", "c"]);
        assert_eq!(mirror.replace(snapshot(9, &[("b", "1"), ("c", "2"), ("d", "1")])), ["a", "c", "d"]);
        assert_eq!((mirror.revision(), mirror.size()), (9, 6));
    }

    #[test]
    fn a_change_is_applied_once_and_an_equal_value_is_none() {
        let (mut mirror, _) = mirror(5, &[("a", "1")]);
        let changes = || vec![change("a", 5, Some("0")), change("a", 6, Some("1")), change("b", 7, Some("2"))];
        assert_eq!(mirror.apply(7, changes()), ["b"]);
        assert_eq!(mirror.held("a").map(|held| held.modified), Some(6));
        assert_eq!(mirror.apply(7, changes()), Vec::<String>::new());
        assert_eq!(mirror.apply(8, vec![change("b", 8, None), change("c", 8, None)]), ["b"]);
        assert_eq!((mirror.under("").count(), mirror.size()), (1, 2));
        // What was skipped may not be known.
        mirror.pass(10);
        assert_eq!((mirror.revision(), mirror.certain()), (8, 8));
        mirror.pass(9);
        assert_eq!((mirror.revision(), mirror.certain()), (9, 9));
        // Progress without a change.
        assert_eq!((mirror.apply(20, Vec::new()), mirror.revision(), mirror.certain()), (Vec::new(), 20, 9));
    }

    #[test]
    fn the_latest_changes_are_witnesses_of_a_history() {
        let witness = |key: &str, revision: i64| (key.to_owned(), revision);
        assert!(Mirror::default().witnesses().is_empty());
        let (mut mirror, _) = mirror(5, &[("a", "1"), ("b", "1")]);
        mirror.apply(7, vec![change("a", 7, Some("2"))]);
        assert_eq!(mirror.witnesses(), [witness("a", 7)]);
        mirror.apply(9, vec![change("b", 9, None)]);
        assert_eq!(mirror.witnesses(), [witness("a", 7), witness("b", 0)]);
        mirror.apply(10, vec![change("b", 10, Some("3"))]);
        assert_eq!(mirror.witnesses(), [witness("b", 10)]);
        mirror.apply(11, vec![change("a", 11, None), change("b", 11, None)]);
        assert_eq!(mirror.witnesses(), [witness("b", 0)]);
        mirror.replace(snapshot(4, &[]));
        assert!(mirror.witnesses().is_empty());
    }
}
