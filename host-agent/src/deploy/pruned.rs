//! Which deploys stay in the store, and [`Pruned`]: where the chain begins after older ones were removed, in
//! `deploy/pruned`. It is JSON, the fields sorted by name:
//!
//! ```json
//! {"before":81,"v":1}
//! ```
//!
//! Every removal changes this key, so that a deploy that is created at the same time notices it.

use super::Record;
use super::record::parse;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The key of the mark.
pub(crate) const PRUNED: &str = "deploy/pruned";
/// The largest stored mark. Units: bytes.
const LARGEST: usize = 1 << 10;
/// The version of this form.
const FORM: u64 = 1;

/// The beginning of the chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pruned {
    /// Deploys with smaller numbers may be missing.
    pub(crate) before: u64,
    v: u64,
}

impl Pruned {
    pub(crate) fn new(before: u64) -> Pruned {
        Pruned { before, v: FORM }
    }

    /// The stored bytes.
    pub(crate) fn bytes(self) -> Vec<u8> {
        serde_json::to_vec(&self).expect("plain data")
    }

    /// Parses stored bytes. Errors: what is wrong, for a sentence.
    pub(crate) fn read(bytes: &[u8]) -> Result<Pruned, String> {
        parse(bytes, LARGEST, FORM)
    }
}

/// The deploys that stay: the newest `n`, the newest one for each host, whatever its name, and those that hosts apply.
pub(crate) fn kept(all: &BTreeMap<u64, Record>, head: u64, n: usize, applied: &BTreeSet<u64>) -> BTreeSet<u64> {
    let mut kept: BTreeSet<u64> = all.keys().rev().take(n).copied().collect();
    kept.extend(all.range(head..).map(|(id, _)| *id));
    kept.extend(applied.iter().filter(|id| all.contains_key(id)));
    // A host's newest deploy names a target that the host matches, and no newer one names that target.
    let mut named = BTreeSet::new();
    for (id, record) in all.range(..=head).rev() {
        match &record.targets {
            Some(targets) if !targets.are_all() => {
                for target in targets.each() {
                    if named.insert(target) {
                        kept.insert(*id);
                    }
                }
            }
            Some(_) | None => {
                kept.insert(*id);
                break;
            }
        }
    }
    kept
}

/// Where the chain of these deploys begins: back from the newest one nothing is missing.
pub(crate) fn beginning(kept: &BTreeSet<u64>, head: u64) -> u64 {
    let mut first = head;
    while first > 1 && kept.contains(&(first - 1)) {
        first -= 1;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::super::Targets;
    use super::*;

    fn all(targets: &[&[&str]]) -> BTreeMap<u64, Record> {
        let record = |(n, texts): (usize, &&[&str])| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            let targets = if texts.is_empty() { None } else { Targets::new(&texts).ok() };
            let id = n as u64 + 1;
            (id, Record { id, ..Record::after(None, "/main.mcl".into(), Vec::new()).unwrap() }.targeted(targets))
        };
        targets.iter().enumerate().map(record).collect()
    }

    #[test]
    fn the_newest_stay_and_what_a_host_may_still_need() {
        let same: [&[&str]; 6] = [&[]; 6];
        let some: [&[&str]; 7] = [&[], &["db1"], &[], &["web1", "web2"], &["db*"], &["web1"], &["web1"]];
        let any: [&[&str]; 4] = [&[], &["web1"], &["*"], &["db1"]];
        for (targets, n, applied, stay) in [
            (&same[..], 2, &[][..], &[5, 6][..]),
            (&same, 1, &[2, 9], &[2, 6]),
            (&same, 20, &[], &[1, 2, 3, 4, 5, 6]),
            // 3 is the newest for all others, 4 for web2, 5 for db*, 7 for web1.
            (&some, 1, &[], &[3, 4, 5, 7]),
            (&any, 1, &[], &[3, 4]),
        ] {
            let (all, head) = (all(targets), targets.len() as u64);
            let found = kept(&all, head, n, &applied.iter().copied().collect());
            assert_eq!(found, stay.iter().copied().collect(), "{targets:?}");
            // Whatever its name, a host finds the same newest deploy as before.
            for host in ["web1", "web2", "db1", "db2", "mail1"] {
                let newest = |of: &mut dyn DoubleEndedIterator<Item = (&u64, &Record)>| {
                    of.rev().find(|(_, record)| record.is_for(host)).map(|(id, _)| *id)
                };
                let (before, after) =
                    (newest(&mut all.iter()), newest(&mut all.iter().filter(|(id, _)| found.contains(id))));
                assert_eq!(before, after, "{host}: {targets:?}");
            }
        }
    }

    #[test]
    fn the_chain_begins_after_the_last_gap() {
        let begins = |kept: &[u64], head: u64| beginning(&kept.iter().copied().collect(), head);
        assert_eq!(begins(&[1, 2, 3], 3), 1);
        assert_eq!(begins(&[2, 4, 5], 5), 4);
        assert_eq!(begins(&[2, 7], 7), 7);
    }

    #[test]
    fn a_mark_comes_back_from_its_bytes() {
        assert_eq!(Pruned::new(81).bytes(), br#"{"before":81,"v":1}"#);
        assert_eq!(Pruned::read(&Pruned::new(81).bytes()), Ok(Pruned::new(81)));
        for wrong in ["", "{}", r#"{"before":81,"v":2}"#, r#"{"before":-1,"v":1}"#, r#"{"before":1,"more":1,"v":1}"#] {
            assert!(Pruned::read(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
