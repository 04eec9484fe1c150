//! Users and groups of the host: the account files, and `getent` for what other services know.

use mclive_base::vocab::{HostError, HostErrorKind};
use std::process::{Command, Stdio};

/// One line of `/etc/passwd`.
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) home: String,
}

/// A user by name, or by a number that is in the database.
pub(crate) fn user(key: &str) -> Result<User, HostError> {
    let line = lookup("passwd", "/etc/passwd", key)
        .ok_or_else(|| HostError::new(HostErrorKind::NotFound, format!("user: unknown user {key}")))?;
    let parts: Vec<&str> = line.split(':').collect();
    let number = |at: usize| parts.get(at).and_then(|text: &&str| text.parse().ok());
    match (number(2), number(3)) {
        (Some(uid), Some(gid)) => {
            let home = parts.get(5).copied().unwrap_or_default().to_owned();
            Ok(User { name: parts[0].to_owned(), uid, gid, home })
        }
        _ => Err(HostError::new(HostErrorKind::Other, format!("user: the entry of {key} cannot be read"))),
    }
}

/// The number of a group by name, or by a number that is in the database.
pub(crate) fn group(key: &str) -> Result<u32, HostError> {
    lookup("group", "/etc/group", key)
        .and_then(|line| line.split(':').nth(2).and_then(|text| text.parse().ok()))
        .ok_or_else(|| HostError::new(HostErrorKind::NotFound, format!("group: unknown group {key}")))
}

fn lookup(database: &str, file: &str, key: &str) -> Option<String> {
    let text = std::fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let matches = |line: &&str| {
        let mut parts = line.split(':');
        let (name, number) = (parts.next(), parts.nth(1));
        name == Some(key) || (key.bytes().all(|byte| byte.is_ascii_digit()) && number == Some(key))
    };
    if let Some(line) = text.lines().find(matches) {
        return Some(line.to_owned());
    }
    // A leading dash would be an option.
    if key.is_empty() || key.starts_with('-') {
        return None;
    }
    let found =
        Command::new("getent").args([database, key]).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let line = String::from_utf8_lossy(&found.stdout).lines().next().map(str::to_owned)?;
    (found.status.success() && !line.is_empty()).then_some(line)
}
