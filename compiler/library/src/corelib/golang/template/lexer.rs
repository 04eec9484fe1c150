//! Splits a template into text and the tokens of the actions between `{{` and `}}`.
//!
//! Output: every token with its position; the last one is `Eof` or `Error`. Functions spec, 9.1.

use crate::unicode::is_letter_or_digit;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Text,
    Open,
    Close,
    Space,
    /// A function name or a keyword such as `break`, `if`, `true`: the parser tells them apart.
    Word,
    /// `.name`
    Field,
    /// `$`, `$name`
    Variable,
    Dot,
    Number,
    Char,
    Str,
    Raw,
    Pipe,
    LeftParen,
    RightParen,
    Declare,
    Assign,
    /// Any other ASCII character; only the comma has a meaning.
    Other,
    Eof,
    Error(String),
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    /// Its kind.
    pub kind: Kind,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset after its last byte.
    pub end: usize,
}

const BLANK: [u8; 4] = [b' ', b'\t', b'\r', b'\n'];

struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
    tokens: Vec<Token>,
    n_open: usize,
}

pub(super) fn lex(text: &[u8]) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new(), n_open: 0 };
    if let Err(message) = lexer.run() {
        lexer.push(Kind::Error(message), lexer.at);
    }
    lexer.tokens
}

fn is_blank(byte: u8) -> bool {
    BLANK.contains(&byte)
}

