//! The blocks around a position and their definitions, read from the tokens alone: completion and signatures are needed
//! most where the line does not parse.
//!
//! Scopes are those of the language spec, 6.1: all names of a block, wherever they are defined in it, then those of the
//! block around it.

use super::Position;
use super::analysis::{Analysis, Parsed};
use crate::lex::{Token, TokenKind, Tokens};
use crate::parse::recover::{Partners, is_opener};
use crate::source::Source;
use crate::span::Span;

/// The tokens of a text: a file of the program, or an imported module.
pub(super) struct Text<'a> {
    pub(super) source: &'a Source,
    pub(super) tokens: &'a Tokens,
    pub(super) partners: &'a Partners,
}

impl<'a> Text<'a> {
    pub(super) fn of(analysis: &'a Analysis, at: Position) -> Text<'a> {
        let Parsed { tokens, partners, .. } = analysis.parsed(at.file);
        Text { source: analysis.source(at.file), tokens, partners }
    }

    pub(super) fn kind(&self, at: usize) -> TokenKind {
        self.tokens.tokens.get(at).map_or(TokenKind::End, |token| token.kind)
    }

    pub(super) fn word(&self, at: usize) -> &'a str {
        self.tokens.tokens.get(at).map_or("", |token| self.slice(token.start, token.end))
    }

    pub(super) fn slice(&self, start: u32, end: u32) -> &'a str {
        std::str::from_utf8(self.source.text.get(start as usize..end as usize).unwrap_or_default()).unwrap_or_default()
    }

    pub(super) fn span(&self, token: Token) -> Span {
        Span { file: self.tokens.file, start: token.start, end: token.end }
    }
}

/// A bracket that is open at a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// The bracket's own index.
    pub(super) at: usize,
    pub(super) kind: TokenKind,
}

/// The brackets that are open at an offset, outermost first.
pub(super) fn open_at(text: &Text<'_>, offset: u32) -> Vec<Open> {
    let tokens = &text.tokens.tokens;
    let mut open: Vec<Open> = Vec::new();
    for (at, token) in tokens.iter().enumerate().take_while(|(_, token)| token.end <= offset) {
        let opener = match token.kind {
            TokenKind::CloseCurly => TokenKind::OpenCurly,
            TokenKind::CloseParen => TokenKind::OpenParen,
            TokenKind::CloseBrack => TokenKind::OpenBrack,
            kind if is_opener(kind) => {
                open.push(Open { at, kind });
                continue;
            }
            _ => continue,
        };
        // A `}` closes everything left open inside it; the other brackets never match across braces.
        while let Some(last) = open.last() {
            if last.kind == TokenKind::OpenCurly && opener != TokenKind::OpenCurly {
                break;
            }
            let is_partner = last.kind == opener;
            open.pop();
            if is_partner {
                break;
            }
        }
    }
    open
}

/// The construct before an opening brace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Head {
    /// A block of statements, with the parameters of its class or loop.
    Block(Vec<Definition>),
    /// A function's body: one expression.
    Func(Vec<Definition>),
    /// The branch of an `if`: statements, or an expression.
    Branch,
    /// A resource's body.
    Resource(String),
    Struct,
    /// `Meta => struct {`.
    MetaStruct,
    /// A map or a type.
    Other,
}

/// A name defined by a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Definition {
    pub(super) name: String,
    /// The name, with its dollar.
    pub(super) span: Span,
    pub(super) what: What,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum What {
    Var,
    Param,
    /// With the index of its `(`.
    Func(usize),
    /// With the index of its name's last token.
    Class(usize),
    /// The string of an import; the name is its alias, `*` for a star import.
    Import(String),
    /// The class of an include; the name is its alias.
    Include(String),
}

