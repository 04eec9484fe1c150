//! [`Token`]: one word of the language. Spec, 2.3.

use mclive_base::ident::Name;
use mclive_base::span::Span;

/// A reserved word. Spec, 2.3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keyword {
    Typedef,
    As,
    Entity,
    Extends,
    End,
    In,
    Implementation,
    For,
    Matching,
    Index,
    Implement,
    Using,
    When,
    And,
    Or,
    Not,
    True,
    False,
    Import,
    Is,
    Defined,
    Dict,
    Null,
    Undef,
    Parents,
    If,
    Else,
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
    pub fn of(word: &str) -> Option<Keyword> {
        KEYWORDS.iter().find(|(spelling, _)| *spelling == word).map(|(_, keyword)| *keyword)
    }

    pub fn spelling(self) -> &'static str {
        KEYWORDS.iter().find(|(_, keyword)| *keyword == self).map_or("", |(spelling, _)| spelling)
    }
}

/// A comparison's sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// What kind of token it is, with its value.
#[derive(Clone, PartialEq, Debug)]
pub enum Tok {
    /// `matching /.../`: the text between the slashes.
    Regex,
    /// The three single-line strings and the multi-line one; the value is the token's text.
    FString,
    RawString,
    String,
    LongString,
    /// A word that begins in lower case or with `_`.
    Id(Name),
    /// A word that begins with a capital.
    Cid(Name),
    Keyword(Keyword),
    /// `::`
    Path,
    /// `--`, `->` or `<-`
    Arrow,
    Compare(Comparison),
    /// `+=`
    Add,
    Float,
    Int,
    Plus,
    Minus,
    Slash,
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
    pub tok: Tok,
    pub span: Span,
}
