//! The meaning of a name at a position, read from the tokens: for completion and signatures, and for names that the
//! linker has not seen because their line is broken.

use super::Position;
use super::analysis::Analysis;
use super::blocks::{self, Definition, Text, What};
use crate::corelib::{self, FnDef, Variable};
use crate::lex::TokenKind;
use crate::span::FileId;

/// A member of an alias.
pub(super) enum Member {
    Function(&'static FnDef),
    Variable(&'static Variable),
    /// Defined in a file of the program.
    Own(FileId, Definition),
}

/// The maximum number of aliases of aliases that are followed.
const DEEPEST: usize = 8;

/// All members of an alias.
pub(super) fn members(
    analysis: &Analysis,
    file: FileId,
    known: &Definition,
    visible: &[Definition],
    depth: usize,
) -> Vec<Member> {
    if depth > DEEPEST {
        return Vec::new();
    }
    match &known.what {
        What::Import(path) => {
            let mut members: Vec<Member> = Vec::new();
            if let Some(module) = corelib::module(path) {
                members.extend(
                    module.functions.into_iter().filter(|def| !def.name().starts_with('_')).map(Member::Function),
                );
                members.extend(module.variables.into_iter().map(Member::Variable));
            }
            if let Some(imported) = analysis.imported(known.span) {
                let text = Text::of(analysis, Position { file: imported, offset: 0 });
                let own = blocks::defined(&text, 0, text.tokens.tokens.len()).into_iter().filter(is_name);
                members.extend(own.map(|known| Member::Own(imported, known)));
            }
            members
        }
        What::Include(class) => {
            let Some((file, class)) = class_of(analysis, file, class, visible, depth) else { return Vec::new() };
            let What::Class(last) = class.what else { return Vec::new() };
            let text = Text::of(analysis, Position { file, offset: 0 });
            let open = match text.kind(last + 1) {
                TokenKind::OpenParen => text.partners.closer(last + 1).map(|close| close + 1),
                _ => Some(last + 1),
            };
            let Some(open) = open.filter(|open| text.kind(*open) == TokenKind::OpenCurly) else { return Vec::new() };
            let close = text.partners.closer(open).unwrap_or(text.tokens.tokens.len());
            let own = blocks::defined(&text, open + 1, close).into_iter().filter(is_name);
            own.map(|known| Member::Own(file, known)).collect()
        }
        What::Var | What::Param | What::Func(_) | What::Class(_) => Vec::new(),
    }
}

fn is_name(known: &Definition) -> bool {
    match known.what {
        What::Var | What::Param | What::Func(_) | What::Class(_) => true,
        What::Import(_) | What::Include(_) => false,
    }
}

/// The class of a name, which may be dotted.
pub(super) fn class_of(
    analysis: &Analysis,
    file: FileId,
    name: &str,
    visible: &[Definition],
    depth: usize,
) -> Option<(FileId, Definition)> {
    let is_class = |known: &&Definition| matches!(known.what, What::Class(_));
    let Some((alias, rest)) = name.split_once('.') else {
        return visible.iter().filter(is_class).find(|known| known.name == name).map(|known| (file, known.clone()));
    };
    let alias = visible.iter().find(|known| is_alias(known) && known.name == alias)?;
    members(analysis, file, alias, visible, depth + 1).into_iter().find_map(|member| match member {
        Member::Own(file, known) if is_class(&&known) && known.name == rest => Some((file, known)),
        Member::Own(..) | Member::Function(_) | Member::Variable(_) => None,
    })
}

pub(super) fn is_alias(known: &Definition) -> bool {
    matches!(known.what, What::Import(_) | What::Include(_))
}

/// The function of a name, which may be dotted.
pub(super) fn function(analysis: &Analysis, at: Position, name: &str) -> Option<Member> {
    let text = Text::of(analysis, at);
    let visible = blocks::visible(&text, analysis.clamp(at));
    let is_func = |known: &Definition| matches!(known.what, What::Func(_));
    let Some((alias, rest)) = name.split_once('.') else {
        let own = visible.iter().find(|known| is_func(known) && known.name == name);
        if let Some(own) = own {
            return Some(Member::Own(at.file, own.clone()));
        }
        let stars = visible.iter().filter(|known| known.name == "*");
        let behind =
            stars.flat_map(|star| members(analysis, at.file, star, &visible, 0)).find(|member| is_called(member, name));
        return behind.or_else(|| corelib::lookup(name).filter(|_| !name.starts_with('_')).map(Member::Function));
    };
    let alias = visible.iter().find(|known| is_alias(known) && known.name == alias)?;
    members(analysis, at.file, alias, &visible, 0).into_iter().find(|member| is_called(member, rest))
}

/// Whether it is a function of this name.
fn is_called(member: &Member, name: &str) -> bool {
    match member {
        Member::Function(def) => def.name() == name,
        Member::Own(_, known) => matches!(known.what, What::Func(_)) && known.name == name,
        Member::Variable(_) => false,
    }
}

/// The start of a function or class of the program: `name($a int, $b) str`.
pub(super) fn own_head(analysis: &Analysis, file: FileId, known: &Definition) -> String {
    let text = Text::of(analysis, Position { file, offset: 0 });
    let from = match known.what {
        What::Func(paren) => paren,
        What::Class(last) if text.kind(last + 1) == TokenKind::OpenParen => last + 1,
        What::Class(_) | What::Var | What::Param | What::Import(_) | What::Include(_) => return known.name.clone(),
    };
    let Some(close) = text.partners.closer(from) else { return known.name.clone() };
    let is_body = |at: &usize| {
        let before = text.kind(*at - 1);
        match text.kind(*at) {
            TokenKind::OpenCurly => before != TokenKind::Struct && before != TokenKind::Map,
            TokenKind::Newline | TokenKind::End => true,
            _ => false,
        }
    };
    let tokens = &text.tokens.tokens;
    let body = (close + 1..tokens.len()).find(is_body).unwrap_or(close + 1);
    text.slice(known.span.start, tokens[body - 1].end).split_whitespace().collect::<Vec<_>>().join(" ")
}
