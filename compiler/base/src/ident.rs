//! Interned names: one `Arc<str>` per spelling within a compilation.

use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A name in a program. Compare and hash by text; equal names usually share their storage.
pub type Name = Arc<str>;

/// Gives each spelling one [`Name`].
#[derive(Default, Debug)]
pub struct Interner {
    names: FxHashSet<Name>,
}

impl Interner {
    /// The shared name of a spelling.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return name.clone();
        }
        let name: Name = text.into();
        self.names.insert(name.clone());
        name
    }
}
