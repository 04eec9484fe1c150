//! Users and groups of the host: the account files, and `getent` for other sources.
//!
//! An unknown name and a failed lookup are different answers.

use super::account_files::{AccountFile, GROUP, PASSWD};
use crate::process::{Fault, Patience, Purpose, Start};
use mclive_base::vocab::{HostError, HostErrorKind};
use std::io::ErrorKind;
use std::time::Duration;

/// How long to wait for a directory service.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest answer of `getent`: a group may have many members.
const LONGEST: usize = 1 << 20;

/// One line of `/etc/passwd`.
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) home: String,
}

/// A user by name, or by a number that is in the database.
pub(crate) fn user(key: &str) -> Result<User, HostError> {
    let line = lookup("passwd", &PASSWD, key)?
        .ok_or_else(|| HostError::new(HostErrorKind::NotFound, format!("user: unknown user {key}")))?;
    let parts: Vec<&str> = line.split(':').collect();
    let number = |at: usize| parts.get(at).and_then(|text: &&str| text.parse().ok());
    match (number(2), number(3)) {
        (Some(uid), Some(gid)) => {
            let home = parts.get(5).copied().unwrap_or_default().to_owned();
            Ok(User { name: parts[0].to_owned(), uid, gid, home })
        }
        _ => Err(HostError::new(HostErrorKind::Other, format!("user: cannot read the entry of {key}"))),
    }
}

/// The number of a group by name, or by a number that is in the database.
pub(crate) fn group(key: &str) -> Result<u32, HostError> {
    let line = lookup("group", &GROUP, key)?
        .ok_or_else(|| HostError::new(HostErrorKind::NotFound, format!("group: unknown group {key}")))?;
    let number = line.split(':').nth(2).and_then(|text| text.parse().ok());
    number.ok_or_else(|| HostError::new(HostErrorKind::Other, format!("group: cannot read the entry of {key}")))
}

fn lookup(database: &str, file: &AccountFile, key: &str) -> Result<Option<String>, HostError> {
    if let Some(line) = file.read()?.known_as(key) {
        return Ok(Some(line.to_owned()));
    }
    // A leading dash would be parsed as an option.
    if key.is_empty() || key.starts_with('-') {
        return Ok(None);
    }
    let getent = Start::new("getent", Purpose::Look).inherits().args([database, key]);
    let failed = |why: String| HostError::new(HostErrorKind::Unavailable, format!("getent {database} {key}: {why}"));
    match getent.ask(Patience::of(PATIENCE), LONGEST) {
        // Without `getent` there is no other source.
        Err(Fault::Program(error)) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(Fault::Late(limit)) => Err(failed(format!("timed out after {} seconds", limit.as_secs()))),
        Err(fault) => Err(failed(fault.to_string())),
        Ok(answer) if answer.status.success() => {
            let line = String::from_utf8_lossy(&answer.stdout).lines().next().unwrap_or_default().to_owned();
            if line.is_empty() { Err(failed("empty answer".into())) } else { Ok(Some(line)) }
        }
        // It knows the database, but not the key.
        Ok(answer) if answer.status.code() == Some(2) => Ok(None),
        Ok(answer) => Err(failed(answer.status.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_knowing_a_name_is_an_answer() {
        assert_eq!(user("no-such-user").map(drop).unwrap_err().kind, HostErrorKind::NotFound);
        assert_eq!(user("0").map(|user| user.name).unwrap(), "root");
        assert_eq!(group("no-such-group").unwrap_err().kind, HostErrorKind::NotFound);
    }

    #[test]
    fn not_being_able_to_ask_is_another() {
        // A directory stands in for an unreadable file.
        assert_ne!(lookup("passwd", &AccountFile::new("/"), "x").unwrap_err().kind, HostErrorKind::NotFound);
    }
}
