//! Messages of syntax errors. Language spec, 3.2 and 3.5.

use super::hint::hint;
use super::input::{ExpectedSet, Fail, Why};
use super::nearby::{word_at, word_of_braces};
use super::session::Session;
use super::{MAX_EXPRS, MAX_NESTING, mistakes, stand, unforeseen};
use crate::ast::TypeNote;
use crate::diag::{Diagnostic, Stage, codes};
use crate::ident::capitalized;
use crate::lex::{MAX_TOKENS, TokenKind, Unclosed};
use crate::span::Span;

fn error(code: codes::Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, Stage::Parse, message)
}

/// The diagnostic of a failed rule.
pub(super) fn diagnostic(session: &Session<'_>, fail: Fail) -> Diagnostic {
    let token = session.tokens.tokens[fail.at];
    match fail.why {
        Why::TooDeep => {
            let span = session.span_of(token);
            error(codes::TOO_DEEP, "maximum nesting depth exceeded")
                .at(span, "nested too deeply")
                .help(format!("the maximum is {MAX_NESTING} levels of brackets and blocks"))
                .help("define a variable for a part: `$part = …`")
        }
        Why::TooLarge => error(codes::PROGRAM_TOO_LARGE, "the file is too large")
            .at(session.span_of(token), "limit reached here")
            .help(format!("a file can have at most {} million expressions", MAX_EXPRS / 1_000_000)),
        Why::Unexpected if token.kind == TokenKind::End => unexpected_end(session, fail.at),
        Why::Unexpected => unexpected(session, fail.at),
    }
}

/// The diagnostic of a file above the size limit.
pub(super) fn too_many_tokens(at: Span) -> Diagnostic {
    let most = format!("a file can have at most {} million tokens", MAX_TOKENS / 1_000_000);
    error(codes::PROGRAM_TOO_LARGE, "the file is too large")
        .at(at, "limit reached here")
        .help(format!("{most}: words, numbers, symbols, line ends and comments"))
}

fn unexpected(session: &Session<'_>, at: usize) -> Diagnostic {
    let token = session.tokens.tokens[at];
    if let Some(known) = unforeseen::recognize(session, at) {
        session.cover(known.start.min(token.start as usize), known.end);
        return known.diagnostic.reported_at(session.span_of(token));
    }
    let expected = session.expected_at(at);
    if let Some(said) = missing_name(session, at, expected) {
        return said;
    }
    let (message, place) = match token.kind {
        TokenKind::Newline => ("unexpected end of the line".to_owned(), session.span_of(token)),
        TokenKind::Str => ("unexpected string".to_owned(), session.span_of(token)),
        TokenKind::CapIdent => {
            let (word, place) = word_at(session, at);
            (format!("unexpected `{word}`"), place)
        }
        _ => (format!("unexpected `{}`", session.text(token)), session.span_of(token)),
    };
    let mut diagnostic = error(codes::UNEXPECTED_TOKEN, message).at(place, label(expected));
    diagnostic.help.extend(hint(session, at, expected));
    if let Some(open) = open_bracket(session, at).filter(|_| diagnostic.help.is_empty()) {
        let sign = session.text(session.tokens.tokens[open]);
        if expected.has(if sign == "(" { TokenKind::CloseParen } else { TokenKind::CloseBrack }) {
            diagnostic =
                diagnostic.also(session.span_of(session.tokens.tokens[open]), format!("this `{sign}` is open"));
        }
    }
    if diagnostic.help.is_empty() {
        diagnostic.help.extend(stand::help(expected).map(str::to_owned));
    }
    let before = at.checked_sub(1).map(|before| session.tokens.tokens[before]);
    match before {
        // A string that ends where the next one should begin.
        Some(before) if before.kind == TokenKind::Str && session.bytes(before).contains(&b'\n') => {
            diagnostic.also(session.span_of(before), "this string spans several lines: is a `\"` missing?")
        }
        _ => diagnostic,
    }
}

/// `noop {}`: the grammar reads the braces as the name, and only fails after them.
fn missing_name(session: &Session<'_>, at: usize, expected: ExpectedSet) -> Option<Diagnostic> {
    let tokens = &session.tokens.tokens;
    if tokens[at].kind != TokenKind::Newline || !expected.has(TokenKind::OpenCurly) {
        return None;
    }
    let (kind, open) = word_of_braces(session, at).filter(|(word, _)| !session.has_class(word))?;
    let is_empty = tokens[open + 1].kind == TokenKind::CloseCurly;
    let (last, body) = if is_empty { (open + 1, "{}") } else { (open, "{ … }") };
    let braces = Span { end: tokens[last].end, ..session.span_of(tokens[open]) };
    let said = error(codes::UNEXPECTED_TOKEN, "missing name of the resource")
        .at(braces, "expected a name before this")
        .help(format!("write `{kind} \"name\" {body}`"));
    Some(said.reported_at(session.span_of(tokens[at])))
}