/// The index of the first token of the statement or item that contains a token.
pub(super) fn statement_start(text: &Text<'_>, at: usize) -> usize {
    let mut depth = 0usize;
    let mut start = at;
    while start > 0 {
        match text.kind(start - 1) {
            TokenKind::CloseCurly | TokenKind::CloseParen | TokenKind::CloseBrack => depth += 1,
            kind if is_opener(kind) && depth == 0 => break,
            kind if is_opener(kind) => depth -= 1,
            TokenKind::Newline if depth == 0 => break,
            _ => {}
        }
        start -= 1;
    }
    start
}

/// The construct of an opening brace.
pub(super) fn head(text: &Text<'_>, brace: usize) -> Head {
    if text.kind(brace) != TokenKind::OpenCurly {
        return Head::Other;
    }
    let start = statement_start(text, brace);
    match brace.checked_sub(1).map(|before| text.kind(before)) {
        Some(TokenKind::Struct) => {
            let is_meta = brace >= 3 && text.kind(brace - 2) == TokenKind::Rocket && text.word(brace - 3) == "Meta";
            return if is_meta { Head::MetaStruct } else { Head::Struct };
        }
        Some(TokenKind::Else) => return Head::Branch,
        _ => {}
    }
    let params = |from: usize| params(text, from);
    // The last `func` before it whose parameters are closed: `func name(…) type {`.
    let func = (start..brace).rev().find(|at| text.kind(*at) == TokenKind::Func);
    if let Some(func) = func {
        let paren = (func + 1..brace).find(|at| text.kind(*at) == TokenKind::OpenParen);
        let closer = paren.and_then(|paren| text.partners.closer(paren));
        let is_type_before = |at: usize| {
            let between = &text.tokens.tokens[at + 1..brace];
            between.iter().all(|token| token.kind != TokenKind::Newline && token.kind != TokenKind::Comma)
        };
        if let (Some(paren), Some(closer)) = (paren, closer)
            && closer < brace
            && is_type_before(closer)
        {
            return Head::Func(params(paren));
        }
    }
    match text.kind(start) {
        TokenKind::Class => {
            let paren = (start..brace).find(|at| text.kind(*at) == TokenKind::OpenParen);
            Head::Block(paren.map(params).unwrap_or_default())
        }
        TokenKind::For | TokenKind::ForKv => {
            let to = (start..brace).find(|at| text.kind(*at) == TokenKind::In).unwrap_or(brace);
            Head::Block(variables(text, start, to))
        }
        TokenKind::If => Head::Branch,
        TokenKind::Ident | TokenKind::Collect if text.kind(start + 1) != TokenKind::Rocket => {
            let first = start + usize::from(text.kind(start) == TokenKind::Collect);
            let mut end = first;
            while text.kind(end + 1) == TokenKind::Colon && text.kind(end + 2) == TokenKind::Ident {
                end += 2;
            }
            if end + 1 >= brace {
                return Head::Other;
            }
            let tokens = &text.tokens.tokens;
            Head::Resource(text.slice(tokens[first].start, tokens[end].end).replace(' ', ""))
        }
        _ if (start..brace).any(|at| text.kind(at) == TokenKind::If) => Head::Branch,
        _ => Head::Other,
    }
}

/// The parameters between parentheses.
fn params(text: &Text<'_>, paren: usize) -> Vec<Definition> {
    let close = text.partners.closer(paren).unwrap_or(paren);
    variables(text, paren, close)
}

/// Every `$name` between two tokens.
fn variables(text: &Text<'_>, from: usize, to: usize) -> Vec<Definition> {
    let tokens = &text.tokens.tokens;
    let is_variable = |at: &usize| text.kind(*at) == TokenKind::Dollar && tokens[*at].end == tokens[at + 1].start;
    let known = |at: usize| {
        let span = text.span(tokens[at]).to(text.span(tokens[at + 1]));
        Definition { name: text.word(at + 1).to_owned(), span, what: What::Param }
    };
    (from..to).filter(is_variable).map(known).collect()
}

