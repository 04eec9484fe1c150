//! [`Signers`]: what `mclive world deploys` says about the signature of a deploy.

use crate::deploy::{Operators, Record, Signature, Signed};
use serde_json::{Value, json};

pub(super) struct Signers {
    pub(super) cluster: String,
    /// The keys that are known.
    pub(super) operators: Option<Operators>,
}

impl Signers {
    /// For the end of a line: empty, or after a comma. Only a known key makes a signature valid.
    pub(super) fn words(&self, record: &Record) -> String {
        match (Signature::check(record, &self.cluster), &self.operators) {
            (Signed::Nobody, None) => String::new(),
            (Signed::Nobody, Some(_)) => ", not signed".to_owned(),
            (Signed::Wrongly(key), _) => format!(", invalid signature of the key {}", key.id()),
            (Signed::By(key), None) => format!(", signed by {}", key.id()),
            (Signed::By(key), Some(operators)) => match operators.name(key) {
                Some(name) => format!(", valid signature of {}", key.words(name)),
                None => format!(", signed by {}, an unknown key", key.id()),
            },
        }
    }

    pub(super) fn json(&self, record: &Record) -> Value {
        let (key, is_valid) = match Signature::check(record, &self.cluster) {
            Signed::Nobody => return Value::Null,
            Signed::By(key) => (key, self.name(key).map(|_| true)),
            Signed::Wrongly(key) => (key, Some(false)),
        };
        json!({ "id": key.id(), "key": key, "operator": self.name(key), "valid": is_valid })
    }

    fn name(&self, key: crate::deploy::PublicKey) -> Option<&str> {
        self.operators.as_ref().and_then(|operators| operators.name(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deploy::OperatorKey;

    #[test]
    fn only_the_signature_of_a_known_key_is_called_valid() {
        let [alice, eve] = ["alice", "eve"].map(|name| OperatorKey::generate(name).unwrap().0);
        let record = Record::after(None, "/main.mcl".into(), Vec::new()).unwrap();
        let (by_alice, by_eve) = (record.signed("main", &alice), record.signed("main", &eve));
        let elsewhere = record.signed("test", &alice);
        let (of_alice, of_eve) = (alice.public().id(), eve.public().id());
        let nobody = Signers { cluster: "main".into(), operators: None };
        let said = |signers: &Signers| [&record, &by_alice, &by_eve, &elsewhere].map(|record| signers.words(record));
        let wrong = format!(", invalid signature of the key {of_alice}");
        let signed = [&of_alice, &of_eve].map(|id| format!(", signed by {id}"));
        assert_eq!(said(&nobody), [String::new(), signed[0].clone(), signed[1].clone(), wrong.clone()]);
        let operators = Operators::parse(&alice.line()).ok();
        let known = Signers { cluster: "main".into(), operators };
        let valid = format!(", valid signature of alice ({of_alice})");
        assert_eq!(said(&known), [", not signed".into(), valid, format!("{}, an unknown key", signed[1]), wrong]);
        let valid = |signers: &Signers, record: &Record| signers.json(record)["valid"].clone();
        assert_eq!(known.json(&record), Value::Null);
        assert_eq!(valid(&known, &by_alice), true);
        assert_eq!(valid(&known, &elsewhere), false);
        assert_eq!([valid(&known, &by_eve), valid(&nobody, &by_alice)], [Value::Null, Value::Null]);
    }
}
