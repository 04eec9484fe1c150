//! The program after lowering: few node types, names not yet resolved.
//!
//! In: one file's syntax tree. Out: a [`Module`] without parentheses; strings are decoded, interpolated strings are
//! calls of `concat`, operators are calls of `_operator`, `panic` is an `if`, and colon classes are inside their
//! parents (language spec, 2.3 and 5). Every file of a program becomes one module.

use crate::define_id;
use crate::ident::Name;
use crate::index::IndexVec;
use crate::span::{FileId, Span};
use crate::types::Type;
use std::sync::Arc;

pub use crate::ast::LoopOver;
pub use crate::property::{EdgeProperty, MetaProperty};

pub mod print;
mod walk;

define_id!(
    /// Id of an expression in a module.
    ExprId,
    "e"
);

/// The lowered program of one file.
#[derive(Clone, Debug)]
pub struct Module {
    /// The file.
    pub file: FileId,
    /// All expressions.
    pub exprs: IndexVec<ExprId, Expr>,
    /// The whole file.
    pub root: Block,
    /// From the `#` to the end of the line, in source order.
    pub comments: Vec<Span>,
}

/// The statements between braces, or of a whole file.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The statements in source order.
    pub stmts: Vec<Stmt>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Span of its source.
    pub span: Span,
    /// The type, if it is already known: from a typed bind, or `str` for an interpolated string.
    pub known: Option<Type>,
}

/// The kind of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A boolean literal.
    Bool(bool),
    /// An integer literal.
    Int(i64),
    /// A float literal.
    Float(f64),
    /// A string literal, decoded.
    Str(Arc<[u8]>),
    /// `[a, b]`.
    List(Vec<ExprId>),
    /// `{a => b}`.
    Map(Vec<(ExprId, ExprId)>),
    /// `struct{a => b}`.
    Struct(Vec<(Name, ExprId)>),
    /// `$a` or `$a.b`, stored without the dollar.
    Var(Name),
    /// A call.
    Call(Call),
    /// A function literal.
    Func(Func),
    /// `if cond { then } else { otherwise }`.
    If {
        /// The condition.
        cond: ExprId,
        /// The value if the condition holds.
        then: ExprId,
        /// The value if it does not.
        otherwise: ExprId,
    },
    /// `main <|> fallback`.
    Except {
        /// The value, unless it fails.
        main: ExprId,
        /// The value if `main` fails.
        fallback: ExprId,
    },
    /// A broken part; everything that uses it stays quiet.
    Error,
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function.
    pub callee: Callee,
    /// The arguments in order.
    pub args: Vec<ExprId>,
    /// Span of the function's name or of the operator.
    pub callee_span: Span,
}

/// The function of a call.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A builtin that syntax stands for: `_operator`, `_lookup`, `_struct_lookup`, `_struct_lookup_optional`,
    /// `_collect`. It cannot be shadowed.
    Hidden(&'static str),
    /// `f(…)` or `a.f(…)`; also builtins that syntax looks up by name: `contains`, `concat`, `panic`.
    Named(Name),
    /// `$f(…)`.
    Var(Name),
    /// `func(…) {…}(…)`.
    Func(ExprId),
}

/// A function literal, or the function of a `func` statement.
#[derive(Clone, Debug)]
pub struct Func {
    /// The parameters in order.
    pub params: Vec<Param>,
    /// The declared return type, if any.
    pub ret: Option<Type>,
    /// The body.
    pub body: ExprId,
}

/// A function parameter or loop variable.
#[derive(Clone, Debug)]
pub struct Param {
    /// The name.
    pub name: Name,
    /// The declared type, if any.
    pub ty: Option<Type>,
    /// From the `$` to the end of the name.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its span.
    pub span: Span,
}

