//! What a step changes, field by field, as people read it: the value that was seen, and the one that it gives.

use super::{FileStat, Finding, Probe, account, file};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A field of something, before and after; `None`: it is not known, or there is none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FieldChange {
    pub field: String,
    pub old: Option<String>,
    pub new: Option<String>,
}

impl FieldChange {
    /// `None` where both are the same.
    pub(super) fn between(field: &str, old: Option<String>, new: Option<String>) -> Option<FieldChange> {
        (old != new).then(|| FieldChange { field: field.to_owned(), old, new })
    }
}

/// What the looks of one check have seen, by what was looked at.
#[derive(Default, Debug)]
pub struct Known<'a> {
    stats: BTreeMap<String, Option<&'a FileStat>>,
    /// Of links themselves.
    links: BTreeMap<String, Option<&'a FileStat>>,
    hashes: BTreeMap<&'a str, [u8; 32]>,
    users: BTreeMap<u32, &'a str>,
    groups: BTreeMap<u32, &'a str>,
}

impl<'a> Known<'a> {
    /// From each question with its answer, the latest first.
    pub fn of(answers: impl Iterator<Item = (&'a Probe, &'a Finding)>) -> Known<'a> {
        let mut known = Known::default();
        for answer in answers {
            match answer {
                (Probe::File(probe), Finding::File(finding)) => known.file(probe, finding),
                (Probe::Account(account::Probe::UserId { name }), Finding::Account(account::Finding::Id(id))) => {
                    known.users.insert(*id, name);
                }
                (Probe::Account(account::Probe::GroupId { name }), Finding::Account(account::Finding::Id(id))) => {
                    known.groups.insert(*id, name);
                }
                _ => {}
            }
        }
        known
    }

    fn file(&mut self, probe: &'a file::Probe, finding: &'a file::Finding) {
        match (probe, finding) {
            (file::Probe::Stat { path, follow }, file::Finding::Stat(stat)) => {
                let stats = if *follow { &mut self.stats } else { &mut self.links };
                stats.entry(path.clone()).or_insert(stat.as_ref());
            }
            (file::Probe::List { path, .. }, file::Finding::Entries(entries)) => {
                let root = path.trim_end_matches('/');
                for (below, stat) in entries {
                    let path = format!("{root}/{below}");
                    self.links.entry(path.clone()).or_insert(Some(stat));
                    self.stats.entry(path).or_insert(Some(stat));
                }
            }
            (file::Probe::Read { path, .. }, file::Finding::Bytes(bytes)) => {
                self.hashes.entry(path).or_insert_with(|| crate::hash::sha256(bytes));
            }
            (file::Probe::Hash { path }, file::Finding::Hash(hash)) => {
                self.hashes.entry(path).or_insert(*hash);
            }
            _ => {}
        }
    }

    /// What stands at a path; the outer `None`: nobody has looked.
    pub(super) fn stat(&self, path: &str, follow: bool) -> Option<Option<&'a FileStat>> {
        let stats = if follow { &self.stats } else { &self.links };
        stats.get(path.trim_end_matches('/')).or_else(|| stats.get(path)).copied()
    }

    pub(super) fn hash(&self, path: &str) -> Option<[u8; 32]> {
        self.hashes.get(path).copied()
    }

    /// By the names that were asked about, else by numbers.
    pub(super) fn owner(&self, uid: u32, gid: u32) -> String {
        let name = |names: &BTreeMap<u32, &str>, id: u32| names.get(&id).map_or(id.to_string(), |name| (*name).into());
        format!("{}:{}", name(&self.users, uid), name(&self.groups, gid))
    }
}
