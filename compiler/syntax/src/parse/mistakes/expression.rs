//! Mistakes in expressions: missing dollars and quotes, values of other languages.

use super::item::foreign_property;
use super::local::{is_variable, local_variable};
use super::notation::{enclosing, head};
use super::phrases::{is_kind, is_null, is_value_word};
use super::{text_ahead, touches, words};
use crate::ast::ExprId;
use crate::diag::Diagnostic;
use crate::ident::capitalized;
use crate::lex::{Token, TokenKind};
use crate::parse::expr::expr;
use crate::parse::input::{Expected, Input, Res};
use crate::parse::written;
use crate::span::Span;

/// A name that lacks the `(` of a call. `after` is the input after it.
pub(in crate::parse) fn bare_word<'a>(after: Input<'a>, name: &str, span: Span) -> Res<'a, ExprId> {
    let session = after.session;
    session.expect(after.index(), Expected::Token(TokenKind::OpenParen));
    let at = after.index();
    if !session.is_exhausted()
        && let Some((variable, end)) = local_variable(after, name)
    {
        session.mistake(at, || words::local_variable(&variable, span));
        return Ok((end, session.error_expr(span)));
    }
    session.unless_known(at)?;
    if matches!(name, "return" | "yield" | "new" | "await") && begins_expression(after.kind()) {
        session.mistake(at, || {
            let here = "a function returns the value of its single expression";
            words::foreign(format!("MCL has no `{name}`"), span, here, format!("remove `{name}`"))
        });
        return expr(after);
    }
    if matches!(after.kind(), TokenKind::Rocket | TokenKind::Equals | TokenKind::Colon) {
        session.mistake(at, || words::named_argument(name, after.bump().0.span_from(span), after.bump().0.span()));
        return expr(after.bump().0);
    }
    if after.kind() == TokenKind::CapIdent && touches(after, at) && !name.contains('.') {
        let end = end_of_name(after);
        let whole = end.span_from(span);
        session.mistake(at, || {
            let text = String::from_utf8_lossy(&session.source.text[whole.start as usize..whole.end as usize]);
            words::camel_word(&text, whole)
        });
        return Ok((end, session.error_expr(whole)));
    }
    session.mistake(at, || match name {
        _ if is_null(name) => words::foreign(
            format!("MCL has no `{name}`"),
            span,
            "MCL has no null values",
            "leave the field out, or give it an empty value such as `\"\"`",
        ),
        "print" | "printf" | "sprintf" | "format" => words::foreign(
            format!("cannot find `{name}`"),
            span,
            "expected a call",
            "write `fmt.printf(\"…\", …)`, after `import \"fmt\"`",
        ),
        // A use such as `$f()` does not make it a variable.
        _ if session.has_func(name) && !session.has_bind(name) => words::func_as_value(name, span),
        _ if name == "hostname" || is_variable(session, name) => words::missing_dollar(name, span),
        // `pkg["a"]`: the resource of another tool, or a list or map without its dollar.
        _ if after.kind() == TokenKind::OpenBrack && after.kind_ahead(1) == TokenKind::Str && touches(after, at) => {
            let text = text_ahead(after, 1);
            match is_kind(name) {
                true => words::lowercase_reference(&edge_of_field(after), &written::referred_kind(name), text, span),
                false => words::bare_reference(name, &capitalized(name), text, span),
            }
        }
        _ if name.split_once('.').is_some_and(|(module, _)| session.has_import(module)) => {
            words::module_path(name, span)
        }
        _ if is_referred_to(after) => words::unquoted(name, span),
        _ if name.contains('.') => words::bare_path(name, span),
        _ if begins_operand(after.kind()) => words::call_without_parentheses(name, span),
        "yes" | "on" | "no" | "off" => switch(after, name, span),
        _ if is_value_word(name) => match string_of_field(after, name) {
            Some(ours) => words::unquoted_as(name, &ours, span),
            None => words::unquoted(name, span),
        },
        _ if session.has_class(name) => words::class_as_value(name, span),
        _ => words::bare_word(name, span),
    });
    let id = session.error_expr(span);
    // A word with a hyphen, as in `web-server`.
    let mut rest = after;
    while rest.kind() == TokenKind::Minus && touches(rest, rest.index()) && rest.kind_ahead(1) == TokenKind::Ident {
        rest = rest.at(rest.index() + 2);
    }
    Ok((rest, id))
}

