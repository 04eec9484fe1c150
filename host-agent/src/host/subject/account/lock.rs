//! Locks of the account files that other programs hold, such as `vipw`: how long they are waited for, and who holds
//! them.

use super::super::Context;
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::process::{Flock, FlockType, fcntl_getlk};
use std::fs::File;
use std::time::{Duration, Instant};

/// How long a step waits for a lock. The resource is checked again later.
const PATIENCE: Duration = Duration::from_secs(10);
/// After this long a message names the holder.
const WORD: Duration = Duration::from_secs(3);
/// The pause before the second attempt; it doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// glibc's lock of all account files; the tools wait for it themselves.
const LOCK_OF_ALL: &str = "/etc/.pwd.lock";

/// A lock that a tool could not get, by what it reports.
#[derive(PartialEq, Debug)]
pub(super) struct Held {
    /// The locked file.
    file: String,
    holder: Option<i32>,
    /// A file of a lock that names no process: no program will remove it.
    leftover: Option<String>,
}

impl Held {
    /// With each of the files, the tools fail with another exit status, but in the same words.
    pub(super) fn read(said: &str) -> Option<Held> {
        let is_locked = said.contains("cannot lock") || said.contains("try again later");
        let word = |before: &str| {
            let (_, rest) = said.split_once(before)?;
            rest.split([' ', ';']).next()
        };
        is_locked.then(|| Held {
            file: word("cannot lock ").unwrap_or("the account files").to_owned(),
            holder: word("already used by PID ").and_then(|pid| pid.parse().ok()),
            leftover: word("existing lock file ").map(str::to_owned),
        })
    }

    /// The program that holds it, as far as it is known.
    fn holder(&self) -> String {
        let Some(pid) = self.holder.or_else(holder_of_all) else { return "another program".to_owned() };
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        match name.trim() {
            "" => format!("process {pid}"),
            name => format!("{name} (process {pid})"),
        }
    }

    fn refused(&self, tool: &str) -> HostError {
        let why = match &self.leftover {
            Some(path) => format!("remove the leftover {path} if no program is changing accounts"),
            None => format!("{} is changing accounts", self.holder()),
        };
        HostError::new(HostErrorKind::Other, format!("{tool}: cannot lock {}: {why}", self.file))
    }
}

fn holder_of_all() -> Option<i32> {
    let file = File::open(LOCK_OF_ALL).ok()?;
    let held = fcntl_getlk(&file, &Flock::from(FlockType::WriteLock)).ok()??;
    held.pid.map(|pid| pid.as_raw_nonzero().get()).filter(|pid| *pid > 0)
}

/// A step that waits for a lock.
pub(super) struct Wait {
    began: Instant,
    pause: Duration,
    is_said: bool,
}

impl Wait {
    pub(super) fn new() -> Wait {
        Wait { began: Instant::now(), pause: FIRST_PAUSE, is_said: false }
    }

    /// Waits before another attempt: nothing has been changed yet. Errors: the lock is held for too long, or the agent
    /// stops.
    pub(super) fn rest(&mut self, at: &Context, tool: &str, held: &Held) -> Result<(), HostError> {
        self.goes_on(at, held)?;
        if held.leftover.is_some() || self.began.elapsed() >= PATIENCE {
            return Err(held.refused(tool));
        }
        if !self.is_said && self.began.elapsed() >= WORD {
            self.is_said = true;
            let (holder, limit) = (held.holder(), PATIENCE.as_secs());
            let message = format!("{tool}: {} is locked by {holder}; waiting up to {limit} seconds for it", held.file);
            at.shared.show.line(at.id, &message);
        }
        at.running.rest(self.pause);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        // A stop ends the pause; a tool that is started after it would be killed.
        self.goes_on(at, held)
    }

    /// Errors: the agent stops.
    fn goes_on(&self, at: &Context, held: &Held) -> Result<(), HostError> {
        if at.running.leaves_off(self.began) {
            let message = format!("stopped while waiting for the lock of {}", held.file);
            return Err(HostError::new(HostErrorKind::Cancelled, message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_report_who_holds_a_lock() {
        let held = |file: &str, holder, leftover: Option<&str>| {
            Some(Held { file: file.to_owned(), holder, leftover: leftover.map(str::to_owned) })
        };
        let lock =
            "useradd: lock /etc/subuid.lock already used by PID 12; useradd: cannot lock /etc/subuid; try again later.";
        assert_eq!(Held::read(lock), held("/etc/subuid", Some(12), None));
        let empty = "groupadd: existing lock file /etc/group.lock without a PID; groupadd: cannot lock /etc/group; try again later.";
        assert_eq!(Held::read(empty), held("/etc/group", None, Some("/etc/group.lock")));
        assert_eq!(Held::read("usermod: cannot lock /etc/passwd; try again later."), held("/etc/passwd", None, None));
        assert_eq!(Held::read("useradd: UID 0 is not unique"), None);
    }

    #[test]
    fn a_leftover_is_to_be_removed() {
        let held = Held { file: "/etc/group".into(), holder: None, leftover: Some("/etc/group.lock".into()) };
        let said =
            "groupadd: cannot lock /etc/group: remove the leftover /etc/group.lock if no program is changing accounts";
        assert_eq!(held.refused("groupadd").message, said);
    }
}
