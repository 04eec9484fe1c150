//! Locks that a panic does not take with it.
//!
//! A job that panics is an answer (`host::sound_of_mind`), and the agent goes on. The locks of the standard library would
//! not: each later holder would panic over the first, the driver among them. So these hand out what is there. They are the
//! standard library's own, and no other crate's, since all that is wanted beyond them is to look away from the mark that a
//! panic leaves.

use std::sync::{self, MutexGuard, PoisonError};

#[derive(Default)]
pub(crate) struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Mutex<T> {
        Mutex(sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
