//! Types. Language spec, section 2 (`type`) and 3.2 for the two errors of complete types.

use super::expr::var_id;
use super::input::{Expected, Input, Res, tok};
use super::lists::comma_list;
use super::refuse;
use crate::ast::TypeNote;
use crate::ident::Name;
use crate::lex::TokenKind;
use crate::types::Type;

/// Whether a type can begin with this token.
pub(super) fn begins_type(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::BoolType
            | TokenKind::StrType
            | TokenKind::IntType
            | TokenKind::FloatType
            | TokenKind::Variant
            | TokenKind::OpenBrack
            | TokenKind::Map
            | TokenKind::Struct
            | TokenKind::Func
    )
}

/// `type`, with its span.
pub(super) fn ty(i: Input<'_>) -> Res<'_, TypeNote> {
    let start = i.span();
    let (i, ty) = bare(i)?;
    Ok((i, TypeNote { ty, span: i.span_from(start) }))
}

fn bare(i: Input<'_>) -> Res<'_, Type> {
    let after = i.bump().0;
    match i.kind() {
        TokenKind::BoolType => Ok((after, Type::Bool)),
        TokenKind::StrType => Ok((after, Type::Str)),
        TokenKind::IntType => Ok((after, Type::Int)),
        TokenKind::FloatType => Ok((after, Type::Float)),
        TokenKind::Variant => Ok((after, Type::Variant)),
        TokenKind::OpenBrack => i.session.nested(after, list),
        TokenKind::Map => i.session.nested(after, map),
        TokenKind::Struct => i.session.nested(after, structure),
        TokenKind::Func => i.session.nested(after, func),
        _ => i.fail(Expected::Type),
    }
}

/// `"[" "]" type`
fn list(i: Input<'_>) -> Res<'_, Type> {
    let (i, _) = tok(TokenKind::CloseBrack)(i)?;
    let (i, element) = bare(i)?;
    Ok((i, Type::list(element)))
}

/// `"map" "{" type ":" type "}"`
fn map(i: Input<'_>) -> Res<'_, Type> {
    let (i, _) = tok(TokenKind::OpenCurly)(i)?;
    let (i, key) = bare(i)?;
    let (i, _) = tok(TokenKind::Colon)(i)?;
    let (i, value) = bare(i)?;
    let (i, _) = tok(TokenKind::CloseCurly)(i)?;
    Ok((i, Type::map(key, value)))
}

/// `"struct" "{" [ id type { ";" id type } ] "}"`
fn structure(i: Input<'_>) -> Res<'_, Type> {
    let (mut i, _) = tok(TokenKind::OpenCurly)(i)?;
    let mut fields: Vec<(Name, Type)> = Vec::new();
    if i.kind() == TokenKind::CloseCurly {
        return Ok((i.bump().0, Type::structure(fields)));
    }
    i.session.expect(i.index(), Expected::Token(TokenKind::CloseCurly));
    let mut repeated = None;
    let mut seen = std::collections::BTreeSet::new();
    loop {
        let name_span = i.span();
        let (after, token) = tok(TokenKind::Ident)(i)?;
        let name = i.session.intern(i.session.text(token));
        let (after, field) = bare(after)?;
        if seen.insert(name.clone()) {
            fields.push((name, field));
        } else if repeated.is_none() {
            repeated = Some((name, name_span));
        }
        i = after;
        if i.kind() != TokenKind::Semicolon {
            break;
        }
        i = i.bump().0;
    }
    i.session.expect(i.index(), Expected::Token(TokenKind::Semicolon));
    let close = i.span();
    let (i, _) = tok(TokenKind::CloseCurly)(i)?;
    if let Some((name, name_span)) = repeated {
        i.session.semantic(refuse::repeated_type_field(&name, name_span, close));
    }
    Ok((i, Type::structure(fields)))
}

/// `"func" "(" tfargs ")" type`
fn func(i: Input<'_>) -> Res<'_, Type> {
    let (i, _) = tok(TokenKind::OpenParen)(i)?;
    let (i, params) = comma_list(i, TokenKind::CloseParen, func_param)?;
    let ret_span = i.span();
    let (i, ret) = bare(i)?;
    let mut seen = std::collections::BTreeSet::new();
    let repeated = params.iter().flat_map(|(name, _)| name).find(|name| !seen.insert(*name));
    if let Some(name) = repeated {
        i.session.semantic(refuse::repeated_type_param(name, ret_span));
    }
    let number = |(at, (name, ty)): (usize, (Option<Name>, Type))| match name {
        Some(name) => (name, ty),
        None => (i.session.intern(&at.to_string()), ty),
    };
    let params = params.into_iter().enumerate().map(number).collect();
    Ok((i, Type::func(params, ret)))
}

/// `type | var_id type`
fn func_param(i: Input<'_>) -> Res<'_, (Option<Name>, Type)> {
    if i.kind() != TokenKind::Dollar {
        i.session.expect(i.index(), Expected::Token(TokenKind::Dollar));
        let (i, ty) = bare(i)?;
        return Ok((i, (None, ty)));
    }
    let (i, (name, _)) = var_id(i)?;
    let (i, ty) = bare(i)?;
    Ok((i, (Some(name), ty)))
}
