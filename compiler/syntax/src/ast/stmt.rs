//! Statements as written. Language spec, sections 2 and 3.1.

use super::{ExprId, Func, Param, StmtId, TypeNote};
use crate::ident::Name;
use crate::span::Span;

/// The statements between braces, or of a whole file.
#[derive(Clone, Debug)]
pub struct Block {
    /// The statements in source order.
    pub stmts: Vec<StmtId>,
    /// Braces included.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// From the first to the last token, without the newline.
    pub span: Span,
}

/// The kind of a statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `$name = value`.
    Bind {
        /// The name.
        name: Name,
        /// From the `$` to the end of the name.
        name_span: Span,
        /// The declared type, if any.
        ty: Option<TypeNote>,
        /// The value.
        value: ExprId,
    },
    /// `panic(args)`.
    Panic {
        /// The arguments in order.
        args: Vec<ExprId>,
    },
    /// A resource.
    Resource(Box<Resource>),
    /// `A["x"] -> B["y"] -> …`.
    Edge {
        /// The halves in order, at least two.
        halves: Vec<Half>,
    },
    /// `if` as a statement.
    If {
        /// The condition.
        cond: ExprId,
        /// The block if the condition holds.
        then: Block,
        /// The block if it does not.
        otherwise: Option<Block>,
    },
    /// A loop.
    For {
        /// Over a list or a map.
        over: LoopOver,
        /// The index or key variable.
        first: Param,
        /// The element or value variable.
        second: Param,
        /// The list or map.
        subject: ExprId,
        /// The body.
        body: Block,
    },
    /// A `func` statement.
    Func {
        /// The name.
        name: Name,
        /// Span of the name.
        name_span: Span,
        /// Parameters and body.
        func: Box<Func>,
    },
    /// A class.
    Class {
        /// The name; parts are joined by colons.
        name: Name,
        /// Span of the name.
        name_span: Span,
        /// The parameters; `None` without parentheses.
        params: Option<Vec<Param>>,
        /// The body.
        body: Block,
    },
    /// `include class(args) as alias`.
    Include {
        /// The class.
        class: Name,
        /// Span of the class name.
        class_span: Span,
        /// The arguments; `None` without parentheses.
        args: Option<Vec<ExprId>>,
        /// The name after `as`, if any.
        alias: Option<Name>,
    },
    /// `import "path" as alias`.
    Import {
        /// The raw text between the quotes.
        path: Name,
        /// Quotes included.
        path_span: Span,
        /// The name after `as`.
        alias: Alias,
    },
    /// A broken part, already reported.
    Error,
}

/// `kind NAME { items }`.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Span of the word `collect` in front, if any.
    pub collect: Option<Span>,
    /// The name; parts are joined by colons.
    pub kind: Name,
    /// Span of the kind.
    pub kind_span: Span,
    /// The expression for its name.
    pub name: ExprId,
    /// The items of the body in order.
    pub items: Vec<Item>,
    /// From the `{` to the `}`.
    pub body_span: Span,
}

/// One item of the body of a resource.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// The condition before `?:`, if any.
    pub cond: Option<ExprId>,
    /// Its span, including the comma.
    pub span: Span,
    /// Span of the name of the field, edge or meta parameter.
    pub name_span: Span,
}

/// The kind of an item.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `name => value`.
    Field {
        /// The field.
        name: Name,
        /// The value.
        value: ExprId,
    },
    /// `Property => Kind["name"]`.
    Edge {
        /// The property in lower case; may be unknown.
        property: Name,
        /// The other end.
        half: Half,
    },
    /// Its span.
    Meta {
        /// The property in lower case.
        property: Name,
        /// The value.
        value: ExprId,
    },
    /// `Meta => value`.
    MetaStruct {
        /// The value.
        value: ExprId,
    },
}

/// `Kind["name"]`, `Kind["name"].field`.
#[derive(Clone, Debug)]
pub struct Half {
    /// The kind in lower case; parts are joined by colons.
    pub kind: Name,
    /// The expression for the resource's name.
    pub name: ExprId,
    /// The field after the dot, if any.
    pub field: Option<HalfField>,
    /// Its span.
    pub span: Span,
}

/// The sent or received field of a half.
#[derive(Clone, Debug)]
pub struct HalfField {
    /// The field.
    pub name: Name,
    /// Its span.
    pub span: Span,
}

/// The name under which an import is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Alias {
    /// Derived from the path.
    Default,
    /// The name after `as`.
    Name(Name),
    /// `as *`.
    Star,
}

/// The kind of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoopOver {
    /// `for`: over a list.
    List,
    /// `forkv`: over a map.
    Map,
}
