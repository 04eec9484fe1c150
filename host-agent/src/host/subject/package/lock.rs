//! Waits for package operations, of this agent or of another program that holds dpkg's lock.

use super::super::Context;
use crate::host::io_failed;
use crate::lock::Mutex;
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::process::{Flock, FlockType, fcntl_getlk};
use std::fs::File;
use std::io::ErrorKind;
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

/// The locks that package operations hold.
const LOCKS: [&str; 2] = ["/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock"];
/// How long to wait for another program's lock; apt has the same limit.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);
/// After this long a message names the holder.
const WORD: Duration = Duration::from_secs(3);
/// The release of the lock cannot be watched.
const PAUSE: Duration = Duration::from_millis(50);

/// Waits until no transaction of this agent is in progress.
pub(super) fn ours<'a>(at: &Context, one_at_a_time: &'a Mutex<()>) -> Result<MutexGuard<'a, ()>, HostError> {
    let began = Instant::now();
    loop {
        match one_at_a_time.try_lock() {
            Some(guard) => return Ok(guard),
            None => pause(at, began)?,
        }
    }
}

/// Waits until no other program changes packages: an unfinished state means nothing.
pub(super) fn others(at: &Context) -> Result<(), HostError> {
    let began = Instant::now();
    let mut is_said = false;
    while let Some((path, pid)) = holder()? {
        let changed_by = || {
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            format!("{} (process {pid}) is changing packages and holds {path}", name.trim())
        };
        if began.elapsed() >= PATIENCE {
            return Err(HostError::new(HostErrorKind::TimedOut, changed_by()));
        }
        if !is_said && began.elapsed() >= WORD {
            is_said = true;
            let limit = PATIENCE.as_secs();
            crate::output::tell(&format!("mclive: {}; waiting up to {limit} seconds for it", changed_by()));
        }
        pause(at, began)?;
    }
    Ok(())
}

/// The holder of a lock.
fn holder() -> Result<Option<(&'static str, i32)>, HostError> {
    for path in LOCKS {
        let file = match File::open(path) {
            Ok(file) => file,
            // A missing file is not locked; a user who may not open it cannot change packages either.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => continue,
            Err(error) => return Err(io_failed("open", path, &error)),
        };
        let held = fcntl_getlk(&file, &Flock::from(FlockType::WriteLock));
        if let Ok(Some(flock)) = held {
            return Ok(Some((path, flock.pid.map_or(0, |pid| pid.as_raw_nonzero().get()))));
        }
    }
    Ok(None)
}

/// Waits a little, for something that began then: the waiting step has changed nothing yet, so it can be cancelled.
pub(super) fn pause(at: &Context, began: Instant) -> Result<(), HostError> {
    if at.running.leaves_off(began) {
        return Err(HostError::new(HostErrorKind::Cancelled, "stopped while waiting for the package manager"));
    }
    std::thread::sleep(PAUSE);
    Ok(())
}
