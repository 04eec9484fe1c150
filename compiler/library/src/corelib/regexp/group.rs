//! Groups, their alternatives, and flags: `(?i)`, `(?P<name>…)`.

use super::error::{BAD_NAME, BAD_PERL, PatternError};
use super::parser::{Measure, Parser};
use super::program::Inst;

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Flags {
    /// `i`
    pub(super) ignores_case: bool,
    /// `m`: `^` and `$` match at line ends.
    pub(super) lines: bool,
    /// `s`
    pub(super) dot_takes_newline: bool,
}

/// A group being parsed.
#[derive(Default, Debug)]
pub(super) struct Group {
    /// Where its code begins.
    pub(super) start: usize,
    /// Where the code of its last branch begins.
    branch: usize,
    /// The jumps to its end.
    ends: Vec<usize>,
    pub(super) captures: bool,
    pub(super) flags_outside: Flags,
    n_parts: usize,
    n_branches: usize,
    parts: Option<Measure>,
    branches: Option<Measure>,
}

impl Group {
    pub(super) fn add_part(&mut self, measure: Measure) {
        self.n_parts += 1;
        self.parts = Some(self.parts.map_or(measure, |parts| parts.join(measure)));
    }

    pub(super) fn end_branch(&mut self) {
        let mut measure = self.parts.take().unwrap_or(Measure::LEAF);
        measure.height += usize::from(self.n_parts > 1);
        self.n_parts = 0;
        self.n_branches += 1;
        self.branches = Some(self.branches.map_or(measure, |branches| branches.join(measure)));
    }

    /// Another branch follows: the last one becomes an alternative.
    pub(super) fn begin_branch(&mut self, code: &mut Vec<Inst>) {
        let len = (code.len() - self.branch) as i32;
        code.insert(self.branch, Inst::Split(len + 2));
        self.ends.push(code.len());
        code.push(Inst::Jump(0));
        self.branch = code.len();
    }

    pub(super) fn end(&mut self, code: &mut [Inst]) -> Measure {
        let end = code.len();
        for jump in std::mem::take(&mut self.ends) {
            code[jump] = Inst::Jump((end - jump) as i32);
        }
        let mut measure = self.branches.take().unwrap_or(Measure::LEAF);
        measure.height += usize::from(self.n_branches > 1);
        measure
    }
}

impl Parser<'_> {
    /// An opening parenthesis, or flags in parentheses.
    pub(super) fn open(&mut self) -> Result<(), PatternError> {
        let outside = self.flags;
        let (captures, len) = if let Some(len) = name(self.rest)? {
            (true, len)
        } else if self.rest.starts_with("(?") {
            let (flags, len) = flags(self.rest, self.flags)?;
            self.flags = flags;
            if self.rest[..len].ends_with(')') {
                self.rest = &self.rest[len..];
                return Ok(());
            }
            (false, len)
        } else {
            (true, 1)
        };
        self.rest = &self.rest[len..];
        self.end_atom();
        let start = self.program.code.len();
        let group = Group { start, branch: start, captures, flags_outside: outside, ..Group::default() };
        self.outer.push(std::mem::replace(&mut self.group, group));
        Ok(())
    }
}

/// The length of `(?P<name>` or `(?<name>`.
fn name(text: &str) -> Result<Option<usize>, PatternError> {
    let Some(from) = ["(?P<", "(?<"].iter().find(|start| text.starts_with(**start) && text.len() > start.len()) else {
        return Ok(None);
    };
    let bad = |part| Err(PatternError::new(BAD_NAME, part));
    let Some(end) = text.find('>') else { return bad(text) };
    let name = &text[from.len()..end];
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return bad(&text[..=end]);
    }
    Ok(Some(end + 1))
}

/// The flags after `(?`, and the length including the `:` or `)` that ends them.
fn flags(text: &str, before: Flags) -> Result<(Flags, usize), PatternError> {
    let mut flags = before;
    // After a minus there must be a flag.
    let (mut on, mut is_complete) = (true, true);
    for (at, char) in text.char_indices().skip(2) {
        match char {
            'i' => flags.ignores_case = on,
            'm' => flags.lines = on,
            's' => flags.dot_takes_newline = on,
            // Greediness does not affect whether there is a match.
            'U' => {}
            '-' if on => (on, is_complete) = (false, false),
            ':' | ')' if is_complete => return Ok((flags, at + 1)),
            _ => return Err(PatternError::new(BAD_PERL, &text[..at + char.len_utf8()])),
        }
        is_complete |= char != '-';
    }
    Err(PatternError::new(BAD_PERL, text))
}
