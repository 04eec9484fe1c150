//! Statements as written. Language spec, sections 2 and 3.1.

use super::{ExprId, Func, Param, StmtId, TypeNote};
use crate::ident::Name;
use crate::span::Span;

/// The statements between braces, or of a whole file.
#[derive(Clone, Debug)]
pub struct Block {
    pub stmts: Vec<StmtId>,
    /// Braces included.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    /// From the first to the last token, the newline not included.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Bind {
        name: Name,
        /// From the `$` to the end of the name.
        name_span: Span,
        ty: Option<TypeNote>,
        value: ExprId,
    },
    Panic {
        args: Vec<ExprId>,
    },
    Resource(Box<Resource>),
    Edge {
        halves: Vec<Half>,
    },
    If {
        cond: ExprId,
        then: Block,
        otherwise: Option<Block>,
    },
    For {
        over: LoopOver,
        first: Param,
        second: Param,
        subject: ExprId,
        body: Block,
    },
    Func {
        name: Name,
        name_span: Span,
        func: Box<Func>,
    },
    Class {
        /// Chunks joined by colons.
        name: Name,
        name_span: Span,
        /// `None` without parentheses.
        params: Option<Vec<Param>>,
        body: Block,
    },
    Include {
        class: Name,
        class_span: Span,
        /// `None` without parentheses.
        args: Option<Vec<ExprId>>,
        alias: Option<Name>,
    },
    Import {
        /// The raw text between the quotes.
        path: Name,
        /// Quotes included.
        path_span: Span,
        alias: Alias,
    },
    /// Already reported.
    Error,
}

/// `kind NAME { items }`.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The word `collect` in front.
    pub collect: Option<Span>,
    /// Chunks joined by colons.
    pub kind: Name,
    pub kind_span: Span,
    pub name: ExprId,
    pub items: Vec<Item>,
    /// From the `{` to the `}`.
    pub body_span: Span,
}

/// One item of a resource's body.
#[derive(Clone, Debug)]
pub struct Item {
    pub kind: ItemKind,
    pub cond: Option<ExprId>,
    /// Comma included.
    pub span: Span,
    /// The field's, edge's or meta parameter's name.
    pub name_span: Span,
}

#[derive(Clone, Debug)]
pub enum ItemKind {
    Field {
        name: Name,
        value: ExprId,
    },
    /// The property in lower case; it may be unknown.
    Edge {
        property: Name,
        half: Half,
    },
    /// `Meta:property => value`; the property may be unknown, or `meta`.
    Meta {
        property: Name,
        value: ExprId,
    },
    /// `Meta => value`.
    MetaStruct {
        value: ExprId,
    },
}

/// `Kind["name"]`, `Kind["name"].field`.
#[derive(Clone, Debug)]
pub struct Half {
    /// Lower case, chunks joined by colons.
    pub kind: Name,
    pub name: ExprId,
    pub field: Option<HalfField>,
    pub span: Span,
}

/// The sent or received field of a half.
#[derive(Clone, Debug)]
pub struct HalfField {
    pub name: Name,
    pub span: Span,
}

/// What an import is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Alias {
    Default,
    Name(Name),
    /// `as *`.
    Star,
}

/// What a loop goes over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoopOver {
    List,
    Map,
}
