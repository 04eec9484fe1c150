//! Reads accounts: the account files first, then `getent` for directory services.
//!
//! An unreadable file is an error, never a missing account.

use super::super::Context;
use crate::host::account_files::{AccountFile, Accounts, GROUP, PASSWD};
use crate::host::exec;
use crate::host::program::Executable;
use mclive_base::vocab::account::{GroupEntry, UserEntry};
use mclive_base::vocab::{CommandSpec, HostError, HostErrorKind};

pub(super) fn user(at: &Context, name: &str) -> Result<Option<UserEntry>, HostError> {
    if name.is_empty() {
        return user_of(at, rustix::process::getuid().as_raw());
    }
    user_line(at, &Key::Name(name))
}

pub(super) fn user_of(at: &Context, uid: u32) -> Result<Option<UserEntry>, HostError> {
    user_line(at, &Key::Number(uid.to_string()))
}

pub(super) fn group(at: &Context, name: &str) -> Result<Option<GroupEntry>, HostError> {
    group_line(at, &Key::Name(name))
}

pub(super) fn group_of(at: &Context, gid: u32) -> Result<Option<GroupEntry>, HostError> {
    group_line(at, &Key::Number(gid.to_string()))
}

/// The home of a user of this host; an empty name is the user that runs this program.
pub(super) fn local_home(name: &str) -> Option<String> {
    let users = PASSWD.read().ok()?;
    let line = match name {
        "" => users.numbered(&rustix::process::getuid().as_raw().to_string()),
        name => users.named(name),
    };
    line?.split(':').nth(5).map(str::to_owned)
}

/// The search key of an account.
enum Key<'a> {
    Name(&'a str),
    Number(String),
}

impl Key<'_> {
    fn text(&self) -> &str {
        match self {
            Key::Name(name) => name,
            Key::Number(number) => number,
        }
    }

    fn line<'a>(&self, accounts: &'a Accounts) -> Option<&'a str> {
        match self {
            Key::Name(name) => accounts.named(name),
            Key::Number(number) => accounts.numbered(number),
        }
    }

    /// Whether this line of a directory service matches the key.
    fn is_of(&self, line: &str) -> bool {
        let mut parts = line.split(':');
        match self {
            Key::Name(name) => parts.next() == Some(name),
            Key::Number(number) => parts.nth(2) == Some(number),
        }
    }
}

fn user_line(at: &Context, key: &Key) -> Result<Option<UserEntry>, HostError> {
    let Some((line, is_local)) = find(at, "passwd", &PASSWD, key)? else { return Ok(None) };
    let parts: Vec<&str> = line.split(':').collect();
    let (Some(uid), Some(gid)) = (number(&parts, 2), number(&parts, 3)) else { return Err(odd(&PASSWD, key)) };
    let name = parts[0].to_owned();
    let group = group_of(at, gid)?.map(|group| group.name);
    let all = GROUP.read()?;
    let groups = all.groups_of(&name).filter(|other| Some(*other) != group.as_deref()).map(str::to_owned).collect();
    let part = |at: usize| parts.get(at).copied().unwrap_or_default().to_owned();
    Ok(Some(UserEntry { name, uid, gid, group, groups, home: part(5), shell: part(6), is_local }))
}

fn group_line(at: &Context, key: &Key) -> Result<Option<GroupEntry>, HostError> {
    let Some((line, is_local)) = find(at, "group", &GROUP, key)? else { return Ok(None) };
    let parts: Vec<&str> = line.split(':').collect();
    let gid = number(&parts, 2).ok_or_else(|| odd(&GROUP, key))?;
    Ok(Some(GroupEntry { name: parts[0].to_owned(), gid, is_local }))
}

/// The line of an account, and whether it is in the file.
fn find(at: &Context, database: &str, file: &AccountFile, key: &Key) -> Result<Option<(String, bool)>, HostError> {
    if let Some(line) = key.line(&*file.read()?) {
        return Ok(Some((line.to_owned(), true)));
    }
    // A text that looks like an option is not a name.
    let text = key.text();
    if text.is_empty() || text.starts_with('-') {
        return Ok(None);
    }
    let argv = vec!["getent".into(), database.into(), text.into()];
    let env = vec![("PATH".into(), "/usr/bin:/bin".into()), ("LC_ALL".into(), "C".into())];
    let spec = CommandSpec { argv, env, signal: "SIGKILL".into(), ..CommandSpec::default() };
    let Ok(program) = Executable::any(&spec) else {
        // Without the tool there is no directory service to ask.
        return Ok(None);
    };
    let outcome = exec::look(&spec, &program, at.running)?;
    let line = String::from_utf8_lossy(&outcome.stdout.unwrap_or_default()).lines().next().map(str::to_owned);
    match outcome.status {
        Some(0) => Ok(line.filter(|line| key.is_of(line)).map(|line| (line, false))),
        // No database has it.
        Some(2) => Ok(None),
        _ => Err(HostError::new(HostErrorKind::Other, format!("getent {database} {text} failed"))),
    }
}

fn number(parts: &[&str], at: usize) -> Option<u32> {
    parts.get(at)?.parse().ok()
}

fn odd(file: &AccountFile, key: &Key) -> HostError {
    HostError::new(HostErrorKind::Other, format!("cannot read the entry of {} in {}", key.text(), file.path))
}
