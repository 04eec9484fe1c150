//! Resources and edges. Language spec, section 2.

use super::expr::{at_brace, expr, id, is_lone_word, rocket};
use super::input::{Expected, Fail, Input, Res, tok};
use super::{mistakes, recover, refuse, written};
use crate::ast::{ExprId, ExprKind, Half, HalfField, Item, ItemKind, Resource, StmtKind};
use crate::ident::Name;
use crate::lex::TokenKind;
use crate::span::Span;
use nom::Parser;
use nom::combinator::{cut, opt};
use nom::sequence::{delimited, preceded};

/// `[ "collect" ] colon_id expr "{" { res_item | NL } "}"`
pub(super) fn resource(i: Input<'_>) -> Res<'_, StmtKind> {
    let collect = (i.kind() == TokenKind::Collect).then(|| i.span());
    let (i, _) = opt(tok(TokenKind::Collect)).parse(i)?;
    let kind_span = i.span();
    let (i, kind) = colon_id(i)?;
    let kind_span = i.span_from(kind_span);
    let is_bare = is_lone_word(i) || i.kind() == TokenKind::Divide;
    let (i, name) = match is_bare.then(|| mistakes::bare_resource_name(i)).flatten() {
        Some(name) => name,
        None => cut(expr).parse(i)?,
    };
    let i = at_brace(i);
    let body_span = i.span();
    let open = i.index();
    let (i, _) = cut(tok(TokenKind::OpenCurly)).parse(i)?;
    let (i, items) = body(i, open)?;
    let body_span = i.span_from(body_span);
    Ok((i, StmtKind::Resource(Box::new(Resource { collect, kind, kind_span, name, items, body_span }))))
}

/// `{ res_item | NL } "}"`
///
/// A broken item is reported and skipped, unless the body seems unclosed.
pub(super) fn body(mut i: Input<'_>, open: usize) -> Res<'_, Vec<Item>> {
    let mut items = Vec::new();
    loop {
        match i.kind() {
            TokenKind::CloseCurly => return Ok((i.bump().0, items)),
            TokenKind::Newline => i = i.bump().0,
            TokenKind::Divide if mistakes::begins_comment(i) => i = mistakes::comment(i, i.index()),
            TokenKind::Semicolon => i = mistakes::semicolon(i),
            _ if i.session.is_exhausted() => return i.fail(Expected::Item),
            _ => {
                let is_foreign = i.kind() == TokenKind::Ident && i.kind_ahead(1) != TokenKind::Rocket;
                if items.is_empty()
                    && is_foreign
                    && let Some(read) = mistakes::repeated(i, open).or_else(|| mistakes::body(i, open))
                {
                    return Ok(read);
                }
                i.session.expect(i.index(), Expected::Token(TokenKind::CloseCurly));
                match item(i) {
                    Ok((after, item)) => {
                        items.extend(item);
                        i = after;
                    }
                    Err(error) => match mistakes::unclosed_body(i, &error, open) {
                        Some(before) => return Ok((before, items)),
                        None => {
                            let (after, is_of_last) = skip_item(i, error)?;
                            if is_of_last {
                                items.pop();
                            }
                            i = after;
                        }
                    },
                }
            }
        }
    }
}

/// The input after a broken item, and whether the mistake includes the item before it, as in `groups => "a", "b",`.
fn skip_item(i: Input<'_>, error: nom::Err<Fail>) -> Result<(Input<'_>, bool), nom::Err<Fail>> {
    let (nom::Err::Error(fail) | nom::Err::Failure(fail)) = error else { return Err(error) };
    let (reach, begins_before) = i.session.reach(fail);
    let end = if reach > fail.at { Some(after_mistake(i, reach)) } else { recover::item_end(i, fail.at) };
    let Some(end) = end else { return Err(error) };
    i.session.refuse(fail);
    Ok((end, begins_before && fail.at == i.index()))
}

/// The input after an item with a mistake whose text ends before a token. What follows it in the item is not another
/// item: `=> f($x, x => 1),`.
fn after_mistake(i: Input<'_>, reach: usize) -> Input<'_> {
    let end = i.at(reach);
    let has_comma = reach.checked_sub(1).is_some_and(|last| i.at(last).kind() == TokenKind::Comma);
    if has_comma { end } else { recover::item_end(i, reach).unwrap_or_else(|| after_comma(end)) }
}

/// The input after the comma of an item whose text ends here, if it has one.
fn after_comma(end: Input<'_>) -> Input<'_> {
    if end.kind() == TokenKind::Comma { end.bump().0 } else { end }
}

/// `res_item`; `None` if its word is unknown.
fn item(i: Input<'_>) -> Res<'_, Option<Item>> {
    match i.kind() {
        TokenKind::Ident => field.map(Some).parse(i),
        TokenKind::CapIdent => capital_item(i),
        _ => i.fail(Expected::Item),
    }
}

/// `id "=>" [ expr "?:" ] expr ","`
fn field(i: Input<'_>) -> Res<'_, Item> {
    let start = i.span();
    let (i, mut name) = id(i)?;
    let (mut i, _) = rocket(i, "a resource")?;
    if matches!(i.kind(), TokenKind::CapIdent | TokenKind::Ident)
        && let Some(property) = mistakes::foreign_edge(i, &name, start)
    {
        return edge_item(i, property, None, start, start).map(|(i, item)| (i, item.expect("an edge is an item")));
    }
    let is_broken = is_lone_word(i) || i.session.is_unreadable(i.index());
    let first = if is_broken && let Some((after, ours, value)) = mistakes::ensure(i, &name, start) {
        (i, name) = (after, ours);
        value
    } else {
        let (after, value) = expr(i)?;
        i = after;
        value
    };
    if i.kind() == TokenKind::Newline
        && let Some(end) = mistakes::continued(i)
    {
        let value = i.session.error_expr(i.span());
        let end = if end.kind() == TokenKind::Comma { end.bump().0 } else { end };
        let kind = ItemKind::Field { name, value };
        return Ok((end, Item { kind, cond: None, span: end.span_from(start), name_span: start }));
    }
    if matches!(i.kind(), TokenKind::Newline | TokenKind::CloseCurly) {
        // The item is complete except for its comma: report that, and continue as if it were there.
        i.session.refuse_with(i.index(), || refuse::missing_comma(value_place(i, first), i.span_from(start)));
        let kind = ItemKind::Field { name, value: first };
        return Ok((i, Item { kind, cond: None, span: i.span_from(start), name_span: start }));
    }
    let (i, (cond, value)) = conditional(i, first, expr)?;
    let (i, _) = if i.kind() == TokenKind::Comma { i.bump() } else { mistakes::comma(i)? };
    Ok((i, Item { kind: ItemKind::Field { name, value }, cond, span: i.span_from(start), name_span: start }))
}

/// The position that the existing parser reports for a value: its first token, but the last one of a parenthesised
/// value or an if-expression. Language spec, 3.2.
pub(super) fn value_place(i: Input<'_>, value: ExprId) -> Span {
    i.session.with_expr(value, |value| match value.kind {
        ExprKind::Paren(_) | ExprKind::If { .. } => Span { start: value.span.end - 1, ..value.span },
        _ => value.span,
    })
}

/// `[ "?:" value ]` after an expression, which then becomes the condition.
fn conditional<'a>(
    i: Input<'a>,
    first: ExprId,
    value: impl Fn(Input<'a>) -> Res<'a, ExprId>,
) -> Res<'a, (Option<ExprId>, ExprId)> {
    if i.kind() != TokenKind::Elvis {
        i.session.expect(i.index(), Expected::Token(TokenKind::Elvis));
        return Ok((i, (None, first)));
    }
    let (i, value) = value(i.bump().0)?;
    Ok((i, (Some(first), value)))
}

/// `Cap "=>" [ expr "?:" ] ( edge_half | expr ) ","` or `Cap ":" id "=>" [ expr "?:" ] expr ","`
fn capital_item(i: Input<'_>) -> Res<'_, Option<Item>> {
    let start = i.span();
    let (i, word) = cap(i)?;
    let (i, property) = opt(preceded(tok(TokenKind::Colon), cut(id))).parse(i)?;
    let name_span = i.span_from(start);
    let (i, _) = rocket(i, "a resource")?;
    if property.is_none() && (i.kind() == TokenKind::CapIdent || is_lone_word(i) && mistakes::lowercase_half(i)) {
        return edge_item(i, word, None, start, name_span);
    }
    let before = i.session.mark();
    let (mut i, mut value) = expr(i)?;
    let mut cond = None;
    if i.kind() == TokenKind::Elvis {
        i = i.bump().0;
        if property.is_none() && i.kind() == TokenKind::CapIdent {
            return edge_item(i, word, Some(value), start, name_span);
        }
        cond = Some(value);
        (i, value) = expr(i)?;
    } else {
        i.session.expect(i.index(), Expected::Token(TokenKind::Elvis));
    }
    let comma = i.span();
    let (i, _) = tok(TokenKind::Comma)(i)?;
    if *word != *"meta" {
        // A list of resources was refused already.
        if i.session.has_refused_since(&before) {
            return Ok((i, None));
        }
        let last = i.index().checked_sub(2).and_then(|before| i.session.tokens.tokens.get(before));
        let string = last.filter(|token| token.kind == TokenKind::Str);
        let quoted = string.and_then(|token| written::quoted_reference(i.session.text(*token)));
        i.session.semantic(refuse::unknown_word(&word, property.as_deref(), quoted.as_deref(), name_span, comma));
        return Ok((i, None));
    }
    let kind = match property {
        Some(property) => ItemKind::Meta { property, value },
        None => ItemKind::MetaStruct { value },
    };
    Ok((i, Some(Item { kind, cond, span: i.span_from(start), name_span })))
}

fn edge_item(
    i: Input<'_>,
    property: Name,
    cond: Option<ExprId>,
    start: Span,
    name_span: Span,
) -> Res<'_, Option<Item>> {
    let (i, half) = edge_half(i)?;
    let (i, _) = tok(TokenKind::Comma)(i)?;
    Ok((i, Some(Item { kind: ItemKind::Edge { property, half }, cond, span: i.span_from(start), name_span })))
}

/// `edge_half { "->" edge_half }` or `half_sr "->" half_sr`
pub(super) fn edge(i: Input<'_>) -> Res<'_, StmtKind> {
    let (i, mut first) = edge_half(i)?;
    if i.kind() == TokenKind::Dot {
        let (i, field) = half_field(i)?;
        first.span = first.span.to(field.span);
        first.field = Some(field);
        let (i, _) = tok(TokenKind::Arrow)(i)?;
        let (i, (mut second, field)) = (edge_half, half_field).parse(i)?;
        second.span = second.span.to(field.span);
        second.field = Some(field);
        return Ok((i, StmtKind::Edge { halves: vec![first, second] }));
    }
    let mut i = i;
    let mut halves = vec![first];
    while i.kind() == TokenKind::Arrow || i.kind() != TokenKind::Newline && mistakes::foreign_arrow(i) {
        let (after, half) = edge_half(i.bump().0)?;
        halves.push(half);
        i = after;
    }
    i.session.expect(i.index(), Expected::Token(TokenKind::Arrow));
    Ok((i, StmtKind::Edge { halves }))
}

/// `cap_id "[" expr "]"`
pub(super) fn edge_half(i: Input<'_>) -> Res<'_, Half> {
    let start = i.span();
    let (i, kind) = cap_id(i)?;
    let (i, name) = delimited(tok(TokenKind::OpenBrack), expr, tok(TokenKind::CloseBrack)).parse(i)?;
    Ok((i, Half { kind, name, field: None, span: i.span_from(start) }))
}

/// `"." id`
fn half_field(i: Input<'_>) -> Res<'_, HalfField> {
    let (i, token) = preceded(tok(TokenKind::Dot), tok(TokenKind::Ident)).parse(i)?;
    Ok((i, HalfField { name: i.session.intern(i.session.text(token)), span: i.session.span_of(token) }))
}

/// `id { ":" id }`
pub(super) fn colon_id(i: Input<'_>) -> Res<'_, Name> {
    chunks(i, id)
}

/// `Cap { ":" Cap }`, in lower case
fn cap_id(i: Input<'_>) -> Res<'_, Name> {
    chunks(i, cap)
}

fn cap(i: Input<'_>) -> Res<'_, Name> {
    if i.kind() != TokenKind::CapIdent && mistakes::accepts_lowercase(i) {
        return id(i);
    }
    let (i, token) = tok(TokenKind::CapIdent)(i)?;
    Ok((i, i.session.intern(&i.session.text(token).to_ascii_lowercase())))
}

fn chunks<'a>(i: Input<'a>, chunk: impl Fn(Input<'a>) -> Res<'a, Name>) -> Res<'a, Name> {
    let (mut i, first) = chunk(i)?;
    if i.kind() != TokenKind::Colon {
        return Ok((i, first));
    }
    let mut name = first.to_string();
    while i.kind() == TokenKind::Colon {
        let (after, next) = chunk(i.bump().0)?;
        name.push(':');
        name.push_str(&next);
        i = after;
    }
    Ok((i, i.session.intern(&name)))
}
