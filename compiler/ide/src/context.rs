//! The syntactic context of a position, from the tokens before it: the line need not parse.

use super::Position;
use super::analysis::Analysis;
use super::blocks::{self, Head, Text};
use crate::lex::TokenKind;
use crate::span::Span;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Context {
    Nothing,
    /// A new line of a block.
    Statement,
    Expression,
    /// After a complete expression: `and`, `?:`, …
    Operator,
    /// `$`, or inside an interpolated string; names have their dollar unless it is the latter.
    Variable {
        in_hole: bool,
    },
    /// After `alias.`: functions, variables after a dollar, or classes after `include`.
    Member {
        alias: String,
        of: MemberOf,
    },
    Type,
    /// A new line of a resource's body, with the fields it already has.
    Item {
        kind: String,
        has: Vec<String>,
    },
    /// `Meta:`.
    MetaProperty,
    /// Inside `Meta => struct{`.
    MetaField,
    /// `Kind[`: after an edge's word or arrow.
    HalfKind,
    /// `Kind["`.
    ResourceName {
        kind: String,
    },
    /// `Kind["name"].`.
    SentField {
        kind: String,
    },
    Class,
    ImportPath,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MemberOf {
    Functions,
    Variables,
    Holes,
    Classes,
}

/// The context, and the part of a word that is already typed.
pub(super) fn at(analysis: &Analysis, at: Position) -> (Context, Span) {
    let offset = analysis.clamp(at);
    let text = Text::of(analysis, at);
    let bytes = &text.source.text;
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let n_word = bytes[..offset as usize].iter().rev().take_while(|byte| is_word(byte)).count() as u32;
    let word = Span { file: at.file, start: offset - n_word, end: offset };
    if text.tokens.comments.iter().any(|comment| comment.start < offset && offset <= comment.end) {
        return (Context::Nothing, word);
    }
    let tokens = &text.tokens.tokens;
    let string = tokens.iter().position(|token| {
        let is_closed = token.end > token.start + 1 && bytes.get(token.end as usize - 1) == Some(&b'"');
        token.kind == TokenKind::Str
            && token.start < offset
            && (offset < token.end || !is_closed && offset == token.end)
    });
    if let Some(string) = string {
        return in_string(&text, string, offset, word);
    }
    // Everything before the word.
    let n = tokens.partition_point(|token| token.end <= word.start && token.kind != TokenKind::End);
    (Before { text: &text, n, word }.context(), replaced(&text, n, word))
}

/// The dollar of a variable, and the parts of a kind with colons, are part of the replaced text.
fn replaced(text: &Text<'_>, n: usize, word: Span) -> Span {
    let tokens = &text.tokens.tokens;
    let Some(last) = n.checked_sub(1).map(|at| tokens[at]).filter(|last| last.end == word.start) else { return word };
    match last.kind {
        TokenKind::Dollar => Span { start: last.start, ..word },
        TokenKind::Colon => {
            let is_chain =
                |at: &usize| matches!(text.kind(*at), TokenKind::Colon | TokenKind::Ident | TokenKind::CapIdent);
            let first = (0..n).rev().take_while(is_chain).last().unwrap_or(n - 1);
            let is_meta = text.kind(first) == TokenKind::CapIdent && text.word(first) == "Meta";
            if is_meta { word } else { Span { start: tokens[first].start, ..word } }
        }
        _ => word,
    }
}

fn in_string(text: &Text<'_>, string: usize, offset: u32, word: Span) -> (Context, Span) {
    let token = text.tokens.tokens[string];
    let before = text.source.text.get(token.start as usize + 1..offset as usize).unwrap_or_default();
    let inside = Span { start: token.start + 1, ..word };
    match string.checked_sub(1).map(|before| text.kind(before)) {
        Some(TokenKind::Import) => return (Context::ImportPath, inside),
        Some(TokenKind::OpenBrack) if string >= 2 && text.kind(string - 2) == TokenKind::CapIdent => {
            return (Context::ResourceName { kind: half_kind(text, string - 2) }, inside);
        }
        _ => {}
    }
    let hole = before.windows(2).rposition(|pair| pair == b"${");
    let Some(hole) = hole.filter(|at| !before[*at..].contains(&b'}')) else { return (Context::Nothing, word) };
    let name = String::from_utf8_lossy(&before[hole + 2..]).into_owned();
    match name.rsplit_once('.') {
        Some((alias, _)) => (Context::Member { alias: alias.to_owned(), of: MemberOf::Holes }, word),
        None => (Context::Variable { in_hole: true }, word),
    }
}

/// `Http:Server` in lower case, by its last token.
fn half_kind(text: &Text<'_>, last: usize) -> String {
    let is_chain = |at: &usize| matches!(text.kind(*at), TokenKind::Colon | TokenKind::CapIdent);
    let first = (0..=last).rev().take_while(is_chain).last().unwrap_or(last);
    let tokens = &text.tokens.tokens;
    text.slice(tokens[first].start, tokens[last].end).to_ascii_lowercase()
}

struct Before<'a> {
    text: &'a Text<'a>,
    /// The number of tokens before the word.
    n: usize,
    word: Span,
}

