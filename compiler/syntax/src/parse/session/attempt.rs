//! Speculative parsing and undoing it.

use super::Session;
use crate::lex::Unclosed;
use crate::parse::input::{ExpectedSet, Input, Res, Why};

/// A state of the parser; everything made and reported since can be undone.
pub(in crate::parse) struct Mark {
    n_exprs: usize,
    n_stmts: usize,
    n_semantic: usize,
    n_syntax: usize,
    n_skipped: usize,
    n_covered: usize,
    n_refused: usize,
    expected: (usize, ExpectedSet),
    unclosed: Option<Unclosed>,
    was_too_deep: bool,
    was_too_large: bool,
}

/// A rule is only tried, to find where it fails.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    No,
    Sound,
    Failed(usize),
}

impl<'a> Session<'a> {
    pub(in crate::parse) fn mark(&self) -> Mark {
        Mark {
            n_exprs: self.exprs.borrow().len(),
            n_stmts: self.stmts.borrow().len(),
            n_semantic: self.semantic.borrow().len(),
            n_syntax: self.syntax.borrow().len(),
            n_skipped: self.skipped.borrow().len(),
            n_covered: self.covered.borrow().len(),
            n_refused: self.n_refused.get(),
            expected: self.expected.get(),
            unclosed: self.unclosed.get(),
            was_too_deep: self.was_too_deep.get(),
            was_too_large: self.was_too_large.get(),
        }
    }

    /// Undoes everything since the mark.
    pub(in crate::parse) fn back_to(&self, mark: &Mark) {
        self.exprs.borrow_mut().truncate(mark.n_exprs);
        self.heights.borrow_mut().truncate(mark.n_exprs);
        self.stmts.borrow_mut().truncate(mark.n_stmts);
        self.semantic.borrow_mut().truncate(mark.n_semantic);
        self.syntax.borrow_mut().truncate(mark.n_syntax);
        self.skipped.borrow_mut().truncate(mark.n_skipped);
        self.covered.borrow_mut().truncate(mark.n_covered);
        self.n_refused.set(mark.n_refused);
        self.expected.set(mark.expected);
        self.unclosed.set(mark.unclosed);
        self.was_too_deep.set(mark.was_too_deep);
        self.was_too_large.set(mark.was_too_large);
    }

    /// Whether anything was reported since the mark.
    pub(in crate::parse) fn has_refused_since(&self, mark: &Mark) -> bool {
        self.n_refused.get() > mark.n_refused
    }

    /// The token at which a rule first fails; the attempt leaves no trace. `None` if the rule succeeds, and inside
    /// another attempt, so that attempts do not multiply.
    pub(in crate::parse) fn first_failure<T>(
        &self,
        i: Input<'a>,
        rule: impl FnOnce(Input<'a>) -> Res<'a, T>,
    ) -> Option<usize> {
        if self.attempt.get() != Attempt::No {
            return None;
        }
        let mark = self.mark();
        self.attempt.set(Attempt::Sound);
        let result = rule(i);
        let attempt = self.attempt.replace(Attempt::No);
        self.back_to(&mark);
        match (attempt, result) {
            (Attempt::Failed(at), _) => Some(at),
            (_, Err(nom::Err::Error(fail) | nom::Err::Failure(fail))) => {
                (fail.why == Why::Unexpected).then_some(fail.at)
            }
            (_, Ok(_) | Err(nom::Err::Incomplete(_))) => None,
        }
    }

    pub(in crate::parse) fn is_attempt(&self) -> bool {
        self.attempt.get() != Attempt::No
    }

    pub(super) fn attempt_failed(&self, at: usize) {
        let first = match self.attempt.get() {
            Attempt::Failed(first) => first.min(at),
            Attempt::No | Attempt::Sound => at,
        };
        self.attempt.set(Attempt::Failed(first));
    }
}
