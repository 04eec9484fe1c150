//! [`Counted`]: the numbers of the statements about exports and values that counted last, so that an earlier one does
//! not count again. Those that were removed are remembered as well, the latest ones of each host: a host that keeps
//! exporting under new names uses no more memory, and displaces no others.

use super::own::owner;
use std::collections::{BTreeMap, BTreeSet};

/// How many removed exports and values of a host are remembered.
const MOST_REMOVED: usize = 10_000;

pub(super) struct Counted {
    most_removed: usize,
    /// By the key of the export or value.
    last: BTreeMap<String, Last>,
    /// By host: the numbers and the keys of those that were removed.
    removed: BTreeMap<String, BTreeSet<(u64, String)>>,
}

/// The number of the last statement that counted.
struct Last {
    n: u64,
    /// It was removed after that.
    is_removed: bool,
}

impl Default for Counted {
    fn default() -> Counted {
        Counted::of(MOST_REMOVED)
    }
}

impl Counted {
    fn of(most_removed: usize) -> Counted {
        Counted { most_removed, last: BTreeMap::new(), removed: BTreeMap::new() }
    }

    /// Whether a statement about a key with this number is an earlier one.
    pub(super) fn is_past(&self, key: &str, n: u64) -> bool {
        self.last.get(key).is_some_and(|last| n < last.n || (n == last.n && last.is_removed))
    }

    /// A statement about a key with this number counts.
    pub(super) fn add(&mut self, key: &str, n: u64) {
        let before = self.last.insert(key.to_owned(), Last { n, is_removed: false });
        if let Some(before) = before.filter(|before| before.is_removed)
            && let Some(removed) = self.removed.get_mut(owner(key).unwrap_or_default())
        {
            removed.remove(&(before.n, key.to_owned()));
        }
    }

    /// The key was removed.
    pub(super) fn remove(&mut self, key: &str) {
        let Some(last) = self.last.get_mut(key).filter(|last| !last.is_removed) else { return };
        last.is_removed = true;
        let removed = self.removed.entry(owner(key).unwrap_or_default().to_owned()).or_default();
        removed.insert((last.n, key.to_owned()));
        if removed.len() > self.most_removed
            && let Some((_, oldest)) = removed.pop_first()
        {
            self.last.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(host: &str, name: &str) -> String {
        format!("exported/*/{host}/file//{name}")
    }

    #[test]
    fn an_earlier_statement_is_past_and_the_last_one_after_a_removal() {
        let (mut counted, a) = (Counted::default(), key("h1", "a"));
        assert!(!counted.is_past(&a, 0));
        counted.add(&a, 5);
        assert!(counted.is_past(&a, 4) && !counted.is_past(&a, 5) && !counted.is_past(&a, 6));
        counted.remove(&a);
        assert!(counted.is_past(&a, 5) && !counted.is_past(&a, 6));
        counted.add(&a, 6);
        assert!(counted.is_past(&a, 5) && !counted.is_past(&a, 6));
    }

    #[test]
    fn the_latest_removed_exports_of_each_host_are_remembered() {
        let mut counted = Counted::of(2);
        counted.add(&key("h2", "a"), 1);
        counted.remove(&key("h2", "a"));
        counted.add(&key("h1", "stays"), 1);
        for n in 2..100 {
            let key = key("h1", &n.to_string());
            counted.add(&key, n);
            counted.remove(&key);
            counted.remove(&key);
        }
        // One that came back is not among them.
        counted.add(&key("h1", "99"), 100);
        counted.add(&key("h1", "x"), 101);
        counted.remove(&key("h1", "x"));
        assert_eq!(counted.last.len(), 5);
        for (host, name, n) in
            [("h2", "a", 1), ("h1", "stays", 0), ("h1", "98", 98), ("h1", "99", 99), ("h1", "x", 101)]
        {
            assert!(counted.is_past(&key(host, name), n), "{host} {name}");
        }
        assert!(!counted.is_past(&key("h1", "97"), 97));
    }
}
