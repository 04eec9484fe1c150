//! State shared by one run of the parser: the arenas, the tokens expected at the furthest position, and the errors so
//! far.

mod attempt;
mod known;
mod mistake;

use super::input::{Expected, ExpectedSet, Fail, Input, Res, Why};
use super::recover::{Partners, Within};
use super::{MAX_EXPRS, MAX_HEIGHT, MAX_NESTING};
use crate::ast::{Block, Callee, Expr, ExprId, ExprKind, Stmt, StmtId, StmtKind, Tree};
use crate::diag::{Diagnostic, Diags};
use crate::ident::{Interner, Name};
use crate::index::IndexVec;
use crate::lex::{ProblemKind, Token, TokenKind, Tokens, Unclosed};
use crate::source::Source;
use crate::span::Span;
use attempt::Attempt;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// The rest of a file is skipped after this many syntax errors.
const MAX_ERRORS: usize = 50;

pub(super) struct Session<'a> {
    pub(super) tokens: &'a Tokens,
    pub(super) source: &'a Source,
    pub(super) partners: Partners,
    exprs: RefCell<IndexVec<ExprId, Expr>>,
    /// The height of each expression's tree.
    heights: RefCell<IndexVec<ExprId, u16>>,
    stmts: RefCell<IndexVec<StmtId, Stmt>>,
    names: RefCell<Interner>,
    nesting: Cell<u32>,
    attempt: Cell<Attempt>,
    /// The string that caused the parser to fail after it, because it closes at a quote meant to open another one.
    unclosed: Cell<Option<Unclosed>>,
    was_too_deep: Cell<bool>,
    /// The file has too many expressions: nothing of it is kept.
    was_too_large: Cell<bool>,
    /// Comments and other parts in another language; lexical problems inside them are not reported.
    skipped: RefCell<Vec<Span>>,
    /// Mistakes at tokens that the lexer could not read, by the start of that problem, which is reported instead; `None`:
    /// it was taken out.
    left_to_lexer: RefCell<BTreeMap<u32, Option<Diagnostic>>>,
    /// Offsets of text that belongs to a mistake that was recognized; nothing else is reported about it.
    covered: RefCell<Vec<(usize, usize)>>,
    /// Statements that a list of another language stands for, besides the one that its rule returns.
    more: RefCell<Vec<StmtId>>,
    /// The furthest token at which something else was expected, and what was expected.
    expected: Cell<(usize, ExpectedSet)>,
    /// Syntax errors with the index of their token, ascending.
    syntax: RefCell<Vec<(usize, Diagnostic)>>,
    /// Errors found when a rule was complete, in order.
    semantic: RefCell<Vec<Diagnostic>>,
    /// Number of reports, including duplicates.
    n_refused: Cell<usize>,
}

