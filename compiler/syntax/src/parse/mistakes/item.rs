//! Mistakes in and around the body of a resource, and in edges.

use super::local::is_variable;
use super::{find_on_line, phrases, text_ahead, words};
use crate::ast::ExprId;
use crate::diag::{Diagnostic, codes};
use crate::ident::{Name, capitalized};
use crate::lex::{Token, TokenKind};
use crate::parse::input::{Expected, Fail, Input, Res, Why, tok};
use crate::parse::operators::is_infix;
use crate::parse::recover;
use crate::parse::refuse::indent;
use crate::parse::session::Session;
use crate::parse::written;
use crate::span::Span;

/// The name of a resource without quotes: the input at its `{`.
pub(in crate::parse) fn bare_resource_name(i: Input<'_>) -> Option<(Input<'_>, ExprId)> {
    let at = match i.kind() {
        TokenKind::Ident if !matches!(i.kind_ahead(1), TokenKind::OpenParen | TokenKind::Dot) => i.index() + 1,
        TokenKind::Divide if !super::begins_comment(i) => i.index(),
        _ => return None,
    };
    let open = find_on_line(i, TokenKind::OpenCurly)?;
    if i.session.is_attempt() || i.session.knows(at) {
        return None;
    }
    let end = i.at(open);
    let span = end.span_from(i.span());
    let text = String::from_utf8_lossy(&i.session.source.text[span.start as usize..span.end as usize]);
    i.session.expect(i.index(), Expected::Expression);
    i.session.mistake(at, || match is_variable(i.session, &text) {
        true => words::missing_dollar(&text, span),
        false => words::unquoted(&text, span),
    });
    Some((end, i.session.error_expr(span)))
}

