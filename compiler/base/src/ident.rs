//! Interned names: one `Arc<str>` per spelling within a compilation; and how a name of a kind is written at an edge.

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

/// A kind as it is written at an edge, each part with a capital letter: `Consul:Kv` for `consul:kv`.
pub fn capitalized(kind: &str) -> String {
    let chunks = kind.split(':').map(|chunk| {
        let mut chunk = chunk.to_owned();
        if let Some(first) = chunk.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        chunk
    });
    chunks.collect::<Vec<_>>().join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_a_kind_is_capitalized() {
        assert_eq!(capitalized("consul:kv"), "Consul:Kv");
        assert_eq!(capitalized("before"), "Before");
        assert_eq!(capitalized("été:"), "été:");
    }
}
