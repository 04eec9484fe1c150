//! `wordwrap`: lines of a limited width, as Python's `textwrap` makes them.

use minijinja::{Error, ErrorKind};
use std::ops::Range;

/// Python's default.
pub(super) const WIDTH: i64 = 79;

/// Lines of at most this width, broken at spaces and after hyphens; a longer word is broken anywhere.
pub(super) fn wordwrap(
    text: String,
    width: Option<i64>,
    breaks_words: Option<bool>,
    end: Option<String>,
    breaks_at_hyphens: Option<bool>,
) -> Result<String, Error> {
    let width = width.unwrap_or(WIDTH);
    let wrapping = Wrapping {
        width: usize::try_from(width).unwrap_or(0),
        breaks_words: breaks_words.unwrap_or(true),
        breaks_at_hyphens: breaks_at_hyphens.unwrap_or(true),
    };
    if wrapping.width == 0 && !text.is_empty() {
        let text = format!("ValueError: invalid width {width} (must be > 0)");
        return Err(Error::new(ErrorKind::InvalidOperation, text));
    }
    let end = end.unwrap_or_else(|| "\n".to_owned());
    let paragraphs: Vec<String> = paragraphs(&text).iter().map(|line| wrapping.lines(line).join(&end)).collect();
    Ok(paragraphs.join(&end))
}

/// Whether a character ends a line in Python.
pub(super) fn ends_line(char: char) -> bool {
    matches!(char, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The lines of a text, as Python's `splitlines` returns them.
fn paragraphs(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.find(ends_line).unwrap_or(rest.len()));
        lines.push(line);
        let after = after.strip_prefix("\r\n").or_else(|| after.strip_prefix(ends_line));
        rest = after.unwrap_or_default();
    }
    lines
}

#[derive(Clone, Copy)]
struct Wrapping {
    width: usize,
    breaks_words: bool,
    breaks_at_hyphens: bool,
}

impl Wrapping {
    fn lines(self, text: &str) -> Vec<String> {
        let text: Vec<char> = text.chars().collect();
        let chunk_at = |start: usize| (start < text.len()).then(|| start..self.chunk_end(&text, start));
        let is_blank = |chunk: Range<usize>| text[chunk].iter().all(|char| char.is_whitespace());
        let mut lines: Vec<String> = Vec::new();
        let mut next = chunk_at(0);
        while let Some(first) = next.clone() {
            // Spaces remain at the start of the first line only.
            if !lines.is_empty() && is_blank(first.clone()) {
                next = chunk_at(first.end);
            }
            let from = next.as_ref().map_or(text.len(), |chunk| chunk.start);
            // The line so far, and where its last chunk begins.
            let (mut to, mut last) = (from, from);
            while let Some(chunk) = next.clone().filter(|chunk| chunk.end - from <= self.width) {
                (last, to) = (chunk.start, chunk.end);
                next = chunk_at(chunk.end);
            }
            if let Some(chunk) = next.clone().filter(|chunk| chunk.len() > self.width) {
                if self.breaks_words {
                    let cut = chunk.start + self.cut(&text[chunk.clone()], self.width - (to - from));
                    (last, to) = (chunk.start, cut);
                    next = Some(cut..chunk.end);
                } else if to == from {
                    (last, to) = (chunk.start, chunk.end);
                    next = chunk_at(chunk.end);
                }
            }
            if is_blank(last..to) {
                to = last;
            }
            if to > from {
                lines.push(text[from..to].iter().collect());
            }
        }
        lines
    }

    /// How much of a chunk that is wider than a line goes into this space: up to its last hyphen.
    fn cut(self, chunk: &[char], space: usize) -> usize {
        let start = &chunk[..space];
        let hyphen = start.iter().rposition(|char| *char == '-').filter(|_| self.breaks_at_hyphens);
        let hyphen = hyphen.filter(|at| start[..*at].iter().any(|char| *char != '-'));
        hyphen.map_or(space, |at| at + 1)
    }