/// A `;` in a body.
pub(in crate::parse) fn semicolon(i: Input<'_>) -> Input<'_> {
    i.session.expect(i.index(), Expected::Item);
    i.session.mistake(i.index(), || words::semicolon(i.span()));
    i.bump().0
}

/// The comma of an item, or a `;` written instead.
pub(in crate::parse) fn comma(i: Input<'_>) -> Res<'_, Token> {
    if i.kind() != TokenKind::Semicolon || i.session.is_attempt() {
        return tok(TokenKind::Comma)(i);
    }
    i.session.expect(i.index(), Expected::Token(TokenKind::Comma));
    i.session.mistake(i.index(), || words::sign(";", ",", i.span(), "an item ends with a comma"));
    Ok(i.bump())
}

/// A field whose value continues on the next line, which begins with an operator: the input at its comma, or at the end
/// of the last such line. `i` is after the first part of the value.
pub(in crate::parse) fn continued(i: Input<'_>) -> Option<Input<'_>> {
    if !is_continued(i) || i.session.is_attempt() {
        return None;
    }
    let operator = i.bump().0;
    i.session.expect(operator.index(), Expected::Item);
    i.session.mistake(operator.index(), || {
        let message = format!("unexpected `{}`", text_ahead(operator, 0));
        words::error(codes::UNEXPECTED_TOKEN, message, operator.span(), "expected a field")
            .help("an expression must be on one line: move this to the end of the previous line")
    });
    let mut end = i;
    while is_continued(end) {
        end = end.bump().0;
        while !matches!(end.kind(), TokenKind::Newline | TokenKind::End) {
            end = end.bump().0;
        }
    }
    let last = end.at(end.index() - 1);
    Some(if last.kind() == TokenKind::Comma { last } else { end })
}

/// Whether the next line begins with an operator that cannot begin anything else.
fn is_continued(i: Input<'_>) -> bool {
    use TokenKind::{And, Eq, Except, Neq, Newline, Or, Plus};
    i.kind() == Newline && matches!(i.kind_ahead(1), Plus | And | Or | Eq | Neq | Except)
}

/// The newline before a failed item that looks like the next statement, which means that a `}` is missing.
pub(in crate::parse) fn unclosed_body<'a>(i: Input<'a>, error: &nom::Err<Fail>, open: usize) -> Option<Input<'a>> {
    let (nom::Err::Error(fail) | nom::Err::Failure(fail)) = error else { return None };
    let before = i.index().checked_sub(1)?;
    if !recover::begins_statement(i) || i.at(before).kind() != TokenKind::Newline || i.session.is_attempt() {
        return None;
    }
    // Deeper than the resource, it stands in it.
    let is_known = || i.session.knows(i.index()) || i.session.knows(fail.at);
    if indent(i.session, i.index()) > indent(i.session, open) && is_known() {
        return None;
    }
    // With its own `}`, what is before the statement is the mistake, which has been told.
    if i.session.partners.closer(open).is_none_or(|close| close > i.index()) {
        i.session.mistake(fail.at, || words::unclosed("{", i.at(open).span(), i.span()));
    }
    Some(i.at(before))
}

/// A statement where a list element is expected: the bracket before it is not closed.
pub(in crate::parse) fn unclosed_list<'a, T>(
    i: Input<'a>,
    open: usize,
    element: &impl Fn(Input<'a>) -> Res<'a, T>,
) -> Result<(), nom::Err<Fail>> {
    let sign = i.session.text(i.session.tokens.tokens[open]);
    // After an operator or `if` a brace begins the block, and what is missing is a value before it.
    let word = open.checked_sub(1).map(|before| i.at(before)).filter(|before| {
        let wants_value = is_infix(before.kind()) || matches!(before.kind(), TokenKind::Not | TokenKind::If);
        sign == "{" && wants_value
    });
    let shape = [i.kind(), i.kind_ahead(1), i.kind_ahead(2)];
    let is_statement = match shape {
        [TokenKind::Ident, TokenKind::Str, TokenKind::OpenCurly]
        | [TokenKind::Dollar, TokenKind::Ident, TokenKind::Equals] => true,
        // No value begins with these words.
        [TokenKind::Include | TokenKind::For | TokenKind::ForKv | TokenKind::CapIdent, ..] => word.is_some(),
        _ => false,
    };
    let attempt = |i| {
        let (i, _) = element(i)?;
        tok(TokenKind::Comma)(i)
    };
    let Some(at) = is_statement.then(|| i.session.first_failure(i, attempt)).flatten() else { return Ok(()) };
    i.session.mistake(at, || match word {
        Some(word) if word.kind() == TokenKind::If => words::missing_condition(word.span()),
        Some(operator) => words::missing_value(text_ahead(operator, 0), operator.span()),
        None => with_form(words::unclosed(sign, i.at(open).span(), i.span()), i.session, open),
    });
    Err(nom::Err::Failure(Fail { at, why: Why::Unexpected }))
}

/// A message about an unclosed bracket, with how the definition or the `include` is written that it belongs to.
pub(in crate::parse) fn with_form(said: Diagnostic, session: &Session<'_>, open: usize) -> Diagnostic {
    match defined_by(session, open) {
        Some((TokenKind::Class, name)) => {
            said.help(format!("write a class without parameters as `class {name} {{ … }}`"))
        }
        Some((TokenKind::Func, name)) => said.help(format!("write a function as `func {name}($x) {{ … }}`")),
        Some((TokenKind::Include, name)) => {
            said.help(format!("include a class without parameters as `include {name}`"))
        }
        _ => said,
    }
}

/// The word and the name before this `(`: `class web(`.
fn defined_by<'a>(session: &Session<'a>, open: usize) -> Option<(TokenKind, &'a str)> {
    let tokens = &session.tokens.tokens;
    let (word, name) = (tokens[open.checked_sub(2)?], tokens[open.checked_sub(1)?]);
    let is_call = tokens[open].kind == TokenKind::OpenParen && name.kind == TokenKind::Ident;
    is_call.then(|| (word.kind, session.text(name)))
}

