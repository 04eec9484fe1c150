//! Collects the constraints of expressions. Language spec, 9.4 and 9.7.

use super::blame::callee_name;
use super::collect::Collector;
use super::constraint::{About, Constraint};
use super::convert::MAX_PARTS;
use super::format;
use super::mismatch;
use super::table::{Table, Ty, TyId};
use crate::corelib::def::OUTER_VARS;
use crate::corelib::{CallSite, FnDef, KnownArg, Sig};
use crate::gather;
use crate::ident::Name;
use crate::scope::linked::*;
use crate::span::Span;
use rustc_hash::FxHashMap;

/// Maximum depth to which definitions inside loops may be revisited within each other.
const MAX_REVISIT_DEPTH: usize = 100;

impl<'a> Collector<'a, '_> {
    /// Appends the constraints of an expression and returns its type.
    ///
    /// Chains of operators are as long as a line: they are walked down the left operands and back, in the order in
    /// which recursion would visit them.
    pub(super) fn expr(&mut self, id: NodeId) -> TyId {
        let linked = self.linked;
        let mut links = Vec::new();
        let mut at = id;
        loop {
            at = match &linked.nodes[at].kind {
                NodeKind::Call(call) if call.args.len() == 3 && is_operator(call) => {
                    let op = self.operand(call.args[0]);
                    links.push(Link::Operator { id: at, call, op });
                    call.args[1]
                }
                NodeKind::Except { main, fallback } => {
                    let ty = self.table.fresh();
                    links.push(Link::Except { id: at, main: *main, fallback: *fallback, ty });
                    *main
                }
                _ => break,
            };
        }
        let mut ty = self.operand(at);
        while let Some(link) = links.pop() {
            ty = self.link(link, ty);
        }
        ty
    }

    /// An operator, given the type of its left operand.
    fn link(&mut self, link: Link<'a>, left: TyId) -> TyId {
        let linked = self.linked;
        match link {
            Link::Operator { id, call, op } => {
                let right = self.expr(call.args[2]);
                let known = self.known(id);
                self.call(id, call, vec![op, left, right], known)
            }
            Link::Except { id, main, fallback, ty } => {
                self.equal(ty, left, linked.nodes[main].span, About::Nothing);
                self.check(fallback, ty);
                let known = self.known(id);
                self.typed(id, ty, known)
            }
        }
    }

    /// The type that a node has before inference.
    fn known(&mut self, id: NodeId) -> Option<TyId> {
        self.linked.nodes[id].known.as_ref().map(|ty| self.table.closed(ty))
    }

    /// An expression that is not an infix operator.
    fn operand(&mut self, id: NodeId) -> TyId {
        let linked = self.linked;
        let node = &linked.nodes[id];
        let known = self.known(id);
        match &node.kind {
            // `expr` splits it.
            NodeKind::Except { .. } => self.expr(id),
            NodeKind::Error => Table::ERROR,
            NodeKind::Const(value) => {
                let ty = value.type_of().map(|ty| self.table.closed(&ty)).unwrap_or(Table::ERROR);
                self.typed(id, ty, Some(ty))
            }
            NodeKind::List(items) => {
                let element = self.table.fresh();
                for item in items {
                    let got = self.expr(*item);
                    let about = About::Element { element: *item, list: id };
                    self.equal(element, got, self.linked.nodes[*item].span, about);
                }
                let ty = self.table.list(element);
                self.typed(id, ty, known)
            }
            NodeKind::Map(pairs) => {
                let (key, value) = (self.table.fresh(), self.table.fresh());
                for (k, v) in pairs {
                    self.check(*k, key);
                    let got = self.expr(*v);
                    self.equal(value, got, self.linked.nodes[*v].span, About::Value(*v));
                }
                let ty = self.table.add(Ty::Map(key, value));
                self.typed(id, ty, known)
            }
            NodeKind::Struct(fields) if fields.len() >= MAX_PARTS => {
                self.wrong(mismatch::too_deep(node.span));
                Table::ERROR
            }
            NodeKind::Struct(fields) => {
                let mut types = Vec::with_capacity(fields.len());
                for (name, value) in fields {
                    let ty = self.table.fresh();
                    self.check(*value, ty);
                    types.push((name.clone(), ty));
                }
                let ty = self.table.add(Ty::Struct(types.into()));
                self.typed(id, ty, known)
            }
            NodeKind::Def(def) => {
                // A known type is ignored here: a contradiction is found when types are stored.
                let ty = self.definition(*def);
                self.typed(id, ty, None)
            }
            NodeKind::Param(param) => {
                let ty = self.statics.param(self.linked, &mut self.table, *param);
                self.typed(id, ty, None)
            }
            NodeKind::If { cond, then, otherwise } => {
                self.check(*cond, Table::BOOL);
                let branch = self.table.fresh();
                self.check(*then, branch);
                let got = self.expr(*otherwise);
                // Where the branches differ, the whole has no type, so that its place reports nothing further.
                let whole = self.table.fresh();
                let place = |node: NodeId| linked.nodes[node].span;
                self.equal(branch, got, place(*otherwise), About::Branch { choice: id, whole });
                self.equal(whole, branch, place(*then), About::Nothing);
                self.typed(id, whole, known)
            }
            NodeKind::Func(func) => self.func(id, func, known),
            NodeKind::Call(call) => {
                let args = call.args.iter().map(|arg| self.expr(*arg)).collect();
                self.call(id, call, args, known)
            }
        }
    }

    /// Gives the node this type, and checks the previously known one.
    fn typed(&mut self, id: NodeId, ty: TyId, known: Option<TyId>) -> TyId {
        self.equal(ty, known.unwrap_or(ty), self.linked.nodes[id].span, About::Node(id));
        ty
    }

    fn check(&mut self, id: NodeId, want: TyId) {
        let got = self.expr(id);
        self.equal(want, got, self.linked.nodes[id].span, About::Nothing);
    }

    /// The type of a shared definition. A definition inside a loop is inferred again at each use.
    fn definition(&mut self, id: DefId) -> TyId {
        let def = &self.linked.defs[id];
        let again = def.iterated.is_some() && self.revisits > 0 && self.revisit_depth < MAX_REVISIT_DEPTH;
        match &self.defs[id] {
            Some(_) if again => {
                self.revisits -= 1;
                self.revisit_depth += 1;
                let ty = self.expr(def.value);
                self.revisit_depth -= 1;
                ty
            }
            Some(chunk) => {
                self.entries.push(Constraint::Def(id));
                chunk.ty
            }
            // Only a definition that uses itself gets here; that was reported already.
            None => Table::ERROR,
        }
    }

    fn func(&mut self, id: NodeId, func: &'a Func, known: Option<TyId>) -> TyId {
        let linked = self.linked;
        let mut params: Vec<(Name, TyId)> = Vec::with_capacity(func.params.len());
        for param in &func.params {
            let declared = &linked.params[*param];
            let ty = match &declared.ty {
                Some(ty) if ty.has_variant() => {
                    self.wrong(mismatch::variant_param(&declared.name, declared.span));
                    Table::ERROR
                }
                _ => self.statics.param(self.linked, &mut self.table, *param),
            };
            self.equal(ty, ty, declared.span, About::Param(*param));
            params.push((declared.name.clone(), ty));
        }
        // Of parameters with equal names the last one counts, for all of them (6.3).
        let last = gather::map(params.iter().cloned());
        if last.len() < params.len() {
            params.iter_mut().for_each(|(name, ty)| *ty = last[name]);
        }
        let ret = match &func.ret {
            Some(declared) => self.table.closed(declared),
            None => self.table.fresh(),
        };
        self.check(func.body, ret);
        let ty = self.table.func(params, ret);
        self.typed(id, ty, known)
    }

    fn call(&mut self, id: NodeId, call: &'a Call, args: Vec<TyId>, known: Option<TyId>) -> TyId {
        let linked = self.linked;
        let span = linked.nodes[id].span;
        let ret = self.table.fresh();
        self.typed(id, ret, known);
        let params = args.into_iter().enumerate().map(|(at, ty)| (arg_name(at), ty)).collect();
        let wanted = self.table.func(params, ret);
        match call.callee {
            Callee::Builtin(def) => {
                let signature = self.signature(def, call, span);
                self.calls.insert(id, signature);
                self.equal(wanted, signature, span, About::Call(id));
            }
            Callee::Statement(func) => {
                let NodeKind::Func(target) = &linked.nodes[func].kind else { return ret };
                let blame = if target.iterated.is_some() { linked.nodes[func].span } else { span };
                match self.funcs.get(&func) {
                    Some(chunk) => {
                        let ty = chunk.ty;
                        self.entries.push(Constraint::Func(func));
                        self.called(id, ty, wanted, blame);
                    }
                    None => self.callee(id, func, wanted, blame),
                }
            }
            Callee::Literal(func) => self.callee(id, func, wanted, linked.nodes[func].span),
            Callee::Value(node) => {
                let blame = match linked.nodes[node].kind {
                    NodeKind::Def(def) => linked.nodes[linked.defs[def].value].span,
                    NodeKind::Param(param) => linked.params[param].span,
                    _ => span,
                };
                self.callee(id, node, wanted, blame);
            }
        }
        ret
    }

    fn callee(&mut self, call: NodeId, node: NodeId, wanted: TyId, blame: Span) {
        let ty = self.expr(node);
        self.called(call, ty, wanted, blame);
    }

    fn called(&mut self, call: NodeId, ty: TyId, wanted: TyId, blame: Span) {
        self.calls.insert(call, ty);
        self.equal(wanted, ty, blame, About::Call(call));
    }

    /// The signature of a builtin for one call: declared, or inferred from static information.
    fn signature(&mut self, def: &'static FnDef, call: &'a Call, span: Span) -> TyId {
        match &def.sig {
            Sig::Fixed(text) | Sig::OneOf { sig: text, .. } => {
                let signature = self.table.signature(text);
                let Ty::Func(func) = self.table.get(signature) else { return Table::ERROR };
                let takes = func.params.len();
                if call.args.len() > takes {
                    let error = mismatch::too_many_args(&call.name, takes, call.args.len(), self.called_as(call), span);
                    self.wrong(error);
                    return Table::ERROR;
                }
                signature
            }
            Sig::Inferred { infer, .. } => {
                let Some(args) = self.known_args(call) else { return Table::ERROR };
                match infer(&CallSite { args: &args, name: &call.name }) {
                    // Its own variables become fresh, those of the arguments keep their identity.
                    Ok(ty) => self.table.import(&ty, &mut FxHashMap::default()),
                    Err(reason) => {
                        let places: Vec<Span> = call.args.iter().map(|arg| self.linked.nodes[*arg].span).collect();
                        let first = args.first().and_then(|first| first.value.as_ref()?.as_text());
                        let name = shown_name(def, call);
                        let error = format::inference_failed(name, &reason, span, &places, first.as_deref());
                        self.wrong(error);
                        Table::ERROR
                    }
                }
            }
        }
    }

    /// The static information about each argument; `None` if an argument contradicts itself (9.3).
    fn known_args(&mut self, call: &'a Call) -> Option<Vec<KnownArg>> {
        let mut args = Vec::with_capacity(call.args.len());
        for (at, arg) in call.args.iter().enumerate() {
            let known = self.statics.ty(self.linked, &mut self.table, *arg);
            let value = self.statics.value(self.linked, &mut self.table, *arg);
            let ty = known.map(|ty| self.table.export(ty, OUTER_VARS));
            if let (Some(known), Some(ty), Some(value)) = (known, &ty, &value) {
                let span = self.linked.nodes[*arg].span;
                let what = || match is_operator(call) {
                    true => format!("operand {at}"),
                    false => format!("argument {} of {}", at + 1, callee_name(call)),
                };
                if self.statics.is_untyped_func(self.linked, &mut self.table, value) {
                    let is = "a function without a declared result type";
                    self.wrong(mismatch::value_inconsistent(&what(), &ty.to_string(), is, span));
                    return None;
                }
                if self.statics.is_untyped_list(self.linked, &mut self.table, *arg) {
                    let is = "a list of unknown type";
                    let error = mismatch::value_inconsistent(&what(), &ty.to_string(), is, span);
                    self.wrong(error.help(format!("remove the declared type `{ty}`")));
                    return None;
                }
                let is = self.statics.value_ty(self.linked, &mut self.table, *arg);
                let closed = |is: &TyId| *is != known && self.table.is_closed(known) && self.table.is_closed(*is);
                if let Some(is) = is.filter(closed).map(|is| self.table.export(is, OUTER_VARS))
                    && crate::types::compare(ty, &is).is_err()
                {
                    let is = format!("`{is}`");
                    self.wrong(mismatch::value_inconsistent(&what(), &ty.to_string(), &is, span));
                    if let NodeKind::Def(def) = self.linked.nodes[*arg].kind {
                        self.contradicted.insert(self.linked.nodes[self.linked.defs[def].value].span);
                    }
                    return None;
                }
            }
            args.push(KnownArg { ty, value });
        }
        Some(args)
    }
}

/// An infix operator whose left operand is being visited.
enum Link<'a> {
    Operator { id: NodeId, call: &'a Call, op: TyId },
    Except { id: NodeId, main: NodeId, fallback: NodeId, ty: TyId },
}

fn is_operator(call: &Call) -> bool {
    matches!(call.callee, Callee::Builtin(def) if def.path == "_operator")
}

fn shown_name<'n>(def: &'static FnDef, call: &'n Call) -> &'n str {
    if call.name.is_empty() { def.path } else { &call.name }
}

/// Names for unnamed arguments: `a`, `b`, …, `z`, then by number.
fn arg_name(at: usize) -> Name {
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
    match LETTERS.get(at..at + 1) {
        Some(letter) => letter.into(),
        None => at.to_string().into(),
    }
}
