//! Messages about unexpected tokens. Spec, 3.5.

use super::Parser;
use super::foreign::capital_value;
use crate::fault::{Class, Failure, Fault, Location};
use crate::lex::{Tok, counted_from, escape};
use crate::value::{Int, python_float};
use mclive_base::span::Span;

/// A syntax error at the start of a span.
pub(super) fn syntax(message: impl std::fmt::Display, span: Span) -> Failure {
    Fault::new(Class::Parser, format!("Syntax error: {message}")).at(Location::Column(span))
}

impl Parser<'_> {
    /// The next token is not allowed here.
    pub(super) fn unexpected(&self) -> Failure {
        let span = self.span();
        let before = self.at.checked_sub(1).map(|before| &self.tokens[before]);
        let help = match self.tok() {
            Tok::Illegal(';') if matches!(before.map(|token| &token.tok), Some(Tok::Int)) && self.is_in_brackets() => {
                Some(super::foreign::BOUNDS.to_owned())
            }
            Tok::Illegal(char) => instead_of(*char),
            _ => self.foreign_words().map(str::to_owned),
        };
        let fault = match self.tok() {
            Tok::Illegal(char) => syntax(format!("Illegal character '{char}'"), span),
            Tok::Eof => {
                let line = self.text.bytes().filter(|byte| *byte == b'\n').count() as u32 + 2;
                let near = before.map_or(span, |token| token.span);
                let place = Location::At { file: self.file, line, col: 2, near };
                Fault::new(Class::Parser, "Syntax error: Unexpected end of file").at(place)
            }
            Tok::Keyword(keyword) => reserved(keyword.spelling(), span),
            _ => match before.map(|token| (&token.tok, token.span)) {
                Some((Tok::Keyword(keyword), span)) => reserved(keyword.spelling(), span),
                _ => self.at_token(span),
            },
        };
        // The next token is where such a value cannot continue.
        let value = before.filter(|token| matches!(&token.tok, Tok::Cid(word) if capital_value(word).is_some()));
        let fault = match value {
            Some(token) => fault.also(token.span, "this is read as the name of an entity"),
            None => fault,
        };
        match help {
            Some(help) => fault.help(help),
            None => fault,
        }
    }

    fn at_token(&self, span: Span) -> Failure {
        let raw = &self.text[span.start as usize..span.end as usize];
        let decoded = |front: usize, back: usize| {
            let inner = raw.get(front..raw.len().saturating_sub(back)).unwrap_or(raw);
            escape::decode(inner, self.reading).map_or_else(|_| inner.to_owned(), |decoded| decoded.text)
        };
        let value = match self.tok() {
            Tok::String => decoded(1, 1),
            Tok::LongString => decoded(3, 3),
            Tok::FString => decoded(2, 1),
            Tok::RawString => raw.get(2..raw.len() - 1).unwrap_or(raw).to_owned(),
            Tok::Int => Int::parse(raw).map_or_else(|| raw.to_owned(), |int| int.to_string()),
            Tok::Float => raw.parse::<f64>().map_or_else(|_| raw.to_owned(), python_float),
            _ => raw.to_owned(),
        };
        let before = &self.text[..span.start as usize];
        let line = before.bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line_start = counted_from(self.text, &self.tokens, line_start, before.len());
        let col = (before[line_start..].chars().count() + raw.chars().count()) as u32 + 1;
        let place = Location::At { file: self.file, line, col, near: span };
        Fault::new(Class::Parser, format!("Syntax error at token {value}")).at(place)
    }
}

/// The replacement for an illegal character.
fn instead_of(char: char) -> Option<String> {
    let help = match char {
        '\u{feff}' => "this is a byte order mark: save the file as UTF-8 without one",
        '"' | '\'' => "unclosed string: it must end on the same line; write multi-line strings between `\"\"\"`",
        '“' | '”' | '„' | '‘' | '’' => "strings are written in straight quotes: `\"` or `'`",
        '–' | '—' | '−' => "write the sign as `-`",
        letter if letter.is_alphabetic() => "a name consists of the letters `a` to `z` and `A` to `Z`, digits and `_`",
        ';' => "statements do not end with `;`",
        '$' => "names are written without `$`",
        '&' => "conditions are combined with `and`",
        '|' => "conditions are combined with `or`",
        '!' => "write `not` for negation, and `!=` for inequality",
        blank if blank.is_whitespace() || blank.is_control() => {
            return Some(format!("this is U+{:04X}, not a regular space: replace it with a space", u32::from(blank)));
        }
        _ => return None,
    };
    Some(help.to_owned())
}

fn reserved(word: &str, span: Span) -> Failure {
    syntax(format!("invalid identifier, {word} is a reserved keyword"), span)
}
