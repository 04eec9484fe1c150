//! Looking: the account files first, then `getent` for what a directory service adds.
//!
//! A file that cannot be read is an error, never an account that is not there.

use super::super::Place;
use crate::host::exec;
use crate::host::program::Executable;
use mclive_base::vocab::account::{GroupEntry, UserEntry};
use mclive_base::vocab::{CommandSpec, HostError, HostErrorKind};

const PASSWD: &str = "/etc/passwd";
const GROUP: &str = "/etc/group";

pub(super) fn user(at: &Place, name: &str) -> Result<Option<UserEntry>, HostError> {
    if name.is_empty() {
        return user_of(at, rustix::process::getuid().as_raw());
    }
    user_line(at, name, |line| line.first() == Some(&name))
}

pub(super) fn user_of(at: &Place, uid: u32) -> Result<Option<UserEntry>, HostError> {
    let uid = uid.to_string();
    user_line(at, &uid, |line| line.get(2) == Some(&uid.as_str()))
}

pub(super) fn group(at: &Place, name: &str) -> Result<Option<GroupEntry>, HostError> {
    group_line(at, name, |line| line.first() == Some(&name))
}

pub(super) fn group_of(at: &Place, gid: u32) -> Result<Option<GroupEntry>, HostError> {
    let gid = gid.to_string();
    group_line(at, &gid, |line| line.get(2) == Some(&gid.as_str()))
}

/// The home of a user of this host; an empty name is the user that runs this program.
pub(super) fn local_home(name: &str) -> Option<String> {
    let text = read(PASSWD).ok()?;
    let own = rustix::process::getuid().as_raw().to_string();
    let is_it = |line: &Vec<&str>| match name {
        "" => line.get(2) == Some(&own.as_str()),
        name => line.first() == Some(&name),
    };
    lines(&text).find(is_it).and_then(|line| line.get(5).map(|home| home.to_string()))
}

fn user_line(at: &Place, key: &str, is_it: impl Fn(&[&str]) -> bool) -> Result<Option<UserEntry>, HostError> {
    let Some((line, is_local)) = find(at, "passwd", PASSWD, key, is_it)? else { return Ok(None) };
    let parts: Vec<&str> = line.split(':').collect();
    let (Some(uid), Some(gid)) = (number(&parts, 2), number(&parts, 3)) else { return Err(odd(PASSWD, key)) };
    let name = parts[0].to_owned();
    let group = group_of(at, gid)?.map(|group| group.name);
    let text = read(GROUP)?;
    let lists = |line: &Vec<&str>| line.get(3).is_some_and(|members| members.split(',').any(|member| member == name));
    let mut groups: Vec<String> = lines(&text).filter(lists).map(|line| line[0].to_owned()).collect();
    groups.retain(|other| Some(other) != group.as_ref());
    groups.sort();
    groups.dedup();
    let part = |at: usize| parts.get(at).copied().unwrap_or_default().to_owned();
    Ok(Some(UserEntry { name, uid, gid, group, groups, home: part(5), shell: part(6), is_local }))
}

fn group_line(at: &Place, key: &str, is_it: impl Fn(&[&str]) -> bool) -> Result<Option<GroupEntry>, HostError> {
    let Some((line, is_local)) = find(at, "group", GROUP, key, is_it)? else { return Ok(None) };
    let parts: Vec<&str> = line.split(':').collect();
    let gid = number(&parts, 2).ok_or_else(|| odd(GROUP, key))?;
    Ok(Some(GroupEntry { name: parts[0].to_owned(), gid, is_local }))
}

/// The line of an account, and whether it is in the file.
fn find(
    at: &Place,
    database: &str,
    file: &str,
    key: &str,
    is_it: impl Fn(&[&str]) -> bool,
) -> Result<Option<(String, bool)>, HostError> {
    let text = read(file)?;
    if let Some(line) = lines(&text).find(|line| is_it(line)) {
        return Ok(Some((line.join(":"), true)));
    }
    // What looks like an option is no name.
    if key.is_empty() || key.starts_with('-') {
        return Ok(None);
    }
    let argv = vec!["getent".into(), database.into(), key.into()];
    let env = vec![("PATH".into(), "/usr/bin:/bin".into()), ("LC_ALL".into(), "C".into())];
    let spec = CommandSpec { argv, env, signal: "SIGKILL".into(), ..CommandSpec::default() };
    let Ok(program) = Executable::any(&spec) else {
        // Without the tool there is no directory service that it would ask.
        return Ok(None);
    };
    let outcome = exec::run(&spec, &program, at.running, &|_| {})?;
    let line = String::from_utf8_lossy(&outcome.stdout.unwrap_or_default()).lines().next().map(str::to_owned);
    match outcome.status {
        Some(0) => Ok(line.filter(|line| is_it(&line.split(':').collect::<Vec<_>>())).map(|line| (line, false))),
        // It is in no database.
        Some(2) => Ok(None),
        _ => Err(HostError::new(HostErrorKind::Other, format!("getent {database} {key} failed"))),
    }
}

fn read(file: &str) -> Result<String, HostError> {
    match std::fs::read(file) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(crate::host::io_failed("open", file, &error)),
    }
}

fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().map(|line| line.split(':').collect())
}

fn number(parts: &[&str], at: usize) -> Option<u32> {
    parts.get(at)?.parse().ok()
}

fn odd(file: &str, key: &str) -> HostError {
    HostError::new(HostErrorKind::Other, format!("the entry of {key} in {file} cannot be read"))
}