/// The string that caused a failure shortly after it: it spans several lines, and ends where another string should
/// begin.
pub(super) fn unclosed_string(session: &Session<'_>, at: usize) -> Option<Unclosed> {
    const MAX_BEHIND: usize = 8;
    let tokens = &session.tokens.tokens;
    let line = (at.saturating_sub(MAX_BEHIND)..at).rev().take_while(|at| tokens[*at].kind != TokenKind::Newline);
    let (string, next) = line.map(|at| (tokens[at], tokens[at + 1])).find(|(token, _)| token.kind == TokenKind::Str)?;
    let text = session.bytes(string);
    let first_line = text.split(|byte| *byte == b'\n').next().unwrap_or(text);
    let runs_into_text = next.start == string.end
        && !matches!(
            next.kind,
            TokenKind::Newline
                | TokenKind::Comma
                | TokenKind::CloseBrack
                | TokenKind::CloseParen
                | TokenKind::CloseCurly
        );
    let is_unclosed = text.contains(&b'\n') && (runs_into_text || first_line.trim_ascii_end().ends_with(b","));
    let start = string.start;
    is_unclosed.then(|| Unclosed { start, reference: reference(session, at) })
}

/// The span of a token as the reference implementation reports it: the end of a file is its first character.
pub(super) fn reference(session: &Session<'_>, at: usize) -> Span {
    let span = session.span_of(session.tokens.tokens[at]);
    if at + 1 == session.tokens.tokens.len() { Span { start: 0, end: 0, ..span } } else { span }
}

/// At the end of a file the existing parser points at the first character of the file, and so do we; the real position
/// gets a separate label.
fn unexpected_end(session: &Session<'_>, at: usize) -> Diagnostic {
    let end = session.span_of(session.tokens.tokens[at]);
    let start = Span { start: 0, end: 0, ..end };
    let expected = session.expected_at(at);
    if let Some(lost) = session.tokens.lost {
        let last = session.span_of(session.tokens.tokens[at.saturating_sub(1)]);
        return error(codes::UNEXPECTED_END, "unclosed string")
            .at(start, "")
            .also(last, "every later `\"` is escaped with a backslash")
            .also(lost, "this is part of the string")
            .help("a string cannot end with a backslash: append an empty variable, as in `\"a\\\\${empty}\"`");
    }
    let is_misplaced = |open: usize, close: usize| indent(session, open) > indent(session, close);
    let tokens = &session.tokens.tokens;
    if let Some(open) = session.partners.unclosed(tokens) {
        // The bracket whose closing `}` is indented less than the line that opens it.
        let likely = (open..tokens.len()).find(|at| {
            let close = session.partners.closer(*at).filter(|_| tokens[*at].kind == TokenKind::OpenCurly);
            close.is_some_and(|close| is_misplaced(*at, close))
        });
        let missing = likely.and_then(|open| session.partners.closer(open));
        let (open, missed) = (likely.unwrap_or(open), missing.unwrap_or(at));
        let sign = session.text(tokens[open]);
        let close = closing(sign);
        let said = error(codes::UNCLOSED_BRACKET, format!("unclosed `{sign}`"))
            .at(session.span_of(tokens[open]), format!("this `{sign}` is never closed"))
            .reported_at(start)
            .also(session.span_of(tokens[missed]), format!("expected `{close}` before this"))
            .help(format!("add the missing `{close}`"));
        return mistakes::with_form(said, session, open);
    }
    if expected.has(TokenKind::Newline) {
        return error(codes::UNEXPECTED_END, "missing newline at the end of the file")
            .at(end, "expected a newline")
            .reported_at(start)
            .help("every statement ends with a newline, including the last one")
            .edit(end, "\n", "add a newline at the end of the file");
    }
    error(codes::UNEXPECTED_END, "unexpected end of the file").at(end, label(expected)).reported_at(start)
}

