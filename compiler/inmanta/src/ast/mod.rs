//! The syntax tree: arenas of expressions and statements, and the definitions of each file in the
//! order of the text.
//!
//! A child always has a smaller id than its parent, and how high expressions get is bounded, so
//! that walking the tree needs no care.

mod define;
mod expr;
mod text;

pub use define::{
    AttributeDef, Default, Definition, EntityDef, ImplementDef, ImplementationDef, ImportDef, IndexDef, Item, Multi,
    RelationDef, RelationEnd, TypeText, TypedefDef,
};
pub use expr::{Arg, BoolOperator, Clause, Expr, ExprKind, Flavour, Format, FormatField, Path, Ref, Stmt, StmtKind};
pub use text::{Style, expr_text, stmt_text};

use mclive_base::define_id;
use mclive_base::index::IndexVec;
use mclive_base::span::{FileId, Span};

define_id!(
    /// An expression.
    ExprId,
    "e"
);
define_id!(
    /// A statement.
    StmtId,
    "s"
);

/// Everything that was parsed of a program.
#[derive(Default, Debug)]
pub struct Tree {
    pub exprs: IndexVec<ExprId, Expr>,
    pub stmts: IndexVec<StmtId, Stmt>,
}

/// What one file holds.
#[derive(Debug)]
pub struct FileTree {
    pub file: FileId,
    /// The text at the file's beginning that documents it.
    pub doc: Option<Span>,
    /// Definitions and statements in the order of the text.
    pub items: Vec<Item>,
    pub comments: Vec<Span>,
}
