//! [`Signature`]: an operator's signature (ed25519) of a record.
//!
//! ```text
//! "mclive-deploy-v1" 0 CLUSTER 0 RECORD      RECORD: its stored bytes, without the field `signature`
//! ```
//!
//! The name of the cluster is signed as well, so that a record is not valid in another cluster.

use super::{OperatorKey, PublicKey, Record, Sig};
use serde::{Deserialize, Serialize};

/// What is signed: never the same bytes as in a signature for another purpose.
const PURPOSE: &str = "mclive-deploy-v1";

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Signature {
    pub(crate) key: PublicKey,
    sig: Sig,
}

/// Who signed a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Signed {
    Nobody,
    /// The unknown owner of this key.
    By(PublicKey),
    /// The signature is not one of this record in this cluster by this key.
    Wrongly(PublicKey),
}

impl Signature {
    /// Signs the bytes of a record that has no signature.
    pub(super) fn of(record: &[u8], cluster: &str, key: &OperatorKey) -> Signature {
        Signature { key: key.public(), sig: Sig::by(key, &message(record, cluster)) }
    }

    /// Who signed a record for this cluster.
    pub(crate) fn check(record: &Record, cluster: &str) -> Signed {
        let Some(Signature { key, sig }) = &record.signature else { return Signed::Nobody };
        let bare = Record { signature: None, ..record.clone() };
        let message = message(&bare.bytes(), cluster);
        if sig.is_by(*key, &message) { Signed::By(*key) } else { Signed::Wrongly(*key) }
    }

    /// The signature itself, as text.
    pub(crate) fn text(&self) -> String {
        self.sig.to_string()
    }
}

fn message(record: &[u8], cluster: &str) -> Vec<u8> {
    [PURPOSE.as_bytes(), b"\0", cluster.as_bytes(), b"\0", record].concat()
}

#[cfg(test)]
mod tests {
    use super::super::{Filed, Sum, Targets};
    use super::*;

    fn key() -> OperatorKey {
        OperatorKey::generate("alice@desk").unwrap().0
    }

    fn signed(key: &OperatorKey) -> Record {
        let file = |path: &str| Filed { path: path.into(), sha256: Sum::of(path.as_bytes()), size: 1 };
        let first = Record::after(None, "/a.mcl".into(), vec![file("/a.mcl")]).unwrap();
        let next = Record::after(Some(&first), "/a.mcl".into(), vec![file("/a.mcl"), file("/b")]).unwrap();
        let (at, commit, note) = (7, Some("0123abc".to_owned()), "näht".to_owned());
        Record { at, by: "alice@desk".into(), commit, note, ..next }.signed("main", key)
    }

    #[test]
    fn a_signature_is_of_one_record_in_one_cluster_by_one_key() {
        let (key, other) = (key(), key());
        let record = signed(&key);
        assert_eq!(Record::read(&record.bytes()), Ok(record.clone()));
        assert_eq!(Signature::check(&record, "main"), Signed::By(key.public()));
        assert_eq!(Signature::check(&record, "test"), Signed::Wrongly(key.public()));
        assert_eq!(Signature::check(&record, ""), Signed::Wrongly(key.public()));
        let sig = record.signature.clone().unwrap().sig;
        let foreign = Signature { key: other.public(), sig };
        let foreign = Record { signature: Some(foreign), ..record.clone() };
        assert_eq!(Signature::check(&foreign, "main"), Signed::Wrongly(other.public()));
        // Signed again it counts: the first signature is not part of what is signed.
        let again = record.signed("main", &other);
        assert_eq!(Signature::check(&again, "main"), Signed::By(other.public()));
    }

    #[test]
    fn no_part_of_a_signed_record_can_be_changed() {
        let key = key();
        let web1 = Targets::new(&["web1".to_owned()]).ok();
        for record in [signed(&key), signed(&key).targeted(web1).signed("main", &key)] {
            unchangeable(&record, &key);
        }
    }

    fn unchangeable(record: &Record, key: &OperatorKey) {
        let text = String::from_utf8(record.bytes()).unwrap();
        let mut n_readable = 0;
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let Ok(changed) = Record::read(&bytes) else { continue };
                n_readable += 1;
                let checked = Signature::check(&changed, "main");
                assert!(matches!(checked, Signed::Wrongly(_)), "{at}, {bit}: {checked:?}");
            }
        }
        assert!(n_readable > 500, "{n_readable}");
        let changes: [fn(&mut Record); 9] = [
            |record| record.at += 1,
            |record| record.by.push('x'),
            |record| record.commit = None,
            |record| record.entry = "/b".into(),
            |record| drop(record.files.pop()),
            |record| record.id += 1,
            |record| record.note.clear(),
            |record| record.previous = None,
            |record| record.targets = Targets::new(&["web2".to_owned()]).ok(),
        ];
        for (n, change) in changes.iter().enumerate() {
            let mut changed = record.clone();
            change(&mut changed);
            assert_eq!(Signature::check(&changed, "main"), Signed::Wrongly(key.public()), "{n}");
        }
    }

    #[test]
    fn a_signature_cannot_be_stripped_unnoticed() {
        let record = signed(&key());
        let bare = Record { signature: None, ..record.clone() };
        let stripped = "invalid: its format requires a signature, but it has none";
        assert_eq!(Record::read(&bare.bytes()).unwrap_err(), stripped);
        let text = String::from_utf8(record.bytes()).unwrap();
        let old = text.replace("\"v\":2", "\"v\":1");
        let hidden = "invalid: its format does not support a signature, but it has one";
        assert_eq!(Record::read(old.as_bytes()).unwrap_err(), hidden);
        let unsigned = String::from_utf8(bare.bytes()).unwrap().replace("\"v\":2", "\"v\":1");
        let unsigned = Record::read(unsigned.as_bytes()).unwrap();
        assert_eq!(Signature::check(&unsigned, "main"), Signed::Nobody);
    }
}
