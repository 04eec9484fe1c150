//! Expressions: operators, lists and maps. Spec, 3.2.

use super::unexpected::syntax;
use super::{Parsed, Parser};
use crate::ast::{BoolOperator, Clause, ExprId, ExprKind};
use crate::fault::{Class, Fault, Location};
use crate::lex::{Keyword, Tok};
use crate::value::{Operator, Value};
use indexmap::IndexMap;
use mclive_base::span::Span;
use std::sync::Arc;

/// Precedence levels, from loosest to tightest.
const OR: u8 = 2;
const AND: u8 = 3;
const COMPARE: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const POWER: u8 = 7;
const NOT: u8 = 8;
const IN: u8 = 9;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        self.deeper(Self::conditional)
    }

    pub(super) fn conditional(&mut self) -> Parsed<ExprId> {
        let condition = self.binary(OR)?;
        if !self.eat_sign('?') {
            return Ok(condition);
        }
        let then = self.expression()?;
        self.expect_sign(':')?;
        let otherwise = self.expression()?;
        let (at, is_precise) = self.place(condition);
        let span = self.covering(condition, otherwise);
        self.expr(ExprKind::Conditional { condition, then, otherwise }, span, at, is_precise)
    }

    pub(super) fn place(&self, expr: ExprId) -> (Span, bool) {
        let expr = &self.tree.exprs[expr];
        (expr.at, expr.is_precise)
    }

    fn covering(&self, first: ExprId, last: ExprId) -> Span {
        self.tree.exprs[first].span.to(self.tree.exprs[last].span)
    }

    /// Operators of at least this level.
    fn binary(&mut self, min: u8) -> Parsed<ExprId> {
        let mut left = self.prefix()?;
        loop {
            let at = self.span();
            let level = match self.tok() {
                Tok::Keyword(Keyword::Or) => OR,
                Tok::Keyword(Keyword::And) => AND,
                Tok::Compare(_) => COMPARE,
                Tok::Plus | Tok::Minus => SUM,
                Tok::Sign('*' | '%') | Tok::Slash => PRODUCT,
                Tok::Power => POWER,
                // `a not in b`; at the end of a `not` operand the two do not associate.
                Tok::Keyword(Keyword::Not) if min > NOT => return Ok(left),
                Tok::Keyword(Keyword::Not) if min == NOT => return Err(self.unexpected()),
                Tok::Keyword(Keyword::Not | Keyword::In) => IN,
                _ => return Ok(left),
            };
            if level < min {
                return Ok(left);
            }
            let sign = self.advance().tok;
            let negated = sign == Tok::Keyword(Keyword::Not);
            if negated {
                self.expect_keyword(Keyword::In)?;
            }
            let right = self.binary(level + 1)?;
            let kind = match sign {
                Tok::Keyword(Keyword::Or) => ExprKind::Bool(BoolOperator::Or, left, right),
                Tok::Keyword(Keyword::And) => ExprKind::Bool(BoolOperator::And, left, right),
                Tok::Compare(comparison) => ExprKind::Compare(comparison, left, right),
                Tok::Plus => ExprKind::Arithmetic(Operator::Plus, left, right),
                Tok::Minus => ExprKind::Arithmetic(Operator::Minus, left, right),
                Tok::Slash => ExprKind::Arithmetic(Operator::Divide, left, right),
                Tok::Sign('*') => ExprKind::Arithmetic(Operator::Times, left, right),
                Tok::Sign('%') => ExprKind::Arithmetic(Operator::Modulo, left, right),
                Tok::Power => ExprKind::Arithmetic(Operator::Power, left, right),
                _ => ExprKind::In(left, right),
            };
            let span = self.covering(left, right);
            left = self.expr(kind, span, at, false)?;
            if negated {
                left = self.expr(ExprKind::Not(left), span, at, false)?;
            }
        }
    }

    fn prefix(&mut self) -> Parsed<ExprId> {
        let at = self.span();
        if !self.eat_keyword(Keyword::Not) {
            return self.primary();
        }
        let operand = self.deeper(|parser| parser.binary(NOT))?;
        let span = at.to(self.tree.exprs[operand].span);
        self.expr(ExprKind::Not(operand), span, at, false)
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        if let Some(literal) = self.literal()? {
            return Ok(literal);
        }
        match self.tok() {
            Tok::Sign('(') => {
                self.at += 1;
                let inner = self.expression()?;
                self.expect_sign(')')?;
                Ok(inner)
            }
            Tok::Sign('[') => self.list_or_comprehension(),
            Tok::Sign('{') => self.map(),
            Tok::Id(_) | Tok::Cid(_) => self.name(),
            _ => Err(self.unexpected()),
        }
    }

    fn list_or_comprehension(&mut self) -> Parsed<ExprId> {
        let at = self.advance().span;
        let mut items = Vec::new();
        loop {
            if self.eat_sign(']') {
                break;
            }
            let item = self.expression()?;
            if items.is_empty() && *self.tok() == Tok::Keyword(Keyword::For) {
                return self.comprehension(item, at);
            }
            items.push(item);
            if !self.eat_sign(',') {
                self.expect_sign(']')?;
                break;
            }
        }
        let constants: Option<Vec<Value>> = items.iter().map(|item| self.tree.exprs[*item].constant.clone()).collect();
        let span = self.since(at);
        self.constant_expr(ExprKind::List(items), constants.map(Value::list), span, at, false)
    }

    fn comprehension(&mut self, value: ExprId, at: Span) -> Parsed<ExprId> {
        let mut clauses = Vec::new();
        while self.eat_keyword(Keyword::For) {
            let (var, var_span) = self.expect_id()?;
            self.expect_keyword(Keyword::In)?;
            clauses.push(Clause { var, var_span, iterable: self.expression()? });
        }
        let mut guard = None;
        while self.eat_keyword(Keyword::If) {
            let next = self.expression()?;
            guard = Some(match guard {
                None => next,
                Some(first) => {
                    let (at, _) = self.place(next);
                    let span = self.covering(first, next);
                    self.expr(ExprKind::Bool(BoolOperator::And, first, next), span, at, false)?
                }
            });
        }
        self.expect_sign(']')?;
        let span = self.since(at);
        self.expr(ExprKind::Comprehension { value, clauses, guard }, span, at, false)
    }

    pub(super) fn map(&mut self) -> Parsed<ExprId> {
        let at = self.expect_sign('{')?;
        let mut entries: Vec<(Arc<str>, ExprId)> = Vec::new();
        let mut places: IndexMap<Arc<str>, Span> = IndexMap::new();
        let mut duplicate = None;
        while !self.eat_sign('}') {
            let key_span = self.span();
            let key: Arc<str> = match self.tok() {
                Tok::RawString => self.inside(key_span, 2, 1).into(),
                Tok::String => {
                    let key = self.decode(key_span, 1, 1, "string")?;
                    if !self.references(&key)?.is_empty() {
                        let message = "String interpolation is not supported in dictionary keys. Use raw string to use a key containing double curly brackets";
                        return Err(syntax(message, key_span));
                    }
                    key.text
                }
                _ => return Err(self.unexpected()),
            };
            self.at += 1;
            self.expect_sign(':')?;
            let value = self.expression()?;
            if let Some(first) = places.insert(key.clone(), key_span) {
                duplicate.get_or_insert((key.clone(), first, key_span));
            }
            entries.push((key, value));
            if !self.eat_sign(',') {
                self.expect_sign('}')?;
                break;
            }
        }
        if let Some((key, first, second)) = duplicate {
            let mut fault =
                Fault::new(Class::Duplicate, format!("duplicate key in dict {key}")).at(Location::Column(second));
            fault.duplicate = Some((Location::Column(second), Location::Column(first)));
            return Err(fault);
        }
        let constants: Option<IndexMap<_, _, _>> =
            entries.iter().map(|(key, value)| Some((key.clone(), self.tree.exprs[*value].constant.clone()?))).collect();
        let span = self.since(at);
        let constant =
            constants.map(|constants| Value::dict(constants).map_err(|_| self.too_deep(span))).transpose()?;
        self.constant_expr(ExprKind::Dict(entries), constant, span, at, false)
    }
}