/// `require => File["/a"]`, `notify => svc["a"]` and similar: the intended edge. `i` is at the value.
pub(in crate::parse) fn foreign_edge(i: Input<'_>, field: &str, span: Span) -> Option<Name> {
    let is_reference = i.kind_ahead(1) == TokenKind::OpenBrack;
    let is_lowercase = i.kind() == TokenKind::Ident && is_reference && !i.session.knows(i.index() + 1);
    let is_capital = i.kind() == TokenKind::CapIdent && (is_reference || i.kind_ahead(1) == TokenKind::Colon);
    if !is_lowercase && !is_capital || i.session.is_attempt() {
        return None;
    }
    let property = foreign_property(field)?;
    let shown = capitalized(property);
    // The reference implementation reads a word in lower case as a function.
    let (at, expected) = match is_lowercase {
        true => (i.index() + 1, Expected::Token(TokenKind::OpenParen)),
        false => (i.index(), Expected::Expression),
    };
    i.session.expect(at, expected);
    i.session.mistake(at, || {
        let here = format!("the edge is named `{shown}`");
        let said = words::error(codes::LOWERCASE_EDGE, format!("`{field}` is not an edge"), span, here);
        let kind = match is_lowercase {
            true => Some(written::referred_kind(text_ahead(i, 0))),
            false => phrases::edge_kind(text_ahead(i, 0)).filter(|_| is_reference).map(str::to_owned),
        };
        match kind {
            Some(ours) => said.help(format!("write `{shown} => {ours}[…],`")).edit(
                i.bump().0.span_from(span),
                format!("{shown} => {ours}"),
                format!("write `{shown} => {ours}`"),
            ),
            None if text_ahead(i, 0) == "Class" => said.help(format!(
                "an edge joins resources, not classes: name a resource of the class, `{shown} => Kind[\"name\"],`"
            )),
            None => said.help(format!("write `{shown} => {}[…],`", text_ahead(i, 0))).edit(
                span,
                shown.clone(),
                format!("write `{shown}`"),
            ),
        }
    });
    Some(i.session.intern(property))
}

/// The edge that other tools name like this field.
pub(super) fn foreign_property(field: &str) -> Option<&'static str> {
    match field {
        "require" | "requires" | "depends_on" | "depend" | "depends" | "after" | "needs" => Some("depend"),
        "before" | "require_in" | "required_by" => Some("before"),
        "notify" | "notifies" | "watch_in" | "listen_in" | "onchanges_in" => Some("notify"),
        "subscribe" | "listen" | "watch" | "onchanges" => Some("listen"),
        _ => None,
    }
}

/// `svc["x"]` as the value of an edge.
pub(in crate::parse) fn lowercase_half(i: Input<'_>) -> bool {
    let mut ahead = 0;
    while i.kind_ahead(ahead) == TokenKind::Ident && i.kind_ahead(ahead + 1) == TokenKind::Colon {
        ahead += 2;
    }
    let is_half = i.kind_ahead(ahead) == TokenKind::Ident && i.kind_ahead(ahead + 1) == TokenKind::OpenBrack;
    if !is_half || i.session.is_attempt() {
        return false;
    }
    i.session.expect(i.index() + 1, Expected::Token(TokenKind::OpenParen));
    i.session.mistake(i.index() + 1, || lowercase(i));
    true
}

/// Whether the name of a meta parameter begins here: `Meta:noop` outside of a resource.
fn follows_meta(i: Input<'_>) -> bool {
    i.index().checked_sub(2).is_some_and(|meta| text_ahead(i.at(meta), 0) == "Meta")
}

/// Whether a lower-case kind is where an edge end begins.
pub(in crate::parse) fn accepts_lowercase(i: Input<'_>) -> bool {
    if i.kind() != TokenKind::Ident || i.session.is_attempt() || follows_meta(i) {
        return false;
    }
    i.session.expect(i.index(), Expected::Token(TokenKind::CapIdent));
    // The message about the first part of a kind is about all of it.
    if !follows(i, TokenKind::Ident) {
        i.session.mistake(i.index(), || lowercase(i));
    }
    true
}

/// Whether a part of a kind, and a colon, come before this one.
fn follows(i: Input<'_>, part: TokenKind) -> bool {
    let before = i.index().checked_sub(2).map(|before| i.at(before));
    before.is_some_and(|before| before.kind() == part && before.kind_ahead(1) == TokenKind::Colon)
}

/// The message for the whole kind that begins here.
pub(super) fn lowercase(i: Input<'_>) -> crate::diag::Diagnostic {
    let mut end = i.bump().0;
    while end.kind() == TokenKind::Colon && end.kind_ahead(1) == TokenKind::Ident {
        end = end.at(end.index() + 2);
    }
    // It may be a later part of a kind, as in `Docker:container`.
    let mut begin = i;
    while follows(begin, TokenKind::CapIdent) {
        begin = i.at(begin.index() - 2);
    }
    let text = |span: Span| String::from_utf8_lossy(&i.session.source.text[span.start as usize..span.end as usize]);
    let (part, kind) = (end.span_from(i.span()), end.span_from(begin.span()));
    if part == kind {
        words::lowercase_edge(&text(kind), kind)
    } else {
        words::lowercase_part(&text(part), &text(kind), part)
    }
}
