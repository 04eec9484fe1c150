//! YAML as far as people write it by hand: mappings and lists in both styles, quoted texts with escapes, block
//! scalars, comments, anchors and merges. Of several documents the first one counts.
//!
//! In: text. Out: [`Yaml`], or a [`Problem`] with its line. What is left out (keys of several parts, tags of one's
//! own) is refused by its name. Depth is bounded, and an alias shares what it stands for, so that no text is a bomb.

mod block;
mod cursor;
mod flow;
mod scalar;
#[cfg(test)]
mod tests;

use cursor::Cursor;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::rc::Rc;

/// A value; shared, since aliases may stand for it again.
pub(super) type Node = Rc<Yaml>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Yaml {
    /// From 1.
    pub line: usize,
    pub kind: Kind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Null,
    /// What a plain scalar means depends on who reads it.
    Text {
        text: String,
        quoted: bool,
    },
    List(Vec<Node>),
    /// In order; no key is there twice.
    Map(Entries),
}

pub(super) type Entries = IndexMap<String, Node, FxBuildHasher>;

/// Why a text is not understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Problem {
    pub line: usize,
    pub what: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

/// Reads the first document of a text.
pub(super) fn read(text: &str) -> Result<Node, Problem> {
    let mut cursor = Cursor::new(text.strip_prefix('\u{feff}').unwrap_or(text));
    cursor.document_start()?;
    let node = cursor.block(None)?;
    cursor.skip_blank()?;
    if cursor.is_document_end() {
        Ok(node)
    } else {
        Err(cursor.problem("this line does not belong to anything above it"))
    }
}
