//! The syntax tree: arenas of expressions and statements, and the definitions of each file in the order of the text.
//!
//! A child always has a smaller id than its parent, and the height of expressions is limited, so the tree can be walked
//! recursively.

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
    /// Id of an expression.
    ExprId,
    "e"
);
define_id!(
    /// Id of a statement.
    StmtId,
    "s"
);

/// The syntax tree of a program.
#[derive(Default, Debug)]
pub struct Tree {
    /// All expressions.
    pub exprs: IndexVec<ExprId, Expr>,
    /// All statements.
    pub stmts: IndexVec<StmtId, Stmt>,
}

/// The content of one file.
#[derive(Debug)]
pub struct FileTree {
    /// The file.
    pub file: FileId,
    /// The documentation string at the start of the file.
    pub doc: Option<Span>,
    /// Definitions and statements in source order.
    pub items: Vec<Item>,
    /// Its comments.
    pub comments: Vec<Span>,
}
