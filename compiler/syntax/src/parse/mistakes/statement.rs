//! Mistakes that are statements.

use super::meant::{self, assignment, declaration, for_each, unless};
use super::{exact, find_on_line, function, item, nameless, phrases, puppet, text_ahead, touches, words};
use crate::ast::StmtKind;
use crate::diag::{Diagnostic, codes};
use crate::lex::TokenKind;
use crate::parse::input::{Fail, Input, tok};
use crate::parse::recover;
use crate::parse::resource::edge;
use crate::parse::stmt::sound_stmt;
use crate::parse::written;

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
    /// `file {`, followed by fields on the same line or the next ones
    Nameless,
    /// `resource "a" "b" {`
    Hcl,
    /// `while … {`
    Block,
    /// `handlers {`, followed by statements
    Group,
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
    // What stands inside the braces of another language's block is not its own mistake.
    let is_within = matches!(shape, Shape::Block | Shape::Group | Shape::Hcl)
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
        Shape::Puppet => match puppet::read(i) {
            Some((_, after)) => {
                i.session.cover(i.span().start as usize, after.span_from(i.span()).end as usize);
                return Some((after, StmtKind::Error));
            }
            None => meant::puppet(i),
        },
        Shape::Block if text_ahead(i, 0) == "unless" => unless(i.bump().0),
        Shape::Nameless | Shape::Hcl | Shape::Block | Shape::Group | Shape::Json => {
            return Some((behind_braces(i, at), StmtKind::Error));
        }
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
        (Ident, [OpenCurly, ..]) if puppet::is_puppet(i) => Some(Shape::Puppet),
        (Ident, [OpenCurly, Newline, Ident]) if matches!(i.kind_ahead(4), TokenKind::Rocket | Colon | Equals) => {
            Some(Shape::Nameless)
        }
        (Ident, [OpenCurly, Ident, TokenKind::Rocket]) => Some(Shape::Nameless),
        (Ident, [OpenCurly, Newline, _]) if begins_with_statement(i) => Some(Shape::Group),
        (Ident, [OpenCurly, Str, Newline]) if phrases::is_kind(word) => Some(Shape::Nameless),
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

/// Whether the first line in the braces after a word is a statement, so that they are no body of a resource.
fn begins_with_statement(i: Input<'_>) -> bool {
    let mut first = i.at(i.index() + 3);
    while first.kind() == TokenKind::Newline {
        first = first.bump().0;
    }
    let is_closed = i.session.partners.closer(i.index() + 1).is_some();
    let is_kind = phrases::is_kind(text_ahead(i, 0));
    is_closed && !is_kind && (recover::begins_statement(first) || first.kind() == TokenKind::If)
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
                "variables begin with `$`",
            )
            .help(format!("write `${word} = {}`", short_value(i.at(i.index() + 3))))
            .edit(sign, format!("${word} ="), format!("write `${word} =`"))
        }
        Shape::Assignment => words::missing_dollar(word, span),
        Shape::Declaration => declaration_said(i),
        Shape::ForEach => words::foreign(found(), span, "expected `for`", "write `for $index, $value in $list { … }`"),
        Shape::Function => function::said(i),
        Shape::Edge => item::lowercase(i),
        Shape::Puppet => puppet::said(i),
        Shape::Nameless if i.session.has_class(word) => words::foreign(
            "a class has no body where it is used",
            span,
            "this is a class",
            format!("write the values in parentheses, in the order of the parameters: `include {word}(…)`"),
        ),
        Shape::Nameless => nameless::said(i),
        Shape::Hcl => words::foreign(
            "a resource has one name",
            i.at(i.index() + 2).span(),
            "unexpected second name",
            match nameless::of_hcl(i) {
                _ if phrases::is_kind(word) => {
                    let names = format!("[{}, {}]", text_ahead(i, 1), text_ahead(i, 2));
                    format!("write several names as a list: `{word} {names} {{ … }}`")
                }
                Some(ours) => format!("this looks like HCL: write `{ours}`"),
                None => {
                    "this looks like HCL: in MCL, write a resource as `kind \"name\" { field => value, }`".to_owned()
                }
            },
        ),
        Shape::Block if word == "unless" => exact::unless(i),
        Shape::Block if word == "node" && i.kind_ahead(1) == TokenKind::Divide => words::foreign(
            found(),
            span,
            "not an MCL statement",
            "match the host name: `if regexp.match(\"^web\", $hostname) { … }`, after `import \"regexp\"`",
        ),
        Shape::Block => {
            let help = || phrases::block_word(word).unwrap_or_default().to_owned();
            words::foreign(found(), span, "not an MCL statement", exact::hcl_variable(i).unwrap_or_else(help))
        }
        Shape::Group if i.session.has_class(word) => words::foreign(
            "a class has no body where it is used",
            span,
            "this is a class",
            format!("write `include {word}`, and the statements outside of a block"),
        ),
        Shape::Group => words::foreign(
            "a block belongs to a class, a condition or a loop",
            span,
            "not an MCL statement",
            format!(
                "write the statements outside of a block, or in a class: `class {word} {{ … }}`, and `include {word}`"
            ),
        ),
        Shape::Call => call_said(i),
        Shape::LoneWord => {
            words::foreign(found(), span, "not an MCL statement", phrases::lone_word(word).unwrap_or_default())
        }
        Shape::Yaml => {
            let variable = exact::yaml_pair(i).unwrap_or_else(|| "$name = value".to_owned());
            let help =
                format!("write a resource as `kind \"name\" {{ field => value, }}`, and a variable as `{variable}`");
            words::foreign("this looks like YAML", span, "not an MCL statement", help)
        }
        Shape::Json => words::foreign(
            "this looks like JSON",
            span,
            "not an MCL statement",
            "assign the value to a variable: `$config = {\"key\" => \"value\"}`",
        ),
    }
}

