//! Resources of Puppet: `file { '/a': ensure => present }`, and `ensure` in a resource of MCL.

use super::notation::{Field, enclosing, fields, head, text_of, translated};
use super::{text_ahead, words};
use crate::ast::ExprId;
use crate::diag::Diagnostic;
use crate::ident::Name;
use crate::lex::TokenKind;
use crate::parse::input::{Expected, Input};
use crate::parse::written;
use crate::span::Span;

/// Whether a brace after a kind is followed by a title and a colon.
pub(super) fn is_puppet(i: Input<'_>) -> bool {
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

/// `kind { "name": … }`: the whole in MCL, as far as it can be read, one text for each name; and the input after it.
pub(super) fn read(i: Input<'_>) -> Option<(Vec<String>, Input<'_>)> {
    let open = i.index() + 1;
    let close = i.session.partners.closer(open)?;
    let kind = written::kind(text_ahead(i, 0));
    let mut texts = Vec::new();
    let mut at = open + 1;
    loop {
        while at < close && matches!(i.at(at).kind(), TokenKind::Newline | TokenKind::Semicolon | TokenKind::Comma) {
            at += 1;
        }
        if at >= close || texts.len() == 3 {
            break;
        }
        let Some(colon) = (at..close).find(|at| i.at(*at).kind() == TokenKind::Colon) else { break };
        let title = i.at(colon).span_from(i.at(at).span());
        let title = text_of(i, title).filter(|title| title.len() <= 60 && !title.contains('\n')).unwrap_or("\"name\"");
        let (fields, end) = fields(i.at(colon + 1), close);
        let is_whole = end == close || i.at(end).kind() == TokenKind::Semicolon;
        let title = titled(kind, title, &fields);
        let mut ours = translated(kind, &fields);
        if text_ahead(i, 0) == "notify" && ours.is_empty() {
            ours.push(("msg".into(), title.clone()));
        }
        texts.push(match is_whole {
            true => written::resource(kind, &title, &ours),
            false => format!("{kind} {title} {{ … }}"),
        });
        at = end;
        if !is_whole {
            break;
        }
    }
    Some((texts, i.at(close + 1)))
}

/// The name of a resource; that of a directory ends with a slash.
fn titled(kind: &str, title: &str, fields: &[Field<'_>]) -> String {
    let title = written::as_value(title);
    let is_dir = fields.iter().any(|field| field.name == "ensure" && written::unquoted(field.value) == "directory");
    match title.strip_suffix('"') {
        Some(path) if kind == "file" && is_dir && !path.ends_with('/') => format!("{path}/\""),
        _ => title,
    }
}

/// The message for `kind { "name": … }`.
pub(super) fn said(i: Input<'_>) -> Diagnostic {
    let word = text_ahead(i, 0);
    if i.session.has_class(word) || i.session.has_define(word) {
        return words::foreign(
            "classes are included by name",
            i.span(),
            "not the kind of a resource",
            format!("write `include {word}(…)`, with all arguments in order: the title is one of them"),
        );
    }
    let here = "expected the name of the resource";
    let with =
        |help: String| words::foreign("the name of a resource goes before its `{`", i.bump().0.span(), here, help);
    let Some((texts, _)) = read(i).filter(|(texts, _)| !texts.is_empty()) else {
        return with(format!("write `{} {} {{ … }}`", text_ahead(i, 0), title(i)));
    };
    let mut said = with(format!("write `{}`", texts[0]));
    said.help.extend(texts[1..].iter().map(|text| format!("and `{text}` as a separate statement")));
    said
}

/// The name in `kind { "name":`, as it is written before the `{`.
fn title(i: Input<'_>) -> String {
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

/// `ensure => present`: the input after the value, the name of the field in MCL, and a value for it. `i` is at the value.
pub(in crate::parse) fn ensure<'a>(i: Input<'a>, name: &str, start: Span) -> Option<(Input<'a>, Name, ExprId)> {
    let at = i.index();
    let is_value = i.kind() == TokenKind::Ident || i.kind() == TokenKind::Str && i.session.is_unreadable(at);
    let ends =
        matches!(i.kind_ahead(1), TokenKind::Comma | TokenKind::Newline | TokenKind::CloseCurly | TokenKind::Semicolon);
    if name != "ensure" || !is_value || !ends || i.session.is_attempt() {
        return None;
    }
    let (open, after) = (enclosing(i)?, i.bump().0);
    let (kind, (_, resource)) = head(i, open);
    let word = written::unquoted(text_ahead(i, 0));
    let ours = written::fields(kind, name, text_ahead(i, 0));
    let span = after.span_from(start);
    i.session.expect(at + 1, Expected::Token(TokenKind::OpenParen));
    i.session.mistake(at + 1, || {
        let text = ours.iter().map(|(name, value)| format!("{name} => {value},")).collect::<Vec<_>>().join(" ");
        let said = words::foreign("MCL has no `ensure`", span, "this looks like Puppet", format!("write `{text}`"));
        let said = match (kind, word) {
            ("file", "directory") if !resource.ends_with("/\"") => {
                let path = resource.trim_matches('"');
                said.help(format!("a directory has a path that ends with a slash: `file \"{path}/\" {{ … }}`"))
            }
            ("file", "link") => {
                said.help("write the target of the link in the field `source`: `source => \"/target\",`")
            }
            _ => said,
        };
        if ours.len() > 1 {
            return said;
        }
        let text = text.trim_end_matches(',').to_owned();
        said.edit(span, text.clone(), format!("write `{text}`"))
    });
    i.session.cover(start.start as usize, span.end as usize);
    Some((after, i.session.intern("state"), i.session.error_expr(span)))
}
