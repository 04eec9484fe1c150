//! A line read as any language would read it: words with capitals and underscores, signs of several characters.
//!
//! Only made after an error. At most [`MOST`] lexemes on each side of the error are read, so that a long line costs
//! nothing.

use crate::lex::{Token, TokenKind};
use crate::parse::session::Session;
use std::collections::BTreeSet;

/// A piece of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub(super) class: Class,
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Word,
    /// `$name`.
    Var,
    Str,
    Number,
    Sign,
}

/// The lexemes around an error.
pub(super) struct Line<'a> {
    text: &'a [u8],
    pub(super) lexemes: Vec<Lexeme>,
    /// Whether the first lexeme begins the line.
    pub(super) is_whole: bool,
    /// The offset after the last lexeme that was read, if it ends the line.
    pub(super) end: Option<usize>,
    /// The texts of all lexemes.
    texts: BTreeSet<&'a str>,
}

/// The maximum number of tokens read on each side of an error.
const MOST: usize = 80;

/// Signs of several characters, longest first.
const SIGNS: &[&str] = &[
    "<<<<<<<", "=======", ">>>>>>>", "===", "!==", "<<~", "<<-", "<%=", "<%-", "...", "<=>", "---", "<|>", "<<", ">>",
    "<%", "%>", "{{", "{%", "%}", ":=", "+=", "-=", "??", "?.", "?:", "::", "=>", "->", "<-", "==", "!=", "<=", ">=",
    "=~", "!~", "~=", "~>", "..", "&&", "||", "++", "--", "|>", "$(",
];

impl<'a> Line<'a> {
    /// The line of an error at a token; `offset` is its place.
    pub(super) fn around(session: &Session<'a>, at: usize, offset: usize) -> Line<'a> {
        let tokens = &session.tokens.tokens;
        let text: &'a [u8] = &session.source.text;
        let is_end = |token: &Token| matches!(token.kind, TokenKind::Newline | TokenKind::End);
        let n_before = tokens[..at].iter().rev().take(MOST).take_while(|token| !is_end(token)).count();
        let first = at - n_before;
        let is_whole = first == 0 || is_end(&tokens[first - 1]);
        // What the lexer could not read may begin the line, or be all of it.
        let start = match is_whole {
            true if first == 0 => 0,
            true => tokens[first - 1].end as usize,
            false => tokens[first].start as usize,
        };
        let start = start.min(offset);
        let last = tokens[at..].iter().take(MOST).take_while(|token| !is_end(token)).count() + at;
        let is_ended = tokens.get(last).is_none_or(is_end);
        let end = tokens.get(last).map_or(text.len(), |token| token.start as usize).max(offset);
        let mut line =
            Line { text, lexemes: Vec::new(), is_whole, end: is_ended.then_some(end), texts: BTreeSet::new() };
        let mut strings = tokens[first..last].iter().filter(|token| token.kind == TokenKind::Str).peekable();
        let mut from = start;
        while from < end {
            if line.is_enough(offset) {
                line.end = None;
                break;
            }
            while strings.next_if(|string| (string.start as usize) < from).is_some() {}
            match strings.peek().filter(|string| string.start as usize == from) {
                Some(string) => {
                    line.lexemes.push(Lexeme { class: Class::Str, start: from, end: string.end as usize });
                    from = string.end as usize;
                }
                None => from = line.step(from, end),
            }
        }
        let spare = line.n_before(offset).saturating_sub(MOST);
        if spare > 0 {
            line.lexemes.drain(..spare);
            line.is_whole = false;
        }
        line.texts = line.lexemes.iter().map(|lexeme| line.text_of(*lexeme)).collect();
        line
    }

    /// Whether it has a lexeme with this text.
    pub(super) fn has(&self, text: &str) -> bool {
        self.texts.contains(text)
    }

    /// The number of lexemes before the error.
    fn n_before(&self, offset: usize) -> usize {
        self.lexemes.partition_point(|lexeme| lexeme.start < offset)
    }

    /// Whether [`MOST`] lexemes after the error are read: characters that are not tokens have not been counted.
    fn is_enough(&self, offset: usize) -> bool {
        self.lexemes.iter().rev().take(MOST + 1).take_while(|lexeme| lexeme.start >= offset).count() > MOST
    }

    /// Reads one lexeme or whitespace; the offset after it.
    fn step(&mut self, from: usize, end: usize) -> usize {
        let rest = &self.text[from..end];
        let run =
            |from: usize, fits: fn(&u8) -> bool| rest[from.min(rest.len())..].iter().take_while(|b| fits(b)).count();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let begins_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        let (class, len) = match rest[0] {
            b' ' | b'\t' | b'\r' | b'\n' => return from + 1,
            b'#' => return end,
            b'$' if begins_word(rest.get(1)) => (Class::Var, 1 + run(1, is_word)),
            b'0'..=b'9' => {
                let whole = run(0, u8::is_ascii_digit);
                let is_float = rest.get(whole) == Some(&b'.') && rest.get(whole + 1).is_some_and(u8::is_ascii_digit);
                (Class::Number, if is_float { whole + 1 + run(whole + 1, u8::is_ascii_digit) } else { whole })
            }
            byte if begins_word(Some(&byte)) => (Class::Word, run(0, is_word)),
            // A character of several bytes.
            byte if !byte.is_ascii() => (Class::Sign, 1 + run(1, |byte| byte & 0xc0 == 0x80)),
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes()));
                (Class::Sign, sign.map_or(1, |sign| sign.len()))
            }
        };
        self.lexemes.push(Lexeme { class, start: from, end: from + len });
        from + len
    }

    /// The text between two offsets.
    pub(super) fn text(&self, start: usize, end: usize) -> &'a str {
        std::str::from_utf8(&self.text[start..end]).unwrap_or("…")
    }

    pub(super) fn text_of(&self, lexeme: Lexeme) -> &'a str {
        self.text(lexeme.start, lexeme.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Diags;
    use crate::lex::lex;
    use crate::source::Source;
    use crate::span::FileId;

    #[test]
    fn a_line_without_tokens_is_bounded_on_both_sides() {
        let signs = 1_000;
        for sign in ["@", "\u{2018}", "é"] {
            let source = Source::new("/main.mcl", sign.repeat(signs).as_bytes());
            let tokens = lex(&source, FileId(0), &mut Diags::default());
            let session = Session::new(&tokens, &source);
            let [start, middle, end] = [0, signs / 2, signs - 1].map(|at| {
                let line = Line::around(&session, 0, at * sign.len());
                (line.lexemes.len(), line.is_whole, line.end.is_some())
            });
            assert_eq!(start, (MOST + 1, true, false), "{sign}");
            assert_eq!(middle, (2 * MOST + 1, false, false), "{sign}");
            assert_eq!(end, (MOST + 1, false, true), "{sign}");
        }
    }
}
