//! Splits text into tokens. Spec, 2.
//!
//! In: a file whose line ends are `\n`. Out: [`Lexed`], the tokens in order, the last of which is [`Tok::Eof`], and the
//! comments. A character that starts no token becomes [`Tok::Illegal`]: the parser reports it when it gets there, so
//! that errors are reported in order.

mod columns;
pub mod escape;
mod token;

pub(crate) use columns::{carried, counted_from};
pub use token::{Comparison, KEYWORDS, Keyword, Tok, Token};

use mclive_base::ident::Interner;
use mclive_base::span::{FileId, Span};

/// The tokens of a file, and its comments.
#[derive(Default, Debug)]
pub struct Lexed {
    /// The tokens in order.
    pub tokens: Vec<Token>,
    /// From the `#` to the end of the line, without the newline.
    pub comments: Vec<Span>,
    /// There are more than [`MAX_TOKENS`]; the rest was dropped.
    pub is_cut: bool,
}

/// The maximum number of tokens of a file.
const MAX_TOKENS: usize = 8_000_000;

/// Replaces `\r\n` and `\r` by `\n`, as for every file (spec, 2.1).
pub fn normalize(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Splits a file into tokens.
pub fn lex(file: FileId, text: &str, names: &mut Interner) -> Lexed {
    let mut lexer = Lexer { file, text, bytes: text.as_bytes(), at: 0, names };
    let mut lexed = Lexed::default();
    loop {
        lexer.skip_blanks();
        let start = lexer.at;
        if lexer.peek(0) == Some(b'#') {
            lexer.at = text[start..].find('\n').map_or(text.len(), |end| start + end);
            lexed.comments.push(Span::new(file, start, lexer.at));
            continue;
        }
        let tok = lexer.next();
        let ends = tok == Tok::Eof;
        lexed.tokens.push(Token { tok, span: Span::new(file, start, lexer.at) });
        if lexed.tokens.len() >= MAX_TOKENS && !ends {
            lexed.is_cut = true;
            lexed.tokens.push(Token { tok: Tok::Eof, span: Span::new(file, lexer.at, lexer.at) });
            return lexed;
        }
        if ends {
            return lexed;
        }
    }
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    names: &'a mut Interner,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(0), Some(b' ' | b'\t' | b'\n')) {
            self.at += 1;
        }
    }

    /// The next token; moves `at` past it. Alternatives are in the order of spec 2.3.
    fn next(&mut self) -> Tok {
        let _ = self.file;
        let Some(first) = self.peek(0) else { return Tok::Eof };
        let second = self.peek(1);
        if first.is_ascii_alphabetic() || first == b'_' {
            return self.word(first);
        }
        let (tok, len) = match (first, second) {
            (b':', Some(b':')) => (Tok::Path, 2),
            (b'-', Some(b'-' | b'>')) | (b'<', Some(b'-')) => (Tok::Arrow, 2),
            (b'!', Some(b'=')) => (Tok::Compare(Comparison::NotEqual), 2),
            (b'=', Some(b'=')) => (Tok::Compare(Comparison::Equal), 2),
            (b'>', Some(b'=')) => (Tok::Compare(Comparison::GreaterOrEqual), 2),
            (b'<', Some(b'=')) => (Tok::Compare(Comparison::LessOrEqual), 2),
            (b'<', _) => (Tok::Compare(Comparison::Less), 1),
            (b'>', _) => (Tok::Compare(Comparison::Greater), 1),
            (b'+', Some(b'=')) => (Tok::Add, 2),
            (b'"' | b'\'', _) => match self.long_string().map(|len| (Tok::LongString, len)) {
                Some(found) => found,
                None => match self.single_line(self.at) {
                    Some(len) => (Tok::String, len),
                    None => (Tok::Illegal(char::from(first)), 1),
                },
            },
            (b'-' | b'.' | b'0'..=b'9', _) if self.number().is_some() => self.number().unwrap_or((Tok::Eof, 1)),
            (b'+', _) => (Tok::Plus, 1),
            (b'-', _) => (Tok::Minus, 1),
            (b'/', _) => (Tok::Slash, 1),
            (b'*', Some(b'*')) => (Tok::Power, 2),
            (b':' | b'[' | b']' | b'(' | b')' | b'=' | b',' | b'.' | b'{' | b'}' | b'?' | b'*' | b'%', _) => {
                (Tok::Sign(char::from(first)), 1)
            }
            _ => {
                let char = self.text[self.at..].chars().next().unwrap_or('\0');
                (Tok::Illegal(char), char.len_utf8())
            }
        };
        self.at += len;
        tok
    }

    fn word(&mut self, first: u8) -> Tok {
        if let Some(len) = self.regex() {
            self.at += len;
            return Tok::Regex;
        }
        if matches!(first, b'f' | b'r')
            && matches!(self.peek(1), Some(b'"' | b'\''))
            && let Some(len) = self.single_line(self.at + 1)
        {
            self.at += 1 + len;
            return if first == b'f' { Tok::FString } else { Tok::RawString };
        }
        let rest = &self.bytes[self.at..];
        let len = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
        let word = &self.text[self.at..self.at + len];
        self.at += len;
        match Keyword::of(word) {
            Some(keyword) => Tok::Keyword(keyword),
            None if first.is_ascii_uppercase() => Tok::Cid(self.names.intern(word)),
            None => Tok::Id(self.names.intern(word)),
        }
    }

    /// The length of `matching /.../` at this position.
    fn regex(&self) -> Option<usize> {
        let rest = self.bytes[self.at..].strip_prefix(b"matching")?;
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if blanks == 0 || rest.get(blanks) != Some(&b'/') {
            return None;
        }
        let body = blanks + 1;
        let mut at = body;
        loop {
            match rest.get(at)? {
                b'\n' => return None,
                b'/' => return (at > body).then_some("matching".len() + at + 1),
                b'\\' if rest.get(at + 1).is_none_or(|next| *next == b'\n') => return None,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
    }

    /// The length of a single-line string that begins at this offset.
    fn single_line(&self, start: usize) -> Option<usize> {
        let quote = *self.bytes.get(start)?;
        let mut at = start + 1;
        loop {
            match *self.bytes.get(at)? {
                b'\n' => return None,
                byte if byte == quote => return Some(at + 1 - start),
                b'\\' if self.bytes.get(at + 1).is_none_or(|next| *next == b'\n') => return None,
                // The escaped character may be longer than a byte; its other bytes are not delimiters.
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
    }

    /// The length of a multi-line string at this position: three to five quotes, the shortest content, three to five
    /// quotes.
    fn long_string(&self) -> Option<usize> {
        let rest = &self.text[self.at..];
        // No further than the grammar does: a file may consist of quotes.
        let quotes = |from: usize| rest[from..].bytes().take(5).take_while(|byte| *byte == b'"').count();
        (3..=quotes(0)).rev().find_map(|open| {
            let close = open + rest[open..].find("\"\"\"")?;
            let closing = quotes(close);
            Some(close + closing)
        })
    }

    fn number(&self) -> Option<(Tok, usize)> {
        let rest = &self.bytes[self.at..];
        let digits = |from: usize| rest[from.min(rest.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let sign = usize::from(rest.first() == Some(&b'-'));
        let whole = digits(sign);
        if rest.get(sign + whole) == Some(&b'.') {
            let fraction = digits(sign + whole + 1);
            if fraction > 0 {
                return Some((Tok::Float, sign + whole + 1 + fraction));
            }
        }
        (whole > 0).then_some((Tok::Int, sign + whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes minutes if each string counts all the quotes after it.
    #[test]
    fn a_file_of_quotes_is_read_in_one_go() {
        let n_strings = 400_000;
        let lexed = lex(FileId(0), &"\"".repeat(10 * n_strings), &mut Interner::default());
        let strings = lexed.tokens.iter().filter(|token| token.tok == Tok::LongString);
        assert_eq!((strings.count(), lexed.tokens.len()), (n_strings, n_strings + 1));
    }
}
