//! Mistakes that are statements, or parts of one.

use super::{find_on_line, function, item, phrases, text_ahead, touches, words};
use crate::ast::{LoopOver, Param, StmtKind};
use crate::diag::{Diagnostic, codes};
use crate::lex::TokenKind;
use crate::parse::block::block;
use crate::parse::expr::{expr, id, var_id};
use crate::parse::input::{Fail, Input, Res, tok};
use crate::parse::recover::{self, begins_statement};
use crate::parse::resource::{body, edge};
use crate::parse::stmt::{bound, if_rest, loop_var, sound_stmt};
use crate::span::Span;

/// A statement form of another language.
#[derive(Clone, Copy)]
enum Shape {
    /// `name = value`
    Assignment,
    /// `let name = value`; the dollar is optional.
    Declaration,
    /// `foreach $x in $list {`
    ForEach,
    /// `function f(…) {`
    Function,
    /// `file["/a"] -> svc["x"]`
    Edge,
    /// `file { "/a":`
    Puppet,
    /// `resource "a" "b" {`
    Hcl,
    /// `while … {`
    Block,
    /// `name(…)`
    Call,
    /// `pass`
    LoneWord,
    /// `key: value` and `- key`
    Yaml,
    /// `{ "key": …`
    Json,
}

/// Whether the first tokens look like a statement of another language.
pub(in crate::parse) fn may_be_statement(i: Input<'_>) -> bool {
    shape(i).is_some()
}

/// Parses a statement of another language where the grammar has no place for it, and returns the intended statement.
/// The rest is parsed as MCL.
pub(in crate::parse) fn statement(i: Input<'_>) -> Option<(Input<'_>, StmtKind)> {
    let shape = shape(i)?;
    let at = i.session.first_failure(i, |i| {
        let (i, _) = sound_stmt(i)?;
        tok(TokenKind::Newline)(i)
    })?;
    // What stands inside the braces of another language's block is no mistake of its own.
    let is_within = matches!(shape, Shape::Block | Shape::Hcl)
        && (i.index()..at).any(|token| i.at(token).kind() == TokenKind::Newline);
    if !is_within && i.session.knows(at) {
        return None;
    }
    i.session.mistake(at, || said(shape, i));
    let result = match shape {
        Shape::Assignment => assignment(i),
        Shape::Declaration => declaration(i.bump().0),
        Shape::ForEach => for_each(i.bump().0),
        Shape::Function => return Some(function::read(i)),
        Shape::Edge => edge(i),
        Shape::Puppet => puppet(i),
        Shape::Block if text_ahead(i, 0) == "unless" => unless(i.bump().0),
        Shape::Hcl | Shape::Block | Shape::Json => return Some((behind_braces(i, at), StmtKind::Error)),
        Shape::Call | Shape::LoneWord => return Some((end_of_line(i), StmtKind::Error)),
        Shape::Yaml => return Some((end_of_paste(i), StmtKind::Error)),
    };
    Some(result.unwrap_or_else(|error| {
        let at = failed_at(error, i).max(at);
        // A body in another language's layout.
        if i.at(at).kind() == TokenKind::Colon && i.at(at).kind_ahead(1) == TokenKind::Newline {
            return (end_of_paste(i.at(at)), StmtKind::Error);
        }
        (recover::statement_end(i, at, i.session.within()), StmtKind::Error)
    }))
}

fn failed_at(error: nom::Err<Fail>, i: Input<'_>) -> usize {
    match error {
        nom::Err::Error(fail) | nom::Err::Failure(fail) => fail.at,
        nom::Err::Incomplete(_) => i.index(),
    }
}

