//! Expressions that begin with a name: references, lookups, constructors and calls. Spec, 3.2.

use super::{Parsed, Parser};
use crate::ast::{Arg, ExprId, ExprKind, Path, Style, expr_text};
use crate::fault::{Class, Failure, Fault, Location, Within};
use crate::lex::{Keyword, Tok};
use mclive_base::ident::Name;
use mclive_base::span::Span;

impl Parser<'_> {
    /// An expression that begins with a name.
    pub(super) fn name(&mut self) -> Parsed<ExprId> {
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
        Fault::new(Class::NamespaceAccess, message).at(Location::Column(start))
    }

    /// Square brackets after a reference; whether it is a lookup in a dict.
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

    /// A constructor or an index lookup.
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
        Err(Fault::new(Class::Runtime, message).within(within).at(Location::Line(at)))
    }

    /// Named arguments up to the closing sign, which is consumed.
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
            // The original knows only the first of the two.
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
            return Err(Fault::new(Class::Runtime, message).within(within).at(Location::Column(function.span)));
        }
        let (at, span) = (function.span, self.since(function.span));
        self.expr(ExprKind::Call { function, args }, span, at, true)
    }

    /// The arguments of a call, with their parentheses.
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

/// The first duplicate name, and the index of the second argument.
fn repeated(args: &[Arg]) -> Option<(Name, usize)> {
    let mut seen = std::collections::BTreeSet::new();
    args.iter().enumerate().find_map(|(nr, arg)| match arg {
        Arg::Named { name, .. } if !seen.insert(name.clone()) => Some((name.clone(), nr)),
        _ => None,
    })
}
