//! Deploys: which one is the newest, the chain of their records, the contents of their files, and who has signed them.

use super::super::deploys::numbered_so;
use super::super::gateway::{HEAD, Whole};
use super::{Checkup, Expected, Fix};
use crate::deploy::key as key_of;
use crate::deploy::{Filed, Head, LOCK, Lock, PRUNED, Piece, Pruned, Record, Signature, Signed, Sum, beginning, kept};
use std::collections::{BTreeMap, BTreeSet};

/// What to do about a record that is not what it was.
const RESTORE: &str = "restore it from a dump with `mclive world load --overwrite FILE`";
/// What to do without a dump.
const OTHERWISE: &str = "without one, hosts with an earlier deploy refuse the later ones until `mclive world prune --keep 1` has \
                         removed those before it";

/// The records of deploys.
struct Records {
    /// By number.
    all: BTreeMap<u64, Record>,
    /// The numbers of those that cannot be read.
    broken: BTreeSet<u64>,
    /// The number of the newest one.
    head: Option<u64>,
    /// Where the chain begins.
    begins: u64,
}

pub(super) fn check(whole: &Whole, expected: &Expected<'_>, checkup: &mut Checkup) {
    let records = Records::of(whole, checkup);
    checkup.n_deploys = records.all.len();
    records.follow(checkup);
    records.verify(expected, checkup);
    records.look_at_contents(whole, checkup);
    if let Some(Err(why)) = whole.value(LOCK).map(Lock::read) {
        checkup.add(LOCK, why, "remove it with `mclive deploy --unlock`; until then, no deploy is possible", None);
    }
}

impl Records {
    fn of(whole: &Whole, checkup: &mut Checkup) -> Records {
        let (mut all, mut broken) = (BTreeMap::new(), BTreeSet::new());
        for (key, stored) in whole.below("deploy/").filter(|(key, _)| ![HEAD, LOCK, PRUNED].contains(key)) {
            let id = key.strip_prefix("deploy/").and_then(|id| id.parse::<u64>().ok());
            let Some(id) = id.filter(|id| key_of(*id) == key) else {
                checkup.add(key, "it is not the key of a deploy", "remove it", Some(Fix::Remove));
                continue;
            };
            match Record::read(&stored.value).and_then(|record| numbered_so(record, id)) {
                Ok(record) => drop(all.insert(id, record)),
                Err(why) => {
                    broken.insert(id);
                    let remedy = format!("use a newer version of mclive, or {RESTORE}; if there is none, remove it");
                    checkup.add(key, format!("the record of deploy {id} is {why}"), remedy, Some(Fix::Remove));
                }
            }
        }
        let mut records = Records { all, broken, head: None, begins: 1 };
        records.head = records.find_head(whole, checkup);
        records.begins = records.find_beginning(whole, checkup);
        records
    }

    /// The number of the newest deploy, or of the one that can be the newest one.
    fn find_head(&self, whole: &Whole, checkup: &mut Checkup) -> Option<u64> {
        let newest = self.all.last_key_value().map(|(_, record)| record);
        let id = newest.map(|newest| newest.id);
        let fix = newest.map_or(Fix::Remove, |newest| Fix::Set(text(Head::of(newest).bytes())));
        let or = match id {
            Some(id) => format!("{RESTORE}, or make deploy {id} the newest one"),
            None => format!("{RESTORE}, or remove it"),
        };
        match whole.value(HEAD).map(Head::read) {
            None => {
                if id.is_some() {
                    checkup.add(HEAD, "it is missing, although there are deploys", or, Some(fix));
                }
                id
            }
            Some(Err(why)) => {
                checkup.add(HEAD, format!("it is {why}"), or, Some(fix));
                id
            }
            Some(Ok(head)) => {
                match self.all.get(&head.id) {
                    Some(record) if record.sum() == head.sha256 => {}
                    Some(record) => {
                        let what = format!(
                            "deploy {} does not match the SHA-256 in this key: one of them was changed",
                            head.id
                        );
                        let remedy =
                            format!("{RESTORE}, or, if deploy {} is the right one, set this key to it", head.id);
                        checkup.add(HEAD, what, remedy, Some(Fix::Set(text(Head::of(record).bytes()))));
                    }
                    // That was told.
                    None if self.broken.contains(&head.id) => {}
                    None => {
                        let what = format!("it names deploy {}, which does not exist", head.id);
                        checkup.add(HEAD, what, or, Some(fix));
                    }
                }
                Some(head.id)
            }
        }
    }