impl Before<'_> {
    /// The kind of a token before the word, counted backwards from 1.
    fn back(&self, by: usize) -> TokenKind {
        self.n.checked_sub(by).map_or(TokenKind::Newline, |at| self.text.kind(at))
    }

    fn touches(&self) -> bool {
        self.n > 0 && self.text.tokens.tokens[self.n - 1].end == self.word.start
    }

    fn context(&self) -> Context {
        match self.back(1) {
            TokenKind::Dollar if self.touches() => Context::Variable { in_hole: false },
            TokenKind::Dot if self.touches() => self.behind_dot(),
            TokenKind::Colon if self.touches() => self.behind_colon(),
            TokenKind::Include => Context::Class,
            TokenKind::Import | TokenKind::As | TokenKind::Class | TokenKind::For | TokenKind::ForKv => {
                Context::Nothing
            }
            TokenKind::Func if self.back(2) == TokenKind::Newline || self.n == 1 => Context::Nothing,
            _ => self.inside(),
        }
    }

    fn behind_dot(&self) -> Context {
        let is_part = |at: &usize| {
            matches!(self.text.kind(*at), TokenKind::Dot | TokenKind::Ident | TokenKind::Map | TokenKind::Collect)
        };
        let first = (0..self.n).rev().take_while(is_part).last().unwrap_or(self.n - 1);
        let tokens = &self.text.tokens.tokens;
        let before = first.checked_sub(1).map_or(TokenKind::Newline, |at| self.text.kind(at));
        if before == TokenKind::CloseBrack {
            return self.sent_field(first - 1);
        }
        let alias = self.text.slice(tokens[first].start, tokens[self.n - 1].start).to_owned();
        let of = match before {
            TokenKind::Dollar => MemberOf::Variables,
            TokenKind::Include => MemberOf::Classes,
            _ => MemberOf::Functions,
        };
        Context::Member { alias, of }
    }

    fn sent_field(&self, close: usize) -> Context {
        let open = (0..close).rev().find(|at| self.text.kind(*at) == TokenKind::OpenBrack);
        match open.and_then(|open| open.checked_sub(1)) {
            Some(last) if self.text.kind(last) == TokenKind::CapIdent => {
                Context::SentField { kind: half_kind(self.text, last) }
            }
            _ => Context::Nothing,
        }
    }

    fn behind_colon(&self) -> Context {
        match self.back(2) {
            TokenKind::CapIdent if self.text.word(self.n - 2) == "Meta" => Context::MetaProperty,
            TokenKind::CapIdent => Context::HalfKind,
            TokenKind::Ident => Context::Statement,
            _ => Context::Nothing,
        }
    }

    fn inside(&self) -> Context {
        let start = self.text.tokens.tokens.get(self.n).map_or(u32::MAX, |token| token.start);
        let open = blocks::open_at(self.text, start.min(self.word.start)).pop();
        let Some(open) = open else { return self.in_statement(0) };
        let is_first = matches!(self.back(1), TokenKind::Newline | TokenKind::Comma) || open.at + 1 == self.n;
        match open.kind {
            TokenKind::OpenParen => self.in_parens(open.at),
            TokenKind::OpenBrack => self.value_or_operator(),
            _ => match blocks::head(self.text, open.at) {
                Head::Resource(_) if !is_first => self.in_item(),
                Head::Resource(kind) => Context::Item { kind, has: self.fields(open.at) },
                Head::MetaStruct if is_first => Context::MetaField,
                Head::Struct if is_first => Context::Nothing,
                Head::Struct if matches!(self.back(1), TokenKind::Ident) => Context::Type,
                Head::Func(_) | Head::Other | Head::MetaStruct | Head::Struct => self.value_or_operator(),
                Head::Branch if !self.is_statement_branch(open.at) => self.value_or_operator(),
                Head::Branch | Head::Block(_) => self.in_statement(open.at + 1),
            },
        }
    }

    /// Whether the `if` begins a statement, so that its branches contain statements.
    fn is_statement_branch(&self, brace: usize) -> bool {
        let mut at = blocks::statement_start(self.text, brace);
        while at > 0 && self.text.kind(at) == TokenKind::CloseCurly {
            // `} else {`: the `if` is before the matching brace.
            let Some(open) = (0..at).rev().find(|open| self.text.partners.closer(*open) == Some(at)) else { break };
            at = blocks::statement_start(self.text, open);
        }
        self.text.kind(at) == TokenKind::If
    }

    /// The fields set in the resource.
    fn fields(&self, open: usize) -> Vec<String> {
        let close = self.text.partners.closer(open).unwrap_or(self.n);
        let is_field =
            |at: &usize| self.text.kind(*at) == TokenKind::Ident && self.text.kind(at + 1) == TokenKind::Rocket;
        (open..close).filter(is_field).map(|at| self.text.word(at).to_owned()).collect()
    }

    fn in_item(&self) -> Context {
        let start = blocks::statement_start(self.text, self.n);
        let rocket = (start..self.n).find(|at| self.text.kind(*at) == TokenKind::Rocket);
        let Some(rocket) = rocket else { return Context::Nothing };
        let is_edge = super::words::edge(self.text.word(rocket.saturating_sub(1))).is_some();
        match self.back(1) {
            TokenKind::Rocket | TokenKind::Elvis if is_edge => Context::HalfKind,
            _ => self.value_or_operator(),
        }
    }

    fn in_parens(&self, paren: usize) -> Context {
        let before = |by: usize| paren.checked_sub(by).map_or(TokenKind::Newline, |at| self.text.kind(at));
        let defines = matches!(before(1), TokenKind::Func)
            || before(1) == TokenKind::Ident
                && matches!(before(2), TokenKind::Func | TokenKind::Class | TokenKind::Colon);
        match defines {
            true if matches!(self.back(1), TokenKind::Ident | TokenKind::Colon | TokenKind::CloseBrack) => {
                Context::Type
            }
            // `func(int, str) str` as a type.
            true if before(1) == TokenKind::Func
                && !matches!(before(2), TokenKind::Equals | TokenKind::Comma | TokenKind::OpenParen) =>
            {
                Context::Type
            }
            true => Context::Nothing,
            false => self.value_or_operator(),
        }
    }

    fn in_statement(&self, from: usize) -> Context {
        if self.n == from || self.back(1) == TokenKind::Newline {
            return Context::Statement;
        }
        let start = blocks::statement_start(self.text, self.n);
        let has = |kind: TokenKind| (start..self.n).any(|at| self.text.kind(at) == kind);
        match self.text.kind(start) {
            TokenKind::Dollar if !has(TokenKind::Equals) => Context::Type,
            TokenKind::Func => Context::Type,
            TokenKind::CapIdent if self.back(1) == TokenKind::Arrow => Context::HalfKind,
            TokenKind::CapIdent | TokenKind::Class | TokenKind::Import => Context::Nothing,
            TokenKind::Include => Context::Nothing,
            TokenKind::For | TokenKind::ForKv if !has(TokenKind::In) => Context::Nothing,
            _ => self.value_or_operator(),
        }
    }

    fn value_or_operator(&self) -> Context {
        match self.back(1) {
            TokenKind::CloseBrack if self.back(2) == TokenKind::OpenBrack => Context::Type,
            TokenKind::Ident
            | TokenKind::Str
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Bool
            | TokenKind::CloseParen
            | TokenKind::CloseBrack
            | TokenKind::CloseCurly => Context::Operator,
            _ => Context::Expression,
        }
    }
}
