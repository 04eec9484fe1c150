//! [`Accounts`]: the users and groups that planned steps would add or remove, for lookups of file owners.

use mclive_base::vocab::account::{Finding, PLANNED_FROM, Probe, PutUser, Step, UserEntry};
use mclive_base::vocab::{HostError, HostErrorKind};
use std::collections::BTreeMap;

/// By name; `None`: it would be removed.
#[derive(Default)]
pub(super) struct Accounts {
    users: BTreeMap<String, Option<UserEntry>>,
    groups: BTreeMap<String, Option<u32>>,
    /// The number of ids assigned here where the system would choose one.
    n_chosen: u32,
}

impl Accounts {
    pub(super) fn step(&mut self, step: &Step) {
        match step {
            Step::PutUser(user) => {
                let uid = user.uid.or(user.now.as_ref().map(|now| now.uid)).unwrap_or_else(|| self.choose());
                let mut gid = user.gid.or(user.now.as_ref().map(|now| now.gid));
                // A new user gets a group of the same name if none is given.
                if user.now.is_none() && user.gid.is_none() && user.group.is_none() {
                    let own = self.choose();
                    gid = *self.groups.entry(user.name.clone()).or_insert(Some(own));
                }
                if let Some(group) = &user.group {
                    gid = self.groups.get(group).copied().flatten().or(gid);
                }
                let entry = self.entry(user, uid, gid);
                self.users.insert(user.name.clone(), Some(entry));
            }
            Step::RemoveUser { name, .. } => drop(self.users.insert(name.clone(), None)),
            Step::PutGroup { name, gid, now } => {
                let gid = gid.or(now.as_ref().map(|now| now.gid)).unwrap_or_else(|| self.choose());
                self.groups.insert(name.clone(), Some(gid));
            }
            Step::RemoveGroup { name, .. } => drop(self.groups.insert(name.clone(), None)),
        }
    }

    /// The predicted user; unspecified fields have the defaults of `useradd`.
    fn entry(&mut self, user: &PutUser, uid: u32, gid: Option<u32>) -> UserEntry {
        let now = user.now.as_ref();
        let old = |of: fn(&UserEntry) -> &String| now.map(|now| of(now).clone());
        UserEntry {
            name: user.name.clone(),
            uid,
            gid: gid.unwrap_or_else(|| self.choose()),
            group: user.group.clone().or_else(|| now.and_then(|now| now.group.clone())),
            groups: user.groups.clone().or_else(|| now.map(|now| now.groups.clone())).unwrap_or_default(),
            home: user.home.clone().or_else(|| old(|now| &now.home)).unwrap_or_else(|| format!("/home/{}", user.name)),
            shell: user.shell.clone().or_else(|| old(|now| &now.shell)).unwrap_or_else(|| "/bin/sh".to_owned()),
            is_local: true,
        }
    }

    /// Chooses an unused id for a new account.
    fn choose(&mut self) -> u32 {
        self.n_chosen += 1;
        PLANNED_FROM + self.n_chosen
    }

    pub(super) fn probe(&self, probe: &Probe) -> Option<Result<Finding, HostError>> {
        let (what, name, known) = match probe {
            Probe::UserId { name } => ("user", name, self.users.get(name)?.as_ref().map(|user| user.uid)),
            Probe::GroupId { name } => ("group", name, *self.groups.get(name)?),
            Probe::User { name } => return Some(Ok(Finding::User(self.users.get(name)?.clone()))),
            Probe::UserOf { .. } | Probe::Group { .. } | Probe::GroupOf { .. } => return None,
        };
        let missing = || HostError::new(HostErrorKind::NotFound, format!("{what}: unknown {what} {name}"));
        Some(known.map(Finding::Id).ok_or_else(missing))
    }
}
