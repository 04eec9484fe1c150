//! [`Operators`]: the public keys whose deploys and lists of voters count. Hosts keep them in a file, never in the store:
//!
//! ```text
//! # who may deploy
//! mclive-ed25519 KEY alice@desk
//! ```

use super::{PublicKey, Record, Signature, Signed};
use std::collections::BTreeMap;

#[derive(Debug)]
pub(crate) struct Operators {
    /// The names of the keys.
    names: BTreeMap<PublicKey, String>,
}

impl Operators {
    /// Errors: what is wrong with the text, for a sentence.
    pub(crate) fn parse(text: &str) -> Result<Operators, String> {
        let mut names = BTreeMap::new();
        for (key, name) in PublicKey::of_operators(text)? {
            names.entry(key).or_insert(name);
        }
        Ok(Operators { names })
    }

    /// The name of a key, empty if it has none. `None`: it is not one of these.
    pub(crate) fn name(&self, key: PublicKey) -> Option<&str> {
        self.names.get(&key).map(String::as_str)
    }

    /// Whether a record is signed for this cluster with one of these keys. Errors: why it does not count, a sentence
    /// without a full stop.
    pub(crate) fn judge(&self, record: &Record, cluster: &str) -> Result<(), String> {
        let id = record.id;
        match Signature::check(record, cluster) {
            Signed::Nobody => Err(format!("deploy {id} is not signed")),
            Signed::Wrongly(key) => {
                Err(format!("deploy {id} has an invalid signature of the key {} for `{cluster}`", key.id()))
            }
            Signed::By(key) if self.names.contains_key(&key) => Ok(()),
            Signed::By(key) => Err(format!("deploy {id} is signed with an unknown key, {}", key.id())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::OperatorKey;
    use super::*;

    #[test]
    fn a_deploy_counts_if_one_of_the_operators_has_signed_it() {
        let [alice, bob, eve] = ["alice", "bob", "eve"].map(|name| OperatorKey::generate(name).unwrap().0);
        let text = format!("# who may deploy\n\n  {}\r\n{}\n", alice.line(), bob.public().line(""));
        let operators = Operators::parse(&text).unwrap();
        assert_eq!(operators.name(alice.public()), Some("alice"));
        assert_eq!((operators.name(bob.public()), operators.name(eve.public())), (Some(""), None));
        let record = Record::after(None, "/main.mcl".into(), Vec::new()).unwrap();
        let judged = |record: &Record| operators.judge(record, "main");
        assert_eq!(judged(&record.signed("main", &bob)), Ok(()));
        assert_eq!(judged(&record), Err("deploy 1 is not signed".into()));
        let eves = Err(format!("deploy 1 is signed with an unknown key, {}", eve.public().id()));
        assert_eq!(judged(&record.signed("main", &eve)), eves);
        let elsewhere = judged(&record.signed("test", &alice)).unwrap_err();
        assert!(elsewhere.starts_with("deploy 1 has an invalid signature of the key "), "{elsewhere}");
    }

    #[test]
    fn a_broken_list_is_refused_with_its_line() {
        let wrong = |text: &str| Operators::parse(text).unwrap_err();
        assert!(wrong("# nobody\n\n").contains("no public key"));
        let (key, secret) = OperatorKey::generate("alice").unwrap();
        assert!(wrong(&format!("{}\nssh-ed25519 AAAA alice\n", key.line())).starts_with("line 2: expected "));
        // A private key given by mistake is not printed.
        let said = wrong(&secret);
        assert!(said.starts_with("line 2: expected ") && !said.contains("BEGIN"), "{said}");
    }
}
