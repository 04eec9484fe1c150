//! The fields that a step changes, with the old and the new value as text.

use super::{FileStat, Finding, Probe, account, file};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A field before and after; `None` if the value is unknown or absent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FieldChange {
    /// Name of the field.
    pub field: String,
    /// The old value.
    pub old: Option<String>,
    /// The new value.
    pub new: Option<String>,
}

impl FieldChange {
    /// The change; `None` if both values are equal.
    pub(super) fn between(field: &str, old: Option<String>, new: Option<String>) -> Option<FieldChange> {
        (old != new).then(|| FieldChange { field: field.to_owned(), old, new })
    }
}

/// The findings of one check, by what was probed.
#[derive(Default, Debug)]
pub struct Findings<'a> {
    stats: BTreeMap<String, Option<&'a FileStat>>,
    /// Of links, not followed.
    links: BTreeMap<String, Option<&'a FileStat>>,
    hashes: BTreeMap<&'a str, [u8; 32]>,
    users: BTreeMap<u32, &'a str>,
    groups: BTreeMap<u32, &'a str>,
}

impl<'a> Findings<'a> {
    /// From each probe and its finding, latest first.
    pub fn of(answers: impl Iterator<Item = (&'a Probe, &'a Finding)>) -> Findings<'a> {
        let mut findings = Findings::default();
        for answer in answers {
            match answer {
                (Probe::File(probe), Finding::File(finding)) => findings.file(probe, finding),
                (Probe::Account(account::Probe::UserId { name }), Finding::Account(account::Finding::Id(id))) => {
                    findings.users.insert(*id, name);
                }
                (Probe::Account(account::Probe::GroupId { name }), Finding::Account(account::Finding::Id(id))) => {
                    findings.groups.insert(*id, name);
                }
                _ => {}
            }
        }
        findings
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

    /// The file at a path; the outer `None`: it was not probed.
    pub(super) fn stat(&self, path: &str, follow: bool) -> Option<Option<&'a FileStat>> {
        let stats = if follow { &self.stats } else { &self.links };
        stats.get(path.trim_end_matches('/')).or_else(|| stats.get(path)).copied()
    }

    pub(super) fn hash(&self, path: &str) -> Option<[u8; 32]> {
        self.hashes.get(path).copied()
    }

    /// Owner and group by name if those were probed, otherwise by id; `(new)` for an id that is not chosen yet.
    pub(super) fn owner(&self, uid: u32, gid: u32) -> String {
        let name = |names: &BTreeMap<u32, &str>, id: u32| {
            names.get(&id).map_or_else(|| account::shown_id(id), |name| (*name).into())
        };
        format!("{}:{}", name(&self.users, uid), name(&self.groups, gid))
    }
}
