//! [`Voters`]: the list of the hosts whose votes count, with their public keys. An operator signs it (ed25519), and it is
//! in the store, so that all hosts count the same votes. It is JSON, the fields sorted by name:
//!
//! ```text
//! voters = {"by":"...","hosts":{"web1":["..."]},"n":3,"sig":"...","v":1}
//! signed: "mclive-voters-v1" 0 CLUSTER 0 LIST      LIST: the stored bytes, without the field `sig`
//! ```
//!
//! Each list has a higher number than the previous one. A host may have several keys, so that its key can be replaced.

use super::lists::cannot_use;
use crate::deploy::{OperatorKey, Operators, PublicKey, Sig};
use crate::host::read_trusted;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The key of the list.
pub(crate) const VOTERS: &str = "voters";
/// What is signed: never the same bytes as in a signature for another purpose.
const PURPOSE: &str = "mclive-voters-v1";
/// The largest list. Units: bytes.
const LARGEST: usize = 1 << 20;
/// The version of this form.
const FORM: u64 = 1;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Voters {
    /// The key of the operator who has signed it.
    by: PublicKey,
    /// The keys of each host.
    hosts: BTreeMap<String, BTreeSet<PublicKey>>,
    /// Its number.
    pub(crate) n: u64,
    /// `None`: not yet signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sig: Option<Sig>,
    v: u64,
}

/// The version of a stored list.
#[derive(Deserialize)]
struct Form {
    v: u64,
}

impl Voters {
    /// The keys in a file as a list, signed by an operator. Errors: why the file cannot be used, a sentence without a full
    /// stop.
    pub(crate) fn of_file(path: &Path, n: u64, cluster: &str, key: &OperatorKey) -> Result<Voters, String> {
        let text = read_trusted(path).map_err(|error| error.to_string());
        let voters = text.and_then(|text| Voters::of_text(&text, n, cluster, key));
        voters.map_err(|why| cannot_use(path, &why))
    }

    /// The same with the lines of a file. Errors: what is wrong with the text, for a sentence.
    pub(crate) fn of_text(text: &str, n: u64, cluster: &str, key: &OperatorKey) -> Result<Voters, String> {
        let mut hosts: BTreeMap<String, BTreeSet<PublicKey>> = BTreeMap::new();
        for (public, host) in PublicKey::of_hosts(text)? {
            hosts.entry(host).or_default().insert(public);
        }
        let voters = Voters { by: key.public(), hosts, n, sig: None, v: FORM }.signed(cluster, key);
        match voters.bytes().len() > LARGEST {
            true => Err(format!("as a list of voters, it is larger than {} KiB", LARGEST >> 10)),
            false => Ok(voters),
        }
    }

    fn signed(self, cluster: &str, key: &OperatorKey) -> Voters {
        let bare = Voters { by: key.public(), sig: None, ..self };
        let sig = Sig::by(key, &bare.message(cluster));
        Voters { sig: Some(sig), ..bare }
    }

    /// The same keys under another number, signed again.
    pub(crate) fn numbered(self, n: u64, cluster: &str, key: &OperatorKey) -> Voters {
        Voters { n, ..self }.signed(cluster, key)
    }

    /// The list in the store, if the owner of the key that it names has signed it for this cluster. Errors: what it is, for a
    /// sentence.
    pub(crate) fn read(stored: &[u8], cluster: &str) -> Result<Voters, String> {
        if stored.len() > LARGEST {
            return Err(format!("larger than {} KiB", LARGEST >> 10));
        }
        let Form { v } = serde_json::from_slice(stored).map_err(|_| "not JSON with a version")?;
        if v != FORM {
            return Err(format!("in format {v}, which needs another version of mclive"));
        }
        let voters: Voters = serde_json::from_slice(stored).map_err(|error| format!("invalid: {error}"))?;
        let bare = Voters { sig: None, ..voters.clone() };
        let sig = voters.sig.as_ref().ok_or("not signed")?;
        match sig.is_by(voters.by, &bare.message(cluster)) {
            true => Ok(voters),
            false => Err(format!("not signed by the key {} for `{cluster}`, as it claims", voters.by.id())),
        }
    }

    /// The stored form.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// What is signed, of a list without a signature.
    fn message(&self, cluster: &str) -> Vec<u8> {
        [PURPOSE.as_bytes(), b"\0", cluster.as_bytes(), b"\0", &self.bytes()].concat()
    }

    /// The key of the operator who has signed it.
    pub(crate) fn by(&self) -> PublicKey {
        self.by
    }

    /// Whether one of these operators has signed it. Errors: who has signed it instead, a sentence without a full stop.
    pub(super) fn judge(&self, operators: &Operators) -> Result<(), String> {
        match operators.name(self.by) {
            Some(_) => Ok(()),
            None => Err(format!("list {} of voters is signed with an unknown key, {}", self.n, self.by.id())),
        }
    }

