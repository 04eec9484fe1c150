//! The parser's own check of a typed bind: a literal that cannot have the type. Language spec, 3.2. Inference finds all
//! other contradictions.

use super::refuse;
use super::session::Session;
use crate::ast::{ExprId, ExprKind, Func, TypeNote};
use crate::span::Span;
use crate::types::{Type, compare};

/// Whether the value can have the type; reports it if not.
pub(super) fn check(session: &Session<'_>, note: &TypeNote, value: ExprId) -> bool {
    match contradiction(session, &note.ty, value) {
        None => true,
        Some(detail) => {
            session.semantic(refuse::typed_bind(place(session, value), note, &detail));
            false
        }
    }
}

/// The first token of the value; for a value in parentheses, the closing one.
fn place(session: &Session<'_>, value: ExprId) -> Span {
    session.with_expr(value, |value| match value.kind {
        ExprKind::Paren(_) => Span { start: value.span.end - 1, ..value.span },
        _ => value.span,
    })
}

/// The contradiction, in the language's words.
fn contradiction(session: &Session<'_>, ty: &Type, value: ExprId) -> Option<String> {
    let mut value = value;
    loop {
        let inner = session.with_expr(value, |value| match value.kind {
            ExprKind::Paren(inner) => Some(inner),
            _ => None,
        });
        match inner {
            Some(inner) => value = inner,
            None => break,
        }
    }
    let own = session.with_expr(value, |value| match &value.kind {
        ExprKind::Bool(_) => Own::Type(Type::Bool),
        ExprKind::Int(_) => Own::Type(Type::Int),
        ExprKind::Float(_) => Own::Type(Type::Float),
        ExprKind::Str => Own::Type(Type::Str),
        ExprKind::Map(_) => Own::Map,
        ExprKind::Func(func) => func_type(func).map_or(Own::Unknown, Own::Type),
        ExprKind::List(_)
        | ExprKind::Struct(_)
        | ExprKind::Var(_)
        | ExprKind::Call { .. }
        | ExprKind::If { .. }
        | ExprKind::Binary { .. }
        | ExprKind::Not { .. }
        | ExprKind::Index { .. }
        | ExprKind::Field { .. }
        | ExprKind::FieldOr { .. }
        | ExprKind::Paren(_)
        | ExprKind::Error => Own::Unknown,
    });
    match (own, ty) {
        (Own::Type(own), ty) => compare(&own, ty).is_err().then(|| format!("this is `{own}`")),
        (Own::Map, Type::Map(parts)) if !parts.0.is_hashable() => {
            Some(format!("a `{}` cannot be the key of a map", parts.0))
        }
        (Own::Map, Type::Map(_)) | (Own::Unknown, _) => None,
        (Own::Map, _) => Some("this is a map".to_owned()),
    }
}

/// The type of a value as far as its syntax shows it.
enum Own {
    Type(Type),
    Map,
    Unknown,
}

/// The type of a function literal if all its types are written.
fn func_type(func: &Func) -> Option<Type> {
    let param = |param: &crate::ast::Param| Some((param.name.clone(), param.ty.as_ref()?.ty.clone()));
    let params = func.params.iter().map(param).collect::<Option<Vec<_>>>()?;
    Some(Type::func(params, func.ret.as_ref()?.ty.clone()))
}