/// The kind of a statement.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum StmtKind {
    /// `$name = value`.
    Bind(Bind),
    /// A resource.
    Resource(Resource),
    /// `A["x"] -> B["y"] -> …`.
    Edge(Edge),
    /// `if` as a statement.
    If { cond: ExprId, then: Block, otherwise: Option<Block> },
    /// A loop.
    For(For),
    /// A `func` statement.
    Func { name: Name, name_span: Span, func: ExprId },
    /// A class.
    Class(Class),
    /// `include class(args) as alias`.
    Include(Include),
    /// `import "path" as alias`.
    Import(Import),
    /// A broken part, already reported.
    Error,
}

/// A bind.
#[derive(Clone, Debug)]
pub struct Bind {
    /// The name.
    pub name: Name,
    /// From the `$` to the end of the name.
    pub name_span: Span,
    /// The declared type; it is also the value's known type.
    pub ty: Option<Type>,
    /// The value.
    pub value: ExprId,
}

/// A resource.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The kind.
    pub kind: Name,
    /// Span of the kind.
    pub kind_span: Span,
    /// The expression for its name.
    pub name: ExprId,
    /// The items of the body in order.
    pub items: Vec<Item>,
    /// For `collect kind NAME {…}`: the hidden call of `_collect`.
    pub collect: Option<ExprId>,
}

/// One item of the body of a resource.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// The condition before `?:`, if any.
    pub cond: Option<ExprId>,
    /// Its span.
    pub span: Span,
    /// Span of the name of the field, edge or meta parameter.
    pub name_span: Span,
}

/// The kind of an item.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `name => value`.
    Field {
        /// The name.
        name: Name,
        /// The value.
        value: ExprId,
    },
    /// `Property => Kind["name"]`.
    Edge {
        /// The kind of edge.
        property: EdgeProperty,
        /// The other end.
        half: Half,
    },
    /// `Meta:name => value`.
    Meta {
        /// The meta parameter.
        property: MetaProperty,
        /// The value.
        value: ExprId,
    },
    /// `Meta => struct{…}`.
    MetaStruct {
        /// The value.
        value: ExprId,
    },
}

/// One side of an edge: `Kind["name"]`, `Kind["name"].field`.
#[derive(Clone, Debug)]
pub struct Half {
    /// The kind in lower case; parts are joined by colons.
    pub kind: Name,
    /// The expression for the resource's name.
    pub name: ExprId,
    /// The sent or received field.
    pub field: Option<Name>,
    /// Its span.
    pub span: Span,
}

/// `A["x"] -> B["y"] -> …`; with fields it is a send/recv edge of exactly two halves.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The halves in order, at least two.
    pub halves: Vec<Half>,
}

/// A loop.
#[derive(Clone, Debug)]
pub struct For {
    /// Over a list (`for`) or over a map (`forkv`).
    pub over: LoopOver,
    /// The index or key.
    pub first: Param,
    /// The element or value.
    pub second: Param,
    /// The list or map.
    pub subject: ExprId,
    /// The body.
    pub body: Block,
}

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// The name. It contains colons if its parent class is not in the block.
    pub name: Name,
    /// Span of the name.
    pub name_span: Span,
    /// The parameters in order.
    pub params: Vec<Param>,
    /// The body.
    pub body: Block,
}

/// An include.
#[derive(Clone, Debug)]
pub struct Include {
    /// The class; may be dotted.
    pub class: Name,
    /// Span of the class name.
    pub class_span: Span,
    /// The arguments in order.
    pub args: Vec<ExprId>,
    /// The name after `as`, if any.
    pub alias: Option<Name>,
}

/// An import.
#[derive(Clone, Debug)]
pub struct Import {
    /// The string, as written.
    pub path: Name,
    /// Span of the string.
    pub path_span: Span,
    /// The name after `as`.
    pub alias: Alias,
}

/// The name under which an import is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Alias {
    /// The last segment of the path.
    Default,
    /// The name after `as`.
    Name(Name),
    /// `as *`.
    Star,
}
