//! Statements. Spec, 3.1 and 7.

use super::unexpected::syntax;
use super::{MAX_ELIFS, MAX_STMTS, Parsed, Parser};
use crate::ast::{ExprId, ExprKind, Path, Stmt, StmtId, StmtKind};
use crate::lex::{Keyword, Tok};
use mclive_base::span::Span;

impl Parser<'_> {
    /// Statements up to `end`, `else` or `elif`, which is not consumed.
    pub(super) fn block(&mut self) -> Parsed<Vec<StmtId>> {
        let mut body = Vec::new();
        while !matches!(self.tok(), Tok::Keyword(Keyword::End | Keyword::Else | Keyword::Elif)) {
            let outside = self.outside();
            match self.stmt() {
                Ok(stmt) => body.push(stmt),
                Err(fault) => self.after_inner(outside, fault)?,
            }
        }
        Ok(body)
    }

    fn push(&mut self, kind: StmtKind, start: Span, at: Span) -> Parsed<StmtId> {
        if self.tree.stmts.len() >= MAX_STMTS {
            return Err(self.too_long(start));
        }
        let span = self.since(start);
        Ok(self.tree.stmts.push(Stmt { kind, span, at }))
    }

    pub(super) fn stmt(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        match self.tok() {
            Tok::Keyword(Keyword::For) => self.deeper(Self::for_stmt),
            Tok::Keyword(Keyword::If) => {
                self.at += 1;
                let kind = self.deeper(Self::branches)?;
                self.expect_keyword(Keyword::End)?;
                self.push(kind, start, start)
            }
            _ => self.assignment_or_expr(),
        }
    }

    fn for_stmt(&mut self) -> Parsed<StmtId> {
        let start = self.advance().span;
        let (var, var_span) = self.expect_id()?;
        self.expect_keyword(Keyword::In)?;
        let iterable = self.expression()?;
        self.expect_sign(':')?;
        let body = self.block()?;
        self.expect_keyword(Keyword::End)?;
        self.push(StmtKind::For { var, var_span, iterable, body }, start, start)
    }

    /// The part after `if`, without the `end`: each `elif` is an `if` in the other branch of the one before it.
    fn branches(&mut self) -> Parsed<StmtKind> {
        let (condition, then) = self.branch()?;
        let n_outside = self.n_elifs;
        let mut chain = Vec::new();
        let mut otherwise = loop {
            let word = self.span();
            if self.eat_keyword(Keyword::Elif) {
                self.n_elifs += 1;
                if self.n_elifs > MAX_ELIFS {
                    return Err(self.too_deep(word));
                }
                let (condition, then) = self.branch()?;
                chain.push((word, condition, then));
            } else if self.eat_keyword(Keyword::Else) {
                self.expect_sign(':')?;
                break self.block()?;
            } else {
                break Vec::new();
            }
        };
        self.n_elifs = n_outside;
        for (word, condition, then) in chain.into_iter().rev() {
            otherwise = vec![self.push_nested(StmtKind::If { condition, then, otherwise }, word)?];
        }
        Ok(StmtKind::If { condition, then, otherwise })
    }

    /// A condition and the part after its colon.
    fn branch(&mut self) -> Parsed<(ExprId, Vec<StmtId>)> {
        let condition = self.expression()?;
        self.expect_sign(':')?;
        Ok((condition, self.block()?))
    }

    /// A nested `if` is reported at the line of its colon.
    fn push_nested(&mut self, kind: StmtKind, word: Span) -> Parsed<StmtId> {
        // The colon is on the line where the condition ends.
        let at = match &kind {
            StmtKind::If { condition, .. } => {
                let end = self.tree.exprs[*condition].span.end as usize;
                let colon = self.text[end..].find(':').map_or(end, |colon| end + colon);
                Span::new(word.file, colon, colon + 1)
            }
            _ => word,
        };
        self.push(kind, word, at)
    }

    fn assignment_or_expr(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        let expr = self.expression()?;
        let at = self.span();
        let adds = *self.tok() == Tok::Add;
        let is_assignment = adds || *self.tok() == Tok::Sign('=');
        let (path, attr) = match &self.tree.exprs[expr].kind {
            ExprKind::Var(path) if is_assignment => (Some(path.clone()), None),
            ExprKind::Attr { base, name, name_span } if is_assignment && !self.is_bracketed(expr) => {
                (None, Some((*base, name.clone(), *name_span)))
            }
            _ => return self.push(StmtKind::Expr(expr), start, start),
        };
        if path.is_some() && self.is_bracketed(expr) {
            return self.push(StmtKind::Expr(expr), start, start);
        }
        self.at += 1;
        let value = self.expression()?;
        let kind = match (path, attr) {
            (Some(path), _) => self.assignment(path, adds, value)?,
            (None, Some((base, name, name_span))) => StmtKind::Set { base, name, name_span, adds, value },
            (None, None) => StmtKind::Expr(value),
        };
        self.push(kind, start, at)
    }

    fn assignment(&self, target: Path, adds: bool, value: ExprId) -> Parsed<StmtKind> {
        if adds {
            return Err(syntax(format!("Can not perform += on variable {}", target.text()), target.span));
        }
        self.no_dash(&target.name, target.span)?;
        Ok(StmtKind::Assign { target, value })
    }

    /// Whether the expression that ends here is in brackets, so that it is not an assignment target.
    fn is_bracketed(&self, expr: ExprId) -> bool {
        self.tokens[self.at.saturating_sub(1)].span.end != self.tree.exprs[expr].span.end
    }
}
