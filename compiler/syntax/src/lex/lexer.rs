//! The scanner: longest match, over bytes. Language spec, section 1.

use super::problem::{Problem, ProblemKind};
use super::token::{Token, TokenKind};
use super::{Tokens, Unclosed};
use crate::span::{FileId, Span};

pub(super) struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
    /// Unclosed strings by their first byte; they end with their line.
    unclosed: &'t [Unclosed],
    /// For each of [`OTHER_QUOTES`], the offset up to which no closing quote exists.
    no_closer: [usize; OTHER_QUOTES.len()],
    out: Tokens,
}

/// The limit of a file in tokens. Far above what anyone writes; keeps a hostile file from filling the memory.
pub(crate) const MAX_TOKENS: usize = 2_000_000;

/// The cost of a problem, in tokens.
const PROBLEM: usize = 8;

/// What programs for writing make of `->` and `=>`.
const ARROW: &str = "→";

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t [u8], file: FileId, unclosed: &'t [Unclosed]) -> Lexer<'t> {
        let out = Tokens {
            file,
            tokens: Vec::with_capacity((text.len() / 4).min(MAX_TOKENS) + 1),
            comments: Vec::new(),
            problems: Vec::new(),
            lost: None,
            cut: None,
        };
        Lexer { text, at: 0, unclosed, no_closer: [0; OTHER_QUOTES.len()], out }
    }

    pub(super) fn run(mut self) -> Tokens {
        while self.at < self.text.len() {
            let out = &self.out;
            if out.tokens.len() + out.comments.len() + PROBLEM * out.problems.len() >= MAX_TOKENS {
                return self.cut();
            }
            self.step();
        }
        self.push(TokenKind::End, 0);
        self.out
    }

    /// Drops the whole content of a file above the limit.
    fn cut(self) -> Tokens {
        let at = self.span(1);
        let end = Token { kind: TokenKind::End, start: at.start, end: at.start };
        let file = self.out.file;
        Tokens { file, tokens: vec![end], comments: Vec::new(), problems: Vec::new(), lost: None, cut: Some(at) }
    }

    /// Consumes one token, comment, problem or whitespace.
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

    /// A character that matches no rule. Text between foreign quotes is read as the intended string, so that the rest
    /// is still understood.
    fn unrecognized(&mut self) {
        if let Some(len) = self.other_quotes() {
            self.note(ProblemKind::OtherQuotes, len);
            self.push(TokenKind::Str, len);
        } else if let Some(meant) = self.arrow() {
            self.note(ProblemKind::Unrecognized, ARROW.len());
            self.push(meant, ARROW.len());
        } else {
            self.problem(ProblemKind::Unrecognized, char_len(&self.text[self.at..]));
        }
    }

    /// What an arrow of an editor or a word processor stands for, if one is next: `=>` after the name of an item or a
    /// key, and `->` after the end of an edge, its field, or a variable and its fields.
    fn arrow(&self) -> Option<TokenKind> {
        if !self.text[self.at..].starts_with(ARROW.as_bytes()) {
            return None;
        }
        let kind = |back: usize| Some(self.out.tokens.get(self.out.tokens.len().checked_sub(back)?)?.kind);
        Some(match (kind(2), kind(1)) {
            (Some(TokenKind::Dollar | TokenKind::Dot | TokenKind::Arrow), Some(TokenKind::Ident)) => TokenKind::Arrow,
            (_, Some(TokenKind::Ident | TokenKind::CapIdent | TokenKind::Str)) => TokenKind::Rocket,
            _ => TokenKind::Arrow,
        })
    }

    /// The length of a text between single quotes or typographic quotes that ends on the same line, or between backticks.
    ///
    /// Cost: linear over all calls. The search for a closing quote is done once.
    fn other_quotes(&mut self) -> Option<usize> {
        let rest = &self.text[self.at..];
        let index = OTHER_QUOTES.iter().position(|(open, _)| rest.starts_with(open.as_bytes()))?;
        let (open, closers) = OTHER_QUOTES[index];
        if self.at < self.no_closer[index] {
            return None;
        }
        let mut at = open.len();
        // Of the languages with backticks, one has texts of several lines between them.
        let is_long = open == "`";
        while at < rest.len() && (rest[at] != b'\n' || is_long) {
            if let Some(close) = closers.iter().find(|close| rest[at..].starts_with(close.as_bytes())) {
                return Some(at + close.len());
            }
            at += 1;
        }
        self.no_closer[index] = self.at + at;
        None
    }

    /// The byte at this distance, or NUL past the end: no rule looks for a NUL.
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

    /// Records a problem before the next token.
    fn problem(&mut self, kind: ProblemKind, len: usize) {
        self.note(kind, len);
        self.at += len;
    }

    /// Records a problem of the next token.
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

    /// A string ends at the first quote without a backslash directly before it; if there is none, at the last quote of
    /// the file, and the rest is lost.
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

    /// Reads the rest of the line as the string, except for a trailing comma or opening brace, so that the rest is
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

/// The first quote at or after `from` (after the opening quote) without a backslash directly before it.
fn closing_quote(text: &[u8], from: usize) -> Option<usize> {
    (from..text.len()).find(|at| text[*at] == b'"' && text[*at - 1] != b'\\')
}

/// The length of the first character; an invalid UTF-8 byte counts as one character.
fn char_len(bytes: &[u8]) -> usize {
    let head = &bytes[..bytes.len().min(4)];
    match head.utf8_chunks().next() {
        Some(chunk) => chunk.valid().chars().next().map_or(1, char::len_utf8),
        None => 1,
    }
}

/// Quotes of other languages: the opening one and its closing ones.
const OTHER_QUOTES: [(&str, &[&str]); 5] = [
    ("'", &["'"]),
    ("`", &["`"]),
    ("\u{2018}", &["\u{2019}"]),
    ("\u{201c}", &["\u{201d}", "\u{201c}"]),
    ("\u{201e}", &["\u{201c}", "\u{201d}"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn lexed(text: &str) -> Tokens {
        Lexer::new(text.as_bytes(), FileId(0), &[]).run()
    }

    #[test]
    fn nothing_is_kept_of_a_file_that_has_too_much() {
        for (piece, weight) in [("\n", 1), ("#\n", 2), ("@ ", PROBLEM)] {
            let most = MAX_TOKENS / weight;
            assert!(lexed(&piece.repeat(most - 1)).cut.is_none(), "{piece:?}");
            let tokens = lexed(&piece.repeat(most + 1));
            assert!(tokens.cut.is_some(), "{piece:?}");
            assert_eq!((tokens.tokens.len(), tokens.comments.len(), tokens.problems.len()), (1, 0, 0));
        }
    }

    #[test]
    fn other_quotes_are_looked_for_up_to_the_end_of_their_line() {
        let check = |text: &str, expect: &[&str]| {
            let tokens = lexed(text).tokens;
            let strings = tokens.iter().filter(|token| token.kind == TokenKind::Str);
            let strings: Vec<_> = strings.map(|token| &text[token.start as usize..token.end as usize]).collect();
            assert_eq!(strings, expect, "{text}");
        };
        check("'a' 'b\n'c' \u{2018}d \u{2018}e\u{2019}", &["'a'", "'c'", "\u{2018}d \u{2018}e\u{2019}"]);
        check("\u{2018}a \u{2018}b\n\u{2018}c\u{2019} `d` `", &["\u{2018}c\u{2019}", "`d`"]);
        check("'' 'a'", &["''", "'a'"]);
    }
}
