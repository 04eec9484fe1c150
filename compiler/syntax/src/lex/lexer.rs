//! The scanner: longest match, over bytes. Language spec, section 1.

use super::problem::{Problem, ProblemKind};
use super::token::{Token, TokenKind};
use super::{Tokens, Unclosed};
use crate::span::{FileId, Span};

pub(super) struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
    /// The strings that were found to be unclosed, by their first byte: they end with their line.
    unclosed: &'t [Unclosed],
    out: Tokens,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t [u8], file: FileId, unclosed: &'t [Unclosed]) -> Lexer<'t> {
        let out = Tokens {
            file,
            tokens: Vec::with_capacity(text.len() / 4 + 1),
            comments: Vec::new(),
            problems: Vec::new(),
            lost: None,
        };
        Lexer { text, at: 0, unclosed, out }
    }

    pub(super) fn run(mut self) -> Tokens {
        while self.at < self.text.len() {
            self.step();
        }
        self.push(TokenKind::End, 0);
        self.out
    }

    /// Takes one token, comment, problem or blank.
    fn step(&mut self) {
        let byte = self.text[self.at];
        match byte {
            b' ' | b'\t' => self.at += 1,
            b'\n' => self.push(TokenKind::Newline, 1),
            b'{' => self.push(TokenKind::OpenCurly, 1),
            b'}' => self.push(TokenKind::CloseCurly, 1),
            b'(' => self.push(TokenKind::OpenParen, 1),
            b')' => self.push(TokenKind::CloseParen, 1),
            b'[' => self.push(TokenKind::OpenBrack, 1),
            b']' => self.push(TokenKind::CloseBrack, 1),
            b',' => self.push(TokenKind::Comma, 1),
            b':' => self.push(TokenKind::Colon, 1),
            b';' => self.push(TokenKind::Semicolon, 1),
            b'+' => self.push(TokenKind::Plus, 1),
            b'*' => self.push(TokenKind::Multiply, 1),
            b'/' => self.push(TokenKind::Divide, 1),
            b'.' => self.push(TokenKind::Dot, 1),
            b'$' => self.push(TokenKind::Dollar, 1),
            b'-' if self.peek(1).is_ascii_digit() => self.number(),
            b'-' if self.peek(1) == b'>' => self.push(TokenKind::Arrow, 2),
            b'-' => self.push(TokenKind::Minus, 1),
            b'=' if self.peek(1) == b'>' => self.push(TokenKind::Rocket, 2),
            b'=' if self.peek(1) == b'=' => self.push(TokenKind::Eq, 2),
            b'=' => self.push(TokenKind::Equals, 1),
            b'!' if self.peek(1) == b'=' => self.push(TokenKind::Neq, 2),
            b'?' if self.peek(1) == b':' => self.push(TokenKind::Elvis, 2),
            b'<' if self.peek(1) == b'|' && self.peek(2) == b'>' => self.push(TokenKind::Except, 3),
            b'<' if self.peek(1) == b'=' => self.push(TokenKind::Lte, 2),
            b'<' => self.push(TokenKind::Lt, 1),
            b'>' if self.peek(1) == b'=' => self.push(TokenKind::Gte, 2),
            b'>' => self.push(TokenKind::Gt, 1),
            b'0'..=b'9' => self.number(),
            b'a'..=b'z' => self.word(),
            b'A'..=b'Z' => {
                let len = self.word_len();
                self.push(TokenKind::CapIdent, len);
            }
            b'"' => self.string(),
            b'#' => self.comment(),
            b'\r' => self.problem(ProblemKind::CarriageReturn, 1),
            _ => self.unrecognized(),
        }
    }

    /// A character that no rule takes. Text between other quotes is read as the string that was meant, so that what
    /// follows is still understood.
    fn unrecognized(&mut self) {
        let rest = &self.text[self.at..];
        match other_quotes(rest) {
            Some(len) => {
                self.note(ProblemKind::OtherQuotes, len);
                self.push(TokenKind::Str, len);
            }
            None => self.problem(ProblemKind::Unrecognized, char_len(rest)),
        }
    }

    /// The byte that many places on, or NUL behind the end: no rule looks ahead for a NUL.
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: TokenKind, len: usize) {
        self.out.tokens.push(Token { kind, start: self.at as u32, end: (self.at + len) as u32 });
        self.at += len;
    }

    fn span(&self, len: usize) -> Span {
        Span::new(self.out.file, self.at, self.at + len)
    }

    /// Notes a problem in front of the token that comes next.
    fn problem(&mut self, kind: ProblemKind, len: usize) {
        self.note(kind, len);
        self.at += len;
    }

    /// Notes a problem of the token that comes next.
    fn note(&mut self, kind: ProblemKind, len: usize) {
        let before_token = self.out.tokens.len() as u32;
        self.out.problems.push(Problem { kind, span: self.span(len), reference: None, before_token });
    }

    /// A name starts with a letter and may hold, but not end with, underscores.
    fn word_len(&self) -> usize {
        let rest = &self.text[self.at..];
        let run = rest[1..].iter().take_while(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_')).count() + 1;
        let underscores = rest[..run].iter().rev().take_while(|b| **b == b'_').count();
        run - underscores
    }

    fn word(&mut self) {
        let len = self.word_len();
        let kind = TokenKind::of_word(&self.text[self.at..self.at + len]);
        self.push(kind, len);
    }

    fn number(&mut self) {
        let rest = &self.text[self.at..];
        let digits = |from: usize| rest[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let sign = usize::from(rest[0] == b'-');
        let whole = sign + digits(sign);
        let fraction = if rest.get(whole) == Some(&b'.') { digits(whole + 1) } else { 0 };
        let (kind, len) = if fraction > 0 { (TokenKind::Float, whole + 1 + fraction) } else { (TokenKind::Int, whole) };
        let text = std::str::from_utf8(&rest[..len]).expect("digits are ASCII");
        let overflow = match kind {
            TokenKind::Int => text.parse::<i64>().is_err().then_some(ProblemKind::IntOverflow),
            _ => text.parse::<f64>().is_ok_and(f64::is_infinite).then_some(ProblemKind::FloatOverflow),
        };
        if let Some(kind) = overflow {
            self.note(kind, len);
        }
        self.push(kind, len);
    }

    /// A string ends at the first quote that has no backslash directly before it; if there is
    /// none, at the last quote of the file, and all that follows is lost.
    fn string(&mut self) {
        let inside = self.at + 1;
        if let Some(unclosed) = self.unclosed.iter().find(|unclosed| unclosed.start as usize == self.at) {
            return self.unclosed_string(Some(unclosed.reference));
        }
        if let Some(end) = closing_quote(self.text, inside) {
            return self.push(TokenKind::Str, end + 1 - self.at);
        }
        if let Some(last) = self.text[inside..].iter().rposition(|b| *b == b'"') {
            self.push(TokenKind::Str, last + 2);
            if self.at < self.text.len() {
                self.out.lost = Some(Span::new(self.out.file, self.at, self.text.len()));
                self.at = self.text.len();
            }
            return;
        }
        self.unclosed_string(None);
    }

    /// Reads the rest of the line as the string, but for what ends an item or opens a body: so what follows is
    /// still understood.
    fn unclosed_string(&mut self, reference: Option<Span>) {
        let rest = &self.text[self.at..];
        let line = rest.split(|b| *b == b'\n').next().unwrap_or(rest).trim_ascii_end();
        let inside = match line.strip_suffix(b",").or_else(|| line.strip_suffix(b"{")) {
            Some(inside) => inside.trim_ascii_end(),
            None => line,
        };
        let len = inside.len().max(1);
        self.note(ProblemKind::UnclosedString, len);
        self.out.problems.last_mut().expect("it was noted").reference = reference;
        self.push(TokenKind::Str, len);
    }

    fn comment(&mut self) {
        let rest = &self.text[self.at..];
        let len = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        self.out.comments.push(self.span(len));
        self.at += len;
    }
}

/// The first quote from `from` on, which is behind the opening quote, that has no backslash
/// directly before it.
fn closing_quote(text: &[u8], from: usize) -> Option<usize> {
    (from..text.len()).find(|at| text[*at] == b'"' && text[*at - 1] != b'\\')
}

/// The length of the first character; a byte that is not part of valid UTF-8 is a character of
/// its own.
fn char_len(bytes: &[u8]) -> usize {
    let head = &bytes[..bytes.len().min(4)];
    match head.utf8_chunks().next() {
        Some(chunk) => chunk.valid().chars().next().map_or(1, char::len_utf8),
        None => 1,
    }
}

/// The length of a text between single or typographic quotes or backticks that ends on its line.
fn other_quotes(rest: &[u8]) -> Option<usize> {
    const PAIRS: [(&str, &[&str]); 5] = [
        ("'", &["'"]),
        ("`", &["`"]),
        ("\u{2018}", &["\u{2019}"]),
        ("\u{201c}", &["\u{201d}", "\u{201c}"]),
        ("\u{201e}", &["\u{201c}", "\u{201d}"]),
    ];
    let line = rest.split(|b| *b == b'\n').next().unwrap_or(rest);
    let (open, closers) = PAIRS.iter().find(|(open, _)| line.starts_with(open.as_bytes()))?;
    let closes = |at: usize| closers.iter().find(|close| line[at..].starts_with(close.as_bytes()));
    (open.len()..line.len()).find_map(|at| closes(at).map(|close| at + close.len()))
}
