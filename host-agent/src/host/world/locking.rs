//! The lock of deploys in the shared store: it is read with the newest deploy, and set or removed by compare-and-swap.

use super::gateway::{Failure, Gateway, If, Write};
use super::visit::Visit;
use crate::deploy::{LOCK, Lock};

/// The lock as the store had it.
pub(crate) struct StoredLock {
    /// Errors: what the key is instead and how to remove it, a sentence without a full stop.
    pub(crate) lock: Result<Option<Lock>, String>,
    /// The revision of its latest change; 0: the key does not exist.
    pub(super) modified: i64,
}

impl StoredLock {
    /// From the value of the key and the revision of its latest change.
    pub(super) fn of(found: Option<(Vec<u8>, i64)>) -> StoredLock {
        match found {
            Some((value, modified)) => StoredLock { lock: Lock::read(&value).map(Some), modified },
            None => StoredLock { lock: Ok(None), modified: 0 },
        }
    }

    /// Whether there is something to remove, even if it cannot be read.
    pub(crate) fn exists(&self) -> bool {
        self.modified != 0
    }
}

impl Gateway {
    async fn stored_lock(&self) -> Result<StoredLock, Failure> {
        let found = self.values(&[LOCK.to_owned()]).await?.pop().flatten();
        Ok(StoredLock::of(found.map(|found| (found.value, found.modified))))
    }

    /// Sets or removes the lock if it was not changed after this revision. Returns whether it did.
    async fn set_lock(&self, lock: Option<&Lock>, modified: i64) -> Result<bool, Failure> {
        let condition = If::Is(LOCK.to_owned(), modified);
        let write = match lock {
            Some(lock) => Write::Put(LOCK.to_owned(), lock.bytes(), 0),
            None => Write::Delete(LOCK.to_owned()),
        };
        if self.commit(&[condition], &[write], &[], None).await?.held {
            return Ok(true);
        }
        // An attempt without an answer may have succeeded.
        let now = self.stored_lock().await?.lock;
        Ok(now.is_ok_and(|now| now.as_ref() == lock))
    }
}

impl Visit {
    /// The lock. Errors: why it cannot be read, a sentence without a full stop.
    pub(crate) fn stored_lock(&self) -> Result<StoredLock, String> {
        self.ask(|gateway| async move { gateway.stored_lock().await })
    }

    /// Sets the lock, or removes it, unless it has changed since it was read. Returns whether it did. Errors: as
    /// above.
    pub(crate) fn set_lock(&self, lock: Option<Lock>, before: &StoredLock) -> Result<bool, String> {
        let modified = before.modified;
        self.ask(move |gateway| {
            let lock = lock.clone();
            async move { gateway.set_lock(lock.as_ref(), modified).await }
        })
    }
}
