//! Users and groups of the host: the account files, and `getent` for what other services know.
//!
//! That neither knows a name is one answer, that they could not be asked is another.

use super::account_files::{AccountFile, GROUP, PASSWD};
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::io::{ErrorKind, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A directory service that does not answer is not waited for longer than this.
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
        _ => Err(HostError::new(HostErrorKind::Other, format!("user: the entry of {key} cannot be read"))),
    }
}

/// The number of a group by name, or by a number that is in the database.
pub(crate) fn group(key: &str) -> Result<u32, HostError> {
    let line = lookup("group", &GROUP, key)?
        .ok_or_else(|| HostError::new(HostErrorKind::NotFound, format!("group: unknown group {key}")))?;
    let number = line.split(':').nth(2).and_then(|text| text.parse().ok());
    number.ok_or_else(|| HostError::new(HostErrorKind::Other, format!("group: the entry of {key} cannot be read")))
}

fn lookup(database: &str, file: &AccountFile, key: &str) -> Result<Option<String>, HostError> {
    if let Some(line) = file.read()?.known_as(key) {
        return Ok(Some(line.to_owned()));
    }
    // A leading dash would be an option.
    if key.is_empty() || key.starts_with('-') {
        return Ok(None);
    }
    let mut getent = Command::new("getent");
    getent.args([database, key]);
    let failed = |why: String| HostError::new(HostErrorKind::Unavailable, format!("getent {database} {key}: {why}"));
    match ask(getent).map_err(|error| failed(error.to_string()))? {
        // Without the program there is nobody else to ask.
        Answer::Absent => Ok(None),
        Answer::Late => Err(failed(format!("no answer within {} seconds", PATIENCE.as_secs()))),
        Answer::Ended(status, said) if status.success() => {
            let line = String::from_utf8_lossy(&said).lines().next().unwrap_or_default().to_owned();
            if line.is_empty() { Err(failed("an empty answer".into())) } else { Ok(Some(line)) }
        }
        // It knows the database, and no such key.
        Answer::Ended(status, _) if status.code() == Some(2) => Ok(None),
        Answer::Ended(status, _) => Err(failed(status.to_string())),
    }
}

enum Answer {
    Absent,
    Late,
    Ended(ExitStatus, Vec<u8>),
}

/// Runs a program to its end, but not for longer than our patience; nothing of it is left then.
fn ask(mut command: Command) -> std::io::Result<Answer> {
    let until = Instant::now() + PATIENCE;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Answer::Absent),
        Err(error) => return Err(error),
    };
    let said = hear(&mut child, until);
    if !matches!(said, Ok(Some(_))) {
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    }
    let status = child.wait()?;
    Ok(said?.map_or(Answer::Late, |said| Answer::Ended(status, said)))
}

/// All that a program writes until it has ended; `None` when that takes too long, or is too much.
fn hear(child: &mut Child, until: Instant) -> std::io::Result<Option<Vec<u8>>> {
    let ended = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    let (mut said, mut buffer) = (Vec::new(), [0; 4096]);
    if let Some(mut pipe) = child.stdout.take() {
        loop {
            if said.len() >= LONGEST || !ready(&pipe, until)? {
                return Ok(None);
            }
            match pipe.read(&mut buffer)? {
                0 => break,
                n => said.extend_from_slice(&buffer[..n]),
            }
        }
    }
    Ok(ready(&ended, until)?.then_some(said))
}

/// Waits until something can be read; false when that takes too long.
fn ready(of: &impl AsFd, until: Instant) -> std::io::Result<bool> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        match poll(&mut [PollFd::new(of, PollFlags::IN)], Some(&left)) {
            Ok(n) => return Ok(n > 0),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(text: &str) -> Answer {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        ask(command).unwrap()
    }

    #[test]
    fn nobody_knowing_a_name_is_an_answer() {
        assert_eq!(user("no-such-user").map(drop).unwrap_err().kind, HostErrorKind::NotFound);
        assert_eq!(user("0").map(|user| user.name).unwrap(), "root");
        assert_eq!(group("no-such-group").unwrap_err().kind, HostErrorKind::NotFound);
    }

    #[test]
    fn not_being_able_to_ask_is_another() {
        // A directory stands for a file that cannot be read.
        assert_ne!(lookup("passwd", &AccountFile::new("/"), "x").unwrap_err().kind, HostErrorKind::NotFound);
        assert!(matches!(sh("kill -9 $$"), Answer::Ended(status, _) if !status.success()));
        assert!(matches!(ask(Command::new("/no/such/program")).unwrap(), Answer::Absent));
    }

    #[test]
    fn nobody_is_waited_for_for_ever() {
        assert!(matches!(sh("sleep 1000 & yes"), Answer::Late));
        assert!(matches!(sh("exec sleep 1000 >&-"), Answer::Late));
    }
}
