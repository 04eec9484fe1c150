//! [`Ballot`]: a host's vote in a pool, and what the host says about it ([`Signed`]), signed with its key (ed25519). The
//! statement has a separate key, below a prefix that only this host may write, so hosts that do not know signed votes
//! count them as before. Both are written and removed in the same transaction, under the same lease.
//!
//! ```text
//! host/HOST/signed/pool/POOL/vote/HOST/sig = {"key":"...","lease":7,"list":3,"sig":"...","v":1}
//! signed: "mclive-vote-v1" 0 CLUSTER 0 pool/POOL/vote/HOST 0 LIST LEASE SHA256(VALUE)   numbers: 8 bytes, big-endian
//! ```
//!
//! `list` is the number of the list of voters that the host knew; 0: none. This is how an earlier list is recognised
//! ([`Electorate`](super::electorate::Electorate)). Whether a vote counts follows from the store alone, and never from
//! what a host has seen before: all hosts must count the same votes.

use super::own::POOLS;
use super::statement::{Doubt, STATEMENTS};
use super::voters::Voters;
use crate::deploy::{OperatorKey, PublicKey, Sig};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What is signed: never the same bytes as in a signature for another purpose.
const PURPOSE: &str = "mclive-vote-v1";
/// The largest statement. Units: bytes.
const LARGEST: usize = 1024;
const VERSION: u8 = 1;

/// A vote in the store.
pub(super) struct Ballot<'a> {
    pub(super) cluster: &'a str,
    pub(super) key: &'a str,
    pub(super) value: &'a [u8],
    /// The lease that it is under; 0: none.
    pub(super) lease: i64,
}

/// The statement of a host about its vote.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Signed {
    key: PublicKey,
    lease: i64,
    /// The number of the list of voters.
    pub(super) list: u64,
    sig: Sig,
    v: u8,
}

impl Ballot<'_> {
    /// The statement of its host about it.
    pub(super) fn signed(&self, key: &OperatorKey, list: u64) -> Signed {
        let sig = Sig::by(key, &self.message(list, self.lease));
        Signed { key: key.public(), lease: self.lease, list, sig, v: VERSION }
    }

    /// The stored statement about it, if its host has made it with a key in the list. `stored`: the bytes in the store.
    pub(super) fn judge(&self, stored: Option<&[u8]>, voters: &Voters) -> Result<Signed, Doubt> {
        self.judge_with(stored, voters, |signed| self.verify(signed))
    }

    /// The same. `verify`: what [`Ballot::verify`] returns for the statement; only asked about one with a key in the list.
    pub(super) fn judge_with(
        &self,
        stored: Option<&[u8]>,
        voters: &Voters,
        verify: impl FnOnce(&Signed) -> Result<(), Doubt>,
    ) -> Result<Signed, Doubt> {
        let host = voter(self.key).filter(|host| voters.know(host)).ok_or(Doubt::Unlisted)?;
        let signed = Signed::read(stored.ok_or(Doubt::Unsigned)?).ok_or(Doubt::Invalid)?;
        if !voters.have(host, signed.key) {
            return Err(Doubt::OtherKey);
        }
        verify(&signed).map(|()| signed)
    }

    /// The stored statement about it, if it was made with one of these keys.
    pub(super) fn by(&self, stored: &[u8], is_one: impl Fn(PublicKey) -> bool) -> Result<Signed, Doubt> {
        let signed = Signed::read(stored).ok_or(Doubt::Invalid)?;
        if !is_one(signed.key) {
            return Err(Doubt::OtherKey);
        }
        self.verify(&signed).map(|()| signed)
    }

    /// Whether a statement was made about this vote with the key that it names.
    pub(super) fn verify(&self, signed: &Signed) -> Result<(), Doubt> {
        match signed.sig.is_by(signed.key, &self.message(signed.list, signed.lease)) {
            true if signed.lease == self.lease => Ok(()),
            // It was copied from an earlier time.
            true => Err(Doubt::Replayed),
            false => Err(Doubt::Invalid),
        }
    }

    /// What follows the key has a fixed length, so two messages are equal only if their keys are.
    fn message(&self, list: u64, lease: i64) -> Vec<u8> {
        let sum: [u8; 32] = Sha256::digest(self.value).into();
        let (list, lease) = (list.to_be_bytes(), lease.to_be_bytes());
        let names = [PURPOSE, self.cluster, self.key].map(|name| [name.as_bytes(), b"\0"].concat());
        [&names.concat()[..], &list, &lease, &sum].concat()
    }
}

impl Signed {
    /// `None`: it is something else, or of a later version.
    fn read(stored: &[u8]) -> Option<Signed> {
        let stored = Some(stored).filter(|stored| stored.len() <= LARGEST)?;
        serde_json::from_slice(stored).ok().filter(|signed: &Signed| signed.v == VERSION)
    }

