//! Functions of other languages: `def`, `function`, `fn`.

use super::statement::{behind_braces, end_of_paste};
use super::{find_on_line, phrases, text_ahead, words};
use crate::ast::{Func, Param, StmtKind};
use crate::diag::Diagnostic;
use crate::lex::TokenKind;
use crate::parse::expr::{func_rest, id};
use crate::parse::input::{Input, Res, tok};

/// The statement that was meant, from `function` on. If only the word is wrong, it is read as a function; otherwise
/// only its name and its parameters are known.
pub(super) fn read(i: Input<'_>) -> (Input<'_>, StmtKind) {
    if is_sound(i)
        && let Ok(read) = rest(i.bump().0)
    {
        return read;
    }
    let name = i.at(i.index() + 1);
    let (params, _) = params(i);
    let body = i.session.error_expr(i.span());
    let func = Func { params, ret: None, body, body_span: i.span() };
    let kind =
        StmtKind::Func { name: i.session.intern(text_ahead(name, 0)), name_span: name.span(), func: Box::new(func) };
    (end(i), kind)
}

/// The message.
pub(super) fn said(i: Input<'_>) -> Diagnostic {
    let (word, name) = (text_ahead(i, 0), text_ahead(i, 1));
    let (_, params) = params(i);
    if holds_resource(i) {
        let (head, call) = match params.is_empty() {
            true => (name.to_owned(), name.to_owned()),
            false => (format!("{name}({})", params.join(", ")), format!("{name}(…)")),
        };
        let help = format!("group resources in a class: write `class {head} {{ … }}`, and `include {call}`");
        return words::foreign(format!("MCL has no `{word}`"), i.span(), "a function has no resources", help);
    }
    let help = format!("write `func {name}({}) {{ … }}`: its body is one expression", params.join(", "));
    let said = words::foreign(format!("MCL has no `{word}`"), i.span(), "expected `func`", help);
    if is_sound(i) { said.edit(i.span(), "func", "write `func`") } else { said }
}

/// `id func_rest`
fn rest(i: Input<'_>) -> Res<'_, StmtKind> {
    let name_span = i.span();
    let (i, name) = id(i)?;
    let (i, func) = func_rest(i)?;
    Ok((i, StmtKind::Func { name, name_span, func: Box::new(func) }))
}

/// Whether only the word is wrong.
fn is_sound(i: Input<'_>) -> bool {
    let whole = |i| {
        let (i, _) = rest(i)?;
        tok(TokenKind::Newline)(i)
    };
    i.session.first_failure(i.bump().0, whole).is_none()
}

/// The parameters: the first word of each part in the brackets; and how they are written.
fn params(i: Input<'_>) -> (Vec<Param>, Vec<String>) {
    let open = i.index() + 2;
    let close = i.session.partners.closer(open).unwrap_or(open);
    let mut params = Vec::new();
    let mut begins = true;
    for at in open + 1..close {
        let token = i.at(at);
        match token.kind() {
            TokenKind::Comma => begins = true,
            TokenKind::Ident if std::mem::replace(&mut begins, false) => {
                params.push(Param { name: i.session.intern(text_ahead(token, 0)), span: token.span(), ty: None });
            }
            _ => {}
        }
    }
    let shown = params.iter().map(|param| format!("${}", param.name)).collect();
    (params, shown)
}

/// Whether there is a resource between the braces.
fn holds_resource(i: Input<'_>) -> bool {
    let Some(open) = find_on_line(i, TokenKind::OpenCurly) else { return false };
    let close = i.session.partners.closer(open).unwrap_or(open);
    (open + 1..close).any(|at| {
        let token = i.at(at);
        let is_named = token.kind_ahead(1) == TokenKind::Str && token.kind_ahead(2) == TokenKind::OpenCurly;
        token.kind() == TokenKind::Ident && is_named && phrases::is_kind(text_ahead(token, 0))
    })
}

/// The input after the body, in braces or indented.
fn end(i: Input<'_>) -> Input<'_> {
    if find_on_line(i, TokenKind::OpenCurly).is_some() {
        return behind_braces(i, i.index());
    }
    let paste = end_of_paste(i);
    let next = paste.at((paste.index() + 1).min(i.session.tokens.tokens.len() - 1));
    if text_ahead(next, 0) == "end" { next.bump().0 } else { paste }
}
