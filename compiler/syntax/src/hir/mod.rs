//! The program after lowering: few node types, names not yet resolved.
//!
//! In: one file's syntax tree. Out: a [`Module`] in which parentheses are gone, strings are
//! decoded, strings with holes are calls of `concat`, operators are calls of `_operator`,
//! `panic` is an `if`, and colon classes stand inside their parents (language spec, 2.3 and 5).
//! Every file of a program becomes a module of its own.

use crate::define_id;
use crate::ident::Name;
use crate::index::IndexVec;
use crate::span::{FileId, Span};
use crate::types::Type;
use std::sync::Arc;

pub use crate::ast::LoopOver;
pub use crate::property::{EdgeProperty, MetaProperty};

pub mod print;

define_id!(
    /// An expression of one module.
    ExprId,
    "e"
);

/// One file's lowered program.
#[derive(Clone, Debug)]
pub struct Module {
    pub file: FileId,
    pub exprs: IndexVec<ExprId, Expr>,
    pub root: Block,
    /// From the `#` to the end of the line, in source order.
    pub comments: Vec<Span>,
}

/// The statements between braces, or of a whole file.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub stmts: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// A type that is known already: from a typed bind, or `str` for a string with holes.
    pub known: Option<Type>,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Arc<[u8]>),
    List(Vec<ExprId>),
    Map(Vec<(ExprId, ExprId)>),
    Struct(Vec<(Name, ExprId)>),
    /// `$a`, `$a.b`, without the dollar.
    Var(Name),
    Call(Call),
    Func(Func),
    If {
        cond: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// `main <|> fallback`.
    Except {
        main: ExprId,
        fallback: ExprId,
    },
    /// What could not be parsed; whatever touches it stays quiet.
    Error,
}

#[derive(Clone, Debug)]
pub struct Call {
    pub callee: Callee,
    pub args: Vec<ExprId>,
    /// Where the callee's name stands; for an operator, the operator.
    pub callee_span: Span,
}

#[derive(Clone, Debug)]
pub enum Callee {
    /// The target of syntax: `_operator`, `_lookup`, `_struct_lookup`, `_struct_lookup_optional`,
    /// `_collect`. Always the builtin.
    Hidden(&'static str),
    /// `f(…)`, `a.f(…)`; also what syntax looks up by name: `contains`, `concat`, `panic`.
    Named(Name),
    /// `$f(…)`.
    Var(Name),
    /// `func(…) {…}(…)`.
    Func(ExprId),
}

/// A function literal, or the function of a `func` statement.
#[derive(Clone, Debug)]
pub struct Func {
    pub params: Vec<Param>,
    pub ret: Option<Type>,
    pub body: ExprId,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub name: Name,
    pub ty: Option<Type>,
    /// From the `$` to the end of the name.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Bind(Bind),
    Resource(Resource),
    Edge(Edge),
    If { cond: ExprId, then: Block, otherwise: Option<Block> },
    For(For),
    Func { name: Name, name_span: Span, func: ExprId },
    Class(Class),
    Include(Include),
    Import(Import),
    Error,
}

#[derive(Clone, Debug)]
pub struct Bind {
    pub name: Name,
    /// From the `$` to the end of the name.
    pub name_span: Span,
    /// Also set as the value's known type.
    pub ty: Option<Type>,
    pub value: ExprId,
}

#[derive(Clone, Debug)]
pub struct Resource {
    pub kind: Name,
    pub kind_span: Span,
    pub name: ExprId,
    pub items: Vec<Item>,
    /// `collect kind NAME {…}`: the hidden call of `_collect`.
    pub collect: Option<ExprId>,
}

/// One line of a resource's body.
#[derive(Clone, Debug)]
pub struct Item {
    pub kind: ItemKind,
    /// `cond ?:` in front of the value.
    pub cond: Option<ExprId>,
    pub span: Span,
    /// Where the field's, edge's or meta parameter's name stands.
    pub name_span: Span,
}

#[derive(Clone, Debug)]
pub enum ItemKind {
    Field {
        name: Name,
        value: ExprId,
    },
    Edge {
        property: EdgeProperty,
        half: Half,
    },
    /// `Meta:name => value`.
    Meta {
        property: MetaProperty,
        value: ExprId,
    },
    /// `Meta => struct{…}`.
    MetaStruct {
        value: ExprId,
    },
}

/// One side of an edge: `Kind["name"]`, `Kind["name"].field`.
#[derive(Clone, Debug)]
pub struct Half {
    /// Lower case, chunks joined by colons.
    pub kind: Name,
    pub name: ExprId,
    /// The sent or received field.
    pub field: Option<Name>,
    pub span: Span,
}

/// `A["x"] -> B["y"] -> …`; with fields it is a send/recv of exactly two halves.
#[derive(Clone, Debug)]
pub struct Edge {
    pub halves: Vec<Half>,
}

#[derive(Clone, Debug)]
pub struct For {
    /// `for` over a list, `forkv` over a map.
    pub over: LoopOver,
    /// The index or key.
    pub first: Param,
    /// The element or value.
    pub second: Param,
    pub subject: ExprId,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub struct Class {
    /// May hold colons when no class of the first chunk's name is in the block.
    pub name: Name,
    pub name_span: Span,
    pub params: Vec<Param>,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub struct Include {
    /// May be dotted.
    pub class: Name,
    pub class_span: Span,
    pub args: Vec<ExprId>,
    pub alias: Option<Name>,
}

#[derive(Clone, Debug)]
pub struct Import {
    /// The string, as written.
    pub path: Name,
    pub path_span: Span,
    pub alias: Alias,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Alias {
    /// The path's last segment.
    Default,
    Name(Name),
    /// `as *`.
    Star,
}
