//! The words of syntax errors. Language spec, 3.2 and 3.5.

use super::MAX_NESTING;
use super::input::{ExpectedSet, Fail, Why};
use super::session::Session;
use crate::ast::TypeNote;
use crate::diag::{Diagnostic, Stage, codes};
use crate::lex::{Token, TokenKind};
use crate::span::Span;

fn error(code: codes::Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, Stage::Parse, message)
}

/// What a failed rule has to say.
pub(super) fn diagnostic(session: &Session<'_>, fail: Fail) -> Diagnostic {
    let token = session.tokens.tokens[fail.at];
    match fail.why {
        Why::TooDeep => {
            let span = session.span_of(token);
            error(codes::TOO_DEEP, "the program is nested too deeply here")
                .at(span, "one level too many")
                .help(format!("up to {MAX_NESTING} levels of brackets and blocks are read"))
                .help("give a part of it a name: `$part = …`")
        }
        Why::Unexpected if token.kind == TokenKind::End => unexpected_end(session, fail.at),
        Why::Unexpected => unexpected(session, fail.at),
    }
}

fn unexpected(session: &Session<'_>, at: usize) -> Diagnostic {
    let token = session.tokens.tokens[at];
    let expected = session.expected_at(at);
    let message = match token.kind {
        TokenKind::Newline => "the line ends too early".to_owned(),
        TokenKind::Str => "unexpected string".to_owned(),
        _ => format!("unexpected `{}`", session.text(token)),
    };
    let mut diagnostic = error(codes::UNEXPECTED_TOKEN, message).at(session.span_of(token), label(expected));
    diagnostic.help.extend(hint(session, at, expected));
    let before = at.checked_sub(1).map(|before| session.tokens.tokens[before]);
    match before {
        // A string that ends where the next one was meant to begin.
        Some(before) if before.kind == TokenKind::Str && session.bytes(before).contains(&b'\n') => {
            diagnostic.also(session.span_of(before), "this string goes over several lines: is a `\"` missing?")
        }
        _ => diagnostic,
    }
}

/// At the end of a file the existing parser points at the file's first character, and so do we;
/// the real place has a label of its own.
fn unexpected_end(session: &Session<'_>, at: usize) -> Diagnostic {
    let end = session.span_of(session.tokens.tokens[at]);
    let start = Span { start: 0, end: 0, ..end };
    let expected = session.expected_at(at);
    if let Some(lost) = session.tokens.lost {
        let last = session.span_of(session.tokens.tokens[at.saturating_sub(1)]);
        return error(codes::UNEXPECTED_END, "a string takes the rest of the file")
            .at(start, "")
            .also(last, "no quote without a backslash closes this string")
            .also(lost, "this is not read")
            .help("a string cannot end with a backslash: put an empty variable behind it, as in `\"a\\\\${empty}\"`");
    }
    let open = session.partners.unclosed(&session.tokens.tokens);
    if let Some(open) = open {
        let open = session.tokens.tokens[open];
        let close = match open.kind {
            TokenKind::OpenCurly => "}",
            TokenKind::OpenParen => ")",
            _ => "]",
        };
        return error(codes::UNEXPECTED_END, "the file ends before everything is closed")
            .at(start, "")
            .also(session.span_of(open), "this is never closed")
            .also(end, label(expected))
            .help(format!("add the missing `{close}`"));
    }
    if expected.has(TokenKind::Newline) {
        return error(codes::UNEXPECTED_END, "the last line does not end with a newline")
            .at(start, "")
            .also(end, "a newline is missing here")
            .help("each statement, also the last one, ends with a newline")
            .edit(end, "\n", "add a newline at the end of the file");
    }
    error(codes::UNEXPECTED_END, "the file ends in the middle of a statement").at(start, "").also(end, label(expected))
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

/// What was probably meant.
fn hint(session: &Session<'_>, at: usize, expected: ExpectedSet) -> Option<String> {
    let tokens = &session.tokens.tokens;
    let token = tokens[at];
    let before = at.checked_sub(1).map_or(TokenKind::Newline, |before| tokens[before].kind);
    let touches = |left: Token| left.end == token.start;
    let hint = match token.kind {
        TokenKind::Int | TokenKind::Float
            if session.text(token).starts_with('-') && expected.has(TokenKind::Newline) =>
        {
            format!("a minus directly before a digit makes a negative number: write `- {}`", &session.text(token)[1..])
        }
        TokenKind::CapIdent if at > 0 && touches(tokens[at - 1]) && before == TokenKind::Ident => {
            "names have no capital letters: use underscores, as in `some_name`".into()
        }
        kind if kind.is_reserved_word() && expected.has(TokenKind::Ident) => {
            format!("`{}` is a word of the language and cannot be a name", session.text(token))
        }
        TokenKind::CapIdent if expected.has(TokenKind::Ident) => {
            format!("names start with a lower case letter: `{}`", session.text(token).to_ascii_lowercase())
        }
        TokenKind::Ident if expected.has(TokenKind::Dollar) && expected.has(TokenKind::CloseParen) => {
            format!("a parameter is written with a dollar: `${}`", session.text(token))
        }
        TokenKind::Ident if names_a_type(session, at, expected) => match other_name(session.text(token)) {
            Some(ty) => format!("the type is written `{ty}`"),
            None => {
                "the types are `bool`, `str`, `int`, `float`, `[]T`, `map{K: V}`, `struct{…}` and `func(…) T`".into()
            }
        },
        TokenKind::Arrow if before == TokenKind::CloseParen && expected.has(TokenKind::OpenCurly) => {
            "the result's type follows the parameters without an arrow: `func($x) str { … }`".into()
        }
        TokenKind::Equals if expected.has(TokenKind::OpenCurly) => "`==` compares".into(),
        TokenKind::Equals if before == TokenKind::Equals => "a bind is written with one `=`".into(),
        TokenKind::Else => "`else` stands on the line of the `}` before it".into(),
        TokenKind::If if before == TokenKind::Else => {
            "there is no `else if`: put the second `if` between the braces of `else { … }`".into()
        }
        TokenKind::CloseCurly if expected.has(TokenKind::Newline) => {
            "each statement, also the last one before a `}`, ends with a newline".into()
        }
        TokenKind::CloseBrack | TokenKind::CloseParen | TokenKind::CloseCurly if before == TokenKind::Comma => {
            "on one line there is no comma behind the last element".into()
        }
        TokenKind::Newline if expected.has(TokenKind::Comma) => {
            "with one element per line, each one ends with a comma, also the last".into()
        }
        TokenKind::Newline if before == TokenKind::Comma => {
            "either all elements stand on one line, or each on a line of its own, from the first one on".into()
        }
        TokenKind::Newline if expected.has_expression() => "an expression cannot go on on the next line".into(),
        TokenKind::Newline if expected.has(TokenKind::Else) => "an `if` that is an expression needs an `else`".into(),
        TokenKind::OpenParen if before == TokenKind::CloseParen || before == TokenKind::CloseBrack => {
            "only a name or a function literal can be called: give it a name first, `$f = …`, and call `$f(…)`".into()
        }
        TokenKind::Eq
        | TokenKind::Neq
        | TokenKind::Lt
        | TokenKind::Gt
        | TokenKind::Lte
        | TokenKind::Gte
        | TokenKind::In
            if expected == ExpectedSet::default() =>
        {
            "comparisons cannot be chained: write parentheses, or join two of them with `and`".into()
        }
        _ => return None,
    };
    Some(hint)
}

/// Does a word stand where only a type can, in a bind or in another type?
fn names_a_type(session: &Session<'_>, at: usize, expected: ExpectedSet) -> bool {
    let after_bound_name = at >= 2
        && session.tokens.tokens[at - 1].kind == TokenKind::Ident
        && session.tokens.tokens[at - 2].kind == TokenKind::Dollar
        && expected.has(TokenKind::Equals);
    after_bound_name || expected.has_type()
}

/// What other languages call our types.
fn other_name(word: &str) -> Option<&'static str> {
    Some(match word {
        "string" | "text" | "bytes" => "str",
        "integer" | "number" | "int64" | "int32" | "uint" | "long" => "int",
        "boolean" => "bool",
        "double" | "float64" | "float32" | "real" => "float",
        "list" | "array" | "slice" => "[]T",
        "dict" | "hash" | "object" => "map{str: int}",
        _ => return None,
    })
}

