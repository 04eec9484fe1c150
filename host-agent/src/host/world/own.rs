//! [`Own`]: the keys of this run in the shared store under its leases; they are written again if they are lost.

use mclive_base::vocab::schedule::{Options, place};
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Own {
    /// Keys under the lease of the host, with their values: its exports, and the sign that it is there.
    keys: BTreeMap<String, Vec<u8>>,
    /// How many of them are exports.
    n_exports: usize,
    /// The exports with secrets as the program has them, by the key of each, and whether their sealed form is in `keys`.
    clear: BTreeMap<String, (Vec<u8>, bool)>,
    /// The statements of this run about the exports and values of this host, as last written, by the key of each.
    statements: BTreeMap<String, Vec<u8>>,
    /// By the prefix of the pool.
    votes: BTreeMap<String, Vote>,
    /// The leases under which keys that are not followed were written, and the revisions: the mirror does not have them.
    written: BTreeMap<String, (i64, i64)>,
}

/// The prefix of exported resources.
pub(crate) const EXPORTS: &str = "exported/";
/// The prefix of values.
pub(crate) const VALUES: &str = "strings/";
/// The prefix of pools: votes and who is elected.
pub(crate) const POOLS: &str = "pool/";
/// The prefix of what agents say about themselves, which hosts do not follow: each would hear of all others.
pub(crate) const AGENTS: &str = "agent/";

/// A vote of this run.
#[derive(Clone)]
pub(super) struct Vote {
    pub(super) namespace: String,
    pub(super) options: Options,
}

impl Own {
    /// Records what a key is to hold; `None`: nothing any more.
    pub(super) fn keep(&mut self, key: &str, value: Option<&[u8]>) {
        let n = usize::from(key.starts_with(EXPORTS));
        self.clear.remove(key);
        match value {
            Some(value) => {
                if self.keys.insert(key.to_owned(), value.to_vec()).is_none() {
                    self.n_exports += n;
                }
            }
            None => {
                if self.keys.remove(key).is_some() {
                    self.n_exports -= n;
                }
                self.statements.remove(key);
                self.written.remove(key);
            }
        }
    }

    /// What a key is to hold is the sealed form of this export.
    pub(super) fn seals(&mut self, key: &str, clear: Vec<u8>) {
        self.clear.insert(key.to_owned(), (clear, true));
    }

    /// A key is to hold this export as soon as it can be sealed.
    pub(super) fn waits_for_seal(&mut self, key: &str, clear: Vec<u8>) {
        self.clear.insert(key.to_owned(), (clear, false));
    }

    /// The export whose sealed form is to be under this key, if that is what the key holds.
    pub(super) fn opened(&self, key: &str, held: &[u8]) -> Option<&Vec<u8>> {
        let (clear, is_sealed) = self.clear.get(key)?;
        let is_held = self.keys.get(key).is_some_and(|own| own == held);
        (*is_sealed && is_held).then_some(clear)
    }

    /// The exports with secrets, by the key of each.
    pub(super) fn with_secrets(&self) -> impl Iterator<Item = (&String, &Vec<u8>)> {
        self.clear.iter().map(|(key, (clear, _))| (key, clear))
    }

    /// Takes another sealed form of an export over. `false`: the export is a different one by now.
    pub(super) fn seals_again(&mut self, key: &str, clear: Vec<u8>, sealed: &[u8]) -> bool {
        let is_same = self.clear.get(key).is_some_and(|(now, _)| *now == clear);
        if is_same {
            self.keep(key, Some(sealed));
            self.seals(key, clear);
        }
        is_same
    }

    /// A statement about an export or a value was written.
    pub(super) fn says(&mut self, key: &str, statement: &[u8]) {
        if self.holds(key) || host_of_value(key).is_some() {
            self.statements.insert(key.to_owned(), statement.to_vec());
        }
    }

    /// The statement about an export or a value that was written last.
    pub(super) fn statement(&self, key: &str) -> Option<&Vec<u8>> {
        self.statements.get(key)
    }

