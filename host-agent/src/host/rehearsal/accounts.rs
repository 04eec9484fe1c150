//! [`Accounts`]: the users and groups that planned steps would add or remove, for who asks for the owner of a file.

use mclive_base::vocab::account::{Finding, PLANNED_FROM, Probe, Step};
use mclive_base::vocab::{HostError, HostErrorKind};
use std::collections::BTreeMap;

/// Ids by name; `None`: it would be removed.
#[derive(Default)]
pub(super) struct Accounts {
    users: BTreeMap<String, Option<u32>>,
    groups: BTreeMap<String, Option<u32>>,
    /// How many got an id from us, where the system would choose one.
    n_chosen: u32,
}

impl Accounts {
    pub(super) fn step(&mut self, step: &Step) {
        match step {
            Step::PutUser(user) => {
                let uid = user.uid.or(user.now.as_ref().map(|now| now.uid)).unwrap_or_else(|| self.choose());
                // A new user gets a group of the same name where none is told.
                if user.now.is_none() && user.gid.is_none() && user.group.is_none() {
                    let gid = self.choose();
                    self.groups.entry(user.name.clone()).or_insert(Some(gid));
                }
                self.users.insert(user.name.clone(), Some(uid));
            }
            Step::RemoveUser { name, .. } => drop(self.users.insert(name.clone(), None)),
            Step::PutGroup { name, gid, now } => {
                let gid = gid.or(now.as_ref().map(|now| now.gid)).unwrap_or_else(|| self.choose());
                self.groups.insert(name.clone(), Some(gid));
            }
            Step::RemoveGroup { name, .. } => drop(self.groups.insert(name.clone(), None)),
        }
    }

    /// One that is nobody's, and that is told as new.
    fn choose(&mut self) -> u32 {
        self.n_chosen += 1;
        PLANNED_FROM + self.n_chosen
    }

    pub(super) fn probe(&self, probe: &Probe) -> Option<Result<Finding, HostError>> {
        let (what, name, known) = match probe {
            Probe::UserId { name } => ("user", name, self.users.get(name)?),
            Probe::GroupId { name } => ("group", name, self.groups.get(name)?),
            Probe::User { .. } | Probe::UserOf { .. } | Probe::Group { .. } | Probe::GroupOf { .. } => return None,
        };
        let missing = || HostError::new(HostErrorKind::NotFound, format!("{what}: unknown {what} {name}"));
        Some(known.map(Finding::Id).ok_or_else(missing))
    }
}