/// The definitions of the statements between two tokens, without those in inner brackets.
pub(super) fn defined(text: &Text<'_>, from: usize, to: usize) -> Vec<Definition> {
    let tokens = &text.tokens.tokens;
    let mut names = Vec::new();
    let mut is_start = true;
    let mut at = from;
    while at < to.min(tokens.len()) {
        if is_start {
            names.extend(definition(text, at));
        }
        is_start = tokens[at].kind == TokenKind::Newline;
        at = if is_opener(tokens[at].kind) { text.partners.closer(at).unwrap_or(at) + 1 } else { at + 1 };
    }
    names
}

fn definition(text: &Text<'_>, at: usize) -> Option<Definition> {
    let tokens = &text.tokens.tokens;
    let name = *tokens.get(at + 1)?;
    let known = |span, what| Some(Definition { name: text.word(at + 1).to_owned(), span, what });
    match tokens[at].kind {
        TokenKind::Dollar => {
            let is_bind = |next: &usize| !matches!(text.kind(*next), TokenKind::Newline | TokenKind::End);
            let mut rest = (at + 2..tokens.len()).take_while(is_bind);
            rest.find(|next| text.kind(*next) == TokenKind::Equals)?;
            known(text.span(tokens[at]).to(text.span(name)), What::Var)
        }
        TokenKind::Func if name.kind == TokenKind::Ident => {
            let paren = (text.kind(at + 2) == TokenKind::OpenParen).then_some(at + 2)?;
            known(text.span(name), What::Func(paren))
        }
        TokenKind::Class if name.kind == TokenKind::Ident => {
            let mut last = at + 1;
            while text.kind(last + 1) == TokenKind::Colon && text.kind(last + 2) == TokenKind::Ident {
                last += 2;
            }
            let span = text.span(name).to(text.span(tokens[last]));
            Some(Definition { name: text.slice(span.start, span.end).into(), span, what: What::Class(last) })
        }
        TokenKind::Import if name.kind == TokenKind::Str => {
            let path = text.word(at + 1).trim_matches('"').to_owned();
            let alias = match (text.kind(at + 2), text.kind(at + 3)) {
                (TokenKind::As, TokenKind::Multiply) => "*".to_owned(),
                (TokenKind::As, TokenKind::Ident) => text.word(at + 3).to_owned(),
                _ => crate::scope::module::import_name::parse(&path).ok()?.alias,
            };
            Some(Definition { name: alias, span: text.span(name), what: What::Import(path) })
        }
        TokenKind::Include => {
            let end = (at..tokens.len()).find(|at| matches!(text.kind(*at), TokenKind::Newline | TokenKind::End))?;
            let is_alias =
                end >= at + 4 && text.kind(end - 2) == TokenKind::As && text.kind(end - 1) == TokenKind::Ident;
            let class_end =
                (at + 1..end).take_while(|at| matches!(text.kind(*at), TokenKind::Ident | TokenKind::Dot)).last()?;
            let class = text.slice(name.start, tokens[class_end].end).to_owned();
            is_alias.then(|| Definition {
                name: text.word(end - 1).to_owned(),
                span: text.span(tokens[end - 1]),
                what: What::Include(class),
            })
        }
        _ => None,
    }
}

/// The names in scope at an offset, innermost first; an inner one hides an outer one.
pub(super) fn visible(text: &Text<'_>, offset: u32) -> Vec<Definition> {
    let mut levels: Vec<Vec<Definition>> = vec![defined(text, 0, text.tokens.tokens.len())];
    for open in open_at(text, offset) {
        match head(text, open.at) {
            Head::Block(params) => {
                levels.push(params);
                let close = text.partners.closer(open.at).unwrap_or(text.tokens.tokens.len());
                levels.push(defined(text, open.at + 1, close));
            }
            Head::Branch => {
                let close = text.partners.closer(open.at).unwrap_or(text.tokens.tokens.len());
                levels.push(defined(text, open.at + 1, close));
            }
            Head::Func(params) => levels.push(params),
            Head::Resource(_) | Head::Struct | Head::MetaStruct | Head::Other => {}
        }
    }
    levels.into_iter().rev().flatten().collect()
}
