//! Common parts of `user` and `group`, and home directories in paths.

use super::kind::{Claim, Decision};
use super::walk::{Walk, cannot_tell};
use crate::vocab::account::{Finding as Seen, GroupEntry, Probe, UserEntry, Watch};
use crate::vocab::{Finding, Probe as AnyProbe};

pub(super) fn user(finding: &Finding) -> Result<Option<&UserEntry>, Decision> {
    match finding {
        Finding::Account(Seen::User(user)) => Ok(user.as_ref()),
        other => Err(cannot_tell(other)),
    }
}

pub(super) fn group(finding: &Finding) -> Result<Option<&GroupEntry>, Decision> {
    match finding {
        Finding::Account(Seen::Group(group)) => Ok(group.as_ref()),
        other => Err(cannot_tell(other)),
    }
}

/// The user named by a field, as another resource claims it; a number is an id. `None` for an empty field.
pub(super) fn wanted_user(text: &str) -> Option<Claim> {
    let uid = text.parse().ok();
    (!text.is_empty()).then(|| Claim::User { name: uid.is_none().then(|| text.to_owned()), uid })
}

/// The same for a group.
pub(super) fn wanted_group(text: &str) -> Option<Claim> {
    let gid = text.parse().ok();
    (!text.is_empty()).then(|| Claim::Group { name: gid.is_none().then(|| text.to_owned()), gid })
}

/// The user of a path that begins with a tilde.
pub(super) fn wanted_home(path: &str) -> Option<Claim> {
    wanted_user(Watch::owner(path)?)
}

/// An account of a directory service, which cannot be changed here.
pub(super) fn not_here<T>(what: &str, name: &str) -> Result<T, Decision> {
    Err(Decision::CannotTell(format!("the {what} {name} is not a local account, so it cannot be changed here")))
}

/// A path with the tilde expanded, and the user of that home directory.
pub(super) fn expanded(walk: &mut Walk, path: &str) -> Result<(String, Option<UserEntry>), Decision> {
    let Some(name) = Watch::owner(path) else { return Ok((path.to_owned(), None)) };
    let probe = AnyProbe::Account(Probe::User { name: name.to_owned() });
    let Some(owner) = user(&walk.look(vec![probe])?[0])? else {
        return Err(Decision::CannotTell(format!("invalid tilde prefix for path: {path}: cannot find user {name}")));
    };
    Ok((Watch::in_home(path, &owner.home), Some(owner.clone())))
}
