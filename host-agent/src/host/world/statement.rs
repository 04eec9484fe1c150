//! [`Statement`]: a statement of a host about a resource that it exports, or about its own value, signed with its key
//! (ed25519). It has its own key, so hosts that do not know statements read exports and values as before, and below a
//! prefix that only this host may write. Both are written and removed in the same transaction, under the same lease.
//!
//! ```text
//! host/HOST/signed/KEY/sig = {"key":"...","lease":7,"n":5,"sig":"...","v":1}
//! KEY: exported/TO/HOST/KIND/NAME or strings/NAME/HOST
//! signed: "mclive-export-v1" 0 CLUSTER 0 KEY 0 N LEASE SHA256(VALUE)            numbers: 8 bytes, big-endian
//! ```
//!
//! The key is signed, so a statement cannot be moved to another resource, receiver, value or host. `n` increases with
//! each statement of a host, also across restarts. The lease of an export is one that its host renews; a value has none
//! (0). So an earlier statement does not count again ([`Judge`](super::judge::Judge)).

use super::Seen;
use super::host_keys::HostKeys;
use super::own::{exporter, owner};
use crate::deploy::{OperatorKey, PublicKey, Sig};
use mclive_base::vocab::Datum;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What is signed: never the same bytes as in a signature for another purpose.
const PURPOSE: &str = "mclive-export-v1";
/// The largest statement. Units: bytes.
const LARGEST: usize = 1024;
const VERSION: u8 = 1;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Statement {
    key: PublicKey,
    pub(super) lease: i64,
    pub(super) n: u64,
    sig: Sig,
    v: u8,
}

/// An exported resource, or a value of a host, in the store.
pub(crate) struct Signable<'a> {
    pub(crate) cluster: &'a str,
    pub(crate) key: &'a str,
    pub(crate) value: &'a [u8],
}

/// Why an exported resource or a value does not count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Doubt {
    /// No key of the host is known.
    Unlisted,
    Unsigned,
    /// Signed with a key that is not one of the host.
    OtherKey,
    /// The statement is not of this key and value, or cannot be read.
    Invalid,
    /// It counted earlier.
    Replayed,
}

impl Signable<'_> {
    /// The statement of its host about it.
    pub(super) fn signed(&self, key: &OperatorKey, lease: i64, n: u64) -> Statement {
        let sig = Sig::by(key, &self.message(lease, n));
        Statement { key: key.public(), lease, n, sig, v: VERSION }
    }

    /// The stored statement about it, if its host has signed it, now or earlier. `stored`: the bytes in the store.
    pub(crate) fn judge(&self, stored: Option<&[u8]>, keys: &HostKeys) -> Result<Statement, Doubt> {
        let host = owner(self.key).filter(|host| keys.know(host)).ok_or(Doubt::Unlisted)?;
        self.by(stored.ok_or(Doubt::Unsigned)?, |key| keys.have(host, key))
    }

    /// The statement that is stored about it, if it was signed with one of these keys at some time.
    pub(super) fn by(&self, stored: &[u8], is_one: impl Fn(PublicKey) -> bool) -> Result<Statement, Doubt> {
        let statement = Statement::read(stored).ok_or(Doubt::Invalid)?;
        if !is_one(statement.key) {
            return Err(Doubt::OtherKey);
        }
        match statement.sig.is_by(statement.key, &self.message(statement.lease, statement.n)) {
            true => Ok(statement),
            false => Err(Doubt::Invalid),
        }
    }

    /// What follows the key has a fixed length, so two messages are equal only if their keys are.
    fn message(&self, lease: i64, n: u64) -> Vec<u8> {
        let sum: [u8; 32] = Sha256::digest(self.value).into();
        let (n, lease) = (n.to_be_bytes(), lease.to_be_bytes());
        let names = [PURPOSE, self.cluster, self.key].map(|name| [name.as_bytes(), b"\0"].concat());
        [&names.concat()[..], &n, &lease, &sum].concat()
    }
}

impl Statement {
    /// `None`: it is something else, or of a later version.
    pub(super) fn read(stored: &[u8]) -> Option<Statement> {
        let stored = Some(stored).filter(|stored| stored.len() <= LARGEST)?;
        serde_json::from_slice(stored).ok().filter(|statement: &Statement| statement.v == VERSION)
    }

    /// The stored form.
    pub(super) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

impl Doubt {
    /// Why, and what to do, about a resource or a value of this host; `list` names the file with the keys.
    pub(crate) fn words(self, host: &str, list: &str) -> String {
        let why = self.why(host, list);
        match self.remedy(host) {
            Some(remedy) => format!("{why}; {remedy}"),
            None => why,
        }
    }

