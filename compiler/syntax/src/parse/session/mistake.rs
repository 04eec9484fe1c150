//! Mistakes with their own message. Whether one is reported is decided before its message is made, by the same code
//! for all of them.

use super::{Attempt, MAX_ERRORS, Session};
use crate::diag::Diagnostic;
use crate::parse::refuse::reference;

/// How a mistake is reported.
enum Report {
    /// As the error at this token.
    AtToken(usize),
    /// The lexer reports a problem with this start instead, as far as that is reported.
    LeftToLexer(u32),
}

impl Session<'_> {
    /// Reports a mistake with a clear intention, so that parsing continues as if the correct text were there. `at` is
    /// the unexpected token, which the reference implementation reports.
    pub(in crate::parse) fn mistake(&self, at: usize, diagnostic: impl FnOnce() -> Diagnostic) {
        self.refuse_with(at, || diagnostic().reported_at(reference(self, at)));
    }

    /// Like [`refuse`](Self::refuse), with a specific message.
    pub(in crate::parse) fn refuse_with(&self, at: usize, diagnostic: impl FnOnce() -> Diagnostic) {
        if let Some(report) = self.report(at) {
            // A message may try how the text reads.
            self.add(report, diagnostic());
        }
    }

    /// Counts a mistake at a token; `None` if it is not reported.
    fn report(&self, at: usize) -> Option<Report> {
        if self.attempt.get() != Attempt::No {
            self.attempt_failed(at);
            return None;
        }
        self.n_refused.set(self.n_refused.get() + 1);
        // One list or map may have any number of them, and a message looks around for what is meant.
        if self.has_enough() {
            return None;
        }
        if self.is_news(at) {
            self.look_for_unclosed_string(at);
            return Some(Report::AtToken(at));
        }
        let problem = self.problem_at(at).filter(|_| self.is_ahead(at) && !self.has_left_enough())?;
        Some(Report::LeftToLexer(problem.span.start))
    }

    fn add(&self, report: Report, diagnostic: Diagnostic) {
        match report {
            Report::AtToken(at) => self.syntax.borrow_mut().push((at, diagnostic)),
            Report::LeftToLexer(start) => {
                self.left_to_lexer.borrow_mut().insert(start, Some(diagnostic));
            }
        }
    }

    fn has_left_enough(&self) -> bool {
        self.left_to_lexer.borrow().len() >= MAX_ERRORS
    }
}