/// `$x == …` as a statement. The existing parser points behind the dollar.
pub(super) fn additional_equals(name: &str, name_span: Span, op: Span) -> Diagnostic {
    let after_dollar = Span { start: name_span.end - name.len() as u32, ..name_span };
    error(codes::ADDITIONAL_EQUALS, format!("one equals sign too many in the bind of `${name}`"))
        .at(after_dollar, "this is bound")
        .also(op, "`==` compares")
        .help("a bind is written with one `=`")
        .edit(op, "=", "replace `==` with `=`")
}

/// A field without its comma.
pub(super) fn missing_comma(value: Span, item: Span) -> Diagnostic {
    let end = Span { start: item.end, ..item };
    error(codes::MISSING_COMMA, "a comma is missing behind this value")
        .at(value, "the value of a field")
        .help("each item of a resource, also the last one, ends with a comma")
        .edit(end, ",", "add the comma")
}

/// Something else than `Meta` where only that can stand. The existing parser points at the comma.
pub(super) fn unknown_word(word: &str, property: Option<&str>, name: Span, comma: Span) -> Diagnostic {
    let mut shown = word.to_owned();
    shown[..1].make_ascii_uppercase();
    let diagnostic = error(codes::UNKNOWN_ITEM_WORD, format!("a resource has no item named `{shown}`"))
        .at(comma, "the item that ends here is unknown")
        .also(name, "only `Meta` can stand here");
    match (word, property) {
        ("before" | "notify" | "depend" | "listen", None) => {
            diagnostic.help(format!("an edge needs a resource: `{shown} => Kind[\"name\"],`"))
        }
        (_, Some(property)) => diagnostic.help(format!("a meta parameter is written `Meta:{property} => value,`")),
        (_, None) => diagnostic.help("the names of fields are in lower case"),
    }
}

pub(super) fn repeated_type_field(name: &str, span: Span, close: Span) -> Diagnostic {
    error(codes::REPEATED_TYPE_FIELD, format!("the field `{name}` is twice in this struct type"))
        .at(close, "the type ends here")
        .also(span, "the second one")
        .help("give each field a name of its own")
}

pub(super) fn repeated_type_param(name: &str, ret: Span) -> Diagnostic {
    error(codes::REPEATED_TYPE_PARAM, format!("the parameter `{name}` is twice in this function type"))
        .at(ret, "of the function type that returns this")
        .help("give each parameter a name of its own, or none")
}

/// A typed bind whose value cannot have the type.
pub(super) fn typed_bind(value: Span, note: &TypeNote, detail: &str) -> Diagnostic {
    error(codes::TYPED_BIND, format!("this value does not have the type `{}`", note.ty))
        .at(value, detail)
        .also(note.span, "the type is given here")
        .help("change the type or the value; there are no implicit conversions")
}
