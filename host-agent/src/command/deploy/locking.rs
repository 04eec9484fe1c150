//! `mclive deploy --lock` and `--unlock`, and what the lock of another operator means for a deploy.

use super::super::{Done, GOOD, failed, for_machines, unusable};
use super::by;
use crate::cli;
use crate::deploy::Lock;
use crate::host::{StoredLock, Visit};
use crate::output::{print, print_json};
use crate::utc;
use mclive_base::unicode::visible;
use serde_json::json;

/// Someone has changed the lock after it was read.
const CHANGED: &str = "the deploy lock was changed at the same time; run the command again";

/// Errors: why this operator cannot deploy now, a sentence without a full stop.
pub(in super::super) fn allowed(stored: &StoredLock, who: &str, now: u64) -> Result<(), String> {
    let lock = stored.lock.as_ref().map_err(Clone::clone)?;
    match lock.as_ref().filter(|lock| lock.is_in_force(now) && lock.who != who) {
        Some(lock) => {
            Err(format!("deploys are {}; wait, or remove the lock with `mclive deploy --unlock`", lock.words()))
        }
        None => Ok(()),
    }
}

/// Why this operator cannot deploy, or lock deploys, after the lock was changed in the meantime.
pub(super) fn raced(stored: &StoredLock, who: &str, now: u64) -> String {
    allowed(stored, who, now).err().unwrap_or_else(|| CHANGED.to_owned())
}

/// Locks deploys, or renews this operator's own lock.
pub(super) fn lock(args: &cli::Deploy, visit: &Visit, why: &str) -> Done {
    let lock = Lock::new(by(), why, utc::now(), args.lock_for);
    let lock = lock.map_err(|why| unusable(format!("invalid --lock: {why}")))?;
    Ok(match take(visit, lock) {
        Ok(lock) => {
            match for_machines(&args.output) {
                true => print_json(&format!("{}\n", json!({ "lock": lock }))),
                false => print(&format!("deploys are {}\n", visible(&lock.words()))),
            }
            GOOD
        }
        Err(why) => failed(&why),
    })
}

/// Returns the stored lock. Errors: why there is none of this operator, a sentence without a full stop.
fn take(visit: &Visit, mut lock: Lock) -> Result<Lock, String> {
    let now = lock.since;
    let stored = visit.stored_lock()?;
    allowed(&stored, &lock.who, now)?;
    // After a renewal it still says since when deploys have been locked.
    if let Ok(Some(own)) = &stored.lock
        && own.is_in_force(now)
    {
        lock.since = own.since;
    }
    match visit.set_lock(Some(lock.clone()), &stored)? {
        true => Ok(lock),
        false => Err(raced(&visit.stored_lock()?, &lock.who, now)),
    }
}

/// Removes the lock, even if another user holds it.
pub(super) fn unlock(args: &cli::Deploy, visit: &Visit) -> Done {
    Ok(match remove(visit) {
        Ok(stored) => {
            let lock = stored.lock.as_ref().ok().and_then(Option::as_ref);
            let words = match lock {
                Some(lock) => format!("removed the lock of {}: {}", lock.who, lock.why),
                None if stored.exists() => "removed a lock that could not be read".to_owned(),
                None => "there is no deploy lock".to_owned(),
            };
            match for_machines(&args.output) {
                true => print_json(&format!("{}\n", json!({ "lock": lock, "removed": stored.exists() }))),
                false => print(&format!("{}\n", visible(&words))),
            }
            GOOD
        }
        Err(why) => failed(&why),
    })
}

/// Returns what there was. Errors: why the lock is not removed, a sentence without a full stop.
fn remove(visit: &Visit) -> Result<StoredLock, String> {
    let stored = visit.stored_lock()?;
    if stored.exists() && !visit.set_lock(None, &stored)? {
        return Err(CHANGED.to_owned());
    }
    Ok(stored)
}
