//! [`Lock`]: one agent at a time has a state directory.

use super::entry::clear;
use crate::host::errno::{failed, io_failed};
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, openat};
use rustix::io::Errno;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const NAME: &str = "lock";

/// Held as long as it lives. The system gives it back when we are killed.
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the directory, or says who has it.
    pub(super) fn take(prefix: &Path) -> Result<Lock, HostError> {
        let path = prefix.join(NAME);
        clear(&path)?;
        let name = path.to_string_lossy();
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file =
            openat(CWD, &path, flags, Mode::from_raw_mode(0o600)).map_err(|errno| failed("open", &name, errno))?;
        let mut file = File::from(file);
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(held(prefix, &mut file)),
            Err(errno) => return Err(failed("lock", &name, errno)),
        }
        let fails = |error| io_failed("write", &name, &error);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        file.set_len(0).map_err(fails)?;
        file.write_all(format!("{} {now}\n", std::process::id()).as_bytes()).map_err(fails)?;
        Ok(Lock { _file: file })
    }
}

fn held(prefix: &Path, file: &mut File) -> HostError {
    let mut said = String::new();
    let _ = file.take(64).read_to_string(&mut said);
    let mut words = said.split_whitespace();
    let who = match (words.next(), words.next().and_then(|since| since.parse().ok())) {
        (Some(pid), Some(since)) => {
            let since = UNIX_EPOCH.checked_add(Duration::from_secs(since)).unwrap_or(UNIX_EPOCH);
            format!("pid {pid}, since {}", httpdate::fmt_http_date(since))
        }
        _ => "it has just begun".to_owned(),
    };
    let remedy = "stop it, or give this one another --prefix";
    HostError::new(HostErrorKind::Exists, format!("another agent works in {} ({who}); {remedy}", prefix.display()))
}