    /// What is wrong, a sentence without a full stop.
    pub(super) fn why(self, host: &str, list: &str) -> String {
        match self {
            Doubt::Unlisted => format!("no key of {host} is in {list}"),
            Doubt::Unsigned => "it is not signed".to_owned(),
            Doubt::OtherKey => format!("it is signed with a key that {list} does not list for {host}"),
            Doubt::Invalid => "its signature is invalid: someone else has changed or copied it".to_owned(),
            Doubt::Replayed => {
                format!(
                    "it is an earlier version, which {host} has changed or withdrawn since then: someone else has \
                    written it again, or the store was restored"
                )
            }
        }
    }

    /// What to do about it. `None`: nothing, if the host signs what it writes.
    pub(super) fn remedy(self, host: &str) -> Option<String> {
        match self {
            Doubt::Unlisted => Some("add the line that `mclive key show` prints for its --host-key".to_owned()),
            Doubt::Unsigned => Some(format!("run the agent of {host} with --host-key FILE")),
            Doubt::OtherKey | Doubt::Invalid | Doubt::Replayed => None,
        }
    }
}

/// The bytes of a value. `None`: it is not one of an export, nor a text.
pub(super) fn bytes(value: &Datum) -> Option<&[u8]> {
    match value {
        Datum::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

impl Seen {
    /// Why the signature of an export is invalid, and the remedy. A visit keeps no record of earlier exports, so it
    /// accepts an old one as valid.
    pub(crate) fn doubt(&self, cluster: &str, export: &str, keys: &HostKeys, list: &str) -> Option<String> {
        let doubt = self.judged(cluster, export, keys).err()?;
        Some(doubt.words(exporter(export).unwrap_or_default(), list))
    }

    /// The same for a value. `None`: it has no signature and no host in the list owns it, so it may not belong to any host.
    pub(crate) fn verdict(
        &self,
        cluster: &str,
        value: &str,
        keys: &HostKeys,
        list: &str,
    ) -> Option<Result<(), String>> {
        let is_signed = place(value).is_some_and(|place| self.keys.contains_key(&place));
        match self.judged(cluster, value, keys) {
            Err(Doubt::Unlisted) if !is_signed => None,
            judged => Some(judged.map_err(|doubt| doubt.words(owner(value).unwrap_or_default(), list))),
        }
    }

    fn judged(&self, cluster: &str, key: &str, keys: &HostKeys) -> Result<(), Doubt> {
        let stored = |key: &str| self.keys.get(key).and_then(bytes);
        let entry = Signable { cluster, key, value: stored(key).unwrap_or_default() };
        let statement = place(key).and_then(|place| stored(&place));
        entry.judge(statement, keys).map(drop)
    }
}

/// The keys of statements begin with this and the name of the host that signs.
pub(crate) const STATEMENTS: &str = "host/";

/// The key of the statement about an export or a value of a host. `None`: the key is of something else.
pub(crate) fn place(key: &str) -> Option<String> {
    owner(key).map(|host| format!("{STATEMENTS}{host}/signed/{key}/sig"))
}

/// The key of the export or value that a statement with this key is about. `None`: the key is of something else.
pub(super) fn stated(place: &str) -> Option<&str> {
    let (host, rest) = place.strip_prefix(STATEMENTS)?.split_once("/signed/")?;
    rest.strip_suffix("/sig").filter(|key| owner(key) == Some(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIEmKkXTQZmzt/ysssCibegQ9o0bUDH+nNTgKcODZOjz/\n-----END PRIVATE KEY-----\n";
    const PUBLIC: &str = "mclive-ed25519 wpkdXQp/s9Ec9hE0Qc2u1olwHcEjgIreferUAjrLGy0= h1\n";
    const EXPORTED: Signable<'static> =
        Signable { cluster: "main", key: "exported/*/h1/file//etc/x", value: br#"{"v":1}"# };
    const STORED: &str = "{\"key\":\"wpkdXQp/s9Ec9hE0Qc2u1olwHcEjgIreferUAjrLGy0=\",\"lease\":-2,\"n\":7,\"sig\":\
        \"6upieg/KX5UTaygbKHyu7Df9TvdguKWJL3OZPG3QUI/o1Mkx5vzzuuWVWt13VmItFgeM3tPpXNkhhYiDsQeRDg==\",\"v\":1}";

    fn keys() -> HostKeys {
        HostKeys::parse(PUBLIC).unwrap()
    }

    fn judged(exported: &Signable<'_>, stored: &str) -> Result<u64, Doubt> {
        exported.judge(Some(stored.as_bytes()), &keys()).map(|statement| statement.n)
    }

    /// Hosts of other versions read and sign the same bytes.
    #[test]
    fn a_statement_has_one_form() {
        let hex: String = EXPORTED.message(-2, 7).iter().map(|byte| format!("{byte:02x}")).collect();
        let expect = "6d636c6976652d6578706f72742d7631006d61696e006578706f727465642f2a2f68312f66696c652f2f6574632f7800\
                      0000000000000007fffffffffffffffeafbf9d0f3560b0fd7795e81c42a0a79ee6b6fc67e064f77826aee642cad28d91";
        assert_eq!(hex, expect);
        let statement = EXPORTED.signed(&OperatorKey::read(KEY).unwrap(), -2, 7);
        assert_eq!(String::from_utf8(statement.bytes()).unwrap(), STORED);
        assert_eq!(EXPORTED.judge(Some(STORED.as_bytes()), &keys()), Ok(statement));
    }

    #[test]
    fn a_statement_is_of_one_resource_and_value_in_one_cluster() {
        for other in [
            Signable { cluster: "test", ..EXPORTED },
            Signable { key: "exported/h2/h1/file//etc/x", ..EXPORTED },
            Signable { key: "exported/*/h1/file//etc/y", ..EXPORTED },
            Signable { key: "exported/*/h1/user//etc/x", ..EXPORTED },
            Signable { value: b"{}", ..EXPORTED },
        ] {
            assert_eq!(judged(&other, STORED), Err(Doubt::Invalid), "{} {}", other.cluster, other.key);
        }
        for (from, to) in [("-2", "-3"), ("\"n\":7", "\"n\":8"), ("6upi", "6upj"), ("\"v\":1", "\"v\":2"), ("{", "")] {
            assert_eq!(judged(&EXPORTED, &STORED.replacen(from, to, 1)), Err(Doubt::Invalid), "{to}");
        }
        assert_eq!(judged(&EXPORTED, &format!("{STORED}{}", " ".repeat(LARGEST))), Err(Doubt::Invalid));
    }

    #[test]
    fn a_statement_counts_with_a_key_of_its_host() {
        assert_eq!(EXPORTED.judge(None, &keys()), Err(Doubt::Unsigned));
        let of_h2 = Signable { key: "exported/*/h2/file//etc/x", ..EXPORTED };
        assert_eq!(judged(&of_h2, STORED), Err(Doubt::Unlisted));
        let other = OperatorKey::generate("h2").unwrap().0;
        let by_h2 = String::from_utf8(EXPORTED.signed(&other, 1, 1).bytes()).unwrap();
        assert_eq!(judged(&EXPORTED, &by_h2), Err(Doubt::OtherKey));
        // A host with a key cannot sign in another's name.
        let both = HostKeys::parse(&format!("{PUBLIC}{}\n", other.line())).unwrap();
        assert_eq!(EXPORTED.judge(Some(by_h2.as_bytes()), &both), Err(Doubt::OtherKey));
        assert_eq!(of_h2.judge(Some(STORED.as_bytes()), &both), Err(Doubt::OtherKey));
    }

    #[test]
    fn a_value_has_a_verdict_if_it_is_signed_or_of_a_listed_host() {
        let signer = OperatorKey::read(KEY).unwrap();
        let value = |key: &'static str| Signable { key, value: b"a", ..EXPORTED };
        let all = ["strings/rack/h1", "strings/floor/h1", "strings/rack/h2", "strings/rack/x", "strings/plain"];
        let signed = ["strings/rack/h1", "strings/rack/h2"].map(|key| {
            let statement = value(key).signed(&signer, 0, 1).bytes();
            (place(key).unwrap(), Datum::Bytes(statement))
        });
        let stored = all.map(|key| (key.to_owned(), Datum::text("a"))).into_iter().chain(signed).collect();
        let seen = Seen { endpoint: String::new(), cluster: String::new(), revision: 0, keys: stored };
        let verdict = |value: &str| seen.verdict("main", value, &keys(), "hosts");
        let why = |value: &str| verdict(value).unwrap().unwrap_err();
        assert_eq!(verdict(all[0]), Some(Ok(())));
        assert!(why(all[1]).starts_with("it is not signed; run the agent of h1 "), "{}", why(all[1]));
        assert!(why(all[2]).starts_with("no key of h2 is in hosts; "), "{}", why(all[2]));
        assert_eq!([verdict(all[3]), verdict(all[4])], [None, None]);
    }

    #[test]
    fn a_statement_stands_below_its_host() {
        let place = place(EXPORTED.key).unwrap();
        assert_eq!(place, "host/h1/signed/exported/*/h1/file//etc/x/sig");
        assert_eq!(stated(&place), Some(EXPORTED.key));
        let of_value = super::place("strings/rack/h1").unwrap();
        assert_eq!(
            (of_value.as_str(), stated(&of_value)),
            ("host/h1/signed/strings/rack/h1/sig", Some("strings/rack/h1"))
        );
        assert_eq!(super::place("strings/h1"), None);
        for other in ["host/h1/live", EXPORTED.key, "host/h2/signed/exported/*/h1/file/x/sig", "host/h1/signed/x/sig"] {
            assert_eq!(stated(other), None, "{other}");
        }
    }
}
