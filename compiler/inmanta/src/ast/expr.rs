//! Expressions and statements.

use super::{ExprId, StmtId};
use crate::lex::Comparison;
use crate::pattern::Pattern;
use crate::value::{Operator, Value};
use mclive_base::ident::Name;
use mclive_base::span::Span;
use std::sync::Arc;

/// A name, optionally with a namespace: `p::q::n`.
#[derive(Clone, Debug)]
pub struct Path {
    /// The namespace, `p::q`.
    pub namespace: Option<Name>,
    /// The last part.
    pub name: Name,
    /// Its span.
    pub span: Span,
}

impl Path {
    /// The path as text.
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
    /// A number.
    Number,
    /// `true`, `false` or `null`.
    Word,
    /// A string in quotes.
    Plain,
    /// A raw string.
    Raw,
    /// A multi-line string.
    Long,
    /// An f-string.
    FString,
}

/// An expression.
#[derive(Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The whole expression.
    pub span: Span,
    /// The token at which messages place it (spec, 11.5).
    pub at: Span,
    /// Whether messages include the column.
    pub is_precise: bool,
    /// Its value, if it is constant.
    pub constant: Option<Value>,
    /// The height of its tree.
    pub height: u16,
}

/// A boolean operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoolOperator {
    /// `and`.
    And,
    /// `or`.
    Or,
}

/// The kind of an expression.
#[derive(Debug)]
pub enum ExprKind {
    /// A literal.
    Literal(Flavour),
    /// A string with `{{ references }}`; each with the text it replaces.
    Interpolated {
        /// The decoded string.
        text: Arc<str>,
        /// The references, each with its text in the string.
        parts: Vec<(Arc<str>, ExprId)>,
        /// How it was written.
        flavour: Flavour,
    },
    /// An f-string.
    FString(Box<Format>),
    /// A variable.
    Var(Path),
    /// `base.name`.
    Attr {
        /// The object.
        base: ExprId,
        /// The attribute.
        name: Name,
        /// Span of the attribute's name.
        name_span: Span,
    },
    /// `[a, b]`.
    List(Vec<ExprId>),
    /// `{"a": b}`.
    Dict(Vec<(Arc<str>, ExprId)>),
    /// An arithmetic operator.
    Arithmetic(Operator, ExprId, ExprId),
    /// A comparison.
    Compare(Comparison, ExprId, ExprId),
    /// `and` or `or`.
    Bool(BoolOperator, ExprId, ExprId),
    /// `a in b`.
    In(ExprId, ExprId),
    /// `not a`.
    Not(ExprId),
    /// `is defined`, of a variable, an attribute, or a lookup in a dict.
    IsDefined(ExprId),
    /// `dict[key]`.
    Lookup {
        /// The dict.
        dict: ExprId,
        /// The key.
        key: ExprId,
    },
    /// `Class[args]`: a lookup in an index.
    IndexLookup {
        /// The entity.
        class: Path,
        /// The arguments in order.
        args: Vec<Arg>,
    },
    /// `base.relation[args]`: a lookup through a relation.
    ShortLookup {
        /// The object.
        base: ExprId,
        /// The relation.
        relation: Name,
        /// Span of the relation's name.
        relation_span: Span,
        /// The arguments in order.
        args: Vec<Arg>,
    },
    /// `Class(args)`: a constructor.
    Construct {
        /// The entity.
        class: Path,
        /// The arguments in order.
        args: Vec<Arg>,
    },
    /// `function(args)`.
    Call {
        /// The function.
        function: Path,
        /// The arguments in order.
        args: Vec<Arg>,
    },
    /// `condition ? then : otherwise`.
    Conditional {
        /// The condition.
        condition: ExprId,
        /// The value if the condition holds.
        then: ExprId,
        /// The value if it does not.
        otherwise: ExprId,
    },
    /// `[value for … if guard]`.
    Comprehension {
        /// The value of each element.
        value: ExprId,
        /// The `for` clauses, outermost first.
        clauses: Vec<Clause>,
        /// The condition after `if`, if any.
        guard: Option<ExprId>,
    },
    /// The condition of a regex typedef: whether `self` matches.
    Regex(Arc<Pattern>),
}

/// `for NAME in ITERABLE` of a comprehension.
#[derive(Debug)]
pub struct Clause {
    /// The variable.
    pub var: Name,
    /// Span of the variable.
    pub var_span: Span,
    /// The list.
    pub iterable: ExprId,
}

/// An argument.
#[derive(Debug)]
pub enum Arg {
    /// An argument by position.
    Positional(ExprId),
    /// `name = value`.
    Named {
        /// The name.
        name: Name,
        /// Span of the name.
        span: Span,
        /// The value.
        value: ExprId,
    },
    /// `**value`.
    Unpacked {
        /// The dict.
        value: ExprId,
        /// Span of the `**`.
        at: Span,
    },
}

/// A parsed f-string. Spec, 2.5.
#[derive(Debug)]
pub struct Format {
    /// The text between the quotes, decoded.
    pub text: Arc<str>,
    /// The replacement fields in order.
    pub fields: Vec<FormatField>,
    /// The text after the last field.
    pub tail: String,
}

/// A replacement field with the text before it.
#[derive(Debug)]
pub struct FormatField {
    /// The text before it.
    pub before: String,
    /// The value.
    pub reference: Ref,
    /// The conversion after `!`, if any.
    pub conversion: Option<String>,
    /// The fields in the format specification, one level deeper.
    pub spec: Vec<FormatField>,
    /// The text after them.
    pub spec_tail: String,
}

/// The reference in a replacement field.
#[derive(Debug)]
pub enum Ref {
    /// An expression.
    Expr(ExprId),
    /// No name.
    Empty,
    /// A field that the original overlooks (*quirk*, spec 2.5).
    Unseen(String),
}

/// A statement.
#[derive(Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its span.
    pub span: Span,
    /// The token whose line messages show.
    pub at: Span,
}

/// The kind of a statement.
#[derive(Debug)]
pub enum StmtKind {
    /// `v = e`
    Assign {
        /// The variable.
        target: Path,
        /// The value.
        value: ExprId,
    },
    /// `p.a = e` or `p.a += e`.
    Set {
        /// The object.
        base: ExprId,
        /// The attribute.
        name: Name,
        /// Span of the attribute's name.
        name_span: Span,
        /// Whether it is `+=`.
        adds: bool,
        /// The value.
        value: ExprId,
    },
    /// `for var in iterable: … end`.
    For {
        /// The variable.
        var: Name,
        /// Span of the variable.
        var_span: Span,
        /// The list.
        iterable: ExprId,
        /// The body.
        body: Vec<StmtId>,
    },
    /// `if condition: … else: … end`.
    If {
        /// The condition.
        condition: ExprId,
        /// The statements if the condition holds.
        then: Vec<StmtId>,
        /// The statements if it does not.
        otherwise: Vec<StmtId>,
    },
    /// An expression as a statement.
    Expr(ExprId),
}

impl ExprKind {
    /// Visits the direct subexpressions in source order.
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
    /// The expression of the argument.
    pub fn value(&self) -> ExprId {
        match self {
            Arg::Positional(value) | Arg::Named { value, .. } | Arg::Unpacked { value, .. } => *value,
        }
    }
}
