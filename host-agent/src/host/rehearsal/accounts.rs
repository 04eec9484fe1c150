//! [`Accounts`]: the users and groups that planned steps would add or remove, for lookups of file owners.

use super::super::subject::Primary;
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
    /// `chosen`: the primary group that the system chooses for a new user.
    pub(super) fn step(&mut self, step: &Step, chosen: Option<Primary>) {
        match step {
            Step::PutUser(user) => {
                let uid = user.uid.or(user.now.as_ref().map(|now| now.uid)).unwrap_or_else(|| self.choose());
                let mut gid = user.gid.or(user.now.as_ref().map(|now| now.gid));
                if let Some(group) = &user.group {
                    gid = self.groups.get(group).copied().flatten().or(gid);
                }
                let mut entry = self.entry(user, uid, gid);
                if let Some(chosen) = chosen {
                    entry.gid = self.number_of(&chosen);
                    entry.group = Some(chosen.name).filter(|name| !name.is_empty());
                }
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

    /// The number of a primary group. A step before this one may have added or removed it.
    fn number_of(&mut self, chosen: &Primary) -> u32 {
        match (self.groups.get(&chosen.name).copied(), chosen.gid) {
            (Some(Some(gid)), _) | (None, Some(gid)) => gid,
            (Some(None), _) | (None, None) => {
                let gid = self.choose();
                self.groups.insert(chosen.name.clone(), Some(gid));
                gid
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn added(accounts: &mut Accounts, name: &str, chosen: Option<Primary>) -> (u32, Option<String>) {
        let (now, uid, gid, group, groups, home, shell) = (None, None, None, None, None, None, None);
        let (name, allow_duplicate_uid) = (name.to_owned(), false);
        let user = PutUser { name: name.clone(), now, allow_duplicate_uid, uid, gid, group, groups, home, shell };
        accounts.step(&Step::PutUser(user), chosen);
        match accounts.probe(&Probe::User { name }) {
            Some(Ok(Finding::User(Some(user)))) => (user.gid, user.group),
            other => panic!("{other:?}"),
        }
    }

    fn number(accounts: &Accounts, name: &str) -> Option<u32> {
        match accounts.probe(&Probe::GroupId { name: name.to_owned() })? {
            Ok(Finding::Id(gid)) => Some(gid),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_new_user_has_the_primary_group_that_a_run_would_choose() {
        let mut accounts = Accounts::default();
        let chosen = |name: &str, gid| Some(Primary { name: name.to_owned(), gid });
        let named = |gid, name: &str| (gid, Some(name.to_owned()));
        let (gid, group) = added(&mut accounts, "ann", chosen("ann", None));
        assert!(gid > PLANNED_FROM && group.as_deref() == Some("ann"), "{gid} {group:?}");
        assert_eq!(number(&accounts, "ann"), Some(gid));
        // All new users share a group: none gets a separate one.
        assert_eq!(added(&mut accounts, "bob", chosen("users", Some(100))), named(100, "users"));
        assert_eq!((number(&accounts, "bob"), number(&accounts, "users")), (None, None));
        // The group of this name is on the host, or was added by a step.
        assert_eq!(added(&mut accounts, "cat", chosen("cat", Some(7))), named(7, "cat"));
        assert_eq!(number(&accounts, "cat"), None);
        accounts.step(&Step::PutGroup { name: "dan".to_owned(), gid: Some(9), now: None }, None);
        assert_eq!(added(&mut accounts, "dan", chosen("dan", None)), named(9, "dan"));
        assert_eq!(added(&mut accounts, "eve", chosen("", Some(100))), (100, None));
    }
}
