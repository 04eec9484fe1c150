//! Patterns of lexemes. A pattern is written as the text that it stands for, its parts separated by spaces:
//!
//! | part | stands for |
//! |---|---|
//! | `LINE`, `EOL` | the start and the end of the line |
//! | `WORD`, `NAME`, `CAP` | a word; one that begins in lower case, with a capital |
//! | `FREE` | a word in lower case that is not reserved |
//! | `TYPO` | one that is near to a word that begins a statement, as `calss` to `class` |
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
//! | `@choice` | before all others: the grammar expects `?:` there |
//!
//! A part followed by `?` may be missing. Everything else stands for itself. All parts but `LINE`, `EOL`, single words
//! and signs are captures, in their order.

mod matcher;
mod pattern;

use super::lexemes::Line;
use crate::parse::input::ExpectedSet;
use matcher::{Matcher, Progress};
use pattern::Part;
pub(super) use pattern::Pattern;

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

impl Pattern {
    /// The first match that holds the place of the error.
    pub(super) fn find<'a>(&self, line: &Line<'a>, offset: usize, expected: ExpectedSet) -> Option<Match<'a>> {
        if !self.may_match(line, expected) {
            return None;
        }
        let parts = self.parts();
        let matcher = Matcher { line, offset };
        let n_starts = if matches!(parts.first(), Some(Part::LineStart)) { 1 } else { line.lexemes.len() };
        let lexeme = |at: usize| line.lexemes.get(at).copied();
        (0..n_starts).find_map(|first| {
            if lexeme(first).is_some_and(|first| first.start > offset) {
                return None;
            }
            let found = matcher.rest(parts, Progress { at: first, ..Progress::default() })?;
            let start = lexeme(first)?.start;
            let end = lexeme(found.at.checked_sub(1)?)?.end;
            let holds_end = matches!(parts.last(), Some(Part::LineEnd | Part::Error));
            let is_there = start <= offset && (offset < end || holds_end);
            let marked = (found.from.unwrap_or(start), found.to.unwrap_or(end));
            is_there.then_some(Match { whole: (start, end), marked, captures: found.captures })
        })
    }
}
