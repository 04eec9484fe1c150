//! Lowers the syntax tree to the form that later stages read.
//!
//! In: one file's [`Tree`]. Out: its [`Module`]: parentheses gone, operators and other sugar replaced by calls
//! (language spec, 2.3), strings decoded and interpolated (section 5), colon classes moved into their parents (5.3).
//! Before that, the checks that need the tree alone (section 4). Broken parts become `Error` nodes, which cause no
//! further errors.
//!
//! Invariant: diagnostics come in the language's order: all of the init stage first, then those of the interpolate
//! stage, each in the order of its walk.

mod classes;
mod expr;
mod init;
mod known;
mod map_keys;
mod refuse;
mod stmt;
mod strings;

pub use strings::holes;

use crate::ast::Tree;
use crate::diag::Diags;
use crate::hir::Module;
use crate::ident::{Interner, Name};
use crate::index::IndexVec;
use crate::source::Source;
use crate::span::Span;
use crate::{ast, hir};

/// Lowers a file.
///
/// Errors: those of the init and interpolate stages, E01xx for strings and E02xx. Cost: nearly linear.
pub fn lower(tree: &Tree, source: &Source, diags: &mut Diags) -> Module {
    init::check(tree, source, diags);
    let names = Interner::default();
    let exprs = IndexVec::with_capacity(tree.exprs.len());
    let mut lowering = Lowering { tree, source, diags, names, exprs, depth: 0 };
    let root = lowering.block(classes::entries(&tree.root));
    Module { file: tree.file, exprs: lowering.exprs, root, comments: tree.comments.clone() }
}

/// State shared while lowering one file.
struct Lowering<'a> {
    tree: &'a Tree,
    source: &'a Source,
    diags: &'a mut Diags,
    names: Interner,
    exprs: IndexVec<hir::ExprId, hir::Expr>,
    /// Nesting depth of the current block, including classes moved into others.
    depth: u32,
}

impl Lowering<'_> {
    fn push(&mut self, kind: hir::ExprKind, span: Span) -> hir::ExprId {
        self.exprs.push(hir::Expr { kind, span, known: None })
    }

    fn text(&mut self, text: &str, span: Span) -> hir::ExprId {
        self.push(hir::ExprKind::Str(text.as_bytes().into()), span)
    }

    fn name(&mut self, text: &str) -> Name {
        self.names.intern(text)
    }
}

/// The raw text of a string literal, without its quotes.
fn raw<'s>(source: &'s Source, literal: &ast::Expr) -> &'s [u8] {
    let quoted = &source.text[literal.span.start as usize..literal.span.end as usize];
    let inside = quoted.strip_prefix(b"\"").unwrap_or(quoted);
    inside.strip_suffix(b"\"").unwrap_or(inside)
}
