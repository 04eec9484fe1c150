//! Where parsing continues after a syntax error, so that each mistake is reported once.
//!
//! The language has no separators between statements, so lines and their indentation guide: a statement or attribute
//! is given up until a line that begins like one, in the same column, or until the `end` of its block. Tokens that
//! remain of a broken construct (a closing bracket, an `end`) are skipped without an error. All text that was given up is
//! recorded, since it may define names ([`crate::lost`]).

use super::{Parsed, Parser};
use crate::fault::{Class, Failure};
use crate::lex::{Keyword, Tok};
use mclive_base::span::Span;

/// The maximum number of syntax errors of a file.
const MAX_FAULTS: usize = 50;
/// The maximum number of tokens that are skipped to continue in a block: each of the blocks around it may look as far.
const MAX_SKIPPED: usize = 100_000;

/// The state before a statement or attribute.
#[derive(Clone, Copy)]
pub(super) struct Outside {
    at: usize,
    nesting: u32,
    n_elifs: u32,
}

impl Parser<'_> {
    pub(super) fn outside(&self) -> Outside {
        Outside { at: self.at, nesting: self.nesting, n_elifs: self.n_elifs }
    }

    /// After an error in a definition or statement at the top level, which began at this token.
    pub(super) fn after_item(&mut self, start: usize, fault: Failure) {
        let is_rest = !self.faults.is_empty() && self.is_rest(start);
        let ends = fault.class == Class::Limit || self.faults.len() + 1 >= MAX_FAULTS;
        if !is_rest {
            self.faults.push(self.explained(start, fault));
        }
        (self.nesting, self.n_elifs) = (0, 0);
        let is_open = self.is_open_string();
        self.at = self.at.max(start + 1);
        while !matches!(self.tok(), Tok::Eof) {
            let begins = self.begins_definition() || (!is_open && self.begins_stmt());
            if !ends && self.column() == Some(0) && begins {
                break;
            }
            self.at += 1;
        }
        self.lose(start);
    }

    /// An error in what could be read whole.
    pub(super) fn tell(&mut self, fault: Failure) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        }
    }

    /// Records that the text from this token to the next one could not be read.
    fn lose(&mut self, start: usize) {
        let (from, to) = (self.tokens[start].span, self.span());
        self.lost.push(Span::new(self.file, from.start as usize, to.start as usize));
    }

    /// Recovers from an error in a statement or attribute of a block. Errors: the block is skipped as well.
    pub(super) fn after_inner(&mut self, outside: Outside, fault: Failure) -> Parsed<()> {
        let failed = self.at;
        let fault = self.explained(outside.at, fault);
        if fault.class != Class::Limit
            && let Some(next) = self.next_in_block(outside)
        {
            self.faults.push(fault);
            self.at = next;
            self.lose(outside.at);
            (self.nesting, self.n_elifs) = (outside.nesting, outside.n_elifs);
            return Ok(());
        }
        self.at = failed;
        Err(fault)
    }

    /// The token at which the block continues or ends.
    fn next_in_block(&mut self, outside: Outside) -> Option<usize> {
        let failed = self.at;
        self.at = outside.at;
        let column = self.column();
        let has_end = matches!(self.tok(), Tok::Keyword(Keyword::If | Keyword::For));
        let is_end_of_file = *self.tok() == Tok::Eof;
        self.at = failed;
        // A block that begins on the line of its head has no column.
        let column = column.filter(|column| *column > 0)?;
        if is_end_of_file || self.is_open_string() || self.faults.len() + 1 >= MAX_FAULTS {
            return None;
        }
        self.at = failed.max(outside.at + 1);
        let last = self.at.saturating_add(MAX_SKIPPED);
        while !matches!(self.tok(), Tok::Eof) && self.at < last {
            let ends = matches!(self.tok(), Tok::Keyword(Keyword::End | Keyword::Else | Keyword::Elif));
            match self.column() {
                Some(here) if here < column => return ends.then_some(self.at),
                // This `end` is that of the broken statement itself.
                Some(here) if here == column && has_end && ends => {
                    let is_last = *self.tok() == Tok::Keyword(Keyword::End);
                    self.at += 1;
                    if is_last {
                        return Some(self.at);
                    }
                }
                Some(here) if here == column && (ends || self.begins_stmt() || self.begins_attribute()) => {
                    return Some(self.at);
                }
                _ => self.at += 1,
            }
        }
        None
    }

    /// The column of the next token if it is the first of its line.
    fn column(&self) -> Option<usize> {
        let before = &self.text.as_bytes()[..self.span().start as usize];
        // Only spaces are looked at, so that a long line costs no more than others.
        let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let line = &before[..before.len() - blanks];
        line.last().is_none_or(|last| *last == b'\n').then_some(blanks)
    }

    fn begins_definition(&self) -> bool {
        matches!(
            self.tok(),
            Tok::Keyword(
                Keyword::Entity
                    | Keyword::Implementation
                    | Keyword::Implement
                    | Keyword::Typedef
                    | Keyword::Index
                    | Keyword::Import
            )
        )
    }

    /// Whether a statement or relation begins here. A bare word is not enough: it may be prose or a broken argument.
    fn begins_stmt(&self) -> bool {
        match self.tok() {
            Tok::Keyword(Keyword::If | Keyword::For) => true,
            Tok::Id(_) => matches!(self.ahead(1), Tok::Sign('=' | '.' | '(') | Tok::Add | Tok::Path),
            Tok::Cid(_) => matches!(self.ahead(1), Tok::Sign('(' | '.')),
            _ => false,
        }
    }

    /// Whether an attribute of an entity begins here: a type and a name.
    fn begins_attribute(&self) -> bool {
        matches!(
            (self.tok(), self.ahead(1)),
            (Tok::Id(_) | Tok::Keyword(Keyword::Dict), Tok::Id(_) | Tok::Sign('[' | '?') | Tok::Path)
                | (Tok::Cid(_), Tok::Sign('[' | '?'))
        )
    }

    /// Whether what begins at this token can only be the end of something that was given up before.
    fn is_rest(&self, start: usize) -> bool {
        let first = &self.tokens[start].tok;
        self.at == start
            && matches!(
                first,
                Tok::Sign(')' | ']' | '}' | ',') | Tok::Keyword(Keyword::End | Keyword::Else | Keyword::Elif)
            )
    }

    /// Whether there are opening quotes of an unterminated long string: code may have been read as text, and text as
    /// code.
    pub(super) fn has_open_string(&self) -> bool {
        self.tokens.windows(2).any(|pair| {
            let (empty, next) = (pair[0].span, pair[1].span);
            pair[0].tok == Tok::String
                && empty.end - empty.start == 2
                && empty.end == next.start
                && self.text[next.start as usize..].starts_with('"')
        })
    }

    /// Whether the error is the opening quotes of an unterminated long string: the text after them is not code.
    fn is_open_string(&self) -> bool {
        let Some(before) = self.at.checked_sub(1).map(|before| &self.tokens[before]) else { return false };
        *self.tok() == Tok::Illegal('"')
            && before.tok == Tok::String
            && before.span.end == self.span().start
            && before.span.end - before.span.start == 2
    }
}
