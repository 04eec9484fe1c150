//! Users and groups of the host.

use super::{Change, Changes, Learn, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
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

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    Id(u32),
    /// `None`: there is no such user.
    User(Option<UserEntry>),
    /// `None`: there is no such group.
    Group(Option<GroupEntry>),
}

/// A user as the account database has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UserEntry {
    pub name: String,
    pub uid: u32,
    pub gid: u32,
    /// The name of the primary group, if it has one.
    pub group: Option<String>,
    /// The groups of this host that list the user, without the primary one; sorted.
    pub groups: Vec<String>,
    pub home: String,
    pub shell: String,
    /// Is it in the files of this host? Others come from a directory service and cannot be changed here.
    pub is_local: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GroupEntry {
    pub name: String,
    pub gid: u32,
    pub is_local: bool,
}

/// Each is carried out by the shadow utilities, one at a time on a host.
#[allow(clippy::large_enum_variant, reason = "steps are few, and made one at a time")]
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Adds a user, or changes the one that is there.
    PutUser(PutUser),
    /// Its home directory stays.
    RemoveUser {
        name: String,
        uid: u32,
    },
    /// Adds a group, or changes the id of the one that is there.
    PutGroup {
        name: String,
        gid: Option<u32>,
        now: Option<GroupEntry>,
    },
    RemoveGroup {
        name: String,
        gid: u32,
    },
}

/// What a user is to have; `None` leaves it as it is, or to the system for a new one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PutUser {
    pub name: String,
    /// What is there; `None` adds it.
    pub now: Option<UserEntry>,
    pub allow_duplicate_uid: bool,
    pub uid: Option<u32>,
    /// The primary group by number or by name.
    pub gid: Option<u32>,
    pub group: Option<String>,
    /// All supplementary groups.
    pub groups: Option<Vec<String>>,
    /// Only the entry: no directory is made or moved.
    pub home: Option<String>,
    pub shell: Option<String>,
}

/// The account databases.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Watch {
    Users,
    Groups,
    /// A path below `~` or `~USER`: the file there, wherever that home is at the time.
    Home {
        path: String,
    },
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Fact {
    /// `Struct { name Bytes, uid Int, gid Int, home Bytes }`, or `NotFound`: a user by name; an empty
    /// name is the user that runs the host program. Again when the user database changes.
    User { name: String },
}

impl Look for Probe {
    type Finding = Finding;

    /// A directory service may be asked.
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
            Some(match old {
                Some(old) => format!("{what} {} → {}", or_none(&old), or_none(&new)),
                None => format!("{what} {}", or_none(&new)),
            })
        };
        let number = |number: Option<u32>| number.map(|number| number.to_string());
        let changes = [
            change("uid", now.map(|now| now.uid.to_string()), number(self.uid)),
            change("gid", now.map(|now| now.gid.to_string()), number(self.gid)),
            change("group", now.map(|now| now.group.clone().unwrap_or_default()), self.group.clone()),
            change("groups", now.map(|now| now.groups.join(",")), self.groups.as_ref().map(|groups| groups.join(","))),
            change("home", now.map(|now| now.home.clone()), self.home.clone()),
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
            Step::RemoveUser { name, .. } => write!(f, "remove user {name}; its home directory stays"),
            Step::PutGroup { name, gid: Some(gid), now: Some(now) } => {
                write!(f, "change group {name}: gid {} → {gid}", now.gid)
            }
            Step::PutGroup { name, gid: None, now: Some(_) } => write!(f, "change group {name}"),
            Step::PutGroup { name, gid: Some(gid), now: None } => write!(f, "add group {name}: gid {gid}"),
            Step::PutGroup { name, gid: None, now: None } => write!(f, "add group {name}"),
            Step::RemoveGroup { name, .. } => write!(f, "remove group {name}"),
        }
    }

    /// The account as it is and as it is to be, and every group that the user gets.
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
}

/// Ids from here on are those of no account: a plan gives them to accounts that would be made, where the system
/// would choose an id.
pub const PLANNED_FROM: u32 = u32::MAX - (1 << 20);

impl Watch {
    /// The user whose home a path begins with: `~/a` is nobody's, `~alice/a` is hers.
    pub fn owner(path: &str) -> Option<&str> {
        let rest = path.strip_prefix('~')?;
        Some(rest.split('/').next().unwrap_or(rest))
    }

    /// The path with that user's home in place of the tilde.
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
