//! Compiles a pattern in one pass and without recursion. Functions spec, 15.5.
//!
//! In: the pattern's bytes. Out: the program, or the error. The code of each part is contiguous, and only the last part
//! can still change.

use super::class::{Class, Item};
use super::error::{NO_PAREN, NOT_UTF8, PatternError, TOO_DEEP, TOO_LARGE, UNEXPECTED_PAREN};
use super::group::{Flags, Group};
use super::program::{Assertion, Inst, Instructions, MAX_INSTRUCTIONS};
use super::{bracket, escape};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum height of a pattern's tree.
const MAX_HEIGHT: usize = 1000;

pub(super) fn parse(pattern: &[u8]) -> Result<Instructions, PatternError> {
    let Ok(pattern) = std::str::from_utf8(pattern) else {
        return Err(PatternError::new(NOT_UTF8, &String::from_utf8_lossy(pattern)));
    };
    let mut parser = Parser {
        pattern,
        rest: pattern,
        program: Instructions::default(),
        known: BTreeMap::new(),
        flags: Flags::default(),
        group: Group::default(),
        outer: Vec::new(),
        atom: None,
        last_repeat: None,
    };
    while !parser.rest.is_empty() {
        parser.step()?;
    }
    if !parser.outer.is_empty() {
        return Err(PatternError::new(NO_PAREN, pattern));
    }
    parser.end_group();
    Ok(parser.program)
}

pub(super) struct Parser<'a> {
    pub(super) pattern: &'a str,
    pub(super) rest: &'a str,
    pub(super) program: Instructions,
    /// Class numbers by text and flags, since Unicode classes are big.
    known: BTreeMap<(&'a str, bool), u32>,
    pub(super) flags: Flags,
    /// The group being parsed, and those around it.
    pub(super) group: Group,
    pub(super) outer: Vec<Group>,
    /// The operand of a repetition.
    pub(super) atom: Option<Atom>,
    /// The start of a repetition that ended just here.
    pub(super) last_repeat: Option<&'a str>,
}

/// The last part: its code extends to the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Atom {
    pub(super) start: usize,
    pub(super) measure: Measure,
}

/// The size of a part, for the limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    /// Height of its tree.
    pub(super) height: usize,
    /// The largest product of nested counts.
    pub(super) repeats: u64,
}

impl Measure {
    pub(super) const LEAF: Measure = Measure { height: 1, repeats: 1 };

    pub(super) fn join(self, other: Measure) -> Measure {
        Measure { height: self.height.max(other.height), repeats: self.repeats.max(other.repeats) }
    }
}

impl<'a> Parser<'a> {
    fn step(&mut self) -> Result<(), PatternError> {
        let last_repeat = self.last_repeat.take();
        let Some(char) = self.rest.chars().next() else { return Ok(()) };
        match char {
            '(' => return self.open(),
            ')' => return self.close(),
            '|' => {
                self.end_branch();
                self.group.begin_branch(&mut self.program.code);
            }
            '*' | '+' | '?' => return self.repeat_sign(last_repeat),
            '{' => {
                if let Some(counts) = self.counts()? {
                    return self.repeat_counts(counts, last_repeat);
                }
                self.literal('{')?;
            }
            '[' => return self.class(self.rest, |text, flags| bracket::class(text, flags.ignores_case).map(Some)),
            '.' => self.atom(if self.flags.dot_takes_newline { Inst::Any } else { Inst::AnyButNewline })?,
            '^' if self.flags.lines => self.atom(Inst::Assert(Assertion::LineStart))?,
            '^' => self.atom(Inst::Assert(Assertion::TextStart))?,
            '$' if self.flags.lines => self.atom(Inst::Assert(Assertion::LineEnd))?,
            '$' => self.atom(Inst::Assert(Assertion::TextEnd))?,
            '\\' => return self.escape(),
            char => self.literal(char)?,
        }
        self.rest = &self.rest[char.len_utf8()..];
        Ok(())
    }

