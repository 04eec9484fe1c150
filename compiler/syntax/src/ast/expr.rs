//! Expressions and types as written. Language spec, sections 2 and 3.1.

use super::ExprId;
use crate::ident::Name;
use crate::span::Span;
use crate::types::Type;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// From the first to the last token.
    pub span: Span,
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
    /// A string literal. Its raw text is the span without the quotes.
    Str,
    /// `[a, b]`.
    List(Vec<ExprId>),
    /// `{a => b}`.
    Map(Vec<Pair>),
    /// `struct{a => b}`.
    Struct(Vec<StructField>),
    /// `$a` or `$a.b`, stored without the dollar.
    Var(Name),
    /// A call.
    Call {
        /// The function.
        callee: Callee,
        /// Span of the function's name.
        callee_span: Span,
        /// The arguments in order.
        args: Vec<ExprId>,
    },
    /// A function literal.
    Func(Box<Func>),
    /// `if cond { then } else { otherwise }`.
    If {
        /// The condition.
        cond: ExprId,
        /// The value if the condition holds.
        then: ExprId,
        /// From its `{` to its `}`.
        then_span: Span,
        /// The value if it does not.
        otherwise: ExprId,
        /// From its `{` to its `}`.
        otherwise_span: Span,
    },
    /// An infix operator.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Span of the operator.
        op_span: Span,
        /// The left operand.
        left: ExprId,
        /// The right operand.
        right: ExprId,
    },
    /// `not operand`.
    Not {
        /// Span of the operator.
        op_span: Span,
        /// The operand.
        operand: ExprId,
    },
    /// `base[index]`.
    Index {
        /// The expression before the operator.
        base: ExprId,
        /// The index or key.
        index: ExprId,
    },
    /// `base->name`.
    Field {
        /// The expression before the operator.
        base: ExprId,
        /// The field.
        name: Name,
        /// Span of the field name.
        name_span: Span,
    },
    /// `base->name <|> fallback`.
    FieldOr {
        /// The expression before the operator.
        base: ExprId,
        /// The field.
        name: Name,
        /// Span of the field name.
        name_span: Span,
        /// The value if the field is missing.
        fallback: ExprId,
    },
    /// An expression in parentheses.
    Paren(ExprId),
    /// A broken part, already reported.
    Error,
}

/// `key => value`.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The key.
    pub key: ExprId,
    /// The value.
    pub value: ExprId,
}

/// `name => value` of a struct.
#[derive(Clone, Debug)]
pub struct StructField {
    /// The name.
    pub name: Name,
    /// Span of the name.
    pub name_span: Span,
    /// The value.
    pub value: ExprId,
}

/// The function of a call.
#[derive(Clone, Debug)]
pub enum Callee {
    /// `f(…)`, `a.f(…)`.
    Named(Name),
    /// `$f(…)` or `$a.f(…)`, stored without the dollar.
    Var(Name),
    /// `func(…) {…}(…)`: an expression of kind [`ExprKind::Func`].
    Literal(ExprId),
}

/// A function literal, or what follows the name of a `func` statement.
#[derive(Clone, Debug)]
pub struct Func {
    /// The parameters in order.
    pub params: Vec<Param>,
    /// The declared return type, if any.
    pub ret: Option<TypeNote>,
    /// The body.
    pub body: ExprId,
    /// From its `{` to its `}`.
    pub body_span: Span,
}

/// `$name`, `$name T`.
#[derive(Clone, Debug)]
pub struct Param {
    /// The name.
    pub name: Name,
    /// From the `$` to the end of the name.
    pub span: Span,
    /// The declared type, if any.
    pub ty: Option<TypeNote>,
}

/// A type as written. An unnamed parameter is named by its decimal position, which cannot be written.
#[derive(Clone, Debug)]
pub struct TypeNote {
    /// The type.
    pub ty: Type,
    /// Its span.
    pub span: Span,
}

/// An infix operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/`.
    Div,
    /// `==`.
    Eq,
    /// `!=`.
    Neq,
    /// `<`.
    Lt,
    /// `>`.
    Gt,
    /// `<=`.
    Lte,
    /// `>=`.
    Gte,
    /// `and`.
    And,
    /// `or`.
    Or,
    /// `in`.
    In,
    /// `<|>`.
    Except,
}

impl BinaryOp {
    /// The operator as written.
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
