//! [`Locks`]: serializes rewrites of the same file.

use crate::lock::Mutex;
use mclive_base::vocab::path::clean;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::MutexGuard;

/// A fixed number of locks; the hash of a path selects one.
pub(super) struct Locks([Mutex<()>; 64]);

impl Default for Locks {
    fn default() -> Locks {
        Locks(std::array::from_fn(|_| Mutex::default()))
    }
}

impl Locks {
    pub(super) fn lock(&self, path: &str) -> MutexGuard<'_, ()> {
        let mut hasher = DefaultHasher::new();
        clean(path).hash(&mut hasher);
        self.0[hasher.finish() as usize % self.0.len()].lock()
    }
}
