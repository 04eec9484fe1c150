//! The syntax tree: what was written, in arenas, with full spans.
//!
//! It keeps what the formatter needs (parentheses, raw literals, comments) and nothing that later
//! stages learn. What could not be parsed is an `Error` node. The height of every tree is bounded
//! ([`crate::parse::MAX_HEIGHT`]), so that walking it by recursion is safe; but operators lean to the
//! left as far as a line is long, and have to be walked as a chain ([`Tree::chain`]).

mod chain;
mod dump;
mod expr;
mod stmt;

pub use chain::Link;
pub use dump::dump;
pub use expr::{BinaryOp, Callee, Expr, ExprKind, Func, Pair, Param, StructField, TypeNote};
pub use stmt::{Alias, Block, Half, HalfField, Item, ItemKind, LoopOver, Resource, Stmt, StmtKind};

use crate::define_id;
use crate::index::IndexVec;
use crate::span::{FileId, Span};

define_id!(
    /// An expression of one syntax tree.
    ExprId,
    "e"
);
define_id!(
    /// A statement of one syntax tree.
    StmtId,
    "s"
);

/// One file's syntax tree.
#[derive(Clone, Debug)]
pub struct Tree {
    pub file: FileId,
    pub exprs: IndexVec<ExprId, Expr>,
    pub stmts: IndexVec<StmtId, Stmt>,
    /// The whole file.
    pub root: Block,
    /// From the `#` to the end of the line, in source order.
    pub comments: Vec<Span>,
}
