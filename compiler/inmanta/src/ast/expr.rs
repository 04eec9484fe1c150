//! Expressions and statements.

use super::{ExprId, StmtId};
use crate::lex::Comparison;
use crate::pattern::Pattern;
use crate::value::{Operator, Value};
use mclive_base::ident::Name;
use mclive_base::span::Span;
use std::sync::Arc;

/// A name, perhaps with a namespace: `p::q::n`.
#[derive(Clone, Debug)]
pub struct Path {
    /// `p::q`.
    pub namespace: Option<Name>,
    pub name: Name,
    pub span: Span,
}

impl Path {
    pub fn text(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}::{}", self.name),
            None => self.name.to_string(),
        }
    }
}

/// How a literal was written, which decides where messages place it (spec, 11.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flavour {
    Number,
    Word,
    Plain,
    Raw,
    Long,
    FString,
}

/// An expression.
#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// All of it.
    pub span: Span,
    /// The token whose place messages tell (spec, 11.5).
    pub at: Span,
    /// Do messages tell the column as well?
    pub is_precise: bool,
    /// Its value, where all of it is constant.
    pub constant: Option<Value>,
    pub height: u16,
}

/// `and`, `or`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoolOperator {
    And,
    Or,
}

#[derive(Debug)]
pub enum ExprKind {
    Literal(Flavour),
    /// A string with `{{ references }}`; each with the text that is replaced.
    Interpolated {
        text: Arc<str>,
        parts: Vec<(Arc<str>, ExprId)>,
        flavour: Flavour,
    },
    FString(Box<Format>),
    Var(Path),
    Attr {
        base: ExprId,
        name: Name,
        name_span: Span,
    },
    List(Vec<ExprId>),
    Dict(Vec<(Arc<str>, ExprId)>),
    Arithmetic(Operator, ExprId, ExprId),
    Compare(Comparison, ExprId, ExprId),
    Bool(BoolOperator, ExprId, ExprId),
    In(ExprId, ExprId),
    Not(ExprId),
    /// Of a variable, an attribute, or a lookup in a dict.
    IsDefined(ExprId),
    Lookup {
        dict: ExprId,
        key: ExprId,
    },
    IndexLookup {
        class: Path,
        args: Vec<Arg>,
    },
    ShortLookup {
        base: ExprId,
        relation: Name,
        relation_span: Span,
        args: Vec<Arg>,
    },
    Construct {
        class: Path,
        args: Vec<Arg>,
    },
    Call {
        function: Path,
        args: Vec<Arg>,
    },
    Conditional {
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    Comprehension {
        value: ExprId,
        clauses: Vec<Clause>,
        guard: Option<ExprId>,
    },
    /// The condition of a typedef: does `self` match?
    Regex(Arc<Pattern>),
}

/// `for NAME in ITERABLE` of a comprehension.
#[derive(Debug)]
pub struct Clause {
    pub var: Name,
    pub var_span: Span,
    pub iterable: ExprId,
}

/// An argument.
#[derive(Debug)]
pub enum Arg {
    Positional(ExprId),
    Named {
        name: Name,
        span: Span,
        value: ExprId,
    },
    /// `**value`
    Unpacked {
        value: ExprId,
        at: Span,
    },
}

/// An f-string that was cut into its parts. Spec, 2.5.
#[derive(Debug)]
pub struct Format {
    /// The text between the quotes, decoded.
    pub text: Arc<str>,
    pub fields: Vec<FormatField>,
    /// The text behind the last field.
    pub tail: String,
}

/// A replacement field with the text before it.
#[derive(Debug)]
pub struct FormatField {
    pub before: String,
    pub reference: Ref,
    pub conversion: Option<String>,
    /// The specification; its fields are one level deeper.
    pub spec: Vec<FormatField>,
    pub spec_tail: String,
}

/// What an f-string's field names.
#[derive(Debug)]
pub enum Ref {
    Expr(ExprId),
    /// A field without a name.
    Empty,
    /// A field that the original does not know of (*quirk*, spec 2.5).
    Unseen(String),
}

/// A statement.
#[derive(Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
    /// The token whose line messages tell.
    pub at: Span,
}

#[derive(Debug)]
pub enum StmtKind {
    /// `v = e`
    Assign {
        target: Path,
        value: ExprId,
    },
    /// `p.a = e`, `p.a += e`
    Set {
        base: ExprId,
        name: Name,
        name_span: Span,
        adds: bool,
        value: ExprId,
    },
    For {
        var: Name,
        var_span: Span,
        iterable: ExprId,
        body: Vec<StmtId>,
    },
    If {
        condition: ExprId,
        then: Vec<StmtId>,
        otherwise: Vec<StmtId>,
    },
    Expr(ExprId),
}

impl ExprKind {
    /// Visits the expressions directly below this one, in the order of the text.
    pub fn for_each_child(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            ExprKind::Literal(_) | ExprKind::Var(_) | ExprKind::Regex(_) => {}
            ExprKind::Interpolated { parts, .. } => parts.iter().for_each(|(_, part)| visit(*part)),
            ExprKind::FString(format) => format.fields.iter().for_each(|field| field.for_each_expr(&mut visit)),
            ExprKind::Attr { base, .. } => visit(*base),
            ExprKind::List(items) => items.iter().copied().for_each(visit),
            ExprKind::Dict(entries) => entries.iter().for_each(|(_, value)| visit(*value)),
            ExprKind::Arithmetic(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::Bool(_, a, b)
            | ExprKind::In(a, b)
            | ExprKind::Lookup { dict: a, key: b } => {
                visit(*a);
                visit(*b);
            }
            ExprKind::Not(a) | ExprKind::IsDefined(a) => visit(*a),
            ExprKind::IndexLookup { args, .. } | ExprKind::Construct { args, .. } | ExprKind::Call { args, .. } => {
                args.iter().for_each(|arg| visit(arg.value()));
            }
            ExprKind::ShortLookup { base, args, .. } => {
                visit(*base);
                args.iter().for_each(|arg| visit(arg.value()));
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                visit(*condition);
                visit(*then);
                visit(*otherwise);
            }
            ExprKind::Comprehension { value, clauses, guard } => {
                visit(*value);
                clauses.iter().for_each(|clause| visit(clause.iterable));
                guard.iter().copied().for_each(visit);
            }
        }
    }
}

impl FormatField {
    /// Visits the references of a field and of its specification.
    pub fn for_each_expr(&self, visit: &mut dyn FnMut(ExprId)) {
        if let Ref::Expr(expr) = &self.reference {
            visit(*expr);
        }
        for field in &self.spec {
            field.for_each_expr(visit);
        }
    }
}

impl Arg {
    pub fn value(&self) -> ExprId {
        match self {
            Arg::Positional(value) | Arg::Named { value, .. } | Arg::Unpacked { value, .. } => *value,
        }
    }
}