/// The innermost open `(` or `[` on the line of a token.
fn open_bracket(session: &Session<'_>, at: usize) -> Option<usize> {
    let mut n_closed = 0usize;
    for before in (0..at).rev() {
        match session.tokens.tokens[before].kind {
            TokenKind::Newline => return None,
            TokenKind::CloseParen | TokenKind::CloseBrack | TokenKind::CloseCurly => n_closed += 1,
            TokenKind::OpenParen | TokenKind::OpenBrack | TokenKind::OpenCurly if n_closed > 0 => n_closed -= 1,
            TokenKind::OpenParen | TokenKind::OpenBrack => return Some(before),
            _ => {}
        }
    }
    None
}

/// The indentation of a token's line.
pub(super) fn indent(session: &Session<'_>, at: usize) -> usize {
    let start = session.tokens.tokens[at].start as usize;
    let before = &session.source.text[..start];
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    session.source.text[line..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

pub(super) fn closing(sign: &str) -> &'static str {
    match sign {
        "{" => "}",
        "(" => ")",
        _ => "]",
    }
}

/// `expected A, B or C`.
fn label(expected: ExpectedSet) -> String {
    let words = expected.words();
    match words.as_slice() {
        [] => "not expected here".to_owned(),
        [one] => format!("expected {one}"),
        [first @ .., last] if words.len() <= 5 => format!("expected {} or {last}", first.join(", ")),
        _ => "not expected here".to_owned(),
    }
}

/// `$x == …` as a statement. The existing parser points after the dollar.
pub(super) fn additional_equals(name: &str, name_span: Span, op: Span) -> Diagnostic {
    let after_dollar = Span { start: name_span.end - name.len() as u32, ..name_span };
    error(codes::ADDITIONAL_EQUALS, format!("expected `=`, found `==` in the definition of `${name}`"))
        .at(after_dollar, "the variable")
        .also(op, "`==` compares")
        .help("replace `==` with `=`")
        .edit(op, "=", "replace `==` with `=`")
}

/// A field without a comma.
pub(super) fn missing_comma(value: Span, item: Span) -> Diagnostic {
    let end = Span { start: item.end, ..item };
    error(codes::MISSING_COMMA, "missing `,` after this value")
        .at(value, "expected `,` after this")
        .help("every field ends with a comma, including the last one")
        .edit(end, ",", "add the comma")
}

/// A word other than `Meta` where only that is allowed. The existing parser points at the comma.
/// `quoted` is the resource that a string names, as in `Depend => "pkg[nginx]"`.
pub(super) fn unknown_word(
    word: &str,
    property: Option<&str>,
    quoted: Option<&str>,
    name: Span,
    comma: Span,
) -> Diagnostic {
    let shown = capitalized(word);
    let edge = matches!(word, "before" | "notify" | "depend" | "listen") && property.is_none();
    let message = if edge { format!("`{shown}` expects a resource") } else { format!("unknown item `{shown}`") };
    let here = if edge { "the value of this edge is not a resource" } else { "expected `Meta` or an edge" };
    let diagnostic = error(codes::UNKNOWN_ITEM_WORD, message).at(name, here).reported_at(comma);
    match (word, property) {
        _ if edge => diagnostic.help(match quoted {
            Some(resource) => format!("write `{shown} => {resource},`"),
            None => format!("write an edge to a resource as `{shown} => Kind[\"name\"],`"),
        }),
        (_, Some(property)) => diagnostic.help(format!("write a meta parameter as `Meta:{property} => value,`")),
        (_, None) => diagnostic.help("field names are in lower case"),
    }
}

pub(super) fn repeated_type_field(name: &str, span: Span, close: Span) -> Diagnostic {
    error(codes::REPEATED_TYPE_FIELD, format!("duplicate field `{name}` in the struct type"))
        .at(close, "the type ends here")
        .also(span, "duplicate field")
        .help("rename one of the two")
}

pub(super) fn repeated_type_param(name: &str, ret: Span) -> Diagnostic {
    error(codes::REPEATED_TYPE_PARAM, format!("duplicate parameter `{name}` in the function type"))
        .at(ret, "the function type ends here")
        .help("rename one of the two, or omit the names")
}

/// A typed bind whose value cannot have the type.
pub(super) fn typed_bind(value: Span, note: &TypeNote, detail: &str) -> Diagnostic {
    error(codes::TYPED_BIND, format!("this value is not of the type `{}`", note.ty))
        .at(value, detail)
        .also(note.span, "expected because of this type")
        .help("change the type or the value: there are no implicit conversions")
}
