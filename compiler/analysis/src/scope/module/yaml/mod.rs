//! The part of YAML that people write by hand: mappings and lists in both styles, quoted texts with escapes, block
//! scalars, comments, anchors and merges. Only the first document counts.
//!
//! In: text. Out: [`Yaml`], or a [`Problem`] with its line. Unsupported features (complex keys, custom tags) are
//! refused by name. Depth is limited and aliases share their value, so no input can blow up.

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

/// A value; shared, since aliases may refer to it.
pub(super) type Node = Rc<Yaml>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Yaml {
    /// The line, from 1.
    pub line: usize,
    /// What it is.
    pub kind: Kind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Null,
    /// The meaning of a plain scalar depends on its reader.
    Text {
        text: String,
        quoted: bool,
    },
    List(Vec<Node>),
    /// Entries in order, without duplicates.
    Map(Entries),
}

pub(super) type Entries = IndexMap<String, Node, FxBuildHasher>;

/// Why a text could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
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