    fn find_beginning(&self, whole: &Whole, checkup: &mut Checkup) -> u64 {
        match whole.value(PRUNED).map(Pruned::read) {
            None => 1,
            Some(Ok(pruned)) if self.head.is_none_or(|head| pruned.before <= head) => pruned.before,
            Some(read) => {
                let what = match read {
                    Ok(pruned) => {
                        format!("it names deploy {} as the first one, which is after the newest one", pruned.before)
                    }
                    Err(why) => format!("it is {why}"),
                };
                let ids: BTreeSet<u64> = self.all.keys().copied().collect();
                let begins = beginning(&ids, self.head.unwrap_or(1));
                let fix = Fix::Set(text(Pruned::new(begins).bytes()));
                checkup.add(PRUNED, what, "set it to the first deploy of the chain", Some(fix));
                begins
            }
        }
    }

    /// Each record names the sum of the one before.
    fn follow(&self, checkup: &mut Checkup) {
        for (id, record) in &self.all {
            let key = key_of(*id);
            if self.head.is_none_or(|head| *id > head) {
                let what =
                    format!("it is newer than {HEAD}, so no host applies it, and it may conflict with the next deploy");
                checkup.add(&key, what, "remove it", Some(Fix::Remove));
            }
            let before = id - 1;
            match self.all.get(&before) {
                Some(earlier) if record.previous != Some(earlier.sum()) => {
                    let what = format!("it does not follow deploy {before}: one of the two was changed");
                    checkup.add(&key, what, format!("{RESTORE}; {OTHERWISE}"), None);
                }
                None if before >= self.begins && !self.broken.contains(&before) && self.head >= Some(*id) => {
                    let what = format!("deploy {before} is missing, although deploy {id} follows it");
                    checkup.add(&key_of(before), what, format!("{RESTORE}; {OTHERWISE}"), None);
                }
                Some(_) | None => {}
            }
        }
    }

    /// A signature that is there is valid. With a list of operators, those that hosts may still apply have one.
    fn verify(&self, expected: &Expected<'_>, checkup: &mut Checkup) {
        let in_use = self.head.map(|head| kept(&self.all, head, 1, &BTreeSet::new())).unwrap_or_default();
        for (id, record) in &self.all {
            let why = match (
                expected.operators.filter(|_| in_use.contains(id)),
                Signature::check(record, expected.cluster),
            ) {
                (Some(operators), _) => operators.judge(record, expected.cluster).err(),
                (None, Signed::Wrongly(key)) => Some(format!(
                    "deploy {id} has an invalid signature of the key {} for `{}`",
                    key.id(),
                    expected.cluster
                )),
                (None, Signed::Nobody | Signed::By(_)) => None,
            };
            match why {
                None => checkup.n_signatures += usize::from(record.signature.is_some()),
                Some(why) => {
                    let remedy = "deploy its program again with your key, and remove it with `mclive world prune` if it is an \
                                  older one";
                    checkup.add(&key_of(*id), why, remedy, None);
                }
            }
        }
    }

    /// Each content has the SHA-256 that it is stored by.
    fn look_at_contents(&self, whole: &Whole, checkup: &mut Checkup) {
        let mut contents: BTreeMap<(Sum, u64), (u64, &Filed)> = BTreeMap::new();
        for (id, record) in &self.all {
            contents.extend(record.files.iter().map(|file| ((file.sha256, file.size), (*id, file))));
        }
        checkup.n_contents = contents.len();
        let mut needed = BTreeSet::new();
        for (id, file) in contents.values() {
            if let Some((key, why)) = wrong(whole, file, &mut needed) {
                let what = format!("{why}, a part of {} in deploy {id}", file.path);
                checkup.add(&key, what, "deploy a program with this file again, which stores it", None);
            }
        }
        // What a record needs that cannot be read is unknown.
        if self.broken.is_empty() {
            checkup.n_unneeded = whole.below("blob/").filter(|(key, _)| !needed.contains(*key)).count();
        }
    }
}