    /// The values about which statements were written.
    pub(super) fn stated_values(&self) -> impl Iterator<Item = &String> {
        self.statements.keys().filter(|key| host_of_value(key).is_some())
    }

    /// A key that is not followed was written under a lease, at a revision.
    pub(super) fn wrote(&mut self, key: &str, lease: i64, revision: i64) {
        self.written.insert(key.to_owned(), (lease, revision));
    }

    /// Forgets what was written, because it may be gone: `notice_all` writes it again.
    pub(super) fn forget_writes(&mut self) {
        self.written.clear();
    }

    /// The lease under which a key that is not followed was written.
    pub(super) fn lease_of(&self, key: &str) -> Option<i64> {
        self.written.get(key).map(|(lease, _)| *lease)
    }

    /// The key that is not followed and was written last, and when.
    pub(super) fn last_written(&self) -> Option<(&String, i64)> {
        self.written.iter().map(|(key, (_, revision))| (key, *revision)).max_by_key(|(_, revision)| *revision)
    }

    /// The keys that are not followed and were written.
    pub(super) fn written(&self) -> impl Iterator<Item = &String> {
        self.written.keys()
    }

    pub(super) fn holds(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    pub(super) fn n_exports(&self) -> usize {
        self.n_exports
    }

    pub(super) fn value(&self, key: &str) -> Option<&Vec<u8>> {
        self.keys.get(key)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &String> {
        self.keys.keys()
    }

    /// Records the vote in a pool; `None`: it is withdrawn.
    pub(super) fn vote(&mut self, namespace: &str, options: Option<&Options>) {
        match options {
            Some(options) => {
                let vote = Vote { namespace: namespace.to_owned(), options: options.clone() };
                self.votes.insert(place(namespace), vote);
            }
            None => drop(self.votes.remove(&place(namespace))),
        }
    }

    /// The vote in the pool with this prefix.
    pub(super) fn vote_in(&self, place: &str) -> Option<&Vote> {
        self.votes.get(place)
    }

    pub(super) fn votes(&self) -> impl Iterator<Item = (&String, &Vote)> {
        self.votes.iter()
    }
}

/// The host `FROM` of a key `exported/TO/FROM/…`. `None`: it is another key.
pub(super) fn exporter(key: &str) -> Option<&str> {
    key.strip_prefix(EXPORTS)?.split('/').nth(1).filter(|host| !host.is_empty())
}

/// The host `HOST` of a value `strings/NAME/HOST`. `None`: it is another key.
pub(super) fn host_of_value(key: &str) -> Option<&str> {
    let (name, host) = key.strip_prefix(VALUES)?.rsplit_once('/')?;
    (!name.is_empty() && !host.is_empty()).then_some(host)
}

/// The host of an export or a value. `None`: it is another key, or a value without a host.
pub(super) fn owner(key: &str) -> Option<&str> {
    exporter(key).or_else(|| host_of_value(key))
}

/// Whether a key is `exported/TO/FROM/…` of this host.
pub(super) fn is_export_of(key: &str, hostname: &str) -> bool {
    exporter(key) == Some(hostname)
}

/// Whether the mirror has such keys.
pub(super) fn is_followed(key: &str) -> bool {
    !key.starts_with(AGENTS)
}

/// The key of a running host.
pub(super) fn live(hostname: &str) -> String {
    format!("{AGENTS}{hostname}/live")
}

/// The key of a host's report on its deploys.
pub(super) fn state(hostname: &str) -> String {
    format!("{AGENTS}{hostname}/state")
}

/// The host of a key `agent/HOST/WHAT`, given without `agent/`. `None`: it is another key. A host may have the right to
/// write anything below its own name, and must not pass for others, such as `agent/web1/web2/state`.
pub(crate) fn speaker<'a>(name: &'a str, what: &str) -> Option<&'a str> {
    let host = name.strip_suffix(what)?.strip_suffix('/')?;
    (!host.is_empty() && !host.contains('/')).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_belongs_to_its_second_host() {
        assert!(is_export_of("exported/*/h1/file//a", "h1"));
        for other in ["exported/h1/h2/file//a", "strings/*/h1/x", "exported/h1", "exported/*/h11/file/x"] {
            assert!(!is_export_of(other, "h1"), "{other}");
        }
        assert_eq!(["exported/*//file//a", "exported/k", "strings/k"].map(exporter), [None; 3]);
    }