    /// The end of the chunk that starts here: spaces, a dash, or a word up to its next hyphen.
    fn chunk_end(self, text: &[char], start: usize) -> usize {
        if is_space(text[start]) {
            return run(text, start, is_space);
        }
        if !self.breaks_at_hyphens {
            return run(text, start, |char| !is_space(char));
        }
        if let Some(end) = dash_end(text, start) {
            return end;
        }
        let mut end = start + 1;
        while end < text.len() && !is_space(text[end]) && dash_end(text, end).is_none() {
            if is_hyphen(text, end) {
                return end + 1;
            }
            end += 1;
        }
        end
    }
}

/// The end of the characters of a kind from here on.
fn run(text: &[char], start: usize, is_of_kind: impl Fn(char) -> bool) -> usize {
    text[start..].iter().position(|char| !is_of_kind(*char)).map_or(text.len(), |n| start + n)
}

/// The end of a dash between words that starts here: several hyphens.
fn dash_end(text: &[char], start: usize) -> Option<usize> {
    let before = start.checked_sub(1).map(|before| text[before])?;
    if text[start] != '-' || !is_word(before) && !"!\"'&.,?".contains(before) {
        return None;
    }
    let end = run(text, start, |char| char == '-');
    (end - start > 1 && text.get(end).is_some_and(|after| is_word(*after))).then_some(end)
}

/// Whether a line may end after this character: a hyphen between letters.
fn is_hyphen(text: &[char], at: usize) -> bool {
    let is_letter =
        |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(|char| is_word(*char) && !char.is_numeric());
    let is_dash = |at: Option<usize>| at.and_then(|at| text.get(at)) == Some(&'-');
    let [before, earlier, earliest] = [1, 2, 3].map(|n| at.checked_sub(n));
    let [after, later, latest] = [1, 2, 3].map(|n| at.checked_add(n));
    text[at] == '-'
        && is_letter(before)
        && (is_letter(earlier) || is_dash(earlier) && is_letter(earliest))
        && is_letter(after)
        && (is_letter(later) || is_dash(later) && is_letter(latest))
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

fn is_space(char: char) -> bool {
    matches!(char, '\t'..='\r' | ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize, breaks_words: bool, breaks_at_hyphens: bool) -> Vec<String> {
        Wrapping { width, breaks_words, breaks_at_hyphens }.lines(text)
    }

    #[test]
    fn lines_are_those_of_python() {
        let cases: [(&str, usize, bool, bool, &[&str]); 10] = [
            ("  a <b> & c", 5, true, true, &["  a", "<b> &", "c"]),
            ("a  b   c", 4, true, true, &["a  b", "c"]),
            ("ab defgh", 3, true, true, &["ab ", "def", "gh"]),
            ("ab defgh", 3, false, true, &["ab", "defgh"]),
            ("well-known words", 6, true, true, &["well-", "known", "words"]),
            ("well-known words", 6, true, false, &["well-k", "nown", "words"]),
            ("one--two", 5, true, true, &["one--", "two"]),
            ("x1-2y-long", 6, true, true, &["x1-2y-", "long"]),
            ("a-b-c", 2, true, true, &["a-", "b-", "c"]),
            ("   ", 2, true, true, &[]),
        ];
        for (text, width, breaks_words, breaks_at_hyphens, lines) in cases {
            assert_eq!(wrapped(text, width, breaks_words, breaks_at_hyphens), lines, "{text} in {width}");
        }
    }

    #[test]
    fn lines_of_the_text_remain() {
        let wrapped = |text: &str, width| {
            wordwrap(text.to_owned(), Some(width), None, None, None).map_err(|error| error.to_string())
        };
        assert_eq!(wrapped("a b\r\n\nc\u{2028}d\n", 2).as_deref(), Ok("a\nb\n\nc\nd"));
        assert!(wrapped("", 0).is_ok() && wrapped("a", 0).is_err_and(|why| why.contains("invalid width 0")));
    }
}