/// Whether the word before this input is the name in a reference to a resource, as in `Pkg[nginx]`.
fn is_referred_to(after: Input<'_>) -> bool {
    let kind = |behind: usize| after.index().checked_sub(behind).map(|at| after.at(at).kind());
    after.kind() == TokenKind::CloseBrack
        && kind(2) == Some(TokenKind::OpenBrack)
        && kind(3) == Some(TokenKind::CapIdent)
}

/// The edge that the field of a value stands for, as in `notify => svc["a"]`. `after` is the input after the first word of
/// the value.
fn edge_of_field(after: Input<'_>) -> String {
    let field = after.index().checked_sub(3).filter(|field| after.at(field + 1).kind() == TokenKind::Rocket);
    let property = field.and_then(|field| foreign_property(text_ahead(after.at(field), 0)));
    capitalized(property.unwrap_or("depend"))
}

/// `yes`, `on`, `no` or `off`: a bool, or the string that a field takes instead.
fn switch(after: Input<'_>, word: &str, span: Span) -> Diagnostic {
    let wanted = if matches!(word, "yes" | "on") { "true" } else { "false" };
    match string_of_field(after, wanted) {
        Some(text) => words::sign(word, &text, span, "the value of this field must be a string"),
        None => words::sign(word, wanted, span, "a bool is `true` or `false`"),
    }
}

/// The string that is meant by a bool as the value of a field, as in `startup => true`. `after` is the input after the
/// value.
fn string_of_field(after: Input<'_>, value: &str) -> Option<String> {
    let rocket = after.index().checked_sub(2)?;
    let field = after.at(rocket.checked_sub(1)?);
    if after.at(rocket).kind() != TokenKind::Rocket || field.kind() != TokenKind::Ident {
        return None;
    }
    let (kind, _) = head(after, enclosing(field)?);
    let (_, ours) = written::fields(kind, text_ahead(field, 0), value).into_iter().next()?;
    ours.starts_with('"').then_some(ours)
}

/// The input after the rest of a name with capital letters, such as `UpNow` of `isUpNow`.
pub(super) fn end_of_name(i: Input<'_>) -> Input<'_> {
    let mut end = i.bump().0;
    while touches(end, end.index()) && matches!(end.kind(), TokenKind::Ident | TokenKind::CapIdent | TokenKind::Int) {
        end = end.bump().0;
    }
    end
}

/// Tokens that can only begin another value.
fn begins_operand(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Str | TokenKind::Int | TokenKind::Float | TokenKind::Dollar | TokenKind::Bool)
}

fn begins_expression(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Bool
            | TokenKind::Str
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Dollar
            | TokenKind::Ident
            | TokenKind::OpenBrack
            | TokenKind::Struct
            | TokenKind::If
    )
}

