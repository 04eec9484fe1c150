//! Paths in several spellings: `file` resources with different names that manage the same file. The language compares
//! names byte for byte, so it does not see duplicates in them. Only literals are considered.

use super::body::Body;
use super::words;
use crate::diag::Diagnostic;
use crate::hir::{Block, Module};
use crate::span::Span;
use mclive_base::vocab::path::clean;
use std::collections::BTreeMap;

pub(super) fn find(module: &Module, found: &mut Vec<Diagnostic>) {
    Finder { module, found }.block(&module.root, &mut BTreeMap::new());
}

/// By normalized path: the first spelling, and its place; `None`: the block that had it has ended.
type Paths<'m> = BTreeMap<String, Option<(&'m str, Span)>>;

struct Finder<'m, 'f> {
    module: &'m Module,
    found: &'f mut Vec<Diagnostic>,
}

impl<'m> Finder<'m, '_> {
    /// `paths` are those of this block and the blocks around it, whose resources exist together.
    fn block(&mut self, block: &'m Block, paths: &mut Paths<'m>) {
        let mut inner = Vec::new();
        for (path, span) in Body::all(self.module, block).filter_map(path) {
            let normal = normal(path);
            match paths.get(&normal).copied().flatten() {
                Some((first, _)) if first == path => {}
                Some((first, place)) => self.found.push(words::same_file(path, first, span, place)),
                None => {
                    paths.insert(normal.clone(), Some((path, span)));
                    inner.push(normal);
                }
            }
        }
        for block in block.stmts.iter().flat_map(|stmt| stmt.kind.blocks()) {
            self.block(block, paths);
        }
        for path in inner {
            paths.insert(path, None);
        }
    }
}

/// The path of a `file`, and its place.
fn path(body: Body<'_>) -> Option<(&str, Span)> {
    let is_composed = ["dirname", "basename"].iter().any(|field| body.item(field).is_some());
    let path = if body.item("path").is_some() { body.text("path") } else { body.name() };
    path.filter(|(path, _)| &*body.resource.kind == "file" && !is_composed && path.starts_with('/'))
}

/// A file and a directory at one path are not the same: one may make room for the other.
fn normal(path: &str) -> String {
    let mut normal = clean(path);
    if path.ends_with('/') && !normal.ends_with('/') {
        normal.push('/');
    }
    normal
}