    /// Whether another list has the same keys for the same hosts.
    pub(crate) fn has_same_hosts(&self, other: &Voters) -> bool {
        self.hosts == other.hosts
    }

    /// The keys of each host, sorted by host.
    pub(crate) fn hosts(&self) -> &BTreeMap<String, BTreeSet<PublicKey>> {
        &self.hosts
    }

    /// Whether there is a key of this host.
    pub(super) fn know(&self, host: &str) -> bool {
        self.hosts.contains_key(host)
    }

    /// Whether this key is one of this host.
    pub(super) fn have(&self, host: &str, key: PublicKey) -> bool {
        self.hosts.get(host).is_some_and(|keys| keys.contains(&key))
    }
}

/// The operators in a file. Errors: why it cannot be used, a sentence without a full stop.
pub(crate) fn operators(path: &Path) -> Result<Operators, String> {
    let text = read_trusted(path).map_err(|error| error.to_string());
    let operators = text.and_then(|text| Operators::parse(&text));
    operators.map_err(|why| format!("cannot use the operators in {}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIEmKkXTQZmzt/ysssCibegQ9o0bUDH+nNTgKcODZOjz/\n-----END PRIVATE KEY-----\n";
    const PUBLIC: &str = "wpkdXQp/s9Ec9hE0Qc2u1olwHcEjgIreferUAjrLGy0=";

    fn list() -> Voters {
        let key = OperatorKey::read(SECRET).unwrap();
        Voters::of_text(&key.public().line("web1"), 3, "main", &key).unwrap()
    }

    /// Hosts of other versions read and sign the same bytes.
    #[test]
    fn a_list_has_one_form() {
        let bare = Voters { sig: None, ..list() };
        let body = format!(r#"{{"by":"{PUBLIC}","hosts":{{"web1":["{PUBLIC}"]}},"n":3,"v":1}}"#);
        assert_eq!(String::from_utf8(bare.message("main")).unwrap(), format!("mclive-voters-v1\0main\0{body}"));
        assert_eq!(Voters::read(&list().bytes(), "main"), Ok(list()));
        assert!(list().know("web1") && list().have("web1", list().by()) && !list().know("web"));
    }

    #[test]
    fn no_part_of_a_list_can_be_changed() {
        let text = String::from_utf8(list().bytes()).unwrap();
        let read = |text: &str| Voters::read(text.as_bytes(), "main");
        let by = |key: &str| format!("\"by\":\"{key}\"");
        let (own, foreign) = (by(PUBLIC), by(&OperatorKey::generate("eve").unwrap().0.public().to_string()));
        for (from, to, why) in [
            ("\"n\":3", "\"n\":4", "not signed by the key "),
            ("web1", "web2", "not signed by the key "),
            (own.as_str(), foreign.as_str(), "not signed by the key "),
            ("\"v\":1", "\"v\":2", "in format 2, which needs another version of mclive"),
            ("\"n\":3", "\"n\":3,\"more\":1", "invalid: unknown field"),
            ("{", "", "not JSON with a version"),
        ] {
            let said = read(&text.replacen(from, to, 1)).unwrap_err();
            assert!(said.starts_with(why), "{to}: {said}");
        }
        let bare = String::from_utf8(Voters { sig: None, ..list() }.bytes()).unwrap();
        assert_eq!(read(&bare).unwrap_err(), "not signed");
        assert_eq!(read(&format!("{text}{}", " ".repeat(LARGEST))).unwrap_err(), "larger than 1024 KiB");
        let elsewhere = Voters::read(text.as_bytes(), "test").unwrap_err();
        assert!(elsewhere.ends_with(" for `test`, as it claims"), "{elsewhere}");
    }

    #[test]
    fn a_list_counts_if_one_of_the_operators_has_signed_it() {
        let [alice, eve] = ["alice", "eve"].map(|name| OperatorKey::generate(name).unwrap().0);
        let operators = Operators::parse(&alice.line()).unwrap();
        let hosts = alice.public().line("web1");
        let [good, bad] = [&alice, &eve].map(|key| Voters::of_text(&hosts, 7, "main", key).unwrap());
        assert_eq!(good.judge(&operators), Ok(()));
        let why = format!("list 7 of voters is signed with an unknown key, {}", eve.public().id());
        assert_eq!(bad.judge(&operators), Err(why));
        assert!(good.has_same_hosts(&bad));
        let next = bad.numbered(8, "main", &alice);
        assert_eq!((next.n, Voters::read(&next.bytes(), "main")), (8, Ok(next.clone())));
        let wrong = Voters::of_text("# none\n", 1, "main", &alice).unwrap_err();
        assert!(wrong.contains("no public key"), "{wrong}");
    }
}