/// What is wrong with the content of a file, and with which key. `needed`: takes all keys of its pieces.
fn wrong(whole: &Whole, file: &Filed, needed: &mut BTreeSet<String>) -> Option<(String, String)> {
    let (mut content, mut wrong) = (Vec::new(), None);
    let pieces = Piece::all([file]);
    for piece in &pieces {
        let key = piece.key();
        let why = match whole.value(&key) {
            Some(value) if value.len() == piece.size => {
                content.extend_from_slice(value);
                None
            }
            Some(value) => Some(format!("it has {} bytes instead of {}", value.len(), piece.size)),
            None => Some("it is missing".to_owned()),
        };
        wrong = wrong.or(why.map(|why| (key.clone(), why)));
        needed.insert(key);
    }
    let is_damaged = wrong.is_none() && Sum::of(&content) != file.sha256;
    let first = if pieces.len() > 1 { "*" } else { "0" };
    wrong.or(is_damaged.then(|| (format!("blob/{}/{first}", file.sha256), "its SHA-256 does not match".to_owned())))
}

/// Our own JSON.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOTHING, found};
    use super::*;
    use crate::deploy::{OperatorKey, Operators};

    /// Deploys of one file each.
    fn records() -> Vec<Record> {
        let mut all: Vec<Record> = Vec::new();
        for content in ["one", "two", "three"] {
            let (path, size) = ("/main.mcl".to_owned(), content.len() as u64);
            let files = vec![Filed { path: path.clone(), sha256: Sum::of(content.as_bytes()), size }];
            all.push(Record::after(all.last(), path, files).unwrap());
        }
        all
    }

    /// The keys of these deploys with their contents; the last one is the newest.
    fn keys(records: &[Record]) -> BTreeMap<String, Vec<u8>> {
        let mut keys: BTreeMap<String, Vec<u8>> =
            records.iter().map(|record| (key_of(record.id), record.bytes())).collect();
        for content in ["one", "two", "three"] {
            keys.insert(piece(content), content.into());
        }
        keys.extend(records.last().map(|newest| (HEAD.to_owned(), Head::of(newest).bytes())));
        keys
    }

    fn piece(content: &str) -> String {
        format!("blob/{}/0", Sum::of(content.as_bytes()))
    }

    fn told(keys: &BTreeMap<String, Vec<u8>>, expected: &Expected<'_>) -> Vec<(String, String, Option<Fix>)> {
        let keys: Vec<(&str, &[u8], i64)> = keys.iter().map(|(key, value)| (key.as_str(), &value[..], 0)).collect();
        found(&keys, expected)
    }

    /// What is told about a key after a change. Nothing else is.
    fn after(change: impl FnOnce(&mut BTreeMap<String, Vec<u8>>), key: &str) -> (String, Option<Fix>) {
        let mut keys = keys(&records());
        change(&mut keys);
        let mut told = told(&keys, &NOTHING);
        assert_eq!(told.len(), 1, "{told:?}");
        let (of, what, fix) = told.remove(0);
        assert_eq!(of, key, "{what}");
        (what, fix)
    }

    #[test]
    fn a_chain_with_its_contents_has_no_fault() {
        assert!(told(&keys(&records()), &NOTHING).is_empty());
        // Older ones were removed.
        let mut some = keys(&records()[1..]);
        some.insert(PRUNED.to_owned(), Pruned::new(2).bytes());
        assert!(told(&some, &NOTHING).is_empty());
    }

    #[test]
    fn a_chain_that_was_changed_is_reported_with_the_key() {
        let (first, second, third) = (key_of(1), key_of(2), key_of(3));
        let missing = after(|keys| drop(keys.remove(&second)), &second);
        assert_eq!(missing, ("deploy 2 is missing, although deploy 3 follows it".into(), None));
        let other = Record { note: "forged".into(), ..records().remove(0) };
        let (what, _) = after(|keys| drop(keys.insert(first.clone(), other.bytes())), &second);
        assert_eq!(what, "it does not follow deploy 1: one of the two was changed");
        let (what, fix) = after(|keys| drop(keys.insert(second.clone(), b"{}".to_vec())), &second);
        assert_eq!((what.as_str(), fix), ("the record of deploy 2 is not JSON with a version", Some(Fix::Remove)));
        let (what, fix) = after(|keys| drop(keys.insert("deploy/7".into(), Vec::new())), "deploy/7");
        assert_eq!((what.as_str(), fix), ("it is not the key of a deploy", Some(Fix::Remove)));
        let newest = Head::of(&records()[1]).bytes();
        let (what, fix) = after(|keys| drop(keys.insert(HEAD.to_owned(), newest)), &third);
        assert!(what.starts_with("it is newer than deploy/head") && fix == Some(Fix::Remove), "{what}");
        let (what, _) = after(|keys| drop(keys.insert(LOCK.to_owned(), b"{}".to_vec())), LOCK);
        assert!(what.ends_with("remove it with `mclive deploy --unlock`"), "{what}");
    }

    #[test]
    fn a_newest_deploy_that_is_wrong_is_reported_with_the_right_one() {
        let right = || Some(Fix::Set(text(Head::of(&records()[2]).bytes())));
        let missing = after(|keys| drop(keys.remove(HEAD)), HEAD);
        assert_eq!(missing, ("it is missing, although there are deploys".into(), right()));
        let unreadable = after(|keys| drop(keys.insert(HEAD.to_owned(), b"3".to_vec())), HEAD);
        assert_eq!(unreadable, ("it is not JSON with a version".into(), right()));
        let forged = Record { note: "forged".into(), ..records().remove(2) };
        let named = Fix::Set(text(Head::of(&forged).bytes()));
        let (what, fix) = after(|keys| drop(keys.insert(key_of(3), forged.bytes())), HEAD);
        assert_eq!(
            (what.as_str(), fix),
            ("deploy 3 does not match the SHA-256 in this key: one of them was changed", Some(named))
        );
        let later = Record { id: 9, ..records().remove(2) };
        let (what, fix) = after(|keys| drop(keys.insert(HEAD.to_owned(), Head::of(&later).bytes())), HEAD);
        assert_eq!((what.as_str(), fix), ("it names deploy 9, which does not exist", right()));
        // Nothing is missing before the chain begins, and a host that sets its beginning must not be able to hide gaps.
        let later = "it names deploy 4 as the first one, which is after the newest one";
        for (value, why) in [(b"{}".to_vec(), "it is not JSON with a version"), (Pruned::new(4).bytes(), later)] {
            let (what, fix) = after(|keys| drop(keys.insert(PRUNED.to_owned(), value)), PRUNED);
            assert_eq!((what.as_str(), fix), (why, Some(Fix::Set(r#"{"before":1,"v":1}"#.into()))));
        }
    }

    #[test]
    fn a_content_is_there_and_is_what_its_name_says() {
        let of_two = piece("two");
        for (value, why) in [
            (None, "it is missing, a part of /main.mcl in deploy 2"),
            (Some("tw"), "it has 2 bytes instead of 3, a part of /main.mcl in deploy 2"),
            (Some("owt"), "its SHA-256 does not match, a part of /main.mcl in deploy 2"),
        ] {
            let change = |keys: &mut BTreeMap<String, Vec<u8>>| match value {
                None => drop(keys.remove(&of_two)),
                Some(value) => drop(keys.insert(of_two.clone(), value.into())),
            };
            assert_eq!(after(change, &of_two), (why.to_owned(), None));
        }
    }

    #[test]
    fn a_signature_is_valid_and_the_newest_deploy_has_one_of_an_operator() {
        let key = OperatorKey::generate("alice").unwrap().0;
        let operators = Operators::parse(&key.line()).unwrap();
        let with = Expected { operators: Some(&operators), ..NOTHING };
        let mut all = records();
        let unsigned = told(&keys(&all), &with);
        assert_eq!(unsigned, [(key_of(3), "deploy 3 is not signed".to_owned(), None)]);
        let newest = all.pop().unwrap();
        all.push(newest.signed("main", &key));
        assert!(told(&keys(&all), &with).is_empty());
        all.pop();
        all.push(newest.signed("test", &key));
        let why = format!("deploy 3 has an invalid signature of the key {} for `main`", key.public().id());
        for expected in [&with, &NOTHING] {
            assert_eq!(told(&keys(&all), expected), [(key_of(3), why.clone(), None)]);
        }
    }
}
