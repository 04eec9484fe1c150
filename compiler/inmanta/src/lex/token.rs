//! [`Token`]: one token. Spec, 2.3.

use mclive_base::ident::Name;
use mclive_base::span::Span;

/// A reserved word. Spec, 2.3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keyword {
    /// `typedef`.
    Typedef,
    /// `as`.
    As,
    /// `entity`.
    Entity,
    /// `extends`.
    Extends,
    /// `end`.
    End,
    /// `in`.
    In,
    /// `implementation`.
    Implementation,
    /// `for`.
    For,
    /// `matching`.
    Matching,
    /// `index`.
    Index,
    /// `implement`.
    Implement,
    /// `using`.
    Using,
    /// `when`.
    When,
    /// `and`.
    And,
    /// `or`.
    Or,
    /// `not`.
    Not,
    /// `true`.
    True,
    /// `false`.
    False,
    /// `import`.
    Import,
    /// `is`.
    Is,
    /// `defined`.
    Defined,
    /// `dict`.
    Dict,
    /// `null`.
    Null,
    /// `undef`.
    Undef,
    /// `parents`.
    Parents,
    /// `if`.
    If,
    /// `else`.
    Else,
    /// `elif`.
    Elif,
}

/// Every reserved word with its spelling.
pub const KEYWORDS: &[(&str, Keyword)] = &[
    ("typedef", Keyword::Typedef),
    ("as", Keyword::As),
    ("entity", Keyword::Entity),
    ("extends", Keyword::Extends),
    ("end", Keyword::End),
    ("in", Keyword::In),
    ("implementation", Keyword::Implementation),
    ("for", Keyword::For),
    ("matching", Keyword::Matching),
    ("index", Keyword::Index),
    ("implement", Keyword::Implement),
    ("using", Keyword::Using),
    ("when", Keyword::When),
    ("and", Keyword::And),
    ("or", Keyword::Or),
    ("not", Keyword::Not),
    ("true", Keyword::True),
    ("false", Keyword::False),
    ("import", Keyword::Import),
    ("is", Keyword::Is),
    ("defined", Keyword::Defined),
    ("dict", Keyword::Dict),
    ("null", Keyword::Null),
    ("undef", Keyword::Undef),
    ("parents", Keyword::Parents),
    ("if", Keyword::If),
    ("else", Keyword::Else),
    ("elif", Keyword::Elif),
];

impl Keyword {
    /// The reserved word of this spelling.
    pub fn of(word: &str) -> Option<Keyword> {
        KEYWORDS.iter().find(|(spelling, _)| *spelling == word).map(|(_, keyword)| *keyword)
    }

    /// Its spelling.
    pub fn spelling(self) -> &'static str {
        KEYWORDS.iter().find(|(_, keyword)| *keyword == self).map_or("", |(spelling, _)| spelling)
    }
}

/// A comparison operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
}

/// The kind of a token, with its value.
#[derive(Clone, PartialEq, Debug)]
pub enum Tok {
    /// `matching /.../`: the text between the slashes.
    Regex,
    /// An f-string; the value of all strings is the token's text.
    FString,
    /// A raw string.
    RawString,
    /// A string in quotes.
    String,
    /// A multi-line string.
    LongString,
    /// A word that begins with a lower-case letter or `_`.
    Id(Name),
    /// A word that begins with a capital letter.
    Cid(Name),
    /// A reserved word.
    Keyword(Keyword),
    /// `::`
    Path,
    /// `--`, `->` or `<-`
    Arrow,
    /// A comparison operator.
    Compare(Comparison),
    /// `+=`
    Add,
    /// A float literal.
    Float,
    /// An integer literal.
    Int,
    /// `+`.
    Plus,
    /// `-`.
    Minus,
    /// `/`.
    Slash,
    /// `**`.
    Power,
    /// One of `: [ ] ( ) = , . { } ? * %`.
    Sign(char),
    /// A character that starts no token.
    Illegal(char),
    /// The end of the file.
    Eof,
}

/// A token and its place.
#[derive(Clone, Debug)]
pub struct Token {
    /// Its kind.
    pub tok: Tok,
    /// Its span.
    pub span: Span,
}
