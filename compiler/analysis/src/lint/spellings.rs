//! Paths in several spellings: `file` resources with different names that manage the same file. The language compares
//! names byte for byte, so it does not see duplicates in them. Only paths that are constant are considered.

use super::body::Body;
use super::fold::Constants;
use super::words;
use crate::diag::Diagnostic;
use crate::hir::{Block, Item, ItemKind, Module, StmtKind};
use crate::span::Span;
use mclive_base::vocab::path::clean;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

pub(super) fn find(module: &Module, found: &mut Vec<Diagnostic>) {
    Finder { module, constants: Constants::new(module), found }.block(&module.root, None, &mut Paths::default());
}

/// By normalized path: the first spelling, and its place; `None`: the block that had it has ended.
type Paths<'m> = FxHashMap<String, Option<(Cow<'m, str>, Span)>>;

struct Finder<'m, 'f> {
    module: &'m Module,
    constants: Constants<'m>,
    found: &'f mut Vec<Diagnostic>,
}

impl<'m> Finder<'m, '_> {
    /// `around` is the statement that the block belongs to. `paths` are those of this block and the blocks around it,
    /// whose resources exist together. Returns those that the block has added: they end with it.
    fn block(&mut self, block: &'m Block, around: Option<&'m StmtKind>, paths: &mut Paths<'m>) -> Vec<String> {
        self.constants.enter(block, around);
        let mut inner = Vec::new();
        for body in Body::all(self.module, block) {
            let Some((path, span)) = self.path(body) else { continue };
            let normal = normal(&path);
            match paths.get(&normal).and_then(Option::as_ref) {
                Some((first, _)) if *first == path => {}
                Some((first, place)) => self.found.push(words::same_file(&path, first, span, *place)),
                None => {
                    paths.insert(normal.clone(), Some((path, span)));
                    inner.push(normal);
                }
            }
        }
        for stmt in &block.stmts {
            for block in stmt.kind.blocks() {
                for path in self.block(block, Some(&stmt.kind), paths) {
                    paths.insert(path, None);
                }
            }
        }
        self.constants.leave();
        inner
    }

    /// The path of a `file`, and its place.
    fn path(&self, body: Body<'m>) -> Option<(Cow<'m, str>, Span)> {
        let is_composed = ["dirname", "basename"].iter().any(|field| body.item(field).is_some());
        if &*body.resource.kind != "file" || is_composed {
            return None;
        }
        let path = match body.item("path") {
            None => body.resource.name,
            Some(Item { kind: ItemKind::Field { value, .. }, cond: None, .. }) => *value,
            Some(_) => return None,
        };
        let text = self.constants.text(path).filter(|text| text.starts_with('/'))?;
        Some((text, self.module.exprs[path].span))
    }
}

/// A file and a directory at one path are not the same: one may make room for the other.
fn normal(path: &str) -> String {
    let mut normal = clean(path);
    if path.ends_with('/') && !normal.ends_with('/') {
        normal.push('/');
    }
    normal
}
