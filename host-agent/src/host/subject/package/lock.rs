//! Waiting for whoever works on the packages: ourselves, or another program that holds dpkg's lock.

use super::super::Place;
use crate::host::io_failed;
use crate::lock::Mutex;
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::process::{Flock, FlockType, fcntl_getlk};
use std::fs::File;
use std::io::ErrorKind;
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

/// Whoever works on the packages holds these.
const LOCKS: [&str; 2] = ["/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock"];
/// Another program may hold the lock for so long; apt has the same limit.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);
/// After so long it is said who is waited for.
const WORD: Duration = Duration::from_secs(3);
/// The lock tells nobody when it is free.
const PAUSE: Duration = Duration::from_millis(50);

/// Waits until no transaction of ours is under way.
pub(super) fn ours<'a>(at: &Place, one_at_a_time: &'a Mutex<()>) -> Result<MutexGuard<'a, ()>, HostError> {
    let began = Instant::now();
    loop {
        match one_at_a_time.try_lock() {
            Some(guard) => return Ok(guard),
            None => pause(at, began)?,
        }
    }
}

/// Waits until no other program works on the packages: what is half done is nobody's to judge.
pub(super) fn others(at: &Place) -> Result<(), HostError> {
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

/// Who holds a lock.
fn holder() -> Result<Option<(&'static str, i32)>, HostError> {
    for path in LOCKS {
        let file = match File::open(path) {
            Ok(file) => file,
            // Without it nobody holds it; who may not open it changes nothing either.
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

/// Waits a little longer, for something that began then: whoever waits has changed nothing yet, and can leave off.
pub(super) fn pause(at: &Place, began: Instant) -> Result<(), HostError> {
    if at.running.leaves_off(began) {
        return Err(HostError::new(HostErrorKind::Cancelled, "waiting for the package manager was stopped"));
    }
    std::thread::sleep(PAUSE);
    Ok(())
}