impl Lexer<'_> {
    fn push(&mut self, kind: Kind, start: usize) {
        self.tokens.push(Token { kind, start, end: self.at });
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    fn run(&mut self) -> Result<(), String> {
        let mut trims = false;
        loop {
            let from = self.at;
            let open = crate::corelib::bytes::find(&self.text[from..], b"{{").map(|open| from + open);
            let mut end = open.unwrap_or(self.text.len());
            let marked = open.is_some_and(|open| is_marker(&self.text[open + 2..]));
            let mut start = from;
            if trims {
                start += self.text[from..end].iter().take_while(|byte| is_blank(**byte)).count();
            }
            if marked {
                end -= self.text[start..end].iter().rev().take_while(|byte| is_blank(**byte)).count();
            }
            self.at = end;
            if start < end {
                self.push(Kind::Text, start);
            }
            let Some(open) = open else {
                self.at = self.text.len();
                self.push(Kind::Eof, self.at);
                return Ok(());
            };
            self.at = open + 2 + if marked { 2 } else { 0 };
            trims = if self.rest().starts_with(b"/*") { self.comment()? } else { self.action(open)? };
        }
    }

    /// Returns whether the text after it is trimmed.
    fn comment(&mut self) -> Result<bool, String> {
        let end = crate::corelib::bytes::find(&self.text[self.at + 2..], b"*/").ok_or("unclosed comment")?;
        self.at += 2 + end + 2;
        self.close().ok_or_else(|| "comment ends before closing delimiter".into())
    }

    /// Skips a closing delimiter, if there is one; returns whether it trims.
    fn close(&mut self) -> Option<bool> {
        let rest = self.rest();
        if rest.len() >= 4 && is_blank(rest[0]) && rest[1..].starts_with(b"-}}") {
            self.at += 4;
            return Some(true);
        }
        if rest.starts_with(b"}}") {
            self.at += 2;
            return Some(false);
        }
        None
    }

    fn action(&mut self, open: usize) -> Result<bool, String> {
        self.push(Kind::Open, open);
        self.n_open = 0;
        loop {
            let start = self.at;
            let mut ahead = 0;
            while self.peek(ahead).is_some_and(is_blank) {
                ahead += 1;
            }
            if ahead > 0 {
                // The last blank belongs to a trim marker.
                let marks = self.text[start + ahead..].starts_with(b"-}}");
                self.at += if marks { ahead - 1 } else { ahead };
                if self.at > start {
                    self.push(Kind::Space, start);
                }
            }
            let start = self.at;
            if let Some(trims) = self.close() {
                if self.n_open > 0 {
                    return Err("unclosed left paren".into());
                }
                self.push(Kind::Close, start);
                return Ok(trims);
            }
            self.token()?;
        }
    }

    fn token(&mut self) -> Result<(), String> {
        let start = self.at;
        let Some(byte) = self.peek(0) else { return Err("unclosed action".into()) };
        let kind = match byte {
            b'=' => self.single(Kind::Assign),
            b':' if self.peek(1) == Some(b'=') => {
                self.at += 2;
                Kind::Declare
            }
            b':' => return Err("expected :=".into()),
            b'|' => self.single(Kind::Pipe),
            b'"' => self.quoted(b'"', "unterminated quoted string", Kind::Str)?,
            b'\'' => self.quoted(b'\'', "unterminated character constant", Kind::Char)?,
            b'`' => {
                let end = self.text[start + 1..].iter().position(|byte| *byte == b'`');
                self.at += end.ok_or("unterminated raw quoted string")? + 2;
                Kind::Raw
            }
            b'(' => {
                self.n_open += 1;
                self.single(Kind::LeftParen)
            }
            b')' => {
                self.n_open = self.n_open.checked_sub(1).ok_or("unexpected right paren")?;
                self.single(Kind::RightParen)
            }
            b'.' if self.peek(1).is_some_and(|byte| byte.is_ascii_digit()) => self.number()?,
            b'+' | b'-' | b'0'..=b'9' => self.number()?,
            b'.' | b'$' => {
                self.at += 1;
                self.word();
                self.terminated()?;
                match (byte, self.at - start) {
                    (b'.', 1) => Kind::Dot,
                    (b'.', _) => Kind::Field,
                    _ => Kind::Variable,
                }
            }
            _ => {
                self.word();
                if self.at > start {
                    self.terminated()?;
                    Kind::Word
                } else if (b' '..=b'~').contains(&byte) {
                    self.single(Kind::Other)
                } else {
                    return Err(format!("unrecognized character in action: {}", self.shown()));
                }
            }
        };
        self.push(kind, start);
        Ok(())
    }

    fn single(&mut self, kind: Kind) -> Kind {
        self.at += 1;
        kind
    }

    fn char(&self) -> Option<char> {
        let rest = self.rest();
        crate::corelib::bytes::chars(&rest[..rest.len().min(4)]).next()?.ok()
    }

    fn shown(&self) -> String {
        self.char().map_or_else(|| "U+FFFD".into(), |c| format!("U+{:04X} {c:?}", c as u32))
    }

    /// Skips letters, digits and underscores.
    fn word(&mut self) {
        while let Some(c) = self.char().filter(|c| is_letter_or_digit(*c) || *c == '_') {
            self.at += c.len_utf8();
        }
    }

    /// A name must be followed by a separator.
    fn terminated(&self) -> Result<(), String> {
        let rest = self.rest();
        match rest.first() {
            None => Ok(()),
            Some(byte) if is_blank(*byte) || b".,|:()".contains(byte) || rest.starts_with(b"}}") => Ok(()),
            Some(_) => Err(format!("bad character {}", self.shown())),
        }
    }

    fn quoted(&mut self, quote: u8, unterminated: &str, kind: Kind) -> Result<Kind, String> {
        self.at += 1;
        loop {
            match self.peek(0) {
                Some(b'\\') if self.peek(1).is_some_and(|byte| byte != b'\n') => self.at += 2,
                None | Some(b'\n') | Some(b'\\') => return Err(unterminated.into()),
                Some(byte) => {
                    self.at += 1;
                    if byte == quote {
                        return Ok(kind);
                    }
                }
            }
        }
    }

    fn accept(&mut self, set: &[u8]) -> bool {
        let found = self.peek(0).is_some_and(|byte| set.contains(&byte));
        self.at += usize::from(found);
        found
    }

    fn accept_all(&mut self, set: &[u8]) {
        while self.accept(set) {}
    }

    /// `12`, `0x1f`, `2i`, and `1+2i` without a space.
    fn number(&mut self) -> Result<Kind, String> {
        let start = self.at;
        let is_one = self.digits()
            && (!matches!(self.peek(0), Some(b'+' | b'-')) || self.digits() && self.text[self.at - 1] == b'i');
        if is_one {
            return Ok(Kind::Number);
        }
        let shown = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        Err(format!("bad number syntax: {shown:?}"))
    }

    /// Skips one number, and characters that wrongly follow it.
    fn digits(&mut self) -> bool {
        self.accept(b"+-");
        let mut digits: &[u8] = b"0123456789_";
        let is_hex = self.peek(0) == Some(b'0') && matches!(self.peek(1), Some(b'x' | b'X'));
        if self.accept(b"0") {
            if self.accept(b"xX") {
                digits = b"0123456789abcdefABCDEF_";
            } else if self.accept(b"oO") {
                digits = b"01234567_";
            } else if self.accept(b"bB") {
                digits = b"01_";
            }
        }
        self.accept_all(digits);
        if self.accept(b".") {
            self.accept_all(digits);
        }
        if self.accept(if is_hex { b"pP" } else { b"eE" }) {
            self.accept(b"+-");
            self.accept_all(b"0123456789_");
        }
        self.accept(b"i");
        if self.char().is_some_and(|c| is_letter_or_digit(c) || c == '_') {
            self.at += 1;
            return false;
        }
        true
    }
}

/// A dash and a space after the opening delimiter.
fn is_marker(behind: &[u8]) -> bool {
    behind.len() >= 2 && behind[0] == b'-' && is_blank(behind[1])
}