    /// A literal character, possibly with its other cases.
    fn literal(&mut self, char: impl Into<u32>) -> Result<(), PatternError> {
        let char = char.into();
        self.atom(if self.flags.ignores_case { Inst::AnyCase(char) } else { Inst::Char(char) })
    }

    fn escape(&mut self) -> Result<(), PatternError> {
        let assertion = match self.rest.as_bytes().get(1) {
            Some(b'A') => Some(Assertion::TextStart),
            Some(b'z') => Some(Assertion::TextEnd),
            Some(b'b') => Some(Assertion::WordBoundary),
            Some(b'B') => Some(Assertion::NoWordBoundary),
            Some(b'Q') => {
                let quoted = &self.rest[2..];
                let (quoted, behind) = quoted.split_once("\\E").unwrap_or((quoted, ""));
                for char in quoted.chars() {
                    self.literal(char)?;
                }
                self.rest = behind;
                return Ok(());
            }
            _ => None,
        };
        if let Some(assertion) = assertion {
            self.atom(Inst::Assert(assertion))?;
            self.rest = &self.rest[2..];
            return Ok(());
        }
        let before = self.rest;
        self.class(before, |text, flags| {
            let class = |item: Item| Class { items: vec![item], is_negated: false, ignores_case: flags.ignores_case };
            Ok(escape::class(text)?.map(|(item, behind)| (class(item), behind)))
        })?;
        if self.rest.len() == before.len() {
            let (char, behind) = escape::character(before)?;
            self.literal(char)?;
            self.rest = behind;
        }
        Ok(())
    }

    /// A class, if `read` finds one at the start of the text.
    fn class(
        &mut self,
        text: &'a str,
        read: impl Fn(&'a str, Flags) -> Result<Option<(Class, &'a str)>, PatternError>,
    ) -> Result<(), PatternError> {
        let Some((class, behind)) = read(text, self.flags)? else { return Ok(()) };
        let key = (&text[..text.len() - behind.len()], self.flags.ignores_case);
        let classes = &mut self.program.classes;
        let number = *self.known.entry(key).or_insert_with(|| {
            classes.push(Arc::new(class));
            classes.len() as u32 - 1
        });
        self.atom(Inst::Class(number))?;
        self.rest = behind;
        Ok(())
    }

    fn atom(&mut self, inst: Inst) -> Result<(), PatternError> {
        self.begin_atom(self.program.code.len(), Measure::LEAF)?;
        self.program.code.push(inst);
        self.check_size(0)
    }

    /// Starts another part of the branch after the previous atom.
    pub(super) fn begin_atom(&mut self, start: usize, measure: Measure) -> Result<(), PatternError> {
        self.end_atom();
        if measure.height > MAX_HEIGHT {
            return Err(PatternError::new(TOO_DEEP, self.pattern));
        }
        self.atom = Some(Atom { start, measure });
        Ok(())
    }

    pub(super) fn end_atom(&mut self) {
        if let Some(atom) = self.atom.take() {
            self.group.add_part(atom.measure);
        }
    }

    /// Checks that this many more instructions are allowed.
    pub(super) fn check_size(&self, n_more: usize) -> Result<(), PatternError> {
        if self.program.code.len().saturating_add(n_more) > MAX_INSTRUCTIONS {
            return Err(PatternError::new(TOO_LARGE, self.pattern));
        }
        Ok(())
    }

    fn end_branch(&mut self) {
        self.end_atom();
        self.group.end_branch();
    }

    /// Ends the last branch and makes all others jump past it.
    fn end_group(&mut self) -> Measure {
        self.end_branch();
        self.group.end(&mut self.program.code)
    }

    fn close(&mut self) -> Result<(), PatternError> {
        let Some(outer) = self.outer.pop() else {
            return Err(PatternError::new(UNEXPECTED_PAREN, self.pattern));
        };
        let mut measure = self.end_group();
        let group = std::mem::replace(&mut self.group, outer);
        measure.height += usize::from(group.captures);
        self.flags = group.flags_outside;
        self.rest = &self.rest[1..];
        self.begin_atom(group.start, measure)
    }
}