/// Something else where an expression is expected, with a known intention.
pub(in crate::parse) fn expression(i: Input<'_>) -> Option<Res<'_, ExprId>> {
    let session = i.session;
    let (at, span) = (i.index(), i.span());
    session.expect(at, Expected::Expression);
    if session.knows(at) {
        return None;
    }
    match i.kind() {
        TokenKind::CapIdent if i.kind_ahead(1) == TokenKind::OpenBrack => {
            let close = session.partners.closer(at + 1)?;
            let mut end = i.at(close + 1);
            let field =
                (end.kind() == TokenKind::Dot && end.kind_ahead(1) == TokenKind::Ident).then(|| text_ahead(end, 1));
            if field.is_some() {
                end = end.at(close + 3);
            }
            let whole = end.span_from(span);
            session.expect(at, Expected::Expression);
            session.mistake(at, || {
                let here = "this refers to a resource";
                if field.is_some() {
                    let text = String::from_utf8_lossy(&session.source.text[whole.start as usize..whole.end as usize]);
                    let help = format!("send a value with a separate statement: `{text} -> Kind[\"name\"].field`");
                    return words::foreign("a resource is not a value", whole, here, help);
                }
                let help = format!("write each edge as a separate item: `{} => Kind[\"name\"],`", edge_of_line(i));
                words::foreign("a resource is not a value", whole, here, help)
            });
            Some(Ok((end, session.error_expr(whole))))
        }
        TokenKind::StrType | TokenKind::IntType | TokenKind::FloatType | TokenKind::BoolType
            if i.kind_ahead(1) == TokenKind::OpenParen =>
        {
            let close = session.partners.closer(at + 1)?;
            session.mistake(at, || words::type_called(text_ahead(i, 0), span));
            let end = i.at(close + 1);
            Some(Ok((end, session.error_expr(end.span_from(span)))))
        }
        TokenKind::CapIdent if matches!(text_ahead(i, 0), "True" | "False" | "None" | "Null" | "Nil") => {
            let word = text_ahead(i, 0).to_ascii_lowercase();
            session.expect(at, Expected::Expression);
            session.mistake(at, || match word.as_str() {
                "true" | "false" => words::sign(text_ahead(i, 0), &word, span, "bools are written in lower case"),
                _ => words::foreign(
                    format!("MCL has no `{}`", text_ahead(i, 0)),
                    span,
                    "MCL has no null values",
                    "leave the field out, or give it an empty value such as `\"\"`",
                ),
            });
            Some(Ok((i.bump().0, session.error_expr(span))))
        }
        // A path such as /etc/motd.
        TokenKind::Divide if !super::begins_comment(i) && i.kind_ahead(1) == TokenKind::Ident && touches(i, at + 1) => {
            let end = end_of_word(i);
            let whole = end.span_from(span);
            session.expect(at, Expected::Expression);
            session.mistake(at, || {
                let text = String::from_utf8_lossy(&session.source.text[whole.start as usize..whole.end as usize]);
                words::unquoted(&text, whole)
            });
            Some(Ok((end, session.error_expr(whole))))
        }
        _ => None,
    }
}

/// The last edge before a token on its line, as in `Notify => [`.
fn edge_of_line(i: Input<'_>) -> &str {
    const MOST: usize = 80;
    let tokens = i.session.tokens.tokens[..i.index()].iter().rev().take(MOST);
    let words = tokens.take_while(|token| token.kind != TokenKind::Newline).map(|token| i.session.text(*token));
    let mut edges = words.filter(|word| matches!(*word, "Before" | "Depend" | "Notify" | "Listen"));
    edges.next().unwrap_or("Depend")
}

/// The input after adjacent tokens, up to a bracket or comma.
fn end_of_word(i: Input<'_>) -> Input<'_> {
    let mut end = i.bump().0;
    while touches(end, end.index())
        && !matches!(
            end.kind(),
            TokenKind::Newline
                | TokenKind::Comma
                | TokenKind::End
                | TokenKind::OpenCurly
                | TokenKind::CloseCurly
                | TokenKind::CloseBrack
                | TokenKind::CloseParen
        )
    {
        end = end.bump().0;
    }
    end
}

/// A number directly followed by a word or another number.
///
/// The second part says whether there is one.
pub(in crate::parse) fn unit(after: Input<'_>, number: Token) -> (Input<'_>, bool) {
    let at = after.index();
    if !matches!(number.kind, TokenKind::Int | TokenKind::Float) || !touches(after, at) {
        return (after, false);
    }
    let start = after.at(at - 1).span();
    let session = after.session;
    let text = |span: Span| String::from_utf8_lossy(&session.source.text[span.start as usize..span.end as usize]);
    match after.kind() {
        TokenKind::Ident | TokenKind::CapIdent => {
            let mut end = after;
            while touches(end, end.index())
                && matches!(end.kind(), TokenKind::Ident | TokenKind::CapIdent | TokenKind::Int)
            {
                end = end.bump().0;
            }
            let whole = end.span_from(start);
            session.expect(at, Expected::Token(TokenKind::Newline));
            let measure = measure(after.at(at - 1));
            session.mistake(at, || {
                words::unit(session.text(number), &text(Span { start: start.end, ..whole }), measure, whole)
            });
            (end, true)
        }
        TokenKind::Dot
            if matches!(after.kind_ahead(1), TokenKind::Int | TokenKind::Float) && touches(after, at + 1) =>
        {
            let mut end = after;
            while touches(end, end.index()) && matches!(end.kind(), TokenKind::Dot | TokenKind::Int | TokenKind::Float)
            {
                end = end.bump().0;
            }
            // The length of a prefix: `10.0.0.0/24`.
            let slash = end.index();
            if end.kind() == TokenKind::Divide
                && end.kind_ahead(1) == TokenKind::Int
                && touches(end, slash)
                && touches(end, slash + 1)
            {
                end = end.at(slash + 2);
            }
            let whole = end.span_from(start);
            session.mistake(at, || words::dotted_number(&text(whole), whole));
            (end, true)
        }
        _ => (after, false),
    }
}

/// What the number of an item is written as.
fn measure(number: Input<'_>) -> words::Measure {
    let Some(from) = number.index().checked_sub(4) else { return words::Measure::Seconds };
    let words = [0, 1, 2, 3].map(|ahead| text_ahead(number.at(from), ahead));
    match words {
        ["Meta", ":", "delay" | "timeout", "=>"] => words::Measure::Milliseconds,
        [_, _, field, "=>"] => words::Measure::of_field(field),
        _ => words::Measure::Seconds,
    }
}

/// `${name}` outside a string.
pub(in crate::parse) fn braced_variable(i: Input<'_>) -> Option<Res<'_, ExprId>> {
    let shape = [i.kind_ahead(1), i.kind_ahead(2), i.kind_ahead(3)];
    if i.session.is_attempt() || shape != [TokenKind::OpenCurly, TokenKind::Ident, TokenKind::CloseCurly] {
        return None;
    }
    let name = text_ahead(i, 2);
    let end = i.at(i.index() + 4);
    let span = end.span_from(i.span());
    i.session.mistake(i.index() + 1, || {
        words::sign(&format!("${{{name}}}"), &format!("${name}"), span, "braces are only for variables inside strings")
    });
    Some(i.session.expr(end, crate::ast::ExprKind::Var(i.session.intern(name)), span))
}

/// A variable without its dollar: the input as if the dollar had been read.
pub(in crate::parse) fn missing_dollar(i: Input<'_>) -> Option<Input<'_>> {
    if i.kind() != TokenKind::Ident || i.session.is_attempt() || i.session.knows(i.index()) {
        return None;
    }
    i.session.expect(i.index(), Expected::Token(TokenKind::Dollar));
    i.session.mistake(i.index(), || words::missing_dollar(text_ahead(i, 0), i.span()));
    Some(i)
}

/// A dot that no name follows.
pub(in crate::parse) fn is_dangling_dot(dot: Input<'_>, name: &str) -> bool {
    let ends = matches!(
        dot.kind_ahead(1),
        TokenKind::Newline
            | TokenKind::Comma
            | TokenKind::OpenCurly
            | TokenKind::CloseCurly
            | TokenKind::OpenParen
            | TokenKind::CloseParen
            | TokenKind::CloseBrack
            | TokenKind::Dot
    );
    if !ends || dot.session.is_attempt() || dot.session.knows(dot.index() + 1) {
        return false;
    }
    dot.session.expect(dot.index() + 1, Expected::Token(TokenKind::Ident));
    dot.session.mistake(dot.index() + 1, || words::dangling_dot(name, dot.span()));
    true
}