    /// The stored form.
    pub(super) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// The number of the list of voters that a statement names, without verifying it. `stored`: the bytes in the store.
pub(super) fn list_named(stored: &[u8]) -> Option<u64> {
    Signed::read(stored).map(|signed| signed.list)
}

/// The number of the list of voters that a vote names, if it was signed with a key in this list for the lease that the
/// statement names. `stored`: the statement.
pub(super) fn named_list(cluster: &str, vote: (&str, &[u8]), stored: &[u8], voters: &Voters) -> Option<u64> {
    let (key, value) = vote;
    let lease = Signed::read(stored)?.lease;
    Ballot { cluster, key, value, lease }.judge(Some(stored), voters).ok().map(|signed| signed.list)
}

/// The host of a vote, as elections read it: its name may be empty, and no list of voters has such a host. `None`: it is
/// another key.
pub(super) fn voter(key: &str) -> Option<&str> {
    let (pool, host) = key.strip_prefix(POOLS)?.split_once("/vote/")?;
    (!pool.contains('/')).then_some(host)
}

/// The key of the statement about a vote. `None`: the key is of something else.
pub(super) fn vote_place(vote: &str) -> Option<String> {
    voter(vote).map(|host| format!("{STATEMENTS}{host}/signed/{vote}/sig"))
}

/// The key of the vote that a statement with this key is about. `None`: the key is of something else.
pub(super) fn voted(place: &str) -> Option<&str> {
    let (host, rest) = place.strip_prefix(STATEMENTS)?.split_once("/signed/")?;
    rest.strip_suffix("/sig").filter(|key| voter(key) == Some(host))
}

/// The prefix of the pool that a key is of, or whose vote it is about. `None`: it is another key.
pub(super) fn place_of(key: &str) -> Option<String> {
    let (pool, _) = voted(key).unwrap_or(key).strip_prefix(POOLS)?.split_once('/')?;
    Some(format!("{POOLS}{pool}/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "pool/web/vote/h1";
    const VOTE: Ballot<'static> = Ballot { cluster: "main", key: KEY, value: b"arrived=1&max=1", lease: 7 };

    fn key(host: &str) -> OperatorKey {
        OperatorKey::generate(host).unwrap().0
    }

    fn voters(lines: &[String]) -> Voters {
        Voters::of_text(&lines.join("\n"), 3, "main", &key("alice")).unwrap()
    }

    /// Hosts of other versions read and sign the same bytes.
    #[test]
    fn a_statement_has_one_form() {
        let sum: [u8; 32] = Sha256::digest(VOTE.value).into();
        let expect =
            [&b"mclive-vote-v1\0main\0pool/web/vote/h1\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x07"[..], &sum].concat();
        assert_eq!(VOTE.message(3, 7), expect);
        let signed = VOTE.signed(&key("h1"), 3);
        assert_eq!(Signed::read(&signed.bytes()), Some(signed.clone()));
        let text = String::from_utf8(signed.bytes()).unwrap();
        let rest = format!(r#"{{"key":"{}","lease":7,"list":3,"sig":"{}","v":1}}"#, signed.key, signed.sig);
        assert_eq!(text, rest);
    }

    #[test]
    fn a_vote_counts_with_a_key_that_the_list_has_for_its_host() {
        let [one, two] = [key("h1"), key("h2")];
        let list = voters(&[one.line(), two.line()]);
        let judged = |vote: &Ballot<'_>, stored: Option<Vec<u8>>, list: &Voters| {
            vote.judge(stored.as_deref(), list).map(|signed| signed.list)
        };
        let by_one = || Some(VOTE.signed(&one, 3).bytes());
        assert_eq!(judged(&VOTE, by_one(), &list), Ok(3));
        assert_eq!(judged(&VOTE, None, &list), Err(Doubt::Unsigned));
        assert_eq!(judged(&VOTE, by_one(), &voters(&[two.line()])), Err(Doubt::Unlisted));
        // A host with a key cannot vote in another's name.
        assert_eq!(judged(&VOTE, Some(VOTE.signed(&two, 3).bytes()), &list), Err(Doubt::OtherKey));
        for (other, doubt) in [
            (Ballot { lease: 8, ..VOTE }, Doubt::Replayed),
            (Ballot { value: b"arrived=0&max=1", ..VOTE }, Doubt::Invalid),
            (Ballot { key: "pool/db/vote/h1", ..VOTE }, Doubt::Invalid),
            (Ballot { key: "pool/web/vote/h2", ..VOTE }, Doubt::OtherKey),
            (Ballot { cluster: "test", ..VOTE }, Doubt::Invalid),
        ] {
            assert_eq!(judged(&other, by_one(), &list), Err(doubt), "{} {}", other.cluster, other.key);
        }
        let text = String::from_utf8(VOTE.signed(&one, 3).bytes()).unwrap();
        for (from, to) in [("\"list\":3", "\"list\":4"), ("\"v\":1", "\"v\":2"), ("{", "")] {
            let spoilt = text.replacen(from, to, 1).into_bytes();
            assert_eq!(judged(&VOTE, Some(spoilt), &list), Err(Doubt::Invalid), "{to}");
        }
    }

    #[test]
    fn a_statement_stands_below_its_host() {
        let place = vote_place(KEY).unwrap();
        assert_eq!(place, "host/h1/signed/pool/web/vote/h1/sig");
        assert_eq!(voted(&place), Some(KEY));
        for key in [place.as_str(), KEY, "pool/web/chosen"] {
            assert_eq!(place_of(key).as_deref(), Some("pool/web/"), "{key}");
        }
        for other in ["pool/web/chosen", "pool/a/b/vote/h1", "pool/web/vote", "strings/vote/h1"] {
            assert_eq!((voter(other), vote_place(other)), (None, None), "{other}");
        }
        assert_eq!((voter("pool/web/vote/"), voter("pool/web/vote/a/b")), (Some(""), Some("a/b")));
        for other in ["host/h2/signed/pool/web/vote/h1/sig", "host/h1/signed/strings/rack/h1/sig", KEY] {
            assert_eq!(voted(other), None, "{other}");
        }
    }
}
