//! Expressions: resolves every name, without recursion.
//!
//! A node is made before its expression is visited, so a finished child needs no reference to its parent. The stack of
//! tasks is processed depth first, in the order in which the language looks for errors (language spec, 6.4).

use super::env::{Env, EnvId, Found, Names, Space, Var};
use super::errors;
use super::files::File;
use super::library;
use super::linked::{Call, Callee, DefId, Func, NodeId, NodeKind, ParamRole};
use super::linker::Linker;
use super::state::Task;
use crate::hir::{self, ExprId, ExprKind};
use crate::ident::Name;
use crate::span::Span;
use crate::value::Value;

impl<'a> Linker<'a, '_> {
    /// A node for an expression, to be linked when the tasks run; they run last in, first out.
    pub(super) fn later(&mut self, file: &'a File, expr: ExprId, env: EnvId) -> NodeId {
        let source = &file.module.exprs[expr];
        let node = self.out.blank(source.span, source.known.clone());
        self.tasks.push(Task::Expr { file, expr, env, node });
        node
    }

    /// Nodes for several expressions, to be linked in order.
    pub(super) fn all_later(
        &mut self,
        file: &'a File,
        exprs: impl IntoIterator<Item = ExprId>,
        env: EnvId,
    ) -> Vec<NodeId> {
        let from = self.tasks.place();
        let nodes = exprs.into_iter().map(|expr| self.later(file, expr, env)).collect();
        self.tasks.in_order_from(from);
        nodes
    }

    /// Runs all tasks.
    pub(super) fn run(&mut self) {
        while let Some(task) = self.tasks.pop() {
            if self.check_budget() {
                return;
            }
            match task {
                Task::Expr { file, expr, env, node } => self.link_expr(file, expr, env, node),
                Task::Callee { file, expr, env, node, args } => self.link_callee(file, expr, env, node, args),
            }
        }
    }

    fn link_expr(&mut self, file: &'a File, expr: ExprId, env: EnvId, node: NodeId) {
        let source = &file.module.exprs[expr];
        let kind = match &source.kind {
            ExprKind::Bool(value) => NodeKind::Const(Value::from(*value)),
            ExprKind::Int(value) => NodeKind::Const(Value::from(*value)),
            ExprKind::Float(value) => NodeKind::Const(Value::from(*value)),
            ExprKind::Str(bytes) => NodeKind::Const(Value::Str(bytes.clone())),
            ExprKind::List(items) => NodeKind::List(self.all_later(file, items.iter().copied(), env)),
            ExprKind::Map(pairs) => {
                let nodes = self.all_later(file, pairs.iter().flat_map(|(key, value)| [*key, *value]), env);
                NodeKind::Map(nodes.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
            }
            ExprKind::Struct(fields) => {
                let nodes = self.all_later(file, fields.iter().map(|(_, value)| *value), env);
                NodeKind::Struct(fields.iter().map(|(name, _)| name.clone()).zip(nodes).collect())
            }
            ExprKind::Var(name) => {
                let found = self.find(env, Space::Var, name);
                match self.variable(found, env, name, source.span) {
                    Some(kind) => kind,
                    // The init stage has refused such a name.
                    None if name.contains("__") => NodeKind::Error,
                    None => self.missing(errors::variable, env, Space::Var, name, source.span),
                }
            }
            ExprKind::Call(call) => {
                let from = self.tasks.place();
                let args = call.args.iter().map(|arg| self.later(file, *arg, env)).collect();
                // The callee comes last, so it is pushed first.
                self.tasks.push(Task::Callee { file, expr, env, node, args });
                self.tasks.in_order_from(from);
                return;
            }
            ExprKind::Func(func) => {
                let func = self.link_func(file, func, env, node, None, source.span);
                NodeKind::Func(func)
            }
            ExprKind::If { cond, then, otherwise } => {
                let nodes = self.all_later(file, [*then, *otherwise, *cond], env);
                NodeKind::If { cond: nodes[2], then: nodes[0], otherwise: nodes[1] }
            }
            ExprKind::Except { main, fallback } => {
                let nodes = self.all_later(file, [*main, *fallback], env);
                NodeKind::Except { main: nodes[0], fallback: nodes[1] }
            }
            ExprKind::Error => NodeKind::Error,
        };
        self.out.set(node, kind);
    }

    /// A function at a node, with its own parameters.
    fn link_func(
        &mut self,
        file: &'a File,
        func: &'a hir::Func,
        env: EnvId,
        node: NodeId,
        name: Option<&Name>,
        definition: Span,
    ) -> Func {
        let params: Vec<_> = func.params.iter().map(|param| self.out.add_param(param, ParamRole::Func(node))).collect();
        let names =
            func.params.iter().zip(&params).map(|(param, id)| (param.name.clone(), param.span, Var::Param(*id)));
        let Env { site, iterated, first, .. } = self.scopes[env];
        let inner = if params.is_empty() {
            env
        } else {
            self.add_env(Env { parent: Some(env), site, iterated, first, names: Names::Few(names.collect()) })
        };
        let body = self.later(file, func.body, inner);
        let iterated = name.and(iterated);
        Func { params, ret: func.ret.clone(), body, name: name.cloned(), definition, iterated }
    }

    /// A use of a variable; `None` if there is no such variable.
    fn variable(&mut self, found: Found, env: EnvId, name: &Name, span: Span) -> Option<NodeKind> {
        Some(match found {
            Found::Var(var, definition) => {
                self.record_use(env, name, span, definition);
                match var {
                    Var::Def(def) => NodeKind::Def(def),
                    Var::Param(param) => NodeKind::Param(param),
                }
            }
            Found::Bind(owner, at) => {
                let (def, definition) = self.bind(owner, at)?;
                self.record_use(env, name, span, definition);
                NodeKind::Def(def)
            }
            Found::Literal { value, is_hostname } => {
                self.record_alias(env, span);
                if is_hostname {
                    self.out.add_hostname(span);
                }
                NodeKind::Const(value)
            }
            Found::Constant(owner, name, value) => {
                self.record_alias(env, span);
                NodeKind::Def(self.out.constant(owner, &name, value, span))
            }
            Found::Broken => NodeKind::Error,
            Found::Missing | Found::Func(..) | Found::Builtin(_) | Found::Class(..) => return None,
        })
    }

    /// The shared definition of a bind, made at its first use.
    pub(super) fn bind(&mut self, owner: EnvId, at: usize) -> Option<(DefId, Span)> {
        let file = self.file_of(owner);
        let block = self.scopes.block(owner)?;
        let entry = &block.binds[at];
        let bind = entry.bind;
        let def = match entry.def {
            Some(def) => def,
            None => {
                let def = self.define(&bind.name, bind.name_span, bind.value, file, owner);
                if let Some(block) = self.scopes.block_mut(owner) {
                    block.binds[at].def = Some(def);
                }
                def
            }
        };
        Some((def, bind.name_span))
    }

    fn link_callee(&mut self, file: &'a File, expr: ExprId, env: EnvId, node: NodeId, args: Vec<NodeId>) {
        let source = &file.module.exprs[expr];
        let ExprKind::Call(call) = &source.kind else { return };
        let span = call.callee_span;
        let (name, callee) = match &call.callee {
            hir::Callee::Hidden(name) => (Name::from(*name), library::function("", name).map(Callee::Builtin)),
            hir::Callee::Named(name) => {
                let callee = match self.find(env, Space::Func, name) {
                    Found::Builtin(def) => {
                        self.record_alias(env, span);
                        Some(Callee::Builtin(def))
                    }
                    Found::Func(owner, short) => {
                        self.func_copy(owner, &short, env, source.span, span).map(Callee::Statement)
                    }
                    Found::Missing => {
                        self.missing(errors::function, env, Space::Func, name, span);
                        None
                    }
                    _ => None,
                };
                (name.clone(), callee)
            }
            hir::Callee::Var(name) => {
                let found = self.find(env, Space::Var, name);
                let callee = match self.variable(found, env, name, span) {
                    Some(NodeKind::Error) => None,
                    Some(kind) => {
                        let value = self.out.blank(span, None);
                        self.out.set(value, kind);
                        Some(Callee::Value(value))
                    }
                    None => {
                        self.missing(errors::lambda, env, Space::Var, name, span);
                        None
                    }
                };
                (name.clone(), callee)
            }
            hir::Callee::Func(func) => {
                // Its body would otherwise be visited before the name of an outer call.
                let value = self.later(file, *func, env);
                (Name::from(""), Some(Callee::Literal(value)))
            }
        };
        let dir = self.sites[self.scopes[env].site].dir;
        let kind = match callee {
            Some(callee) => NodeKind::Call(Call { callee, args, name, callee_span: span, dir }),
            None => NodeKind::Error,
        };
        self.out.set(node, kind);
    }

    /// The function of a `func` statement for one call.
    fn func_copy(&mut self, owner: EnvId, name: &Name, env: EnvId, call: Span, used: Span) -> Option<NodeId> {
        let iterated = self.scopes[owner].iterated.is_some();
        let block = self.scopes.block_mut(owner)?;
        let entry = block.funcs.get_mut(name)?;
        let definition = entry.name_span;
        entry.looked_at = true;
        let (spare, shared) = (entry.spare.take(), entry.shared);
        self.record_use(env, name, used, definition);
        if let Some(node) = shared {
            // It keeps the place of the first call.
            self.accidents.share_calls();
            return Some(node);
        }
        let node = match spare {
            Some(node) => node,
            None => self.make_func(owner, name)?,
        };
        if iterated && let Some(block) = self.scopes.block_mut(owner) {
            block.funcs.get_mut(name)?.shared = Some(node);
        }
        self.out.set_span(node, call);
        Some(node)
    }

    /// Another copy of the function of a `func` statement.
    pub(super) fn make_func(&mut self, owner: EnvId, name: &Name) -> Option<NodeId> {
        let file = self.file_of(owner);
        let block = self.scopes.block(owner)?;
        let expr = block.funcs.get(name)?.func;
        let source = &file.module.exprs[expr];
        let ExprKind::Func(func) = &source.kind else { return None };
        let node = self.out.blank(source.span, source.known.clone());
        let func = self.link_func(file, func, owner, node, Some(name), source.span);
        self.out.set(node, NodeKind::Func(func));
        Some(node)
    }

    fn missing(&mut self, say: errors::Missing, env: EnvId, space: Space, name: &Name, span: Span) -> NodeKind {
        let diagnostic = say(name, span);
        let diagnostic = self.suggest(diagnostic, env, space, name, span);
        self.report(diagnostic);
        NodeKind::Error
    }
}
