//! Instruments the tree of a template, so that everything with a cost is charged.
//!
//! minijinja's tree cannot be changed in place, so it is copied: bodies of loops, macros and blocks begin by charging
//! their nodes, and operators, literals and output charge their results ([`super::operators`]). Only numbers are
//! computed before the template runs.

mod nodes;

use super::budget::NODE;
use super::objects::REST;
use super::operators::{ATTRIBUTE, CHAINED, CYCLE, ITERATED, KEPT, NEGATED, PLACES, READ, SLICE, UNPACKED};
use minijinja::Value;
use minijinja::machinery::Span;
use minijinja::machinery::ast::{self, CallArg, Expr, Spanned, Stmt};
use nodes::{
    at, binary, constant, count, entered, filter, has_attribute, has_names, is_block, made, operands, sign, variable,
    wrapped,
};

/// The instrumented tree, and the number of its nodes outside instrumented bodies.
pub(super) fn counted<'a>(tree: &Stmt<'a>) -> (Stmt<'a>, u64) {
    let mut copy = Copy { n_nodes: 0, uses: [false; 2] };
    let tree = copy.stmt(tree);
    (tree, copy.n_nodes)
}

struct Copy {
    n_nodes: u64,
    /// Whether the current macro uses `varargs` and `kwargs`.
    uses: [bool; 2],
}

/// Where a `with` keeps its values until all are computed.
const WITH: [&str; 8] = ["<with0", "<with1", "<with2", "<with3", "<with4", "<with5", "<with6", "<with7"];

