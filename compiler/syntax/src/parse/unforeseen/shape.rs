//! Patterns of lexemes. A pattern is written as the text that it stands for, its parts separated by blanks:
//!
//! | part | stands for |
//! |---|---|
//! | `LINE`, `EOL` | the start and the end of the line |
//! | `WORD`, `NAME`, `CAP` | a word; one that begins in lower case, with a capital |
//! | `FREE` | a word in lower case that is not reserved |
//! | `VAR`, `STR`, `NUM`, `ATOM` | `$name`, a string, a number; any of them or `true` and `false` |
//! | `OPENED` | a string that ends within `${…}`, as in `"${len("` |
//! | `CAPVAR` | `$name` with a capital letter |
//! | `CAMEL` | a word in lower case with a capital letter in it |
//! | `VALUE` | a word or atom with everything that belongs to it: `f(1)`, `$x->a`, `[1, 2]` |
//! | `…` | one or more lexemes, as few as possible |
//! | `a/b/c` | one of several parts |
//! | `~`, `_` | nothing, something between the neighbours |
//! | `!{` | no `{` in the rest of the line |
//! | `^` | before the lexeme at which the grammar fails; without it, that lexeme is anywhere in the match |
//! | `«`, `»` | around what is underlined; without them, all |
//! | `@expr`, `@item`, `@edge`, `@block`, `@call`, `@def` | before all others: what the grammar expects there |
//! | `@stmt`, `@start` | before all others: the grammar expects no field there; the start of a statement |
//!
//! A part followed by `?` may be missing. Everything else stands for itself. All parts but `LINE`, `EOL`, single words
//! and signs are captures, in their order.

use super::lexemes::{Class, Lexeme, Line};
use crate::lex::TokenKind;
use crate::parse::input::ExpectedSet;

/// Where a pattern matches.
#[derive(Debug)]
pub(super) struct Match<'a> {
    /// The offsets of all of it.
    pub(super) whole: (usize, usize),
    /// The offsets of what is underlined.
    pub(super) marked: (usize, usize),
    /// The texts of its captures.
    pub(super) captures: Vec<&'a str>,
}

/// One pattern at work.
struct Matcher<'l, 'a> {
    line: &'l Line<'a>,
    /// The place of the error.
    offset: usize,
}

#[derive(Clone, Default)]
struct Progress<'a> {
    /// The next lexeme.
    at: usize,
    from: Option<usize>,
    to: Option<usize>,
    captures: Vec<&'a str>,
}

/// The first match of a pattern that holds the place of the error.
pub(super) fn find<'a>(pattern: &str, line: &Line<'a>, offset: usize, expected: ExpectedSet) -> Option<Match<'a>> {
    let (pattern, fits) = condition(pattern, expected);
    if !fits {
        return None;
    }
    let spaced = pattern.replace('«', " « ").replace('»', " » ");
    let parts: Vec<&str> = spaced.split_ascii_whitespace().collect();
    let matcher = Matcher { line, offset };
    let n_starts = if parts.first() == Some(&"LINE") { 1 } else { line.lexemes.len() };
    let lexeme = |at: usize| line.lexemes.get(at).copied();
    (0..n_starts).find_map(|first| {
        if lexeme(first).is_some_and(|first| first.start > offset) {
            return None;
        }
        let found = matcher.rest(&parts, Progress { at: first, ..Progress::default() })?;
        let start = lexeme(first)?.start;
        let end = lexeme(found.at.checked_sub(1)?)?.end;
        let is_there = start <= offset && (offset < end || matches!(parts.last(), Some(&("EOL" | "^"))));
        let marked = (found.from.unwrap_or(start), found.to.unwrap_or(end));
        is_there.then_some(Match { whole: (start, end), marked, captures: found.captures })
    })
}

/// The pattern without its condition, and whether that is met.
fn condition(pattern: &str, expected: ExpectedSet) -> (&str, bool) {
    let Some((condition, rest)) = pattern.split_once(' ').filter(|(first, _)| first.starts_with('@')) else {
        return (pattern, true);
    };
    let words = expected.words();
    let is_item = expected.has(TokenKind::Rocket) || words.contains(&"a field, an edge or a meta parameter");
    let fits = match condition {
        "@expr" => expected.has_expression(),
        "@edge" => expected.has(TokenKind::OpenBrack),
        "@block" => expected.has(TokenKind::OpenCurly),
        "@call" => expected.has(TokenKind::OpenParen),
        "@def" => expected.has(TokenKind::Equals),
        "@item" => is_item,
        "@stmt" => !is_item,
        "@start" => words.contains(&"a statement"),
        _ => false,
    };
    (rest, fits)
}

