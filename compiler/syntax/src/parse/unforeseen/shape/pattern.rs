//! A pattern in parts, read once: each error tries more than a thousand patterns.

use super::super::keyword;
use super::super::lexemes::{Class, Line};
use crate::lex::TokenKind;
use crate::parse::input::ExpectedSet;
use crate::sort;

/// The parts of a pattern.
#[derive(Debug)]
pub(in super::super) struct Pattern {
    condition: Option<Condition>,
    parts: Vec<Part>,
    /// Of each of these, one text is in every line that matches.
    needed: Vec<Vec<&'static str>>,
}

/// What the grammar expects at the place of the error.
#[derive(Clone, Copy, Debug)]
enum Condition {
    Expression,
    Edge,
    Block,
    Call,
    Definition,
    Item,
    NoItem,
    Choice,
    Statement,
}

/// One part. The table in [`super`] shows how each is written.
#[derive(Debug)]
pub(super) enum Part {
    LineStart,
    LineEnd,
    /// `~`: nothing between the neighbours.
    Touching,
    /// `_`: something between the neighbours.
    Apart,
    /// `^`: the lexeme at which the grammar fails.
    Error,
    MarkStart,
    MarkEnd,
    /// `!{`: no `{` in the rest of the line.
    NoBrace,
    /// `…`: one or more lexemes.
    Some,
    /// A word or atom with everything that belongs to it.
    Value,
    One(Fit),
    Optional(Box<Part>),
}