impl<'a> Session<'a> {
    pub(super) fn new(tokens: &'a Tokens, source: &'a Source) -> Session<'a> {
        let n_tokens = tokens.tokens.len();
        Session {
            tokens,
            source,
            partners: Partners::new(&tokens.tokens),
            exprs: RefCell::new(IndexVec::with_capacity(n_tokens / 4)),
            heights: RefCell::new(IndexVec::with_capacity(n_tokens / 4)),
            stmts: RefCell::new(IndexVec::with_capacity(n_tokens / 16)),
            names: RefCell::default(),
            nesting: Cell::new(0),
            attempt: Cell::new(Attempt::No),
            unclosed: Cell::new(None),
            was_too_deep: Cell::new(false),
            was_too_large: Cell::new(false),
            skipped: RefCell::default(),
            left_to_lexer: RefCell::default(),
            covered: RefCell::default(),
            more: RefCell::default(),
            expected: Cell::new((0, ExpectedSet::default())),
            syntax: RefCell::default(),
            semantic: RefCell::default(),
            n_refused: Cell::new(0),
        }
    }

    /// Whether a closing bracket follows after newlines.
    pub(super) fn closes_later(&self, at: usize, close: TokenKind) -> bool {
        let tokens = &self.tokens.tokens[at..];
        let next = tokens.iter().find(|token| token.kind != TokenKind::Newline);
        tokens[0].kind == TokenKind::Newline && next.is_some_and(|token| token.kind == close)
    }

    pub(super) fn span_of(&self, token: Token) -> Span {
        Span { file: self.tokens.file, start: token.start, end: token.end }
    }

    /// The text of a token; names, numbers and keywords are ASCII.
    pub(super) fn text(&self, token: Token) -> &'a str {
        std::str::from_utf8(self.bytes(token)).unwrap_or_default()
    }

    pub(super) fn bytes(&self, token: Token) -> &'a [u8] {
        &self.source.text[token.start as usize..token.end as usize]
    }

    pub(super) fn intern(&self, text: &str) -> Name {
        self.names.borrow_mut().intern(text)
    }

    pub(super) fn stmt(&self, kind: StmtKind, span: Span) -> StmtId {
        self.stmts.borrow_mut().push(Stmt { kind, span })
    }

    /// Adds a statement before the one that is being read.
    pub(super) fn add_before(&self, id: StmtId) {
        self.more.borrow_mut().push(id);
    }

    /// The statements to put before the one that was read.
    pub(super) fn take_before(&self) -> Vec<StmtId> {
        self.more.take()
    }

    /// A node for text that could not be read.
    pub(super) fn error_expr(&self, span: Span) -> ExprId {
        self.heights.borrow_mut().push(1);
        self.exprs.borrow_mut().push(Expr { kind: ExprKind::Error, span })
    }

    /// Adds an expression, unless its tree gets too high or there are too many. `i` is the input after it.
    pub(super) fn expr<'i>(&self, i: Input<'i>, kind: ExprKind, span: Span) -> Res<'i, ExprId> {
        let height = self.height_of(&kind);
        if u32::from(height) > MAX_HEIGHT {
            return i.too_deep();
        }
        if self.exprs.borrow().len() >= MAX_EXPRS {
            return Err(nom::Err::Failure(Fail { at: i.index(), why: Why::TooLarge }));
        }
        self.heights.borrow_mut().push(height);
        Ok((i, self.exprs.borrow_mut().push(Expr { kind, span })))
    }

    fn height_of(&self, kind: &ExprKind) -> u16 {
        let heights = self.heights.borrow();
        let of = |id: &ExprId| heights[*id];
        let below = match kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str
            | ExprKind::Var(_)
            | ExprKind::Error => 0,
            ExprKind::List(items) => items.iter().map(of).max().unwrap_or(0),
            ExprKind::Map(pairs) => pairs.iter().map(|pair| of(&pair.key).max(of(&pair.value))).max().unwrap_or(0),
            ExprKind::Struct(fields) => fields.iter().map(|field| of(&field.value)).max().unwrap_or(0),
            ExprKind::Call { callee, args, .. } => {
                let callee = match callee {
                    Callee::Named(_) | Callee::Var(_) => 0,
                    Callee::Literal(func) => of(func),
                };
                args.iter().map(of).max().unwrap_or(0).max(callee)
            }
            ExprKind::Func(func) => of(&func.body),
            ExprKind::If { cond, then, otherwise, .. } => of(cond).max(of(then)).max(of(otherwise)),
            // A chain leans to the left and is walked link by link: its length does not count as height.
            ExprKind::Binary { left, right, .. } => match self.exprs.borrow()[*left].kind {
                ExprKind::Binary { .. } => of(right).max(of(left) - 1),
                _ => of(right).max(of(left)),
            },
            ExprKind::Not { operand, .. } => of(operand),
            ExprKind::Index { base, index } => of(base).max(of(index)),
            ExprKind::Field { base, .. } => of(base),
            ExprKind::FieldOr { base, fallback, .. } => of(base).max(of(fallback)),
            ExprKind::Paren(inner) => of(inner),
        };
        below + 1
    }

    /// Calls a function with an expression.
    pub(super) fn with_expr<T>(&self, id: ExprId, look: impl FnOnce(&Expr) -> T) -> T {
        look(&self.exprs.borrow()[id])
    }

    pub(super) fn expr_span(&self, id: ExprId) -> Span {
        self.exprs.borrow()[id].span
    }

    /// Runs a rule one level deeper.
    pub(super) fn nested<'i, T>(&self, i: Input<'i>, rule: impl FnOnce(Input<'i>) -> Res<'i, T>) -> Res<'i, T> {
        let level = self.nesting.get();
        if level >= MAX_NESTING {
            return i.too_deep();
        }
        self.nesting.set(level + 1);
        let result = rule(i);
        self.nesting.set(level);
        result
    }

    /// Records what would be allowed at a token, for the message if parsing fails there.
    pub(super) fn expect(&self, index: usize, expected: Expected) {
        let (furthest, mut set) = self.expected.get();
        if index < furthest {
            return;
        }
        if index > furthest {
            set = ExpectedSet::default();
        }
        set.insert(expected);
        self.expected.set((index, set));
    }

    /// What would be allowed at a token.
    pub(super) fn expected_at(&self, index: usize) -> ExpectedSet {
        let (furthest, set) = self.expected.get();
        if furthest == index { set } else { ExpectedSet::default() }
    }

    /// Reports an unexpected token. Of several errors at one token only the first is kept, and none if the lexer
    /// already reports one there.
    pub(super) fn refuse(&self, fail: Fail) {
        if self.attempt.get() != Attempt::No {
            return self.attempt_failed(fail.at);
        }
        self.n_refused.set(self.n_refused.get() + 1);
        // One part that is too deep is enough to report; after it, an unexpected end of file adds nothing.
        let at_end = fail.at + 1 == self.tokens.tokens.len();
        let is_too_deep = fail.why == Why::TooDeep;
        if (at_end || is_too_deep) && self.was_too_deep.get() {
            return;
        }
        // What a mistake takes with it to the end of the file is not missing there.
        if at_end && self.is_covered_to_the_end() {
            return;
        }
        self.was_too_deep.set(self.was_too_deep.get() || is_too_deep);
        self.was_too_large.set(self.was_too_large.get() || fail.why == Why::TooLarge);
        if self.is_news(fail.at) && !self.has_enough() {
            self.look_for_unclosed_string(fail.at);
            let diagnostic = super::refuse::diagnostic(self, fail);
            self.syntax.borrow_mut().push((fail.at, diagnostic));
        }
    }

    /// The string that must be read again as ending on its line.
    pub(super) fn unclosed(&self) -> Option<Unclosed> {
        self.unclosed.get()
    }

    /// Whether we are between the braces of a block.
    pub(super) fn within(&self) -> Within {
        if self.nesting.get() == 0 { Within::File } else { Within::Braces }
    }

    /// Whether the name is used as a variable anywhere in the file.
    pub(super) fn has_variable(&self, name: &str) -> bool {
        let dollars = self.tokens.tokens.windows(2).filter(|pair| pair[0].kind == TokenKind::Dollar);
        let mut named = dollars.filter(|pair| self.text(pair[1]) == name);
        named.next().is_some()
    }

    /// Whether the file defines a variable of this name.
    pub(super) fn has_bind(&self, name: &str) -> bool {
        self.tokens.tokens.windows(3).any(|near| {
            let kinds = [near[0].kind, near[1].kind, near[2].kind];
            kinds == [TokenKind::Dollar, TokenKind::Ident, TokenKind::Equals] && self.text(near[1]) == name
        })
    }

    /// Whether the file imports a module whose path ends with this name.
    pub(super) fn has_import(&self, name: &str) -> bool {
        self.tokens.tokens.windows(2).any(|pair| {
            let path = self.text(pair[1]).trim_matches('"').trim_end_matches('/').trim_end_matches(".mcl");
            pair[0].kind == TokenKind::Import && path.rsplit('/').next() == Some(name)
        })
    }

    /// Whether the file defines a class of this name.
    pub(super) fn has_class(&self, name: &str) -> bool {
        let classes = self.tokens.tokens.windows(2).filter(|pair| pair[0].kind == TokenKind::Class);
        let mut named = classes.filter(|pair| self.text(pair[1]) == name);
        named.next().is_some()
    }

    /// Whether the file defines a function of this name.
    pub(super) fn has_func(&self, name: &str) -> bool {
        self.tokens.tokens.windows(2).any(|pair| pair[0].kind == TokenKind::Func && self.text(pair[1]) == name)
    }

    /// Whether the file defines a type of resources of this name, as Puppet does: `define web(…) {`.
    pub(super) fn has_define(&self, name: &str) -> bool {
        self.tokens.tokens.windows(2).any(|pair| self.text(pair[0]) == "define" && self.text(pair[1]) == name)
    }

    fn look_for_unclosed_string(&self, at: usize) {
        self.unclosed.set(self.unclosed.get().or_else(|| super::refuse::unclosed_string(self, at)));
    }

    /// Skips text in another language.
    pub(super) fn skip(&self, span: Span) {
        self.skipped.borrow_mut().push(span);
    }

    fn is_news(&self, at: usize) -> bool {
        self.problem_at(at).is_none() && self.is_ahead(at)
    }

    /// Whether a token is after all errors so far.
    fn is_ahead(&self, at: usize) -> bool {
        self.syntax.borrow().last().is_none_or(|(last, _)| *last < at)
    }

    /// Whether the error limit is reached, so that the rest of the file is ignored.
    pub(super) fn is_exhausted(&self) -> bool {
        let has_failed = matches!(self.attempt.get(), Attempt::Failed(_));
        has_failed || self.was_too_large.get() || self.unclosed.get().is_some() || self.has_enough()
    }

    /// Whether no further syntax errors are reported.
    fn has_enough(&self) -> bool {
        self.syntax.borrow().len() >= MAX_ERRORS
    }

    /// An error in a rule that was complete.
    pub(super) fn semantic(&self, diagnostic: Diagnostic) {
        self.semantic.borrow_mut().push(diagnostic);
    }

    /// The tree, and all errors in the order that counts: by token, lexical problems first; then the semantic ones, of
    /// which the existing parser reports the last.
    pub(super) fn finish(self, root: Block, diags: &mut Diags) -> Tree {
        let mut errors = self.syntax.take();
        // One carriage return stands for all: such a file has one on every line.
        let mut seen_return = false;
        // Of two adjacent ones, as in `||`, one report is enough.
        let mut last_end = None;
        let skipped = self.skipped.take();
        self.add_left(&skipped, &mut errors);
        let is_skipped = |at: u32| skipped.iter().any(|span| span.start <= at && at < span.end);
        let problems = self.tokens.problems.iter().filter(|problem| !is_skipped(problem.span.start));
        let problems = problems.filter(|problem| {
            let touches = last_end.replace(problem.span.end) == Some(problem.span.start);
            match problem.kind {
                ProblemKind::CarriageReturn => !std::mem::replace(&mut seen_return, true),
                ProblemKind::Unrecognized => !touches,
                ProblemKind::UnclosedString
                | ProblemKind::OtherQuotes
                | ProblemKind::IntOverflow
                | ProblemKind::FloatOverflow => true,
            }
        });
        problems.take(MAX_ERRORS).for_each(|problem| self.add_problem(*problem, &mut errors));
        errors.retain(|(_, said)| !self.lost_its_closer(said));
        // What the lexer cannot read is never accepted.
        if let Some(problem) = self.tokens.problems.first()
            && errors.is_empty()
            && self.semantic.borrow().is_empty()
        {
            errors.push((problem.before_token as usize, problem.diagnostic(&self.source.text)));
        }
        self.forget_unreadable();
        errors.sort_by_cached_key(|(at, _)| *at);
        errors.into_iter().for_each(|(_, diagnostic)| diags.push(diagnostic));
        self.semantic.into_inner().into_iter().rev().for_each(|diagnostic| diags.push(diagnostic));
        // Nothing read from an oversized file is meaningful for the rest.
        let is_whole = !self.was_too_large.get();
        Tree {
            file: self.tokens.file,
            exprs: if is_whole { self.exprs.into_inner() } else { IndexVec::default() },
            stmts: if is_whole { self.stmts.into_inner() } else { IndexVec::default() },
            root: if is_whole { root } else { Block { stmts: Vec::new(), span: root.span } },
            comments: self.tokens.comments.clone(),
        }
    }

    /// Whether the lexer failed to read this token's value.
    pub(super) fn is_unreadable(&self, index: usize) -> bool {
        let problems = &self.tokens.problems;
        let first = problems.partition_point(|problem| (problem.before_token as usize) < index);
        let here = problems[first..].iter().take_while(|problem| problem.before_token as usize == index);
        let mut here = here.filter(|problem| problem.has_token());
        here.next().is_some()
    }
}
