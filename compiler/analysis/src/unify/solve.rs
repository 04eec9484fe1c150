//! Solves the collected constraints in order, then checks that every type is known and allowed. Language spec, 9.8.

use super::Types;
use super::access::Access;
use super::argument::wrong_hole;
use super::builtin;
use super::collect::Collector;
use super::constraint::{About, Constraint, Subject};
use super::literal;
use super::mismatch;
use super::table::TyId;
use crate::corelib::{CallSite, FnDef, KnownArg};
use crate::diag::{Diagnostic, codes};
use crate::index::IndexVec;
use crate::scope::linked::*;
use crate::span::Span;
use crate::types::{FuncType, Type, TypeKind, compare};
use rustc_hash::FxHashMap;

impl<'a> Collector<'a, '_> {
    /// Solves, reports, and returns the finished types. Those of calls are without [`Collector::callees`].
    pub(super) fn solve(&mut self) -> Types {
        let order = self.flatten();
        self.unify_all(&order);
        self.require_known(&order);
        self.store(&order)
    }

    /// The functions that calls are known to call, after solving. A program with errors is never built.
    pub(super) fn callees(&mut self, types: &Types) -> FxHashMap<NodeId, NodeId> {
        if self.diags.has_errors() {
            return FxHashMap::default();
        }
        self.statics.callees(self.linked, &mut self.table, types)
    }

    /// Reports an error, unless the same one was reported at the same place: code that is included or called several
    /// times is copied, and each copy has the error.
    fn say(&mut self, error: Diagnostic) {
        let place = error.primary.as_ref().map(|label| label.span);
        if self.said.insert((error.code, place, error.message.clone())) {
            self.diags.push(error);
        }
    }

    fn has_said_types_differ(&self, place: Span) -> bool {
        self.said.iter().any(|(code, said, _)| *code == codes::TYPES_DIFFER && *said == Some(place))
    }

    /// All constraints in order: those of a definition at its first use. Also reports the errors found while
    /// collecting.
    fn flatten(&mut self) -> Vec<Constraint> {
        let entries = std::mem::take(&mut self.entries);
        // Without definitions they are in order already.
        if entries.iter().all(|entry| matches!(entry, Constraint::Equal { .. })) {
            return entries;
        }
        let mut order = Vec::with_capacity(entries.len());
        let mut work: Vec<std::vec::IntoIter<Constraint>> = vec![entries.into_iter()];
        while let Some(entries) = work.last_mut() {
            match entries.next() {
                None => {
                    work.pop();
                }
                Some(Constraint::Def(def)) => {
                    if let Some(chunk) = &mut self.defs[def] {
                        work.push(std::mem::take(&mut chunk.entries).into_iter());
                    }
                }
                Some(Constraint::Func(func)) => {
                    if let Some(chunk) = self.funcs.get_mut(&func) {
                        work.push(std::mem::take(&mut chunk.entries).into_iter());
                    }
                }
                Some(Constraint::Wrong(at)) => self.say(self.wrong[at].clone()),
                Some(entry) => order.push(entry),
            }
        }
        order
    }

    fn unify_all(&mut self, order: &[Constraint]) {
        for entry in order {
            let Constraint::Equal { want, got, span, about } = *entry else { continue };
            if let Err(why) = self.table.unify(want, got, Some(span)) {
                if !self.contradicted.contains(&span) {
                    let error = match about {
                        About::Call(call) => self.wrong_call(call, (want, got), &why, span),
                        // The declared type is the expected one.
                        About::Node(node) => self.wrong_declaration(node, (want, got), &why.flipped(), span),
                        About::Field { name, doc, value } => {
                            self.wrong_field((name, doc, value), (want, got), &why, span)
                        }
                        About::Property { property, value } => {
                            let name = format!("Meta:{}", property.name());
                            self.wrong_field((name.as_str(), property.doc(), value), (want, got), &why, span)
                        }
                        About::Meta => mismatch::wrong_meta(&mut self.table, (want, got), &why, span),
                        About::Element { element, list } => self.wrong_item((element, list), (want, got), &why, span),
                        About::Value(value) => self.wrong_element(value, literal::VALUES, (want, got), &why, span),
                        About::Name(node) => {
                            let variable = self.variable(node).filter(|_| self.linked.nodes[node].span == span);
                            let said = mismatch::wrong_name(&mut self.table, variable, (want, got), &why, span);
                            self.with_element(said, node)
                        }
                        About::Branch { choice, whole } => {
                            self.table.silence(whole);
                            self.wrong_branch(choice, (want, got), &why, span)
                        }
                        About::ClassArg { arg, place } => {
                            self.wrong_class_arg(arg, (want, got), &why, place).reported_at(span)
                        }
                        About::Looped { index } => {
                            // A loop over a map gives its keys.
                            if self.table.kind(got) == Some(TypeKind::Map) {
                                self.table.silence(index);
                            }
                            mismatch::types_differ(&mut self.table, want, got, &why, span)
                        }
                        About::Param(_) | About::Nothing => {
                            mismatch::types_differ(&mut self.table, want, got, &why, span)
                        }
                    };
                    self.say(error);
                }
                // Its open parts would only be reported again.
                self.table.silence(want);
                self.table.silence(got);
            }
        }
    }

    fn require_known(&mut self, order: &[Constraint]) {
        // What depends on an unknown name has no type either.
        if self.linked.nodes.iter().any(|(_, node)| matches!(node.kind, NodeKind::Error)) {
            return;
        }
        for entry in order {
            let Constraint::Equal { got, span, about, .. } = *entry else { continue };
            let Some(subject) = about.subject() else { continue };
            if self.table.is_ambiguous(got) {
                let what = match subject {
                    Subject::Node(node) => self.described(node),
                    Subject::Param(param) => format!("`${}`", self.linked.params[param].name),
                };
                let error = match self.unknown_access(about, span) {
                    Access::Reported => None,
                    Access::Wrong(error) => Some(*error),
                    Access::Unknown(help) => {
                        let error = mismatch::ambiguous(&mut self.table, got, span, &what);
                        Some(Diagnostic { help: vec![help], ..error })
                    }
                    Access::Other => Some(mismatch::ambiguous(&mut self.table, got, span, &what)),
                };
                if let Some(error) = error {
                    self.say(error);
                }
                self.table.silence(got);
            }
        }
    }

    fn described(&self, node: NodeId) -> String {
        match &self.linked.nodes[node].kind {
            NodeKind::List(items) if items.is_empty() => "the empty list".into(),
            NodeKind::Map(pairs) if pairs.is_empty() => "the empty map".into(),
            NodeKind::Call(call) if !call.name.is_empty() && !call.name.starts_with('_') => {
                format!("the call of `{}`", call.name)
            }
            NodeKind::Def(def) => format!("`${}`", self.linked.defs[*def].name),
            NodeKind::Param(param) => format!("`${}`", self.linked.params[*param].name),
            _ => "this expression".into(),
        }
    }

    fn store(&mut self, order: &[Constraint]) -> Types {
        let mut types = Types {
            nodes: IndexVec::new(),
            params: IndexVec::new(),
            calls: FxHashMap::default(),
            callees: FxHashMap::default(),
        };
        types.nodes.grow_to(self.linked.nodes.len(), || None);
        types.params.grow_to(self.linked.params.len(), || None);
        let calls = std::mem::take(&mut self.calls);
        for entry in order {
            let Constraint::Equal { want, got, span, about } = *entry else { continue };
            let Some(subject) = about.subject() else { continue };
            // A declared type is the one that is shown: its parameters may have other names.
            let Some(ty) = self.table.finish(got) else {
                self.say(mismatch::too_deep(span));
                return types;
            };
            match subject {
                Subject::Param(param) => types.params[param] = Some(ty),
                Subject::Node(node) => {
                    let silent = self.table.kind(want).is_none();
                    let fits = silent || self.allowed(node, &ty, &types);
                    if fits && let Some(call) = calls.get(&node).copied() {
                        self.store_call(node, call, &mut types);
                    }
                    types.nodes[node] = Some(ty);
                }
            }
        }
        types
    }

    /// Checks a finished type against the declaration and the kind of node.
    fn allowed(&mut self, id: NodeId, ty: &Type, types: &Types) -> bool {
        let node = &self.linked.nodes[id];
        let error = match &node.kind {
            NodeKind::Map(pairs) => match ty {
                // An unknown key was already reported; a literal one may have been, too.
                Type::Map(parts)
                    if !parts.0.is_hashable()
                        && parts.0 != Type::Variant
                        && !pairs.iter().any(|(key, _)| self.contradicted.contains(&self.linked.nodes[*key].span)) =>
                {
                    Some(mismatch::unhashable(&parts.0.to_string(), node.span))
                }
                _ => None,
            },
            NodeKind::Def(_) | NodeKind::Param(_) => match &node.known {
                // What asked for another type there has told more about it.
                Some(known) if !self.has_unknown(ty) && !self.has_said_types_differ(node.span) => {
                    compare(known, ty).is_err().then(|| match self.is_hole(id) {
                        true => wrong_hole(&format!("`{known}`"), &format!("`{ty}`"), node.span),
                        false => mismatch::known_type_differs(known, ty, node.span),
                    })
                }
                Some(_) | None => None,
            },
            _ => None,
        };
        // A definition inside a loop is visited at each use; all visits must agree.
        let error = error.or_else(|| {
            let earlier =
                types.nodes[id].as_ref().filter(|earlier| !self.has_unknown(earlier) && !self.has_unknown(ty))?;
            compare(earlier, ty).is_err().then(|| mismatch::used_with_two_types(earlier, ty, node.span))
        });
        let fits = error.is_none();
        if let Some(error) = error {
            self.say(error);
        }
        fits
    }

    /// Whether a part of a type is unknown because of an error, which was reported. Without one, a `variant` is declared.
    fn has_unknown(&self, ty: &Type) -> bool {
        self.diags.has_errors() && ty.has_variant()
    }

    /// Stores the function type of a call; a builtin may refuse it.
    fn store_call(&mut self, id: NodeId, ty: TyId, types: &mut Types) {
        if self.table.kind(ty).is_none() {
            return;
        }
        let Some(Type::Func(func)) = self.table.finish(ty) else { return };
        let linked = self.linked;
        if let NodeKind::Call(call) = &linked.nodes[id].kind
            && let Callee::Builtin(def) = call.callee
            && !self.has_errors(ty)
            && let Err(reason) = self.accepts(def, call, &func)
            && !call.args.iter().any(|arg| self.has_said_types_differ(linked.nodes[*arg].span))
            // What is unknown was already reported.
            && !(self.diags.has_errors() && is_open(&func))
        {
            let name = super::blame::callee_name(call);
            let said = builtin::cannot_build(&name, &func, &reason, linked.nodes[id].span);
            let said = if def.is_lookup() { self.with_own_names(said, call) } else { said };
            let said = match self.part_of_time(call, &func) {
                Some(help) => Diagnostic { help: vec![help], ..said },
                None => said,
            };
            self.say(match builtin::takes(def.path) {
                Some(takes) => said.help(takes),
                None => said,
            });
        }
        types.calls.insert(id, func);
    }

    fn accepts(&mut self, def: &FnDef, call: &'a Call, func: &FuncType) -> Result<(), String> {
        let args = call.args.iter();
        let known =
            args.map(|arg| KnownArg { ty: None, value: self.statics.value(self.linked, &mut self.table, *arg) });
        let args: Vec<KnownArg> = known.collect();
        def.accepts(&CallSite { args: &args, name: &call.name }, func)
    }

    fn has_errors(&mut self, ty: TyId) -> bool {
        let super::table::Ty::Func(func) = self.table.get(ty).clone() else { return true };
        let parts: Vec<TyId> = func.params.iter().map(|(_, ty)| *ty).chain([func.ret]).collect();
        parts.into_iter().any(|part| self.table.kind(part).is_none())
    }
}

/// Whether a part of the type is unknown.
fn is_open(func: &FuncType) -> bool {
    let mut parts = func.params.iter().map(|(_, ty)| ty).chain([&func.ret]);
    parts.any(|ty| ty.has_vars() || ty.has_variant())
}
