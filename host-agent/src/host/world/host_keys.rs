//! [`HostKeys`]: the public keys of hosts. A host that requires signatures has them in a file, never in the store:
//!
//! ```text
//! # the key of a host, as `mclive key show` prints it
//! mclive-ed25519 KEY web1
//! ```
//!
//! A host may have several, so that its key can be replaced. The list may also have the keys with which values are sealed
//! for hosts ([`Recipients`](crate::sealed::Recipients)).

use super::lists::cannot_use;
use crate::deploy::PublicKey;
use crate::host::read_trusted;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[derive(PartialEq, Eq, Debug)]
pub(crate) struct HostKeys {
    /// By host.
    keys: BTreeMap<String, BTreeSet<PublicKey>>,
}

impl HostKeys {
    /// The keys in a file. Errors: why it cannot be used, a sentence without a full stop.
    pub(crate) fn read(path: &Path) -> Result<HostKeys, String> {
        let text = read_trusted(path).map_err(|error| error.to_string());
        let keys = text.and_then(|text| HostKeys::parse(&text));
        keys.map_err(|why| cannot_use(path, &why))
    }

    /// Errors: what is wrong with the text, for a sentence.
    pub(super) fn parse(text: &str) -> Result<HostKeys, String> {
        let mut keys: BTreeMap<String, BTreeSet<PublicKey>> = BTreeMap::new();
        for (key, host) in PublicKey::of_hosts(text)? {
            keys.entry(host).or_default().insert(key);
        }
        Ok(HostKeys { keys })
    }

    /// Whether there is a key of this host.
    pub(super) fn know(&self, host: &str) -> bool {
        self.keys.contains_key(host)
    }

    /// Whether a host has the same keys in another list.
    pub(super) fn are_same_for(&self, host: &str, other: &HostKeys) -> bool {
        self.keys.get(host) == other.keys.get(host)
    }

    /// Whether this key is one of this host.
    pub(super) fn have(&self, host: &str, key: PublicKey) -> bool {
        self.keys.get(host).is_some_and(|keys| keys.contains(&key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deploy::OperatorKey;

    #[test]
    fn a_host_may_have_several_keys_and_none_of_another_host() {
        let [old, new, other] = ["web1", "web1", "db1"].map(|host| OperatorKey::generate(host).unwrap().0);
        let text = format!("# hosts\n\n  {}\r\n{}\n{}\n", old.line(), new.line(), other.line());
        let keys = HostKeys::parse(&text).unwrap();
        assert!(keys.have("web1", old.public()) && keys.have("web1", new.public()));
        assert!(!keys.have("web1", other.public()) && keys.have("db1", other.public()));
        assert!(keys.know("db1") && !keys.know("web") && !keys.have("web", old.public()));
    }

    #[test]
    fn keys_for_sealed_values_may_be_in_the_list() {
        let key = OperatorKey::generate("web1").unwrap().0;
        let keys = HostKeys::parse(&format!("{}\n{}\n", key.sealing_line(), key.line())).unwrap();
        assert!(keys.have("web1", key.public()));
        assert!(HostKeys::parse(&key.sealing_line()).unwrap_err().contains("no public key"));
        let wrong = HostKeys::parse(&format!("{}\nmclive-x25519 AAAA web1\n", key.sealing_line())).unwrap_err();
        assert!(wrong.starts_with("line 2: expected "), "{wrong}");
    }

    #[test]
    fn a_broken_list_is_refused_with_its_line() {
        let wrong = |text: &str| HostKeys::parse(text).unwrap_err();
        assert!(wrong("# nobody\n").contains("no public key"));
        let (key, secret) = OperatorKey::generate("web1").unwrap();
        let good = key.line();
        for bad in ["ssh-ed25519 AAAA web1", &key.public().line(""), &key.public().line("a/b")] {
            assert!(wrong(&format!("{good}\n{bad}\n")).starts_with("line 2: expected "), "{bad}");
        }
        // A private key given by mistake is not printed.
        let said = wrong(&secret);
        assert!(said.starts_with("line 2: expected ") && !said.contains("BEGIN"), "{said}");
    }
}
