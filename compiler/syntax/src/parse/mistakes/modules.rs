//! Mistakes in imports and includes.

use super::{text_ahead, words};
use crate::ast::{Alias, StmtKind};
use crate::diag::codes;
use crate::lex::TokenKind;
use crate::parse::expr::{call_args, dotted_id};
use crate::parse::input::{Expected, Input, Res};
use crate::parse::stmt::import_path;

/// `import ( "fmt" … )`, from the bracket on: the imports that it stands for. The last one is returned.
pub(in crate::parse) fn import_list(i: Input<'_>) -> Option<(Input<'_>, StmtKind)> {
    if i.kind() != TokenKind::OpenParen || i.session.is_attempt() {
        return None;
    }
    let close = i.session.partners.closer(i.index())?;
    i.session.expect(i.index(), Expected::Token(TokenKind::Str));
    i.session.mistake(i.index(), || {
        let help = "write a line for each module: `import \"fmt\"`";
        words::foreign("MCL has no import lists", i.span(), "expected the name of a module", help)
    });
    let mut last = StmtKind::Error;
    for at in i.index() + 1..close {
        let token = i.session.tokens.tokens[at];
        if token.kind != TokenKind::Str || i.session.is_unreadable(at) {
            continue;
        }
        let before = i.at(at - 1);
        let alias = match before.kind() {
            TokenKind::Ident => Alias::Name(i.session.intern(text_ahead(before, 0))),
            _ => Alias::Default,
        };
        let span = i.session.span_of(token);
        let import = StmtKind::Import { path: import_path(i, token), path_span: span, alias };
        if !matches!(last, StmtKind::Error) {
            i.session.add_before(i.session.stmt(std::mem::replace(&mut last, StmtKind::Error), span));
        }
        last = import;
    }
    Some((i.at(close + 1), last))
}

/// `a::b` as the name of a class. What it includes is unknown.
pub(in crate::parse) fn double_colons(i: Input<'_>) -> Res<'_, StmtKind> {
    let mut end = i;
    while end.kind() == TokenKind::Colon {
        end = end.bump().0;
        if end.kind() == TokenKind::Ident {
            end = match dotted_id(end) {
                Ok((after, _)) => after,
                Err(_) => end,
            };
        }
    }
    i.session.mistake(i.index(), || {
        let (start, end) = (i.at(i.index() - 1).span().start, end.span_from(i.span()).end);
        let name = String::from_utf8_lossy(&i.session.source.text[start as usize..end as usize]);
        words::error(codes::FOREIGN_SIGN, "unexpected `:` in the name of a class", i.span(), "expected `.`")
            .help(of_module(&name))
    });
    let end = if end.kind() == TokenKind::OpenParen { call_args(end)?.0 } else { end };
    Ok((end, StmtKind::Error))
}

/// The help for a name such as `apache::mod::php`: a class of a module, or of this file.
fn of_module(name: &str) -> String {
    let is_plain = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let parts: Vec<&str> = name.split("::").collect();
    match &parts[..] {
        [.., module, class] if parts.iter().all(|part| is_plain(part)) => {
            let path = parts[..parts.len() - 1].join("/");
            let own = parts.join("_");
            format!(
                "write `include {module}.{class}`, after `import \"{path}/\"`; for a class of this file, write \
                 `include {own}`"
            )
        }
        _ => "to include a class of a module, write `include module.name`".to_owned(),
    }
}