    #[test]
    fn a_value_belongs_to_the_host_that_its_key_ends_with() {
        for (key, host) in [("strings/place/h1", "h1"), ("strings/a/b/h2", "h2"), ("exported/*/h3/file//a", "h3")] {
            assert_eq!(owner(key), Some(host), "{key}");
        }
        for other in ["strings/place", "strings/place/", "strings//h1", "pool/web/vote/h1", "agent/h1/live"] {
            assert_eq!(owner(other), None, "{other}");
        }
    }

    #[test]
    fn an_agent_speaks_for_its_own_host_only() {
        assert_eq!((speaker("h1/state", "state"), speaker("h1/live", "live")), (Some("h1"), Some("h1")));
        for other in ["h1/h2/state", "/state", "state", "h1/live", "h1state", "h1/state/x"] {
            assert_eq!(speaker(other, "state"), None, "{other}");
        }
    }

    #[test]
    fn exports_are_counted_once_each() {
        let mut own = Own::default();
        let (a, b) = ("exported/*/h1/file//a", "exported/*/h1/file//b");
        for key in [a, a, b, &live("h1")] {
            own.keep(key, Some(b"{}"));
        }
        assert_eq!(own.n_exports(), 2);
        for key in [a, a, &live("h1")] {
            own.keep(key, None);
        }
        assert_eq!(own.n_exports(), 1);
    }

    #[test]
    fn an_export_is_known_in_the_clear_while_its_key_holds_what_was_sealed_last() {
        let mut own = Own::default();
        let (key, clear) = ("exported/db1/h1/file//a", b"clear".to_vec());
        own.keep(key, Some(b"sealed"));
        own.seals(key, clear.clone());
        assert_eq!(own.opened(key, b"sealed"), Some(&clear));
        assert_eq!(own.opened(key, b"other"), None);
        assert!(!own.seals_again(key, b"other".to_vec(), b"again"));
        assert!(own.seals_again(key, clear.clone(), b"again"));
        assert_eq!((own.opened(key, b"again"), own.opened(key, b"sealed")), (Some(&clear), None));
        assert_eq!((own.n_exports(), own.with_secrets().count()), (1, 1));
        // The next one cannot be sealed yet.
        own.waits_for_seal(key, b"next".to_vec());
        assert_eq!((own.opened(key, b"again"), own.value(key)), (None, Some(&b"again".to_vec())));
        assert!(own.seals_again(key, b"next".to_vec(), b"sealed next"));
        assert_eq!(own.opened(key, b"sealed next"), Some(&b"next".to_vec()));
        // One without secrets, and none.
        own.keep(key, Some(b"open"));
        assert_eq!((own.opened(key, b"open"), own.with_secrets().count()), (None, 0));
        own.waits_for_seal(key, clear);
        own.keep(key, None);
        assert_eq!((own.with_secrets().count(), own.n_exports()), (0, 0));
    }

    #[test]
    fn the_lease_of_a_key_that_the_mirror_does_not_have_is_remembered() {
        let mut own = Own::default();
        for (key, revision) in [(live("h1"), 20), (state("h1"), 10)] {
            own.keep(&key, Some(b"{}"));
            assert!(!is_followed(&key) && own.lease_of(&key).is_none());
            own.wrote(&key, 7, revision);
        }
        assert_eq!((own.lease_of(&live("h1")), own.last_written()), (Some(7), Some((&live("h1"), 20))));
        own.keep(&live("h1"), None);
        assert_eq!(own.written().collect::<Vec<_>>(), [&state("h1")]);
        own.forget_writes();
        assert!(own.last_written().is_none() && own.holds(&state("h1")));
    }
}