/// What a single lexeme must be.
#[derive(Debug)]
pub(super) enum Fit {
    Word,
    Name,
    Capital,
    Free,
    Typo,
    Camel,
    Variable,
    CapitalVariable,
    String,
    Opened,
    Number,
    Atom,
    Text(&'static str),
    OneOf(Vec<Fit>),
}

impl Pattern {
    pub(in super::super) fn new(text: &'static str) -> Pattern {
        let (condition, text) = condition(text);
        let parts: Vec<Part> = words(text).into_iter().map(Part::new).collect();
        let mut needed: Vec<Vec<&str>> = parts.iter().filter_map(Part::texts).collect();
        // A long text is rare, so it rules out most lines.
        sort::by_key(&mut needed, |texts| std::cmp::Reverse(texts.iter().map(|text| text.len()).min()));
        Pattern { condition, parts, needed }
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Whether its condition is met, and all texts that it needs are in the line.
    pub(super) fn may_match(&self, line: &Line<'_>, expected: ExpectedSet) -> bool {
        self.condition.is_none_or(|condition| condition.is_met(expected))
            && self.needed.iter().all(|texts| texts.iter().any(|text| line.has(text)))
    }
}

/// The condition before a pattern, and the rest of its text.
fn condition(text: &'static str) -> (Option<Condition>, &'static str) {
    let Some((first, rest)) = text.split_once(' ') else { return (None, text) };
    let condition = match first {
        "@expr" => Condition::Expression,
        "@edge" => Condition::Edge,
        "@block" => Condition::Block,
        "@call" => Condition::Call,
        "@def" => Condition::Definition,
        "@item" => Condition::Item,
        "@stmt" => Condition::NoItem,
        "@choice" => Condition::Choice,
        "@start" => Condition::Statement,
        _ => return (None, text),
    };
    (Some(condition), rest)
}

/// The words of a pattern; the marks are separate words even where they touch another.
fn words(text: &'static str) -> Vec<&'static str> {
    let mut words = Vec::new();
    for mut word in text.split_ascii_whitespace() {
        while let Some(at) = word.find(['«', '»']) {
            let (before, rest) = word.split_at(at);
            let (mark, rest) = rest.split_at('«'.len_utf8());
            words.extend(Some(before).filter(|before| !before.is_empty()));
            words.push(mark);
            word = rest;
        }
        words.extend(Some(word).filter(|word| !word.is_empty()));
    }
    words
}

impl Condition {
    fn is_met(self, expected: ExpectedSet) -> bool {
        match self {
            Condition::Expression => expected.has_expression(),
            Condition::Edge => expected.has(TokenKind::OpenBrack),
            Condition::Block => expected.has(TokenKind::OpenCurly),
            Condition::Call => expected.has(TokenKind::OpenParen),
            Condition::Definition => expected.has(TokenKind::Equals),
            Condition::Item => expected.has(TokenKind::Rocket) || expected.has_item(),
            Condition::NoItem => !Condition::Item.is_met(expected),
            Condition::Choice => expected.has(TokenKind::Elvis),
            Condition::Statement => expected.has_statement(),
        }
    }
}

impl Part {
    fn new(word: &'static str) -> Part {
        match word {
            "LINE" => Part::LineStart,
            "EOL" => Part::LineEnd,
            "~" => Part::Touching,
            "_" => Part::Apart,
            "^" => Part::Error,
            "«" => Part::MarkStart,
            "»" => Part::MarkEnd,
            "!{" => Part::NoBrace,
            "…" => Part::Some,
            "VALUE" => Part::Value,
            _ => match word.strip_suffix('?').filter(|inner| !inner.is_empty() && !inner.ends_with('?')) {
                Some(inner) => Part::Optional(Box::new(Part::new(inner))),
                None => Part::One(Fit::new(word)),
            },
        }
    }

    /// The texts of which one must be there. `None`: other texts fit as well.
    fn texts(&self) -> Option<Vec<&'static str>> {
        match self {
            Part::One(Fit::Text(text)) => Some(vec![*text]),
            Part::One(Fit::OneOf(fits)) => fits
                .iter()
                .map(|fit| match fit {
                    Fit::Text(text) => Some(*text),
                    _ => None,
                })
                .collect(),
            _ => None,
        }
    }

    /// Whether what it matches is a capture.
    pub(super) fn is_capture(&self) -> bool {
        match self {
            Part::Some | Part::Value => true,
            Part::One(fit) => !matches!(fit, Fit::Text(_)),
            Part::Optional(part) => part.is_capture(),
            _ => false,
        }
    }
}

impl Fit {
    fn new(word: &'static str) -> Fit {
        match word {
            "WORD" => Fit::Word,
            "NAME" => Fit::Name,
            "CAP" => Fit::Capital,
            "FREE" => Fit::Free,
            "TYPO" => Fit::Typo,
            "CAMEL" => Fit::Camel,
            "VAR" => Fit::Variable,
            "CAPVAR" => Fit::CapitalVariable,
            "STR" => Fit::String,
            "OPENED" => Fit::Opened,
            "NUM" => Fit::Number,
            "ATOM" => Fit::Atom,
            _ if word.contains('/') && word.len() > 1 && word != "//" => {
                Fit::OneOf(word.split('/').map(Fit::new).collect())
            }
            _ => Fit::Text(word),
        }
    }

    /// Whether a lexeme fits.
    pub(super) fn fits(&self, class: Class, text: &str) -> bool {
        let is_name = || class == Class::Word && text.starts_with(|first: char| first.is_ascii_lowercase());
        let is_free = || is_name() && !TokenKind::of_word(text.as_bytes()).is_reserved_word();
        let has_capital = || text.bytes().any(|byte| byte.is_ascii_uppercase());
        match self {
            Fit::Word => class == Class::Word,
            Fit::Name => is_name(),
            Fit::Capital => class == Class::Word && text.starts_with(|first: char| first.is_ascii_uppercase()),
            Fit::Free => is_free(),
            Fit::Typo => is_free() && keyword(text).is_some(),
            Fit::Camel => is_name() && has_capital(),
            Fit::Variable => class == Class::Var,
            Fit::CapitalVariable => class == Class::Var && has_capital(),
            Fit::String => class == Class::Str,
            Fit::Opened => class == Class::Str && text.rsplit_once("${").is_some_and(|(_, hole)| !hole.contains('}')),
            Fit::Number => class == Class::Number,
            Fit::Atom => class != Class::Sign && (class != Class::Word || matches!(text, "true" | "false")),
            Fit::OneOf(fits) => fits.iter().any(|fit| fit.fits(class, text)),
            Fit::Text(wanted) => (class != Class::Str || *wanted == "''") && *wanted == text,
        }
    }
}
