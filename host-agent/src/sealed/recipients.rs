//! [`Recipients`]: the hosts for which values can be sealed, from the list of the public keys of hosts:
//!
//! ```text
//! # the keys of a host, as `mclive key show --sealing` prints them
//! mclive-ed25519 KEY web1
//! mclive-x25519 KEY web1
//! ```
//!
//! The keys for signatures ([`HostKeys`](crate::host::HostKeys)) are not needed here. A host may have several keys, so that
//! its key can be replaced.

use super::SealingKey;
use std::collections::{BTreeMap, BTreeSet};

/// By host.
pub(super) type Keys = BTreeMap<String, BTreeSet<SealingKey>>;

#[derive(PartialEq, Eq)]
pub(crate) struct Recipients(Keys);

impl Recipients {
    /// Errors: what is wrong with the text, for a sentence.
    pub(crate) fn parse(text: &str) -> Result<Recipients, String> {
        let mut keys = Keys::new();
        for (key, host) in SealingKey::of_hosts(text)? {
            keys.entry(host).or_default().insert(key);
        }
        Ok(Recipients(keys))
    }

    /// Only these hosts. Errors: one has no key, for a sentence.
    pub(crate) fn only(&self, hosts: &[String]) -> Result<Recipients, String> {
        let key = |host: &String| match self.0.get(host) {
            Some(keys) => Ok((host.clone(), keys.clone())),
            None => Err(format!(
                "it has no sealing key of {host}; add the line that `mclive key show --sealing` prints there"
            )),
        };
        hosts.iter().map(key).collect::<Result<Keys, String>>().map(Recipients)
    }

    /// Whether a host has the same keys in another list.
    pub(crate) fn are_same_for(&self, host: &str, other: &Recipients) -> bool {
        self.0.get(host) == other.0.get(host)
    }

    pub(super) fn keys(&self) -> &Keys {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deploy::OperatorKey;

    #[test]
    fn a_list_has_the_keys_of_hosts_for_both_purposes() {
        let [old, new, other] = ["web1", "web1", "db1"].map(|host| OperatorKey::generate(host).unwrap().0);
        let lines = [&old, &new, &other].map(|key| format!("{}\n{}\n", key.line(), key.sealing_line()));
        let all = Recipients::parse(&format!("# hosts\n\n{}", lines.concat())).unwrap();
        assert_eq!(all.keys()["web1"], BTreeSet::from([&old, &new].map(|key| key.opening().public())));
        let some = all.only(&["db1".to_owned()]).unwrap();
        assert!(some.keys().keys().eq(["db1"]));
        let why = all.only(&["db1".to_owned(), "db2".to_owned()]).err().unwrap();
        assert!(why.starts_with("it has no sealing key of db2; add the line "), "{why}");
    }

    #[test]
    fn a_broken_list_is_refused_with_its_line() {
        let (key, secret) = OperatorKey::generate("web1").unwrap();
        let public = key.opening().public();
        for bad in [&*secret, "mclive-x25519 AAAA web1", &public.line(""), &public.line("a/b")] {
            let said = Recipients::parse(&format!("{}\n{bad}\n", key.sealing_line())).err().unwrap();
            assert!(said.contains(": expected `mclive-x25519 KEY HOST`, ") && !said.contains("BEGIN"), "{said}");
        }
    }
}
