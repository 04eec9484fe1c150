//! Users and groups of the host.

use super::subject::never;
use super::{Changes, Learn, Listen, Look};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Step }

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Id`: the user id of a name, or of a number that is in the account database.
    User { name: String },
    /// → `Id`: the group id, likewise.
    Group { name: String },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    Id(u32),
}

/// The account databases.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Watch {
    Users,
    Groups,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Fact {
    /// `Struct { name Bytes, uid Int, gid Int, home Bytes }`, or `NotFound`: a user by name; an empty
    /// name is the user that runs the host program. Again when the user database changes.
    User { name: String },
}

impl Look for Probe {
    type Finding = Finding;
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str(match self {
            Watch::Users => "the users",
            Watch::Groups => "the groups",
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
