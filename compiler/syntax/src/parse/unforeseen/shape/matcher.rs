//! One pattern at work on one line.

use super::super::lexemes::{Class, Lexeme, Line};
use super::pattern::Part;

pub(super) struct Matcher<'l, 'a> {
    pub(super) line: &'l Line<'a>,
    /// The place of the error.
    pub(super) offset: usize,
}

#[derive(Clone, Default)]
pub(super) struct Progress<'a> {
    /// The next lexeme.
    pub(super) at: usize,
    pub(super) from: Option<usize>,
    pub(super) to: Option<usize>,
    pub(super) captures: Vec<&'a str>,
}

impl<'a> Matcher<'_, 'a> {
    /// Matches the parts that are left.
    pub(super) fn rest(&self, parts: &[Part], state: Progress<'a>) -> Option<Progress<'a>> {
        match parts.split_first() {
            Some((part, rest)) => self.part(part, rest, state),
            None => Some(state),
        }
    }

    /// Matches one part, and those after it.
    fn part(&self, part: &Part, rest: &[Part], mut state: Progress<'a>) -> Option<Progress<'a>> {
        let next = self.line.lexemes.get(state.at).copied();
        let before = state.at.checked_sub(1).and_then(|at| self.line.lexemes.get(at));
        let touches = || next.is_some_and(|next| before.is_some_and(|before| before.end == next.start));
        let holds = match part {
            Part::Optional(part) => {
                return self.part(part, rest, state.clone()).or_else(|| {
                    if part.is_capture() {
                        state.captures.push("");
                    }
                    self.rest(rest, state)
                });
            }
            Part::LineStart => state.at == 0 && self.line.is_whole,
            Part::LineEnd => next.is_none() && self.line.end.is_some(),
            Part::Touching => touches(),
            Part::Apart => !touches() && next.is_some() && before.is_some(),
            Part::Error => match next {
                Some(next) => next.start <= self.offset && self.offset < next.end,
                None => self.line.end.is_some_and(|end| end <= self.offset),
            },
            Part::MarkStart => {
                state.from = Some(next.map_or_else(|| self.line.end.unwrap_or(self.offset), |next| next.start));
                true
            }
            Part::MarkEnd => {
                state.to = before.map(|before| before.end);
                true
            }
            Part::NoBrace => self.line.lexemes[state.at..].iter().all(|lexeme| self.line.text_of(*lexeme) != "{"),
            Part::Some => return self.some(rest, state),
            Part::Value => {
                let end = self.value(state.at)?;
                let (first, last) = (self.line.lexemes[state.at], self.line.lexemes[end - 1]);
                state.captures.push(self.line.text(first.start, last.end));
                state.at = end;
                true
            }
            Part::One(fit) => {
                let next = next?;
                let text = self.line.text_of(next);
                if !fit.fits(next.class, text) {
                    return None;
                }
                if part.is_capture() {
                    state.captures.push(text);
                }
                state.at += 1;
                true
            }
        };
        if holds { self.rest(rest, state) } else { None }
    }

    /// One or more lexemes, as few as possible.
    fn some(&self, rest: &[Part], state: Progress<'a>) -> Option<Progress<'a>> {
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
