//! Locks that survive a panic.
//!
//! A job that panics gives an answer (`host::sound_of_mind`), and the agent continues. With the locks of the standard
//! library it would not: each later holder, including the driver, would panic on the poisoned lock. So these locks
//! ignore poisoning. They wrap those of the standard library, since this is all that another crate would add. Data
//! under a lock is changed so that it is consistent wherever a panic may happen: fallible operations come first, and
//! counters are updated last.

use std::sync::{self, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

#[derive(Default)]
pub(crate) struct Mutex<T>(sync::Mutex<T>);

/// A condition variable for such a lock.
#[derive(Default)]
pub(crate) struct Condvar(sync::Condvar);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Mutex<T> {
        Mutex(sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        let guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        #[cfg(test)]
        fuse::burn(std::any::type_name::<T>());
        guard
    }

    /// `None`: it is locked.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Condvar {
    pub(crate) const fn new() -> Condvar {
        Condvar(sync::Condvar::new())
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }

    pub(crate) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while the condition holds.
    pub(crate) fn wait_while<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        is_so: impl FnMut(&mut T) -> bool,
    ) -> MutexGuard<'a, T> {
        self.0.wait_while(guard, is_so).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits, but no longer than this.
    pub(crate) fn wait_timeout<'a, T>(&self, guard: MutexGuard<'a, T>, most: Duration) -> MutexGuard<'a, T> {
        self.0.wait_timeout(guard, most).unwrap_or_else(PoisonError::into_inner).0
    }

    pub(crate) fn wait_timeout_while<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        most: Duration,
        is_so: impl FnMut(&mut T) -> bool,
    ) -> MutexGuard<'a, T> {
        self.0.wait_timeout_while(guard, most, is_so).unwrap_or_else(PoisonError::into_inner).0
    }
}

/// For tests: a panic under the nth lock that a thread takes.
#[cfg(test)]
pub(crate) mod fuse {
    use std::cell::Cell;

    thread_local! {
        static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    }

    /// While this exists, the lock after this many others panics its holder.
    pub(crate) struct Fuse(());

    impl Fuse {
        pub(crate) fn after(n_locks: usize) -> Fuse {
            LEFT.set(Some(n_locks));
            Fuse(())
        }
    }

    impl Drop for Fuse {
        fn drop(&mut self) {
            LEFT.set(None);
        }
    }

    pub(super) fn burn(holds: &str) {
        match LEFT.get() {
            None => {}
            Some(0) => {
                LEFT.set(None);
                panic!("under the lock of {holds}");
            }
            Some(left) => LEFT.set(Some(left - 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_lock_goes_on_after_a_panic_and_whoever_waits_is_woken() {
        let (lock, changed) = (Mutex::new(0), Condvar::new());
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| *changed.wait_while(lock.lock(), |n| *n < 2));
            let panics = || {
                *lock.lock() += 1;
                let _fuse = fuse::Fuse::after(1);
                drop(lock.lock());
                drop(lock.lock());
            };
            let panic = catch_unwind(AssertUnwindSafe(panics)).unwrap_err();
            // Whoever waits may hold the lock for a moment, so it is not tried here; and nothing fails before that thread
            // can end.
            *lock.lock() += 1;
            changed.notify_all();
            assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("under the lock of i32"));
            assert_eq!(waits.join().unwrap(), 2);
        });
        assert_eq!(lock.try_lock().map(|guard| *guard), Some(2));
        assert!(*changed.wait_timeout(lock.lock(), Duration::ZERO) == 2 && lock.into_inner() == 2);
    }
}
