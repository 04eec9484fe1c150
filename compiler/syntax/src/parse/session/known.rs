//! Mistakes that are known by the text around them: what belongs to each, so that one mistake is one message.

use super::{Attempt, Session};
use crate::ast::{ExprKind, StmtKind};
use crate::diag::{Diagnostic, codes};
use crate::ident::Name;
use crate::lex::{Problem, ProblemKind, TokenKind};
use crate::parse::input::{ExpectedSet, Fail, Why};
use crate::parse::unforeseen;
use crate::span::Span;
use std::collections::BTreeSet;

/// The maximum number of tokens of the line before a mistake that are looked at.
const MOST_AHEAD: usize = 80;

impl Session<'_> {
    /// Whether the mistake at a token is known by the text around it.
    pub(in crate::parse) fn knows(&self, at: usize) -> bool {
        self.attempt.get() == Attempt::No && !self.is_exhausted() && unforeseen::recognize(self, at).is_some()
    }

    /// Fails at a token whose mistake is known by the text around it.
    pub(in crate::parse) fn unless_known(&self, at: usize) -> Result<(), nom::Err<Fail>> {
        if self.knows(at) { Err(nom::Err::Failure(Fail { at, why: Why::Unexpected })) } else { Ok(()) }
    }

    /// The token after the text that belongs to the mistake at a failure, and whether that text begins before it.
    pub(in crate::parse) fn reach(&self, fail: Fail) -> (usize, bool) {
        let tokens = &self.tokens.tokens;
        let may_be_known = fail.why == Why::Unexpected && self.attempt.get() == Attempt::No && !self.is_exhausted();
        let known = if may_be_known { unforeseen::recognize(self, fail.at) } else { None };
        let Some(known) = known else { return (fail.at, false) };
        let index = |offset: usize| tokens.partition_point(|token| (token.start as usize) < offset);
        let (first, end) = (index(known.start), index(known.end).max(fail.at));
        if let Some(close) = self.closes_around(first, fail.at, end) {
            return (close, first < fail.at);
        }
        // A block that begins in this text belongs to it.
        let closers = (first..end).filter_map(|open| self.partners.closer(open)).map(|close| close + 1);
        let end = closers.fold(end, usize::max);
        (end.min(tokens.len() - 1), first < fail.at)
    }

    /// The first token after a failure, and before `end`, that closes a bracket which was opened on its line before
    /// `first`: it is not part of the mistake.
    fn closes_around(&self, first: usize, failed: usize, end: usize) -> Option<usize> {
        let tokens = &self.tokens.tokens;
        let is_line_end = |at: &usize| matches!(tokens[*at].kind, TokenKind::Newline | TokenKind::End);
        let line_end = (failed..end).find(is_line_end).unwrap_or(end);
        let ahead = (0..first).rev().take(MOST_AHEAD).take_while(|at| !is_line_end(at));
        ahead.filter_map(|open| self.partners.closer(open)).filter(|close| (failed + 1..line_end).contains(close)).min()
    }

    /// Says nothing about the rest of a text, from the error on.
    pub(in crate::parse) fn cover(&self, start: usize, end: usize) {
        self.covered.borrow_mut().push((start, end));
    }

    /// Whether the rest of the file belongs to a mistake.
    pub(super) fn is_covered_to_the_end(&self) -> bool {
        let text = &self.source.text;
        text.ends_with(b"\n") && self.covered.borrow().iter().any(|(_, to)| *to >= text.len())
    }

    /// The character before a token that is not part of the language.
    pub(in crate::parse) fn problem_before(&self, at: usize) -> Option<&Problem> {
        let problems = &self.tokens.problems;
        let first = problems.partition_point(|problem| (problem.before_token as usize) < at);
        let mut here = problems[first..].iter().take_while(|problem| problem.before_token as usize == at);
        here.find(|problem| problem.kind == ProblemKind::Unrecognized)
    }

    /// What the lexer reports at a token.
    pub(super) fn problem_at(&self, at: usize) -> Option<&Problem> {
        let problems = &self.tokens.problems;
        let first = problems.partition_point(|problem| (problem.before_token as usize) < at);
        let here = problems.get(first).filter(|problem| problem.before_token as usize == at);
        // A string without its closing quote takes the rest of the line with it.
        let cuts =
            |problem: &&Problem| problem.kind == ProblemKind::UnclosedString && problem.before_token as usize + 1 == at;
        let before = first.checked_sub(1).map(|before| &problems[before]);
        let cut = before.filter(cuts).filter(|_| self.tokens.tokens[at].kind == TokenKind::Newline);
        here.or(cut)
    }

    /// Adds the mistakes that were left to the lexer, but are about a part in which nothing of the lexer is reported. The
    /// reference implementation stops at the first problem of such a part.
    pub(super) fn add_left(&self, skipped: &[Span], errors: &mut Vec<(usize, Diagnostic)>) {
        let mut left = self.left_to_lexer.take();
        let problems = &self.tokens.problems;
        for span in skipped {
            let mut inside = left.range_mut(span.start..span.end);
            let Some(diagnostic) = inside.find_map(|(_, diagnostic)| diagnostic.take()) else { continue };
            let first = problems.partition_point(|problem| problem.span.start < span.start);
            if let Some(problem) = problems.get(first) {
                let place = problem.reference.unwrap_or(problem.span);
                errors.push((problem.before_token as usize, diagnostic.reported_at(place)));
            }
        }
    }

    /// Adds what the lexer could not read to the errors of the grammar, unless it is part of another mistake; and drops
    /// those that are part of this one.
    pub(super) fn add_problem(&self, problem: Problem, errors: &mut Vec<(usize, Diagnostic)>) {
        let (at, offset) = (problem.before_token as usize, problem.span.start as usize);
        let reference = problem.reference.unwrap_or(problem.span);
        let start = |at: usize| self.tokens.tokens[at].start as usize;
        let cover = self.covered.borrow().iter().copied().find(|(from, to)| *from < offset && offset < *to);
        if let Some((from, _)) = cover {
            // The mistake that it belongs to begins here for the reference implementation.
            let whole = errors.iter_mut().find(|(error, _)| start(*error) >= from);
            if let Some((error, diagnostic)) = whole.filter(|(error, _)| *error > at) {
                *error = at;
                diagnostic.reference = Some(reference);
            }
            return;
        }
        let known = match problem.kind {
            ProblemKind::Unrecognized => unforeseen::at_offset(self, at, offset, ExpectedSet::default()),
            // Two quotes around nothing may begin a text of several lines.
            ProblemKind::OtherQuotes if problem.span.end - problem.span.start == 2 => {
                unforeseen::at_offset(self, at, offset, ExpectedSet::default())
            }
            ProblemKind::OtherQuotes => unforeseen::at_quotes(self, at, offset),
            ProblemKind::CarriageReturn
            | ProblemKind::UnclosedString
            | ProblemKind::IntOverflow
            | ProblemKind::FloatOverflow => None,
        };
        let Some(known) = known else {
            return errors.push((at, problem.diagnostic(&self.source.text)));
        };
        self.cover(offset, known.end);
        let is_part = |at: usize| (offset..=known.end).contains(&start(at));
        errors.retain(|(at, _)| !is_part(*at));
        // Quotes before it are part of it too.
        let is_quote = |(at, one): &(usize, Diagnostic)| {
            one.code == codes::WRONG_QUOTES && (known.start..offset).contains(&start(*at))
        };
        let first = errors.iter().find(|error| is_quote(error)).map(|(at, one)| (*at, one.judged_span()));
        errors.retain(|error| !is_quote(error));
        let (at, reference) = match first {
            Some((at, Some(span))) => (at, span),
            _ => (at, reference),
        };
        errors.push((at, known.diagnostic.reported_at(reference)));
    }

    /// Whether an unclosed string contains the closing bracket that is reported as missing.
    pub(super) fn lost_its_closer(&self, said: &Diagnostic) -> bool {
        let Some(open) = said.primary.as_ref().filter(|_| said.code == codes::UNCLOSED_BRACKET) else { return false };
        let (open, text) = (open.span.start as usize, &self.source.text);
        let strings = self.tokens.problems.iter().filter(|problem| problem.kind == ProblemKind::UnclosedString);
        let mut spans = strings.map(|problem| (problem.span.start as usize, problem.span.end as usize));
        spans.any(|(start, end)| {
            let is_on_its_line = open < start && !text[open..start].contains(&b'\n');
            is_on_its_line && text[start..end].iter().any(|byte| matches!(byte, b'}' | b']' | b')'))
        })
    }

    /// Makes the nodes around characters that are not part of the language unknown: what was read there is not what was
    /// meant, so nothing more is reported about it.
    pub(super) fn forget_unreadable(&self) {
        let is_other = |problem: &&Problem| match problem.kind {
            ProblemKind::Unrecognized => true,
            ProblemKind::OtherQuotes => {
                unforeseen::at_quotes(self, problem.before_token as usize, problem.span.start as usize).is_some()
            }
            ProblemKind::CarriageReturn
            | ProblemKind::UnclosedString
            | ProblemKind::IntOverflow
            | ProblemKind::FloatOverflow => false,
        };
        let problems = self.tokens.problems.iter().take(super::MAX_ERRORS).filter(is_other);
        let places: Vec<u32> = problems.map(|problem| problem.span.start).collect();
        if places.is_empty() {
            return;
        }
        let is_within = |span: Span| places.iter().any(|place| span.start < *place && *place < span.end);
        let mut exprs = self.exprs.borrow_mut();
        exprs.values_mut().filter(|expr| is_within(expr.span)).for_each(|expr| expr.kind = ExprKind::Error);
        let mut stmts = self.stmts.borrow_mut();
        let mut names: BTreeSet<Name> = BTreeSet::new();
        for stmt in stmts.values_mut() {
            let StmtKind::Bind { name, name_span, value, .. } = &stmt.kind else { continue };
            // `$x ??= 1`: no second definition.
            let sign =
                Span { start: name_span.end - 1, end: exprs[*value].span.start.max(name_span.end), ..*name_span };
            if is_within(sign) && names.contains(name) {
                stmt.kind = StmtKind::Error;
            } else {
                names.insert(name.clone());
            }
        }
    }
}
