//! Types and values of literals, without looking at definitions. Language spec, section 4 (remarks) and 9.6.

use super::raw;
use crate::ast::{BinaryOp, Callee, ExprId, ExprKind, Func, Tree};
use crate::source::Source;
use crate::types::{Type, compare};
use crate::value::Value;

/// The type of an expression, as far as literals determine it.
pub(super) fn static_type(tree: &Tree, id: ExprId) -> Option<Type> {
    match &tree.exprs[id].kind {
        ExprKind::Bool(_) => Some(Type::Bool),
        ExprKind::Int(_) => Some(Type::Int),
        ExprKind::Float(_) => Some(Type::Float),
        ExprKind::Str => Some(Type::Str),
        ExprKind::List(items) => Some(Type::list(common(tree, items.iter().copied())?)),
        ExprKind::Map(pairs) => Some(Type::map(
            common(tree, pairs.iter().map(|pair| pair.key))?,
            common(tree, pairs.iter().map(|pair| pair.value))?,
        )),
        ExprKind::Struct(fields) if fields.is_empty() => None,
        ExprKind::Struct(fields) => {
            let typed = fields.iter().map(|field| Some((field.name.clone(), static_type(tree, field.value)?)));
            Some(Type::structure(typed.collect::<Option<Vec<_>>>()?))
        }
        ExprKind::Func(func) => {
            let param = |param: &crate::ast::Param| Some((param.name.clone(), param.ty.as_ref()?.ty.clone()));
            let params = func.params.iter().map(param).collect::<Option<Vec<_>>>()?;
            Some(Type::func(params, result_type(tree, func)?))
        }
        ExprKind::If { then, otherwise, .. } => either(static_type(tree, *then), static_type(tree, *otherwise)),
        ExprKind::Call { callee: Callee::Literal(literal), .. } => match &tree.exprs[*literal].kind {
            ExprKind::Func(func) => result_type(tree, func),
            _ => None,
        },
        ExprKind::Paren(inner) => static_type(tree, *inner),
        ExprKind::Binary { .. } => {
            let (first, links) = tree.chain(id);
            // The result type of any other operator is not known here.
            let mut known = static_type(tree, first);
            for link in links {
                let is_except = link.op == BinaryOp::Except;
                known = if is_except { either(known, static_type(tree, link.right)) } else { None };
            }
            known
        }
        ExprKind::Var(_)
        | ExprKind::Call { .. }
        | ExprKind::Not { .. }
        | ExprKind::Index { .. }
        | ExprKind::Field { .. }
        | ExprKind::FieldOr { .. }
        | ExprKind::Error => None,
    }
}

fn result_type(tree: &Tree, func: &Func) -> Option<Type> {
    func.ret.as_ref().map(|note| note.ty.clone()).or_else(|| static_type(tree, func.body))
}

/// The common type of all parts; `None` if there are no parts, or if they differ.
fn common(tree: &Tree, mut parts: impl Iterator<Item = ExprId>) -> Option<Type> {
    let first = static_type(tree, parts.next()?)?;
    parts.all(|part| static_type(tree, part).is_some_and(|ty| compare(&first, &ty).is_ok())).then_some(first)
}

/// The known one of two types; `None` if both are known and differ.
fn either(one: Option<Type>, other: Option<Type>) -> Option<Type> {
    match (one, other) {
        (Some(one), Some(other)) => compare(&one, &other).is_ok().then_some(one),
        (one, other) => one.or(other),
    }
}

/// The value of a literal that may be a map key. Strings are raw, before interpolation. The two float zeros are one
/// key.
pub(super) fn static_key(tree: &Tree, source: &Source, id: ExprId) -> Option<Value> {
    let expr = &tree.exprs[id];
    match &expr.kind {
        ExprKind::Bool(value) => Some(Value::Bool(*value)),
        ExprKind::Int(value) => Some(Value::Int(*value)),
        ExprKind::Float(value) => Some(Value::Float(if *value == 0.0 { 0.0 } else { *value })),
        ExprKind::Str => Some(Value::Str(raw(source, expr).into())),
        ExprKind::Struct(fields) => {
            let key = |value| static_key(tree, source, value);
            let known = fields.iter().map(|field| Some((&*field.name, key(field.value)?)));
            Some(Value::structure(known.collect::<Option<Vec<_>>>()?))
        }
        ExprKind::Paren(inner) => static_key(tree, source, *inner),
        // Not hashable, or not known.
        ExprKind::List(_)
        | ExprKind::Map(_)
        | ExprKind::Func(_)
        | ExprKind::Var(_)
        | ExprKind::Call { .. }
        | ExprKind::If { .. }
        | ExprKind::Binary { .. }
        | ExprKind::Not { .. }
        | ExprKind::Index { .. }
        | ExprKind::Field { .. }
        | ExprKind::FieldOr { .. }
        | ExprKind::Error => None,
    }
}