/// `let name = value`, `int name = value`
fn declaration_said(i: Input<'_>) -> Diagnostic {
    let at = if i.kind_ahead(1) == TokenKind::Dollar { i.index() + 2 } else { i.index() + 1 };
    let (name, value) = (text_ahead(i.at(at), 0), short_value(i.at(at + 2)));
    let (message, here, wanted) = match i.kind() {
        TokenKind::Ident => {
            let here = "variables are defined without a keyword";
            (format!("MCL has no `{}`", text_ahead(i, 0)), here, format!("${name}"))
        }
        _ => {
            let here = "expected the name of a variable";
            ("the type of a variable follows its name".to_owned(), here, format!("${name} {}", text_ahead(i, 0)))
        }
    };
    let help = format!("write `{wanted} = {value}`");
    let said = words::foreign(message, i.span(), here, help);
    said.edit(i.at(at + 1).span_from(i.span()), wanted.clone(), format!("write `{wanted}`"))
}

/// The value that begins here, if it is a short one that MCL has too.
pub(super) fn short_value(i: Input<'_>) -> &str {
    const MOST: usize = 30;
    let is_atom = matches!(i.kind(), TokenKind::Str | TokenKind::Int | TokenKind::Float | TokenKind::Bool);
    let ends = matches!(i.kind_ahead(1), TokenKind::Newline | TokenKind::Semicolon);
    let text = text_ahead(i, 0);
    if is_atom && ends && text.len() <= MOST && !text.contains(['\n', '`', '\'']) { text } else { "…" }
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
            said.help(format!("include the class: `include {text}`"))
        }
        _ if phrases::declares_resources(word) => said.help(
            "declare a resource; it may have several names: `pkg [\"git\", \"vim\"] { state => \"installed\", }`",
        ),
        _ if phrases::fails(word) => said.help("to stop with an error, write `panic(\"…\")`"),
        _ if phrases::prints(word) || name.starts_with("fmt.") || name.ends_with(".log") => {
            said.help("to print a message, declare a resource: `print \"name\" { msg => \"…\", }`")
        }
        _ if phrases::imports(word) => said.help(
            "import another file of the program with `import \"file.mcl\"`, and include its classes with \
             `include file.name`",
        ),
        _ if phrases::is_kind(word) => said.help(resource_help(word)),
        _ if is_resource_call(i, open) => said
            .help(resource_help(word))
            .help(format!("if `{name}` is a function, assign its result to a variable: `$result = {name}(…)`")),
        _ => said
            .help(format!("assign its result to a variable: `$result = {name}(…)`"))
            .help("to change the host, declare a resource: `kind \"name\" { field => value, }`"),
    }
}

fn resource_help(kind: &str) -> String {
    format!("write a resource as `{} \"name\" {{ field => value, }}`", written::kind(kind))
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

/// The input after the `}` that matches the first `{` on the line, and after the blocks that continue it there, as in
/// `} catch (e) {`.
pub(super) fn behind_braces(i: Input<'_>, at: usize) -> Input<'_> {
    let closer = |i: Input<'_>| find_on_line(i, TokenKind::OpenCurly).and_then(|open| i.session.partners.closer(open));
    match closer(i) {
        Some(mut close) => {
            while matches!(text_ahead(i.at(close), 1), "catch" | "finally" | "rescue" | "except")
                && let Some(next) = closer(i.at(close + 1))
            {
                close = next;
            }
            // `}()`: the function is called at once.
            if i.at(close).kind_ahead(1) == TokenKind::OpenParen
                && let Some(end) = i.session.partners.closer(close + 1)
            {
                close = end;
            }
            i.session.skip(i.at(close + 1).span_from(i.span()));
            i.at(close + 1)
        }
        None => recover::statement_end(i, at, i.session.within()),
    }
}

/// The newline that ends the line.
pub(super) fn end_of_line(i: Input<'_>) -> Input<'_> {
    let tokens = &i.session.tokens.tokens[i.index()..];
    let ends = |token: &crate::lex::Token| matches!(token.kind, TokenKind::Newline | TokenKind::End);
    i.at(i.index() + tokens.iter().position(ends).unwrap_or(0))
}

/// The newline after the lines that look like part of the same paste: indented, or a key or list element.
pub(super) fn end_of_paste(i: Input<'_>) -> Input<'_> {
    let mut end = end_of_line(i);
    loop {
        let next = end.at((end.index() + 1).min(i.session.tokens.tokens.len() - 1));
        let is_indented = matches!(i.session.source.text.get(next.span().start as usize - 1), Some(b' ' | b'\t'));
        let is_key = next.kind() == TokenKind::Ident && next.kind_ahead(1) == TokenKind::Colon;
        let is_part = next.kind() == TokenKind::Minus || is_key || is_indented;
        if end.kind() != TokenKind::Newline || !is_part {
            i.session.skip(end.span_from(i.span()));
            return end;
        }
        end = end_of_line(next);
    }
}