impl<'a> Matcher<'_, 'a> {
    /// Matches the parts that are left.
    fn rest(&self, parts: &[&str], mut state: Progress<'a>) -> Option<Progress<'a>> {
        let Some((part, rest)) = parts.split_first() else { return Some(state) };
        if let Some(optional) = part.strip_suffix('?').filter(|part| !part.is_empty() && !part.ends_with('?')) {
            let mut with: Vec<&str> = vec![optional];
            with.extend(rest);
            return self.rest(&with, state.clone()).or_else(|| {
                if is_capture(optional) {
                    state.captures.push("");
                }
                self.rest(rest, state)
            });
        }
        let next = self.line.lexemes.get(state.at).copied();
        let before = state.at.checked_sub(1).and_then(|at| self.line.lexemes.get(at));
        let touches = next.is_some_and(|next| before.is_some_and(|before| before.end == next.start));
        let holds = match *part {
            "LINE" => state.at == 0 && self.line.is_whole,
            "EOL" => next.is_none() && self.line.end.is_some(),
            "~" => touches,
            "_" => !touches && next.is_some() && before.is_some(),
            "^" => match next {
                Some(next) => next.start <= self.offset && self.offset < next.end,
                None => self.line.end.is_some_and(|end| end <= self.offset),
            },
            "«" => {
                state.from = Some(next.map_or_else(|| self.line.end.unwrap_or(self.offset), |next| next.start));
                true
            }
            "»" => {
                state.to = before.map(|before| before.end);
                true
            }
            "!{" => self.line.lexemes[state.at..].iter().all(|lexeme| self.line.text_of(*lexeme) != "{"),
            "…" => return self.some(rest, state),
            "VALUE" => {
                let end = self.value(state.at)?;
                let (first, last) = (self.line.lexemes[state.at], self.line.lexemes[end - 1]);
                state.captures.push(self.line.text(first.start, last.end));
                state.at = end;
                true
            }
            part => {
                let next = next?;
                if !fits(part, next.class, self.line.text_of(next)) {
                    return None;
                }
                if is_capture(part) {
                    state.captures.push(self.line.text_of(next));
                }
                state.at += 1;
                true
            }
        };
        if holds { self.rest(rest, state) } else { None }
    }

    /// One or more lexemes, as few as possible.
    fn some(&self, rest: &[&str], state: Progress<'a>) -> Option<Progress<'a>> {
        let first = *self.line.lexemes.get(state.at)?;
        let last = self.line.lexemes.len();
        // At the end of a pattern it stands for the rest of the line.
        let mut ends = if rest.is_empty() { last..=last } else { state.at + 1..=last };
        ends.find_map(|end| {
            let mut next = state.clone();
            next.captures.push(self.line.text(first.start, self.line.lexemes[end - 1].end));
            next.at = end;
            self.rest(rest, next)
        })
    }

    /// The end of the operand that begins here.
    fn value(&self, at: usize) -> Option<usize> {
        let first = self.line.lexemes.get(at)?;
        let mut end = match (first.class, self.line.text_of(*first)) {
            (Class::Sign, "(" | "[" | "{") => self.closer(at)? + 1,
            (Class::Sign, _) => return None,
            (Class::Word | Class::Var | Class::Str | Class::Number, _) => at + 1,
        };
        while let Some(next) = self.line.lexemes.get(end).filter(|next| self.line.lexemes[end - 1].end == next.start) {
            end = match self.line.text_of(*next) {
                "(" | "[" => self.closer(end)? + 1,
                "." | "->" if self.is_word(end + 1) => end + 2,
                _ => break,
            };
        }
        Some(end)
    }

    fn is_word(&self, at: usize) -> bool {
        self.line.lexemes.get(at).is_some_and(|next| next.class == Class::Word)
    }

    /// The bracket that closes this one.
    fn closer(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        let text = |lexeme: &Lexeme| self.line.text_of(*lexeme);
        let tail = self.line.lexemes[open..].iter();
        let found = tail.map(text).position(|text| {
            match text {
                "(" | "[" | "{" | "$(" | "{%" => depth += 1,
                "{{" => depth += 2,
                ")" | "]" | "}" | "%}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        });
        found.map(|ahead| open + ahead)
    }
}

/// Whether a part is a capture.
fn is_capture(part: &str) -> bool {
    let is_class = matches!(
        part,
        "WORD" | "NAME" | "CAP" | "FREE" | "CAMEL" | "VAR" | "CAPVAR" | "STR" | "OPENED" | "NUM" | "ATOM"
    );
    is_class || matches!(part, "VALUE" | "…") || is_choice(part)
}

/// Whether a part stands for one of several words.
fn is_choice(part: &str) -> bool {
    part.contains('/') && part.len() > 1 && part != "//"
}

fn fits(part: &str, class: Class, text: &str) -> bool {
    match part {
        "WORD" => class == Class::Word,
        "NAME" => class == Class::Word && text.starts_with(|first: char| first.is_ascii_lowercase()),
        "CAP" => class == Class::Word && text.starts_with(|first: char| first.is_ascii_uppercase()),
        "FREE" => fits("NAME", class, text) && !TokenKind::of_word(text.as_bytes()).is_reserved_word(),
        "CAMEL" => fits("NAME", class, text) && text.bytes().any(|byte| byte.is_ascii_uppercase()),
        "VAR" => class == Class::Var,
        "CAPVAR" => class == Class::Var && text.bytes().any(|byte| byte.is_ascii_uppercase()),
        "STR" => class == Class::Str,
        "OPENED" => class == Class::Str && text.rsplit_once("${").is_some_and(|(_, hole)| !hole.contains('}')),
        "NUM" => class == Class::Number,
        "ATOM" => class != Class::Sign && (class != Class::Word || matches!(text, "true" | "false")),
        part if is_choice(part) => part.split('/').any(|part| fits(part, class, text)),
        part => (class != Class::Str || part == "''") && part == text,
    }
}
