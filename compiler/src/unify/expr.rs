//! Collects the invariants of expressions. Language spec, 9.4 and 9.7.

use super::collect::{About, Chunk, Collector, Entry};
use super::mismatch;
use super::table::{Table, Ty, TyId};
use crate::corelib::def::OUTER_VARS;
use crate::corelib::{CallSite, FnDef, KnownArg, Sig};
use crate::ident::Name;
use crate::scope::linked::*;
use crate::span::Span;
use crate::types::Type;
use rustc_hash::FxHashMap;

/// How deep definitions inside loops may be visited again within each other.
const MAX_REVISIT_DEPTH: usize = 100;

impl<'a> Collector<'a, '_> {
    /// Collects every definition that the expressions lead to and that is not collected yet,
    /// innermost first.
    pub(super) fn prepare<const N: usize>(&mut self, roots: [NodeId; N]) {
        let mut stack: Vec<(DefId, Vec<DefId>)> = Vec::new();
        let mut opened = Vec::new();
        let mut next: Vec<DefId> = roots.iter().flat_map(|root| self.missing_defs(*root)).collect();
        loop {
            match next.pop() {
                Some(def) if self.defs[def].is_some() => {}
                Some(def) => {
                    let inner = self.missing_defs(self.linked.defs[def].value);
                    stack.push((def, std::mem::replace(&mut next, inner)));
                    opened.push(def);
                }
                None => {
                    let Some((def, outer)) = stack.pop() else { return };
                    next = outer;
                    if self.defs[def].is_none() {
                        let outside = std::mem::take(&mut self.entries);
                        let ty = self.expr(self.linked.defs[def].value);
                        let entries = std::mem::replace(&mut self.entries, outside);
                        self.defs[def] = Some(Chunk { ty, entries });
                    }
                }
            }
        }
    }

    /// The definitions that an expression uses itself and that are not collected yet.
    fn missing_defs(&self, root: NodeId) -> Vec<DefId> {
        let mut found = Vec::new();
        let mut work = vec![root];
        while let Some(id) = work.pop() {
            match &self.linked.nodes[id].kind {
                NodeKind::Def(def) if self.defs[*def].is_none() => found.push(*def),
                NodeKind::Def(_) | NodeKind::Const(_) | NodeKind::Param(_) | NodeKind::Error => {}
                NodeKind::List(items) => work.extend(items),
                NodeKind::Map(pairs) => work.extend(pairs.iter().flat_map(|(key, value)| [*key, *value])),
                NodeKind::Struct(fields) => work.extend(fields.iter().map(|(_, value)| *value)),
                NodeKind::Func(func) => work.push(func.body),
                NodeKind::Call(call) => {
                    work.extend(&call.args);
                    match call.callee {
                        Callee::Builtin(_) => {}
                        Callee::Statement(node) | Callee::Value(node) | Callee::Literal(node) => work.push(node),
                    }
                }
                NodeKind::If { cond, then, otherwise } => work.extend([*cond, *then, *otherwise]),
                NodeKind::Except { main, fallback } => work.extend([*main, *fallback]),
            }
        }
        found
    }

    /// Appends the invariants of an expression and returns its type.
    pub(super) fn expr(&mut self, id: NodeId) -> TyId {
        let linked = self.linked;
        let node = &linked.nodes[id];
        let known = node.known.as_ref().map(|ty| self.table.closed(ty));
        match &node.kind {
            NodeKind::Error => Table::ERROR,
            NodeKind::Const(value) => {
                let ty = value.type_of().map(|ty| self.table.closed(&ty)).unwrap_or(Table::ERROR);
                self.typed(id, ty, Some(ty))
            }
            NodeKind::List(items) => {
                let element = self.table.fresh();
                for item in items {
                    self.check(*item, element);
                }
                let ty = self.table.list(element);
                self.typed(id, ty, known)
            }
            NodeKind::Map(pairs) => {
                let (key, value) = (self.table.fresh(), self.table.fresh());
                for (k, v) in pairs {
                    self.check(*k, key);
                    self.check(*v, value);
                }
                let ty = self.table.add(Ty::Map(key, value));
                self.typed(id, ty, known)
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
                // A known type is ignored here: a contradiction shows when types are stored.
                let ty = self.definition(*def);
                self.typed(id, ty, None)
            }
            NodeKind::Param(param) => {
                let ty = self.statics.param(self.linked, &mut self.table, *param);
                self.typed(id, ty, None)
            }
            NodeKind::If { cond, then, otherwise } => {
                self.check(*cond, Table::BOOL);
                let ty = self.table.fresh();
                self.check(*then, ty);
                self.check(*otherwise, ty);
                self.typed(id, ty, known)
            }
            NodeKind::Except { main, fallback } => {
                let ty = self.table.fresh();
                self.check(*main, ty);
                self.check(*fallback, ty);
                self.typed(id, ty, known)
            }
            NodeKind::Func(func) => self.func(id, func, known),
            NodeKind::Call(call) => self.call(id, call, known),
        }
    }

    /// The node has this type, and the one that was known before.
    fn typed(&mut self, id: NodeId, ty: TyId, known: Option<TyId>) -> TyId {
        self.equal(ty, known.unwrap_or(ty), self.linked.nodes[id].span, About::Node(id));
        ty
    }

    fn check(&mut self, id: NodeId, want: TyId) {
        let got = self.expr(id);
        self.equal(want, got, self.linked.nodes[id].span, About::Nothing);
    }

    /// The type of a shared definition. One inside of a loop is inferred again at each use.
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
                self.entries.push(Entry::Def(id));
                chunk.ty
            }
            // Only a definition that uses itself, which is reported already, gets here.
            None => Table::ERROR,
        }
    }

    fn func(&mut self, id: NodeId, func: &'a Func, known: Option<TyId>) -> TyId {
        let linked = self.linked;
        let mut params: Vec<(Name, TyId)> = Vec::with_capacity(func.params.len());
        for param in &func.params {
            let declared = &linked.params[*param];
            let ty = match &declared.ty {
                Some(ty) if has_variant(ty) => {
                    self.diags.push(mismatch::variant_param(&declared.name, declared.span));
                    Table::ERROR
                }
                _ => self.statics.param(self.linked, &mut self.table, *param),
            };
            self.equal(ty, ty, declared.span, About::Param(*param));
            // Of parameters with one name the last one counts, for all of them (6.3).
            for earlier in params.iter_mut().filter(|earlier| earlier.0 == declared.name) {
                earlier.1 = ty;
            }
            params.push((declared.name.clone(), ty));
        }
        let ret = match &func.ret {
            Some(declared) => self.table.closed(declared),
            None => self.table.fresh(),
        };
        self.check(func.body, ret);
        let ty = self.table.func(params, ret);
        self.typed(id, ty, known)
    }

    fn call(&mut self, id: NodeId, call: &'a Call, known: Option<TyId>) -> TyId {
        let linked = self.linked;
        let span = linked.nodes[id].span;
        let args: Vec<TyId> = call.args.iter().map(|arg| self.expr(*arg)).collect();
        let ret = self.table.fresh();
        self.typed(id, ret, known);
        let params = args.into_iter().enumerate().map(|(at, ty)| (arg_name(at), ty)).collect();
        let wanted = self.table.func(params, ret);
        match call.callee {
            Callee::Builtin(def) => {
                let signature = self.signature(def, id, call, span);
                self.calls.insert(id, signature);
                self.equal(wanted, signature, span, About::Nothing);
            }
            Callee::Statement(func) => {
                let NodeKind::Func(target) = &linked.nodes[func].kind else { return ret };
                let blame = if target.iterated.is_some() { linked.nodes[func].span } else { span };
                self.callee(id, func, wanted, blame);
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
        self.calls.insert(call, ty);
        self.equal(wanted, ty, blame, About::Nothing);
    }

    /// The signature of a builtin for one call: declared, or inferred from what is static.
    fn signature(&mut self, def: &'static FnDef, id: NodeId, call: &'a Call, span: Span) -> TyId {
        match &def.sig {
            Sig::Fixed(text) | Sig::OneOf { sig: text, .. } => {
                let signature = self.table.signature(text);
                let Ty::Func(func) = self.table.get(signature) else { return Table::ERROR };
                let takes = func.params.len();
                if call.args.len() > takes {
                    let error = mismatch::too_many_args(&call.name, takes, call.args.len(), span);
                    self.diags.push(error);
                    return Table::ERROR;
                }
                signature
            }
            Sig::Inferred { infer, .. } => {
                let Some(args) = self.known_args(def, call) else { return Table::ERROR };
                match infer(&CallSite { args: &args, name: &call.name }) {
                    Ok(ty) => self.import_inferred(&ty),
                    Err(reason) => {
                        let error = mismatch::inference_failed(shown_name(def, call), &reason, span);
                        self.diags.push(error);
                        let _ = id;
                        Table::ERROR
                    }
                }
            }
        }
    }

    /// What is statically known of each argument; `None` when one contradicts itself (9.3).
    fn known_args(&mut self, def: &'static FnDef, call: &'a Call) -> Option<Vec<KnownArg>> {
        let mut args = Vec::with_capacity(call.args.len());
        for (at, arg) in call.args.iter().enumerate() {
            let ty = self.statics.ty(self.linked, &mut self.table, *arg);
            let value = self.statics.value(self.linked, &mut self.table, *arg);
            let ty = ty.map(|ty| self.table.export(ty, OUTER_VARS));
            if let (Some(ty), Some(value)) = (&ty, &value) {
                let span = self.linked.nodes[*arg].span;
                let says = ty.to_string();
                if self.statics.is_untyped_func(self.linked, &mut self.table, value) {
                    let is = "a function without a declared result type";
                    let name = shown_name(def, call);
                    self.diags.push(mismatch::value_inconsistent(name, at, &says, is, span));
                    return None;
                }
                let is = self.statics.value_ty(self.linked, &mut self.table, *arg);
                let is = is.map(|is| self.table.export(is, OUTER_VARS));
                if let Some(is) = is.filter(|is| !ty.has_vars() && !is.has_vars())
                    && crate::types::compare(ty, &is).is_err()
                {
                    let is = format!("of type `{is}`");
                    let name = shown_name(def, call);
                    self.diags.push(mismatch::value_inconsistent(name, at, &says, &is, span));
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

    /// An inferred signature: its own variables are fresh, those of the arguments stay theirs.
    fn import_inferred(&mut self, ty: &Type) -> TyId {
        let mut vars = FxHashMap::default();
        let mut numbers = Vec::new();
        collect_outer(ty, &mut numbers);
        for number in numbers {
            let var = self.table.var(number - OUTER_VARS);
            vars.insert(number, var);
        }
        self.table.import(ty, &mut vars)
    }
}

fn collect_outer(ty: &Type, numbers: &mut Vec<u32>) {
    match ty {
        Type::Bool | Type::Str | Type::Int | Type::Float | Type::Variant => {}
        Type::List(element) => collect_outer(element, numbers),
        Type::Map(parts) => [&parts.0, &parts.1].into_iter().for_each(|ty| collect_outer(ty, numbers)),
        Type::Struct(fields) => fields.iter().for_each(|(_, ty)| collect_outer(ty, numbers)),
        Type::Func(func) => {
            func.params.iter().for_each(|(_, ty)| collect_outer(ty, numbers));
            collect_outer(&func.ret, numbers);
        }
        Type::Var(number) if *number >= OUTER_VARS => numbers.push(*number),
        Type::Var(_) => {}
    }
}

fn has_variant(ty: &Type) -> bool {
    match ty {
        Type::Variant => true,
        Type::Bool | Type::Str | Type::Int | Type::Float | Type::Var(_) => false,
        Type::List(element) => has_variant(element),
        Type::Map(parts) => has_variant(&parts.0) || has_variant(&parts.1),
        Type::Struct(fields) => fields.iter().any(|(_, ty)| has_variant(ty)),
        Type::Func(func) => has_variant(&func.ret) || func.params.iter().any(|(_, ty)| has_variant(ty)),
    }
}

fn shown_name<'n>(def: &'static FnDef, call: &'n Call) -> &'n str {
    if call.name.is_empty() { def.path } else { &call.name }
}

/// The names of arguments that have none: `a`, `b`, …, `z`, then by number.
fn arg_name(at: usize) -> Name {
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
    match LETTERS.get(at..at + 1) {
        Some(letter) => letter.into(),
        None => at.to_string().into(),
    }
}
