//! Expressions and types as written. Language spec, sections 2 and 3.1.

use super::ExprId;
use crate::ident::Name;
use crate::span::Span;
use crate::types::Type;

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// From the first to the last token.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Bool(bool),
    Int(i64),
    Float(f64),
    /// The raw text is what the span covers, less its quotes.
    Str,
    List(Vec<ExprId>),
    Map(Vec<Pair>),
    Struct(Vec<StructField>),
    /// `$a`, `$a.b`, without the dollar.
    Var(Name),
    Call {
        callee: Callee,
        callee_span: Span,
        args: Vec<ExprId>,
    },
    Func(Box<Func>),
    If {
        cond: ExprId,
        then: ExprId,
        /// From its `{` to its `}`.
        then_span: Span,
        otherwise: ExprId,
        otherwise_span: Span,
    },
    Binary {
        op: BinaryOp,
        op_span: Span,
        left: ExprId,
        right: ExprId,
    },
    Not {
        op_span: Span,
        operand: ExprId,
    },
    /// `base[index]`.
    Index {
        base: ExprId,
        index: ExprId,
    },
    /// `base->name`.
    Field {
        base: ExprId,
        name: Name,
        name_span: Span,
    },
    /// `base->name <|> fallback`.
    FieldOr {
        base: ExprId,
        name: Name,
        name_span: Span,
        fallback: ExprId,
    },
    Paren(ExprId),
    /// Already reported.
    Error,
}

/// `key => value`.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub key: ExprId,
    pub value: ExprId,
}

/// `name => value` of a struct.
#[derive(Clone, Debug)]
pub struct StructField {
    pub name: Name,
    pub name_span: Span,
    pub value: ExprId,
}

/// What is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// `f(…)`, `a.f(…)`.
    Named(Name),
    /// `$f(…)`, `$a.f(…)`, without the dollar.
    Var(Name),
    /// `func(…) {…}(…)`: an expression of kind [`ExprKind::Func`].
    Literal(ExprId),
}

/// A function literal, or what follows the name of a `func` statement.
#[derive(Clone, Debug)]
pub struct Func {
    pub params: Vec<Param>,
    pub ret: Option<TypeNote>,
    pub body: ExprId,
    /// From its `{` to its `}`.
    pub body_span: Span,
}

/// `$name`, `$name T`.
#[derive(Clone, Debug)]
pub struct Param {
    pub name: Name,
    /// From the `$` to the end of the name.
    pub span: Span,
    pub ty: Option<TypeNote>,
}

/// A type as written. Parameters without a name have their decimal position as name, which
/// cannot be written.
#[derive(Clone, Debug)]
pub struct TypeNote {
    pub ty: Type,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Eq,
    Neq,
    Lt,
    Gt,
    Lte,
    Gte,
    And,
    Or,
    In,
    /// `<|>`.
    Except,
}

impl BinaryOp {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Eq => "==",
            BinaryOp::Neq => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Lte => "<=",
            BinaryOp::Gte => ">=",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::In => "in",
            BinaryOp::Except => "<|>",
        }
    }
}
