//! Users and groups of the host.

use super::{Change, Changes, FieldChange, Findings, Learn, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// See the variants.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Probe {
    /// → `Id`: the user id of a name, or of a number that is in the account database.
    UserId { name: String },
    /// → `Id`: the group id, likewise.
    GroupId { name: String },
    /// → `User`. An empty name is the user that runs the host program.
    User { name: String },
    /// → `User`: the first with this id.
    UserOf { uid: u32 },
    /// → `Group`.
    Group { name: String },
    /// → `Group`: the first with this id.
    GroupOf { gid: u32 },
}

/// The answers to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// A user or group id.
    Id(u32),
    /// `None`: there is no such user.
    User(Option<UserEntry>),
    /// `None`: there is no such group.
    Group(Option<GroupEntry>),
}

/// An entry of the user database.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UserEntry {
    /// The name.
    pub name: String,
    /// The user id.
    pub uid: u32,
    /// The primary group's id.
    pub gid: u32,
    /// The name of the primary group, if it exists.
    pub group: Option<String>,
    /// The host's groups that list the user, without the primary one; sorted.
    pub groups: Vec<String>,
    /// The home directory.
    pub home: String,
    /// The login shell.
    pub shell: String,
    /// Whether it is in the host's own files. Others come from a directory service and cannot be changed here.
    pub is_local: bool,
}

/// An entry of the group database.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GroupEntry {
    /// The name.
    pub name: String,
    /// The group id.
    pub gid: u32,
    /// Whether it is in the host's own files.
    pub is_local: bool,
}

/// A change of the account databases, carried out by the shadow utilities, one at a time on a host.
#[allow(clippy::large_enum_variant, reason = "steps are few, and made one at a time")]
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Adds a user, or changes an existing one.
    PutUser(PutUser),
    /// Removes a user; the home directory is kept.
    RemoveUser {
        /// The name.
        name: String,
        /// Its current id.
        uid: u32,
    },
    /// Adds a group, or changes the id of an existing one.
    PutGroup {
        /// The name.
        name: String,
        /// The wanted id; `None`: the system chooses.
        gid: Option<u32>,
        /// The existing group; `None` adds it.
        now: Option<GroupEntry>,
    },
    /// Removes a group.
    RemoveGroup {
        /// The name.
        name: String,
        /// Its current id.
        gid: u32,
    },
}

/// The wanted properties of a user; `None` keeps a property, or leaves it to the system for a new user.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PutUser {
    /// The name.
    pub name: String,
    /// The existing user; `None` adds it.
    pub now: Option<UserEntry>,
    /// Whether another user may have the same id.
    pub allow_duplicate_uid: bool,
    /// The user id.
    pub uid: Option<u32>,
    /// The primary group by id.
    pub gid: Option<u32>,
    /// The primary group by name.
    pub group: Option<String>,
    /// All supplementary groups.
    pub groups: Option<Vec<String>>,
    /// The home directory; only the entry changes, no directory is made or moved.
    pub home: Option<String>,
    /// The login shell.
    pub shell: Option<String>,
}

/// The account databases.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Watch {
    /// The user database.
    Users,
    /// The group database.
    Groups,
    /// The file at a path below `~` or `~USER`, wherever that home currently is.
    Home {
        /// The path, beginning with `~`.
        path: String,
    },
}

/// See the variants.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Fact {
    /// `Struct { name Bytes, uid Int, gid Int, home Bytes }`, or `NotFound`: a user by name; an empty name is the user
    /// that runs the host program. Reported again when the user database changes.
    User { name: String },
}

impl Look for Probe {
    type Finding = Finding;

    /// A directory service may be queried.
    fn waits(&self) -> bool {
        match self {
            Probe::UserId { .. } | Probe::GroupId { .. } => false,
            Probe::User { .. } | Probe::UserOf { .. } | Probe::Group { .. } | Probe::GroupOf { .. } => true,
        }
    }
}