impl Copy {
    fn stmt<'a>(&mut self, stmt: &Stmt<'a>) -> Stmt<'a> {
        self.n_nodes += 1;
        match stmt {
            Stmt::Template(it) => Stmt::Template(at(it, ast::Template { children: self.stmts(&it.children) })),
            Stmt::EmitExpr(it) => Stmt::EmitExpr(at(it, ast::EmitExpr { expr: self.expr(&it.expr) })),
            // As a value, it is written by the formatter, which charges it.
            Stmt::EmitRaw(it) => Stmt::EmitExpr(at(
                it,
                ast::EmitExpr { expr: constant(Value::from_safe_string(it.raw.to_owned()), it.span()) },
            )),
            Stmt::ForLoop(it) => Stmt::ForLoop(at(
                it,
                ast::ForLoop {
                    target: self.target(&it.target),
                    iter: {
                        let is_unpacked = CallArg::Pos(constant(has_names(&it.target), it.iter.span()));
                        filter(ITERATED, self.assigned(&it.target, &it.iter), vec![is_unpacked], it.iter.span())
                    },
                    filter_expr: match &it.filter_expr {
                        Some(expr) => {
                            let before = self.n_nodes;
                            let copied = self.expr(expr);
                            Some(count(copied, self.n_nodes - before + 1, it.span()))
                        }
                        None => None,
                    },
                    recursive: it.recursive,
                    body: self.body(&it.body, it.span()),
                    else_body: self.stmts(&it.else_body),
                },
            )),
            Stmt::IfCond(it) => Stmt::IfCond(at(
                it,
                ast::IfCond {
                    expr: self.expr(&it.expr),
                    true_body: self.stmts(&it.true_body),
                    false_body: self.stmts(&it.false_body),
                },
            )),
            Stmt::WithBlock(it) => {
                let mut assignments = Vec::with_capacity(2 * it.assignments.len());
                let (n, span) = (it.assignments.len(), it.span());
                // No value of a `with` sees the names of the others.
                let is_apart = (2..=WITH.len()).contains(&n);
                for (nr, (target, expr)) in it.assignments.iter().enumerate() {
                    let kept = self.assigned(target, expr);
                    let target = if is_apart { variable(WITH[nr], span) } else { self.target(target) };
                    assignments.push((target, kept));
                }
                if is_apart {
                    for (nr, (target, _)) in it.assignments.iter().enumerate() {
                        assignments.push((self.target(target), variable(WITH[nr], span)));
                    }
                }
                Stmt::WithBlock(at(it, ast::WithBlock { assignments, body: self.stmts(&it.body) }))
            }
            Stmt::Set(it) => {
                let mut expr = self.assigned(&it.target, &it.expr);
                if has_names(&it.target) {
                    expr = filter(UNPACKED, expr, Vec::new(), it.expr.span());
                }
                Stmt::Set(at(it, ast::Set { target: self.target(&it.target), expr }))
            }
            Stmt::SetBlock(it) => {
                let filter = it.filter.as_ref().map(|filter| self.assigned(&it.target, filter));
                Stmt::SetBlock(at(
                    it,
                    ast::SetBlock { target: self.target(&it.target), filter, body: self.stmts(&it.body) },
                ))
            }
            Stmt::AutoEscape(it) => Stmt::AutoEscape(at(
                it,
                ast::AutoEscape { enabled: self.expr(&it.enabled), body: self.stmts(&it.body) },
            )),
            Stmt::FilterBlock(it) => Stmt::FilterBlock(at(
                it,
                ast::FilterBlock { filter: self.expr(&it.filter), body: self.stmts(&it.body) },
            )),
            Stmt::Block(it) => Stmt::Block(at(
                it,
                ast::Block { name: it.name, required: it.required, body: self.body(&it.body, it.span()) },
            )),
            Stmt::Import(it) => {
                Stmt::Import(at(it, ast::Import { expr: self.expr(&it.expr), name: self.target(&it.name) }))
            }
            Stmt::FromImport(it) => {
                let name = |(name, alias): &(Expr<'a>, Option<Expr<'a>>)| {
                    let alias = alias.as_ref().map(|alias| self.target(alias));
                    (self.target(name), alias)
                };
                let names = it.names.iter().map(name).collect();
                Stmt::FromImport(at(it, ast::FromImport { expr: self.expr(&it.expr), names }))
            }
            Stmt::Extends(it) => Stmt::Extends(at(it, ast::Extends { name: self.expr(&it.name) })),
            Stmt::Include(it) => {
                Stmt::Include(at(it, ast::Include { name: self.expr(&it.name), ignore_missing: it.ignore_missing }))
            }
            Stmt::Macro(it) => Stmt::Macro(self.macro_decl(it, true)),
            Stmt::CallBlock(it) => {
                let call = self.call(&it.call);
                Stmt::CallBlock(at(it, ast::CallBlock { call, macro_decl: self.macro_decl(&it.macro_decl, false) }))
            }
            Stmt::Do(it) => Stmt::Do(at(it, ast::Do { call: self.call(&it.call) })),
        }
    }

    fn stmts<'a>(&mut self, stmts: &[Stmt<'a>]) -> Vec<Stmt<'a>> {
        let mut copied = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            let outside = std::mem::take(&mut self.uses);
            let copy = self.stmt(stmt);
            let uses = std::mem::replace(&mut self.uses, outside);
            copied.push(copy);
            match stmt {
                Stmt::Macro(it) => copied.push(wrapped(it, uses)),
                _ => self.uses = [outside[0] | uses[0], outside[1] | uses[1]],
            }
        }
        copied
    }

    /// Statements that run many times.
    fn body<'a>(&mut self, stmts: &[Stmt<'a>], span: Span) -> Vec<Stmt<'a>> {
        let before = self.n_nodes;
        let mut body = self.stmts(stmts);
        body.insert(0, entered(self.n_nodes - before + 1, span));
        body
    }

    /// A macro, or the body of a `call`, which has no name and takes no further arguments.
    fn macro_decl<'a>(&mut self, it: &Spanned<ast::Macro<'a>>, has_name: bool) -> Spanned<ast::Macro<'a>> {
        let mut args: Vec<Expr<'a>> = it.args.iter().map(|arg| self.target(arg)).collect();
        let span = it.span();
        // Each call binds the parameters, and computes defaults.
        let before = self.n_nodes;
        let mut defaults: Vec<Expr<'a>> = it.defaults.iter().map(|expr| self.expr(expr)).collect();
        let statements = self.stmts(&it.body);
        let mut body = vec![entered(self.n_nodes - before + args.len() as u64 + 1, span)];
        // minijinja computes defaults from the last to the first, so one cannot use a parameter before it.
        if defaults.iter().any(|expr| !matches!(expr, Expr::Const(_))) {
            let first = args.len().saturating_sub(defaults.len());
            let computed = it.args[first..].iter().zip(std::mem::take(&mut defaults));
            let set = computed.map(|(arg, expr)| {
                let test_expr = ast::Test { name: "undefined", expr: self.target(arg), args: Vec::new() };
                let set = Stmt::Set(Spanned::new(ast::Set { target: self.target(arg), expr }, span));
                let condition = ast::IfCond {
                    expr: Expr::Test(Spanned::new(test_expr, span)),
                    true_body: vec![set],
                    false_body: Vec::new(),
                };
                Stmt::IfCond(Spanned::new(condition, span))
            });
            body.extend(set);
        }
        body.extend(statements);
        if has_name {
            for (name, _) in REST.iter().zip(self.uses).filter(|(_, is_used)| *is_used) {
                args.push(variable(name, span));
                // Defaults belong to the last parameters.
                if !defaults.is_empty() {
                    defaults.push(constant((), span));
                }
            }
        }
        at(it, ast::Macro { name: it.name, args, defaults, body })
    }

    /// An assignment target: a name, an attribute of a namespace, or a list of them.
    fn target<'a>(&mut self, target: &Expr<'a>) -> Expr<'a> {
        self.n_nodes += 1;
        match target {
            Expr::Var(it) => Expr::Var(at(it, ast::Var { id: it.id })),
            Expr::List(it) => {
                let items = it.items.iter().map(|item| self.target(item)).collect();
                Expr::List(at(it, ast::List { items }))
            }
            Expr::GetAttr(it) => Expr::GetAttr(at(it, ast::GetAttr { expr: self.expr(&it.expr), name: it.name })),
            other => self.expr(other),
        }
    }

    fn assigned<'a>(&mut self, target: &Expr<'a>, value: &Expr<'a>) -> Expr<'a> {
        let value = self.expr(value);
        if has_attribute(target) { filter(KEPT, value, Vec::new(), target.span()) } else { value }
    }

    fn expr<'a>(&mut self, expr: &Expr<'a>) -> Expr<'a> {
        self.n_nodes += 1;
        let span = expr.span();
        match expr {
            Expr::Var(it) => {
                self.reads(it.id);
                for (name, is_used) in REST.iter().zip(&mut self.uses) {
                    *is_used |= *name == it.id;
                }
                Expr::Var(at(it, ast::Var { id: it.id }))
            }
            Expr::Const(it) => {
                self.reads(it.value.as_str().unwrap_or_default());
                Expr::Const(at(it, ast::Const { value: it.value.clone() }))
            }
            Expr::Slice(it) => {
                let bounds = [&it.start, &it.stop, &it.step];
                let bounds = bounds.map(|bound| match bound {
                    Some(bound) => CallArg::Pos(self.expr(bound)),
                    None => CallArg::Pos(constant((), span)),
                });
                filter(SLICE, self.expr(&it.expr), bounds.into(), span)
            }
            Expr::UnaryOp(it) => {
                let expr = self.expr(&it.expr);
                // A negative number is a constant.
                let is_number = matches!(&expr, Expr::Const(of) if of.value.is_number());
                let op = match it.op {
                    ast::UnaryOpKind::Not => ast::UnaryOpKind::Not,
                    ast::UnaryOpKind::Neg if is_number => ast::UnaryOpKind::Neg,
                    ast::UnaryOpKind::Neg => return filter(NEGATED, expr, Vec::new(), span),
                };
                Expr::UnaryOp(at(it, ast::UnaryOp { op, expr }))
            }
            Expr::BinOp(it) => {
                let (left, right) = (self.expr(&it.left), self.expr(&it.right));
                binary(it.op, left, right, span)
            }
            Expr::Compare(it) if it.ops.iter().all(|op| sign(op.op).is_some()) => {
                let mut args = Vec::with_capacity(2 * it.ops.len());
                for op in &it.ops {
                    args.push(CallArg::Pos(constant(sign(op.op).unwrap_or_default(), span)));
                    args.push(CallArg::Pos(self.expr(&op.expr)));
                }
                filter(CHAINED, self.expr(&it.expr), args, span)
            }
            Expr::Compare(it) => {
                let op = |op: &ast::CompareOp<'a>| {
                    let expr = filter(operands(op.op)[1], self.expr(&op.expr), Vec::new(), op.expr.span());
                    ast::CompareOp { op: op.op, expr }
                };
                let ops: Vec<ast::CompareOp<'a>> = it.ops.iter().map(op).collect();
                let first = it.ops.first().map_or(READ, |op| operands(op.op)[0]);
                let expr = filter(first, self.expr(&it.expr), Vec::new(), it.expr.span());
                Expr::Compare(at(it, ast::Compare { expr, ops }))
            }
            Expr::IfExpr(it) => Expr::IfExpr(at(
                it,
                ast::IfExpr {
                    test_expr: self.expr(&it.test_expr),
                    true_expr: self.expr(&it.true_expr),
                    false_expr: it.false_expr.as_ref().map(|expr| self.expr(expr)),
                },
            )),
            Expr::Filter(it) => {
                let expr = it.expr.as_ref().map(|expr| self.expr(expr));
                Expr::Filter(at(it, ast::Filter { name: it.name, expr, args: self.args(&it.args, false) }))
            }
            Expr::Test(it) => {
                let expr = self.expr(&it.expr);
                Expr::Test(at(it, ast::Test { name: it.name, expr, args: self.args(&it.args, false) }))
            }
            Expr::GetAttr(it) => {
                self.reads(it.name);
                filter(ATTRIBUTE, self.expr(&it.expr), vec![CallArg::Pos(constant(it.name, span))], span)
            }
            Expr::GetItem(it) => {
                let (expr, subscript_expr) = (self.expr(&it.expr), self.expr(&it.subscript_expr));
                // A dict lookup by name is immediate; an index into a text is counted from its start.
                let is_name = matches!(&subscript_expr, Expr::Const(key) if key.value.as_str().is_some());
                let name = if is_name { ATTRIBUTE } else { PLACES };
                filter(name, expr, vec![CallArg::Pos(subscript_expr)], span)
            }
            Expr::Call(it) => match &it.expr {
                Expr::GetAttr(method) if method.name == "cycle" && !is_block(&method.expr) => {
                    filter(CYCLE, self.expr(&method.expr), self.args(&it.args, false), span)
                }
                _ => Expr::Call(self.call(it)),
            },
            Expr::List(it) => {
                let items = self.exprs(&it.items);
                made(Expr::List(at(it, ast::List { items })), span)
            }
            Expr::Tuple(it) => {
                let items = self.exprs(&it.items);
                made(Expr::Tuple(at(it, ast::Tuple { items })), span)
            }
            Expr::Map(it) => {
                // A key is read as a whole to be placed. That of a literal is in the tree.
                let key = |key: Expr<'a>| {
                    let span = key.span();
                    if matches!(key, Expr::Const(_)) { key } else { filter(READ, key, Vec::new(), span) }
                };
                let keys = self.exprs(&it.keys).into_iter().map(key).collect();
                let values = self.exprs(&it.values);
                made(Expr::Map(at(it, ast::Map { keys, values })), span)
            }
        }
    }

    /// Reading a long name or text takes as long as many nodes.
    fn reads(&mut self, text: &str) {
        self.n_nodes += text.len() as u64 / NODE;
    }

    fn exprs<'a>(&mut self, exprs: &[Expr<'a>]) -> Vec<Expr<'a>> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn call<'a>(&mut self, it: &Spanned<ast::Call<'a>>) -> Spanned<ast::Call<'a>> {
        // `loop.changed` compares its arguments with those of the previous call.
        let compares = matches!(&it.expr, Expr::GetAttr(method) if method.name == "changed");
        // The callee is a name, a method or `self.block`, depending on its shape.
        let expr = match &it.expr {
            Expr::GetAttr(method) => {
                Expr::GetAttr(at(method, ast::GetAttr { expr: self.expr(&method.expr), name: method.name }))
            }
            other => self.expr(other),
        };
        at(it, ast::Call { expr, args: self.args(&it.args, compares) })
    }

    fn args<'a>(&mut self, args: &[CallArg<'a>], are_read: bool) -> Vec<CallArg<'a>> {
        let read = |expr: Expr<'a>| {
            let span = expr.span();
            filter(READ, expr, Vec::new(), span)
        };
        let copied = args.iter().map(|arg| match arg {
            CallArg::Pos(expr) if are_read => CallArg::Pos(read(self.expr(expr))),
            CallArg::Pos(expr) => CallArg::Pos(self.expr(expr)),
            CallArg::Kwarg(name, expr) => CallArg::Kwarg(name, self.expr(expr)),
            CallArg::PosSplat(expr) => CallArg::PosSplat(read(self.expr(expr))),
            CallArg::KwargSplat(expr) => CallArg::KwargSplat(read(self.expr(expr))),
        });
        copied.collect()
    }
}
