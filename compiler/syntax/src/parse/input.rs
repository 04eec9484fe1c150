//! The token slice as nom input, and the parser of one token.

use super::session::Session;
use crate::lex::{Token, TokenKind};
use crate::span::Span;
use nom::IResult;
use nom::error::{ErrorKind, ParseError};

/// The remaining tokens. Never empty: the last token is [`TokenKind::End`], which is never consumed.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    rest: &'a [Token],
    pub(super) session: &'a Session<'a>,
}

pub(super) type Res<'a, T> = IResult<Input<'a>, T, Fail>;

/// Why a rule did not match. It has the token's index; the session knows what was expected there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fail {
    pub(super) at: usize,
    pub(super) why: Why,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Why {
    /// The token is not allowed here.
    Unexpected,
    /// Nesting or a chain is above the limit.
    TooDeep,
    /// The file has more expressions than allowed.
    TooLarge,
}

impl<'a> Input<'a> {
    pub(super) fn new(session: &'a Session<'a>) -> Input<'a> {
        Input { rest: &session.tokens.tokens, session }
    }

    pub(super) fn kind(self) -> TokenKind {
        self.rest[0].kind
    }

    /// The kind of a token further ahead.
    pub(super) fn kind_ahead(self, ahead: usize) -> TokenKind {
        self.rest.get(ahead).map_or(TokenKind::End, |token| token.kind)
    }

    /// The index of the next token.
    pub(super) fn index(self) -> usize {
        self.session.tokens.tokens.len() - self.rest.len()
    }

    /// The input starting at a token.
    pub(super) fn at(self, index: usize) -> Input<'a> {
        Input { rest: &self.session.tokens.tokens[index..], session: self.session }
    }

    /// The span of the next token.
    pub(super) fn span(self) -> Span {
        self.session.span_of(self.rest[0])
    }

    /// The span from `start` to the end of the last consumed token.
    pub(super) fn span_from(self, start: Span) -> Span {
        let last = self.session.tokens.tokens[self.index().saturating_sub(1)];
        Span { end: last.end.max(start.start), ..start }
    }

    /// Consumes the next token, whatever it is.
    pub(super) fn bump(self) -> (Input<'a>, Token) {
        (Input { rest: &self.rest[1..], session: self.session }, self.rest[0])
    }

    /// Fails at the next token, where `expected` would be allowed.
    pub(super) fn fail<T>(self, expected: Expected) -> Res<'a, T> {
        self.session.expect(self.index(), expected);
        Err(nom::Err::Error(Fail { at: self.index(), why: Why::Unexpected }))
    }

    pub(super) fn too_deep<T>(self) -> Res<'a, T> {
        Err(nom::Err::Failure(Fail { at: self.index(), why: Why::TooDeep }))
    }
}

/// One token of a kind.
pub(super) fn tok<'a>(kind: TokenKind) -> impl Fn(Input<'a>) -> Res<'a, Token> {
    move |i| if i.kind() == kind { Ok(i.bump()) } else { i.fail(Expected::Token(kind)) }
}

/// Something that would be allowed at a place, for messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expected {
    Token(TokenKind),
    Expression,
    Statement,
    Type,
    /// An item of the body of a resource.
    Item,
}

/// A set of [`Expected`]: a bit per token kind, and one per other variant.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct ExpectedSet(u128);

const EXPRESSION: u32 = 124;
const STATEMENT: u32 = 125;
const TYPE: u32 = 126;
const ITEM: u32 = 127;

impl ExpectedSet {
    pub(super) fn insert(&mut self, expected: Expected) {
        let bit = match expected {
            Expected::Token(kind) => kind as u32,
            Expected::Expression => EXPRESSION,
            Expected::Statement => STATEMENT,
            Expected::Type => TYPE,
            Expected::Item => ITEM,
        };
        self.0 |= 1 << bit;
    }

    pub(super) fn has(self, kind: TokenKind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }

    pub(super) fn has_type(self) -> bool {
        self.0 & (1 << TYPE) != 0
    }

    pub(super) fn has_expression(self) -> bool {
        self.0 & (1 << EXPRESSION) != 0
    }

    /// Whether an item of the body of a resource is allowed.
    pub(super) fn has_item(self) -> bool {
        self.0 & (1 << ITEM) != 0
    }

    pub(super) fn has_statement(self) -> bool {
        self.0 & (1 << STATEMENT) != 0
    }

    /// Each member in words, in a fixed order.
    pub(super) fn words(self) -> Vec<&'static str> {
        let groups = [
            (EXPRESSION, "an expression"),
            (STATEMENT, "a statement"),
            (TYPE, "a type"),
            (ITEM, "a field, an edge, a meta parameter"),
        ];
        let mut words: Vec<&'static str> =
            groups.iter().filter(|(bit, _)| self.0 & (1 << bit) != 0).map(|(_, words)| *words).collect();
        words.extend(TokenKind::ALL.iter().filter(|kind| self.has(**kind)).map(|kind| kind.shown()));
        words
    }
}

impl<'a> ParseError<Input<'a>> for Fail {
    fn from_error_kind(input: Input<'a>, _: ErrorKind) -> Fail {
        Fail { at: input.index(), why: Why::Unexpected }
    }

    fn append(_: Input<'a>, _: ErrorKind, other: Fail) -> Fail {
        other
    }

    fn or(self, other: Fail) -> Fail {
        if other.at > self.at { other } else { self }
    }
}
