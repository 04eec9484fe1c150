//! Scalars: plain, quoted, and block.

use super::cursor::Cursor;
use super::{Kind, Node, Problem};

impl Cursor<'_> {
    /// A plain scalar, on this line and further lines with more indentation.
    pub(super) fn plain(&mut self, outer: Option<usize>) -> Result<Node, Problem> {
        let line = self.line();
        let mut text = String::new();
        let mut n_empty = 0;
        loop {
            let rest = self.rest().split('\n').next().unwrap_or_default();
            let content = rest.find(" #").or(rest.find("\t#")).map_or(rest, |comment| &rest[..comment]);
            let has_comment = content.len() < rest.len();
            let content = content.trim_end();
            let joint = match (text.is_empty(), n_empty) {
                (true, _) => String::new(),
                (false, 0) => " ".to_owned(),
                (false, n) => "\n".repeat(n),
            };
            text += &joint;
            text += content;
            self.at += content.len();
            let end = self.at;
            if has_comment {
                return Ok(self.plain_node(line, text));
            }
            // The next line continues it if it is indented and not a comment.
            let before = self.line();
            self.skip_blank()?;
            let is_inside = outer.is_none_or(|outer| self.column() > outer);
            let passed = &self.text[end..self.at];
            if self.is_document_end() || !is_inside || passed.contains('#') {
                self.at = end;
                return Ok(self.plain_node(line, text));
            }
            let is_key = |at: usize, rest: &str| rest[at + 1..].is_empty() || rest[at + 1..].starts_with([' ', '\t']);
            let next = self.rest().lines().next().unwrap_or_default();
            if next.match_indices(':').any(|(at, _)| is_key(at, next)) {
                return Err(self.problem("unexpected indentation"));
            }
            n_empty = self.line() - before - 1;
        }
    }

    /// A plain scalar; some words mean null.
    pub(super) fn plain_node(&self, line: usize, text: String) -> Node {
        match text.as_str() {
            "" | "~" | "null" | "Null" | "NULL" => self.node(line, Kind::Null),
            _ => self.node(line, Kind::Text { text, quoted: false }),
        }
    }

    /// A single- or double-quoted scalar, possibly over several lines.
    pub(super) fn quoted(&mut self) -> Result<String, Problem> {
        let opened = self.line();
        let Some(quote) = self.next() else { return Ok(String::new()) };
        let mut text = String::new();
        // Spaces at the end of a line are dropped, except escaped ones.
        let mut kept = 0;
        loop {
            let missing = || Problem { line: opened, what: "missing closing quote".to_owned() };
            match self.next().ok_or_else(missing)? {
                '\'' if quote == '\'' && self.take('\'') => text.push('\''),
                char if char == quote => return Ok(text),
                '\\' if quote == '"' => {
                    self.escape(&mut text)?;
                    kept = text.len();
                }
                '\n' => {
                    let end = kept.max(text.trim_end_matches([' ', '\t', '\r']).len());
                    text.truncate(end);
                    let mut n_empty = 0;
                    loop {
                        self.spaces();
                        self.take('\r');
                        if !self.take('\n') {
                            break;
                        }
                        n_empty += 1;
                    }
                    if n_empty == 0 {
                        text.push(' ')
                    } else {
                        text += &"\n".repeat(n_empty)
                    }
                    kept = text.len();
                }
                char => text.push(char),
            }
        }
    }

    /// The character of an escape sequence.
    fn escape(&mut self, text: &mut String) -> Result<(), Problem> {
        let Some(char) = self.next() else { return Ok(()) };
        let n_digits = match char {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        if n_digits > 0 {
            let digits = self.rest().get(..n_digits).filter(|digits| digits.chars().all(|c| c.is_ascii_hexdigit()));
            let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
            let Some(code) = code else {
                return Err(self.problem(format!("expected {n_digits} hexadecimal digits after `\\{char}`")));
            };
            self.at += n_digits;
            text.push(code);
            return Ok(());
        }
        text.push(match char {
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            't' | '\t' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            'e' => '\u{1b}',
            '"' | '/' | '\\' | ' ' => char,
            'N' => '\u{85}',
            '_' => '\u{a0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            // The line continues below.
            '\n' => {
                self.spaces();
                return Ok(());
            }
            _ => return Err(self.problem(format!("unknown escape `\\{char}`"))),
        });
        Ok(())
    }

    /// A block scalar: `|` keeps its lines, `>` folds them.
    pub(super) fn block_scalar(&mut self, outer: Option<usize>) -> Result<Node, Problem> {
        let line = self.line();
        let folds = self.next() == Some('>');
        let (mut chomp, mut indent) = (' ', None);
        while let Some(sign @ ('+' | '-' | '1'..='9')) = self.peek() {
            self.next();
            match sign.to_digit(10) {
                Some(digit) => indent = Some(outer.map_or(0, |outer| outer) + digit as usize),
                None => chomp = sign,
            }
        }
        if !self.is_line_end() {
            return Err(self.problem("unexpected text after the block indicator"));
        }
        self.at += self.rest().find('\n').map_or(self.rest().len(), |newline| newline + 1);
        let least = outer.map_or(0, |outer| outer + 1);
        let mut lines: Vec<&str> = Vec::new();
        while !self.rest().is_empty() {
            let row = self.rest().split('\n').next().unwrap_or_default();
            let content = row.trim_end_matches('\r');
            let own = content.len() - content.trim_start_matches(' ').len();
            let is_empty = own == content.len();
            if !is_empty {
                let wanted = *indent.get_or_insert(own.max(least));
                if own < wanted || own < least || self.is_document_end() {
                    break;
                }
            }
            lines.push(content.get(indent.unwrap_or(own)..).unwrap_or_default());
            self.at = (self.at + row.len() + 1).min(self.text.len());
        }
        let n_trailing = lines.iter().rev().take_while(|line| line.is_empty()).count();
        let content = &lines[..lines.len() - n_trailing];
        let mut text = if folds { folded(content) } else { content.join("\n") };
        match chomp {
            '-' => {}
            '+' => text += &"\n".repeat(n_trailing + usize::from(!content.is_empty())),
            _ if content.is_empty() => {}
            _ => text.push('\n'),
        }
        Ok(self.node(line, Kind::Text { text, quoted: true }))
    }
}

/// Joins lines with spaces; empty lines become line ends, and lines with more indentation stay as they are.
fn folded(lines: &[&str]) -> String {
    let mut text = String::new();
    let mut n_empty = 0;
    let mut was_further = false;
    for (at, line) in lines.iter().enumerate() {
        if line.is_empty() {
            n_empty += 1;
            continue;
        }
        let is_further = line.starts_with([' ', '\t']);
        if at > n_empty || !text.is_empty() {
            match (n_empty, was_further || is_further) {
                (0, false) => text.push(' '),
                (n, false) => text += &"\n".repeat(n),
                (n, true) => text += &"\n".repeat(n + 1),
            }
        } else {
            text += &"\n".repeat(n_empty);
        }
        text += line;
        n_empty = 0;
        was_further = is_further;
    }
    text
}