/// Guesses from a few tokens, without deciding whether it is wrong.
fn shape(i: Input<'_>) -> Option<Shape> {
    let word = text_ahead(i, 0);
    let next = [i.kind_ahead(1), i.kind_ahead(2), i.kind_ahead(3)];
    use TokenKind::{Colon, Dollar, Equals, Ident, Newline, OpenBrack, OpenCurly, OpenParen, Str};
    match (i.kind(), next) {
        (Ident, [Equals, ..] | [Colon, Equals, _]) => Some(Shape::Assignment),
        (Ident, [Ident, Equals, _] | [Dollar, Ident, Equals]) if phrases::declares_variable(word) => {
            Some(Shape::Declaration)
        }
        (TokenKind::StrType | TokenKind::IntType | TokenKind::BoolType | TokenKind::FloatType, [Ident, Equals, _]) => {
            Some(Shape::Declaration)
        }
        (
            TokenKind::StrType | TokenKind::IntType | TokenKind::BoolType | TokenKind::FloatType,
            [Dollar, Ident, Equals],
        ) => Some(Shape::Declaration),
        (Ident, [Ident, OpenParen, _]) if phrases::declares_function(word) => Some(Shape::Function),
        (Ident, [Dollar | Ident | OpenParen, ..]) if phrases::loops(word) => Some(Shape::ForEach),
        (Ident, _) if phrases::block_word(word).is_some() && find_on_line(i, OpenCurly).is_some() => Some(Shape::Block),
        (Ident, [Newline, ..]) if phrases::lone_word(word).is_some() => Some(Shape::LoneWord),
        (Ident, [Str, Str, OpenCurly]) => Some(Shape::Hcl),
        (Ident, [OpenCurly, ..]) if is_puppet(i) => Some(Shape::Puppet),
        (Ident, [OpenParen, ..] | [TokenKind::Dot, ..]) => is_call(i).then_some(Shape::Call),
        (Ident, [OpenBrack, ..] | [Colon, Ident, ..]) if is_lowercase_edge(i) => Some(Shape::Edge),
        (Ident, [Colon, Newline | Str | Ident | TokenKind::Int | TokenKind::Bool | OpenBrack, _])
            if touches(i, i.index() + 1) && !touches(i, i.index() + 2) | (next[1] == Newline) =>
        {
            Some(Shape::Yaml)
        }
        (TokenKind::Minus, _) => Some(Shape::Yaml),
        (OpenCurly, _) => Some(Shape::Json),
        _ => None,
    }
}

fn is_puppet(i: Input<'_>) -> bool {
    let tokens = &i.session.tokens.tokens[i.index() + 2..];
    let mut tokens = tokens.iter().skip_while(|token| token.kind == TokenKind::Newline);
    let ends_with_colon = |token: Option<&crate::lex::Token>| token.is_some_and(|token| token.kind == TokenKind::Colon);
    match tokens.next().map(|token| token.kind) {
        Some(TokenKind::Str) => ends_with_colon(tokens.next()),
        Some(TokenKind::Dollar) => ends_with_colon(tokens.nth(1)),
        Some(TokenKind::OpenBrack) => {
            ends_with_colon(tokens.find(|token| token.kind == TokenKind::CloseBrack).and_then(|_| tokens.next()))
        }
        _ => false,
    }
}

/// The name in `kind { "name":`, as it is written before the `{`.
fn puppet_title(i: Input<'_>) -> String {
    const MOST: usize = 60;
    let title = i.at(i.index() + 2);
    let colon = (title.index()..).find(|at| matches!(i.at(*at).kind(), TokenKind::Colon | TokenKind::End));
    let span = i.at(colon.unwrap_or(title.index())).span_from(title.span());
    let text = String::from_utf8_lossy(&i.session.source.text[span.start as usize..span.end as usize]);
    match text.trim() {
        text if text.is_empty() || text.len() > MOST || text.contains(['\n', '`']) => "\"name\"".to_owned(),
        text => text.replace('\'', "\""),
    }
}

fn is_call(i: Input<'_>) -> bool {
    let mut open = i.index() + 1;
    while i.at(open).kind() == TokenKind::Dot && i.at(open).kind_ahead(1) == TokenKind::Ident {
        open += 2;
    }
    let is_open = i.at(open).kind() == TokenKind::OpenParen;
    let close = if is_open { i.session.partners.closer(open) } else { None };
    close.is_some_and(|close| i.at(close).kind_ahead(1) == TokenKind::Newline)
}

fn is_lowercase_edge(i: Input<'_>) -> bool {
    let mut open = i.index() + 1;
    while i.at(open).kind() == TokenKind::Colon && i.at(open).kind_ahead(1) == TokenKind::Ident {
        open += 2;
    }
    let is_open = i.at(open).kind() == TokenKind::OpenBrack;
    let close = if is_open { i.session.partners.closer(open) } else { None };
    close.is_some_and(|close| matches!(i.at(close).kind_ahead(1), TokenKind::Arrow | TokenKind::Dot))
}