impl PutUser {
    /// Each field that changes, with old and new value.
    fn changes(&self) -> Vec<String> {
        let now = self.now.as_ref();
        let change = |what: &str, old: Option<String>, new: Option<String>| {
            let new = new?;
            match old {
                // It is only given so that it stays.
                Some(old) if old == new => None,
                Some(old) => Some(format!("{what} {} → {}", or_none(&old), or_none(&new))),
                None => Some(format!("{what} {}", or_none(&new))),
            }
        };
        let number = |number: Option<u32>| number.map(|number| number.to_string());
        let home = change("home", now.map(|now| now.home.clone()), self.home.clone());
        let home = home.map(|home| if now.is_some() { format!("{home} (its files are not moved)") } else { home });
        let changes = [
            change("uid", now.map(|now| now.uid.to_string()), number(self.uid)),
            change("gid", now.map(|now| now.gid.to_string()), number(self.gid)),
            change("group", now.map(|now| now.group.clone().unwrap_or_default()), self.group.clone()),
            change("groups", now.map(|now| now.groups.join(",")), self.groups.as_ref().map(|groups| groups.join(","))),
            home,
            change("shell", now.map(|now| now.shell.clone()), self.shell.clone()),
        ];
        changes.into_iter().flatten().collect()
    }
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "none" } else { text }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Step::PutUser(user) => {
                let deed = if user.now.is_some() { "change" } else { "add" };
                write!(f, "{deed} user {}", user.name)?;
                let changes = user.changes();
                if changes.is_empty() { Ok(()) } else { write!(f, ": {}", changes.join(", ")) }
            }
            Step::RemoveUser { name, .. } => write!(f, "remove user {name}; its home directory is kept"),
            Step::PutGroup { name, gid: Some(gid), now: Some(now) } => {
                write!(f, "change group {name}: gid {} → {gid}", now.gid)
            }
            Step::PutGroup { name, gid: None, now: Some(_) } => write!(f, "change group {name}"),
            Step::PutGroup { name, gid: Some(gid), now: None } => write!(f, "add group {name}: gid {gid}"),
            Step::PutGroup { name, gid: None, now: None } => write!(f, "add group {name}"),
            Step::RemoveGroup { name, .. } => write!(f, "remove group {name}"),
        }
    }

    /// The account before and after, and every group that the user joins.
    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Step::PutUser(user) => {
                let mut powers = vec![Power::User(&user.name, user.uid)];
                powers.extend(user.now.as_ref().map(|now| Power::User(&now.name, Some(now.uid))));
                powers.extend(user.gid.map(|gid| Power::Group("", Some(gid))));
                let named = user.group.iter().chain(user.groups.iter().flatten());
                powers.extend(named.map(|name| Power::Group(name, None)));
                powers
            }
            Step::RemoveUser { name, uid } => vec![Power::User(name, Some(*uid))],
            Step::PutGroup { name, gid, now } => {
                let mut powers = vec![Power::Group(name, *gid)];
                powers.extend(now.as_ref().map(|now| Power::Group(&now.name, Some(now.gid))));
                powers
            }
            Step::RemoveGroup { name, gid } => vec![Power::Group(name, Some(*gid))],
        }
    }

    fn waits(&self) -> bool {
        true
    }

    /// Whether the account appears or goes; the description has the rest.
    fn values(&self, _known: &Findings) -> Vec<FieldChange> {
        let (old, new) = match self {
            Step::PutUser(user) if user.now.is_none() => ("absent", "user"),
            Step::PutGroup { now: None, .. } => ("absent", "group"),
            Step::RemoveUser { .. } => ("user", "absent"),
            Step::RemoveGroup { .. } => ("group", "absent"),
            Step::PutUser(_) | Step::PutGroup { .. } => return Vec::new(),
        };
        FieldChange::between("state", Some(old.to_owned()), Some(new.to_owned())).into_iter().collect()
    }
}

/// Ids from here on belong to no account: a plan gives them to new accounts whose ids the system would choose.
pub const PLANNED_FROM: u32 = u32::MAX - (1 << 20);

/// What is shown instead of such an id.
pub const PLANNED: &str = "(new)";

/// An id as it is shown. The last but one is that of `nobody` on some file servers.
pub(super) fn shown_id(id: u32) -> String {
    if (PLANNED_FROM..u32::MAX - 1).contains(&id) { PLANNED.to_owned() } else { id.to_string() }
}

impl Watch {
    /// The user in a path that begins with a tilde: empty for `~/a`, `alice` for `~alice/a`.
    pub fn owner(path: &str) -> Option<&str> {
        let rest = path.strip_prefix('~')?;
        Some(rest.split('/').next().unwrap_or(rest))
    }

    /// The path with the tilde expanded to this home.
    pub fn in_home(path: &str, home: &str) -> String {
        let name = Watch::owner(path).unwrap_or_default();
        format!("{}{}", home.trim_end_matches('/'), &path[1 + name.len()..])
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str(match self {
            Watch::Users => "the users",
            Watch::Groups => "the groups",
            Watch::Home { path } => path,
        })
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Fact::User { name } if name.is_empty() => write!(f, "the user"),
            Fact::User { name } => write!(f, "the user {name}"),
        }
    }

    fn changes(&self) -> Changes {
        Changes::With(vec![Watch::Users.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_that_appears_or_goes_changes_its_state() {
        let name = || "web".to_owned();
        let state = |step: &Step| {
            let mut changes = step.values(&Findings::default());
            assert!(changes.len() <= 1);
            changes.pop().map(|change| (change.old.unwrap_or_default(), change.new.unwrap_or_default()))
        };
        let of = |old: &str, new: &str| Some((old.to_owned(), new.to_owned()));
        let now = GroupEntry { name: name(), gid: 7, is_local: true };
        assert_eq!(state(&Step::PutGroup { name: name(), gid: None, now: None }), of("absent", "group"));
        assert_eq!(state(&Step::PutGroup { name: name(), gid: Some(8), now: Some(now) }), None);
        assert_eq!(state(&Step::RemoveGroup { name: name(), gid: 7 }), of("group", "absent"));
        assert_eq!(state(&Step::RemoveUser { name: name(), uid: 7 }), of("user", "absent"));
    }
}
