//! The syntax tree: the source in arenas, with full spans.
//!
//! It keeps what the formatter needs (parentheses, raw literals, comments) and nothing that later stages find out. Text
//! that could not be parsed is an `Error` node. The height of every tree is bounded ([`crate::parse::MAX_HEIGHT`]), so
//! it can be walked recursively; but chains of operators are as high as a line is long, and must be walked with
//! [`Tree::chain`].

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
    /// Id of an expression in a syntax tree.
    ExprId,
    "e"
);
define_id!(
    /// Id of a statement in a syntax tree.
    StmtId,
    "s"
);

/// The syntax tree of one file.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The file.
    pub file: FileId,
    /// All expressions.
    pub exprs: IndexVec<ExprId, Expr>,
    /// All statements.
    pub stmts: IndexVec<StmtId, Stmt>,
    /// The whole file.
    pub root: Block,
    /// From the `#` to the end of the line, in source order.
    pub comments: Vec<Span>,
}