fn said(shape: Shape, i: Input<'_>) -> Diagnostic {
    let (word, span) = (text_ahead(i, 0), i.span());
    let found = || format!("MCL has no `{word}`");
    match shape {
        Shape::Assignment if i.kind_ahead(1) == TokenKind::Colon => {
            let sign = i.at(i.index() + 3).span_from(span);
            words::error(
                codes::MISSING_DOLLAR,
                format!("missing `$` before the variable `{word}`"),
                span,
                "a variable begins with `$`",
            )
            .help(format!("write `${word} = …`"))
            .edit(sign, format!("${word} ="), format!("write `${word} =`"))
        }
        Shape::Assignment => words::missing_dollar(word, span),
        Shape::Declaration => {
            let name = if i.kind_ahead(1) == TokenKind::Dollar { text_ahead(i, 2) } else { text_ahead(i, 1) };
            words::foreign(
                found_declaration(i, word),
                span,
                "a variable is defined by its name alone",
                format!("write `${name} = …`"),
            )
        }
        Shape::ForEach => words::foreign(found(), span, "expected `for`", "write `for $index, $value in $list { … }`"),
        Shape::Function => function::said(i),
        Shape::Edge => item::lowercase(i),
        Shape::Puppet => words::foreign(
            "the name of a resource goes before its `{`",
            i.bump().0.span(),
            "expected the name of the resource",
            format!("write `{word} {} {{ … }}`", puppet_title(i)),
        ),
        Shape::Hcl => words::foreign(
            "a resource has one name",
            i.at(i.index() + 2).span(),
            "unexpected second name",
            "this looks like HCL; in MCL a resource is written `kind \"name\" { field => value, }`",
        ),
        Shape::Block => {
            words::foreign(found(), span, "not a statement of MCL", phrases::block_word(word).unwrap_or_default())
        }
        Shape::Call => call_said(i),
        Shape::LoneWord => {
            words::foreign(found(), span, "not a statement of MCL", phrases::lone_word(word).unwrap_or_default())
        }
        Shape::Yaml => words::foreign(
            "this looks like YAML",
            span,
            "not a statement of MCL",
            "a resource is written `kind \"name\" { field => value, }`, a variable `$name = value`",
        ),
        Shape::Json => words::foreign(
            "this looks like JSON",
            span,
            "not a statement of MCL",
            "give the value a name: `$config = {\"key\" => \"value\"}`",
        ),
    }
}

fn found_declaration(i: Input<'_>, word: &str) -> String {
    match i.kind() {
        TokenKind::Ident => format!("MCL has no `{word}`"),
        _ => "the type of a variable goes after its name".to_owned(),
    }
}

fn call_said(i: Input<'_>) -> Diagnostic {
    let word = text_ahead(i, 0);
    let open = find_on_line(i, TokenKind::OpenParen).unwrap_or(i.index());
    let close = i.session.partners.closer(open).unwrap_or(open);
    let span = i.at(close + 1).span_from(i.span());
    let name = i.at(open).span_from(i.span());
    let name = String::from_utf8_lossy(&i.session.source.text[name.start as usize..name.end as usize]);
    let said =
        words::error(codes::FOREIGN_SYNTAX, "a call is not a statement", span, format!("`{name}` is called here"));
    match () {
        _ if i.session.has_class(word) => {
            let text = String::from_utf8_lossy(&i.session.source.text[span.start as usize..span.end as usize]);
            said.help(format!("a class is included: `include {text}`"))
        }
        _ if phrases::fails(word) => said.help("to stop with an error, write `panic(\"…\")`"),
        _ if phrases::prints(word) || name.starts_with("fmt.") || name.ends_with(".log") => {
            said.help("to print a message, declare a resource: `print \"name\" { msg => \"…\", }`")
        }
        _ if is_resource_call(i, open) => said
            .help(format!("a resource is written `{word} \"name\" {{ field => value, }}`"))
            .help(format!("if `{name}` is a function, give its result a name: `$result = {name}(…)`")),
        _ => said.help(format!("give its result a name: `$result = {name}(…)`")),
    }
}

/// Whether a call has arguments with names, or a path as its first one: a resource of another language.
fn is_resource_call(i: Input<'_>, open: usize) -> bool {
    let close = i.session.partners.closer(open).unwrap_or(open);
    let first = i.at(open + 1);
    let is_path = first.kind() == TokenKind::Str && text_ahead(first, 0).starts_with("\"/");
    let is_named = |at: usize| {
        let after = i.at(at).kind_ahead(1);
        i.at(at).kind() == TokenKind::Ident && matches!(after, TokenKind::Equals | TokenKind::Colon | TokenKind::Rocket)
    };
    is_path || (open + 1..close).any(is_named)
}

