//! Expressions. Spec, 3.2.

use super::unexpected::syntax;
use super::{Parsed, Parser};
use crate::ast::{Arg, BoolOperator, Clause, ExprId, ExprKind, Path, Style, expr_text};
use crate::fault::{Class, Failure, Fault, Place, Within};
use crate::lex::{Keyword, Tok};
use crate::value::{Operator, Value};
use indexmap::IndexMap;
use mclive_base::ident::Name;
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

    fn conditional(&mut self) -> Parsed<ExprId> {
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

    fn place(&self, expr: ExprId) -> (Span, bool) {
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
                // `a not in b`; where it ends the operand of a `not`, the two do not associate.
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
                    if !self.references(&key, key_span, 1)?.is_empty() {
                        let message = "String interpolation is not supported in dictionary keys. Use raw string to use a key containing double curly brackets";
                        return Err(syntax(message, key_span));
                    }
                    key
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
                Fault::new(Class::Duplicate, format!("duplicate key in dict {key}")).at(Place::Column(second));
            fault.duplicate = Some((Place::Column(second), Place::Column(first)));
            return Err(fault);
        }
        let constants: Option<IndexMap<_, _, _>> =
            entries.iter().map(|(key, value)| Some((key.clone(), self.tree.exprs[*value].constant.clone()?))).collect();
        let span = self.since(at);
        let constant =
            constants.map(|constants| Value::dict(constants).map_err(|_| self.too_deep(span))).transpose()?;
        self.constant_expr(ExprKind::Dict(entries), constant, span, at, false)
    }

    /// What begins with a name.
    fn name(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let mut words = Vec::new();
        loop {
            match self.tok() {
                Tok::Cid(name) => {
                    words.push(name.clone());
                    self.at += 1;
                    let class = self.path(words, start);
                    return self.of_class(class);
                }
                Tok::Id(name) => {
                    words.push(name.clone());
                    self.at += 1;
                }
                _ => return Err(self.unexpected()),
            }
            if *self.tok() != Tok::Path {
                break;
            }
            self.at += 1;
        }
        let path = self.path(words, start);
        if *self.tok() == Tok::Sign('(') {
            return self.call(path);
        }
        let (is_simple, span) = (path.namespace.is_none(), path.span);
        let mut expr = self.expr(ExprKind::Var(path), span, span, true)?;
        let mut can_be_defined = is_simple;
        loop {
            match self.tok() {
                Tok::Sign('.') => {
                    let dot = self.advance().span;
                    match self.tok() {
                        Tok::Id(name) => {
                            let name = name.clone();
                            let name_span = self.advance().span;
                            let span = self.since(start);
                            expr = self.expr(ExprKind::Attr { base: expr, name, name_span }, span, dot, false)?;
                            can_be_defined = true;
                        }
                        Tok::Cid(_) => return Err(self.dotted_class(expr)?),
                        _ => return Err(self.unexpected()),
                    }
                    if *self.tok() == Tok::Sign('(') {
                        self.arguments(true)?;
                        return Err(self.dots_for_colons(&expr_text(self.tree, expr, Style::Alone), start));
                    }
                }
                Tok::Sign('[') => match self.subscript(expr, start)? {
                    (lookup, true) => {
                        expr = lookup;
                        can_be_defined = true;
                        break;
                    }
                    (lookup, false) => return Ok(lookup),
                },
                _ => break,
            }
        }
        while *self.tok() == Tok::Sign('[') && matches!(self.tree.exprs[expr].kind, ExprKind::Lookup { .. }) {
            expr = self.map_lookup(expr)?;
        }
        if *self.tok() == Tok::Keyword(Keyword::Is) && can_be_defined {
            self.at += 1;
            self.expect_keyword(Keyword::Defined)?;
            let (at, _) = self.place(expr);
            let span = self.since(start);
            return self.expr(ExprKind::IsDefined(expr), span, at, false);
        }
        Ok(expr)
    }

    /// `a.b.C(...)`: dots where colons belong.
    fn dotted_class(&mut self, base: ExprId) -> Parsed<Failure> {
        let start = self.tree.exprs[base].span;
        let name = match &self.advance().tok {
            Tok::Cid(name) => name.clone(),
            _ => self.names.intern(""),
        };
        if *self.tok() != Tok::Sign('(') {
            return Ok(self.unexpected());
        }
        self.arguments(true)?;
        let base = expr_text(self.tree, base, Style::Alone);
        Ok(self.dots_for_colons(&format!("{base}.{name}"), start))
    }

    pub(super) fn dots_for_colons(&self, written: &str, start: Span) -> Failure {
        let meant = written.replace('.', "::");
        let message = format!(
            "Syntax error: invalid namespace access `{written}`. Namespaces should be accessed with '::' rather than '.'. The '.' separator is reserved for attribute and relation access. Did you mean: `{meant}`"
        );
        Fault::new(Class::NamespaceAccess, message).at(Place::Column(start))
    }

    /// What stands in square brackets behind a reference; is it a lookup in a dict?
    fn subscript(&mut self, base: ExprId, start: Span) -> Parsed<(ExprId, bool)> {
        let attr = match &self.tree.exprs[base].kind {
            ExprKind::Attr { base, name, name_span } => Some((*base, name.clone(), *name_span)),
            _ => None,
        };
        let is_named = matches!((self.ahead(1), self.ahead(2)), (Tok::Id(_), Tok::Sign('=')))
            || matches!(self.ahead(1), Tok::Power | Tok::Sign(']'));
        match attr {
            Some((base, relation, relation_span)) if is_named => {
                let at = self.advance().span;
                let args = self.named_args(']')?;
                let span = self.since(start);
                let kind = ExprKind::ShortLookup { base, relation, relation_span, args };
                Ok((self.expr(kind, span, at, false)?, false))
            }
            _ => Ok((self.map_lookup(base)?, true)),
        }
    }

    fn map_lookup(&mut self, dict: ExprId) -> Parsed<ExprId> {
        self.expect_sign('[')?;
        let key = self.expression()?;
        self.expect_sign(']')?;
        let span = self.since(self.tree.exprs[dict].span);
        // The smallest line of its parts.
        let at = self.tree.exprs[dict].at;
        self.expr(ExprKind::Lookup { dict, key }, span, at, false)
    }

    /// A constructor or a lookup in an index.
    fn of_class(&mut self, class: Path) -> Parsed<ExprId> {
        let at = self.span();
        match self.tok() {
            Tok::Sign('(') => {
                self.at += 1;
                let args = self.named_args(')')?;
                self.no_double_attribute(&class, &args, at)?;
                let span = self.since(class.span);
                self.expr(ExprKind::Construct { class, args }, span, at, false)
            }
            Tok::Sign('[') => {
                self.at += 1;
                let args = self.named_args(']')?;
                let span = self.since(class.span);
                self.expr(ExprKind::IndexLookup { class, args }, span, at, false)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn no_double_attribute(&self, class: &Path, args: &[Arg], at: Span) -> Parsed<()> {
        let Some((name, _)) = repeated(args) else { return Ok(()) };
        let message = format!("The attribute {name} in the constructor call of {} is already set.", class.text());
        let within = Within::Text(format!("Construct({})", class.text()));
        Err(Fault::new(Class::Runtime, message).within(within).at(Place::Line(at)))
    }

    /// Named arguments up to the closing sign, which is taken.
    fn named_args(&mut self, close: char) -> Parsed<Vec<Arg>> {
        let mut args = Vec::new();
        while !self.eat_sign(close) {
            args.push(self.named_arg()?);
            if !self.eat_sign(',') {
                self.expect_sign(close)?;
                break;
            }
        }
        Ok(args)
    }

    fn named_arg(&mut self) -> Parsed<Arg> {
        let at = self.span();
        if *self.tok() == Tok::Power {
            self.at += 1;
            return Ok(Arg::Unpacked { value: self.expression()?, at });
        }
        let (name, span) = self.expect_id()?;
        self.expect_sign('=')?;
        Ok(Arg::Named { name, span, value: self.expression()? })
    }

    fn call(&mut self, function: Path) -> Parsed<ExprId> {
        let args = self.arguments(false)?;
        if let Some((name, nr)) = repeated(&args) {
            // The original knows the first of the two only.
            let others: Vec<String> = args
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != nr)
                .map(|(_, arg)| match arg {
                    Arg::Positional(value) => expr_text(self.tree, *value, Style::Alone),
                    Arg::Named { name, value, .. } => format!("{name}={}", expr_text(self.tree, *value, Style::Alone)),
                    Arg::Unpacked { value, .. } => format!("**{}", expr_text(self.tree, *value, Style::Alone)),
                })
                .collect();
            let called = function.text();
            let within = Within::Text(format!("{called}({})", others.join(",")));
            let message = format!("Keyword argument {name} repeated in function call {called}()");
            return Err(Fault::new(Class::Runtime, message).within(within).at(Place::Column(function.span)));
        }
        let (at, span) = (function.span, self.since(function.span));
        self.expr(ExprKind::Call { function, args }, span, at, true)
    }

    /// The arguments of a call, with their brackets.
    fn arguments(&mut self, _for_a_message: bool) -> Parsed<Vec<Arg>> {
        self.expect_sign('(')?;
        let mut args = Vec::new();
        while !self.eat_sign(')') {
            let is_named =
                matches!((self.tok(), self.ahead(1)), (Tok::Id(_), Tok::Sign('='))) || *self.tok() == Tok::Power;
            args.push(if is_named { self.named_arg()? } else { Arg::Positional(self.expression()?) });
            if !self.eat_sign(',') {
                self.expect_sign(')')?;
                break;
            }
        }
        Ok(args)
    }
}

/// The first name that stands twice, and the number of the second argument.
fn repeated(args: &[Arg]) -> Option<(Name, usize)> {
    let mut seen = std::collections::BTreeSet::new();
    args.iter().enumerate().find_map(|(nr, arg)| match arg {
        Arg::Named { name, .. } if !seen.insert(name.clone()) => Some((name.clone(), nr)),
        _ => None,
    })
}