fn assignment(i: Input<'_>) -> Res<'_, StmtKind> {
    let (i, (name, name_span)) = var_id(i)?;
    let i = if i.kind() == TokenKind::Colon { i.bump().0 } else { i };
    let (i, _) = tok(TokenKind::Equals)(i)?;
    bound(i, name, name_span, None)
}

/// The rest after `let`.
fn declaration(i: Input<'_>) -> Res<'_, StmtKind> {
    let start = i.span();
    let i = if i.kind() == TokenKind::Dollar { i.bump().0 } else { i };
    let (i, name) = id(i)?;
    let name_span = i.span_from(start);
    let (i, _) = tok(TokenKind::Equals)(i)?;
    bound(i, name, name_span, None)
}

/// The rest after `foreach`.
fn for_each(i: Input<'_>) -> Res<'_, StmtKind> {
    let i = if i.kind() == TokenKind::OpenParen { i.bump().0 } else { i };
    let (mut i, mut second) = loop_var(i)?;
    let mut first = unnamed(i, second.span);
    if i.kind() == TokenKind::Comma {
        (first, (i, second)) = (second, loop_var(i.bump().0)?);
    }
    let (i, _) = tok(TokenKind::In)(i)?;
    let (i, subject) = expr(i)?;
    let i = if i.kind() == TokenKind::CloseParen { i.bump().0 } else { i };
    let (i, body) = block(i)?;
    Ok((i, StmtKind::For { over: LoopOver::List, first, second, subject, body }))
}

/// A missing loop variable.
fn unnamed(i: Input<'_>, span: Span) -> Param {
    Param { name: i.session.intern(""), span, ty: None }
}

/// `"," var_id` in the head of a loop, missing in other languages.
pub(in crate::parse) fn second_loop_var(i: Input<'_>) -> Res<'_, Param> {
    i.session.unless_known(i.index())?;
    if i.kind() != TokenKind::In || i.session.is_attempt() {
        let (i, _) = tok(TokenKind::Comma)(i)?;
        return loop_var(i);
    }
    i.session.expect(i.index(), crate::parse::input::Expected::Token(TokenKind::Comma));
    let first = i.at(i.index() - 1);
    i.session.mistake(i.index(), || {
        let name = text_ahead(first, 0);
        words::error(codes::FOREIGN_SYNTAX, "a `for` loop has two variables", first.span(), "found only one")
            .help(format!("write `for $index, ${name} in …`; over a map, `forkv $key, $value in …`"))
    });
    Ok((i, unnamed(i, i.span())))
}

/// The single loop variable was meant for the values.
pub(in crate::parse) fn swapped_loop_vars(first: Param, second: Param) -> (Param, Param) {
    if second.name.is_empty() { (second, first) } else { (first, second) }
}

fn unless(i: Input<'_>) -> Res<'_, StmtKind> {
    let (i, cond) = expr(i)?;
    if_rest(i, cond)
}

/// `kind { "name":` and items.
fn puppet(i: Input<'_>) -> Res<'_, StmtKind> {
    let (i, kind) = id(i)?;
    let kind_span = i.span_from(i.at(i.index() - 1).span());
    let open = i.index();
    let colon = (open..).find(|at| matches!(i.at(*at).kind(), TokenKind::Colon | TokenKind::End)).unwrap_or(open);
    let title = i.at(colon - 1);
    let name = i.session.error_expr(title.span());
    let (i, items) = body(i.at(colon + 1), open)?;
    let body_span = i.span_from(title.span());
    let resource = crate::ast::Resource { collect: None, kind, kind_span, name, items, body_span };
    Ok((i, StmtKind::Resource(Box::new(resource))))
}

/// The input after the `}` that matches the first `{` on the line.
pub(super) fn behind_braces(i: Input<'_>, at: usize) -> Input<'_> {
    let open = find_on_line(i, TokenKind::OpenCurly);
    match open.and_then(|open| i.session.partners.closer(open)) {
        Some(close) => {
            i.session.skip(i.at(close + 1).span_from(i.span()));
            i.at(close + 1)
        }
        None => recover::statement_end(i, at, i.session.within()),
    }
}

fn end_of_line(i: Input<'_>) -> Input<'_> {
    let tokens = &i.session.tokens.tokens[i.index()..];
    let ends = |token: &crate::lex::Token| matches!(token.kind, TokenKind::Newline | TokenKind::End);
    i.at(i.index() + tokens.iter().position(ends).unwrap_or(0))
}

/// The newline after the lines that look like part of the same paste: indented, or a key or list element.
pub(super) fn end_of_paste(i: Input<'_>) -> Input<'_> {
    let mut end = end_of_line(i);
    loop {
        let next = end.at((end.index() + 1).min(i.session.tokens.tokens.len() - 1));
        let is_indented = matches!(i.session.source.text.get(next.span().start as usize - 1), Some(b' '));
        let is_key = next.kind() == TokenKind::Ident && next.kind_ahead(1) == TokenKind::Colon;
        let is_part = next.kind() == TokenKind::Minus || is_key || is_indented;
        if end.kind() != TokenKind::Newline || !is_part {
            i.session.skip(end.span_from(i.span()));
            return end;
        }
        end = end_of_line(next);
    }
}

/// `:=` or `+=` after the name of a bind.
pub(in crate::parse) fn assignment_sign<'a>(i: Input<'a>, name: &str) -> Option<Input<'a>> {
    let at = i.index();
    let is_sign = matches!(
        i.kind(),
        TokenKind::Colon | TokenKind::Plus | TokenKind::Minus | TokenKind::Multiply | TokenKind::Divide
    ) && i.kind_ahead(1) == TokenKind::Equals
        && touches(i, at + 1);
    let is_step = matches!(i.kind(), TokenKind::Plus | TokenKind::Minus) && i.kind_ahead(1) == i.kind();
    if i.session.is_attempt() || !(is_sign || is_step) {
        return None;
    }
    let end = i.at(at + 2);
    let span = end.span_from(i.span());
    if i.kind() == TokenKind::Colon {
        i.session.mistake(at, || words::sign(":=", "=", span, "a variable is defined with `=`"));
        return Some(end);
    }
    // The variable keeps its value: the rest of the line is ignored.
    let after = end_of_line(end);
    i.session.mistake(at, || {
        let operand = if is_step { "1".into() } else { text_between(end, after) };
        let help = match operand.strip_prefix('[') {
            Some(_) if i.kind() == TokenKind::Plus => {
                format!("define another variable: `$more = list.concat(${name}, {operand})`, after `import \"list\"`")
            }
            _ => format!("define another variable: `$next = ${name} {} {operand}`", text_ahead(i, 0)),
        };
        words::error(codes::FOREIGN_SIGN, "a variable cannot be changed", span, format!("`${name}` has one value"))
            .help(help)
    });
    Some(after)
}

/// The text from one place to another on the same line, if it is short.
fn text_between(from: Input<'_>, to: Input<'_>) -> String {
    const MOST: usize = 60;
    let (start, end) = (from.span().start as usize, to.span().start as usize);
    let text = from.session.source.text.get(start..end).unwrap_or_default();
    match String::from_utf8_lossy(text).trim() {
        text if text.is_empty() || text.len() > MOST || text.contains(['`', '#']) => "…".to_owned(),
        text => text.to_owned(),
    }
}

/// `else if` and its synonyms: the input at the condition.
pub(in crate::parse) fn else_if(i: Input<'_>) -> Option<Input<'_>> {
    let (at, word) = match (i.kind(), i.kind_ahead(1)) {
        (TokenKind::Else, TokenKind::If) => (i.index() + 1, "else if"),
        (TokenKind::Ident, _) if matches!(text_ahead(i, 0), "elsif" | "elif" | "elseif" | "elsf") => {
            (i.index(), text_ahead(i, 0))
        }
        _ => return None,
    };
    let span = i.at(at + 1).span_from(i.span());
    i.session.expect(at, crate::parse::input::Expected::Token(TokenKind::OpenCurly));
    i.session.mistake(at, || words::else_if(word, span));
    Some(i.at(at + 1))
}

/// A known mistake after a valid statement on the same line: where to continue.
pub(in crate::parse) fn after_statement(i: Input<'_>) -> Option<Input<'_>> {
    let next = match i.kind() {
        TokenKind::Semicolon => {
            i.session.mistake(i.index(), || words::semicolon(i.span()));
            i.bump().0
        }
        TokenKind::Divide if super::begins_comment(i) => super::comment(i, i.index()),
        _ if begins_statement(i) => {
            i.session.mistake(i.index(), || {
                words::error(
                    codes::FOREIGN_SYNTAX,
                    "two statements on one line",
                    i.span(),
                    "expected the end of the line",
                )
                .help("start each statement on a new line")
            });
            return Some(i);
        }
        _ => return None,
    };
    Some(if next.kind() == TokenKind::Newline { next.bump().0 } else { next })
}
