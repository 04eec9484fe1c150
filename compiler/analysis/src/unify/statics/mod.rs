//! Static information about expressions, without solving: their static type and static value. Language spec, 9.6 and
//! 10.5.
//!
//! A static type can contain variables, or be one: later findings about them are ignored.

mod callee;
mod decoded;
mod readers;
mod value;

use super::table::{Table, Ty, TyId};
use crate::corelib::Work;
use crate::index::IndexVec;
use crate::scope::linked::{Callee, DefId, Func, Linked, NodeId, NodeKind, ParamId};
use crate::types::Type;
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// Static types and values of nodes, computed on demand and cached.
pub(super) struct Statics {
    types: IndexVec<NodeId, Option<Option<TyId>>>,
    values: FxHashMap<NodeId, Option<Value>>,
    /// The values when the function graph is built: each part of a literal has its type then.
    built: FxHashMap<NodeId, Option<Value>>,
    is_building: bool,
    /// The types of decoded JSON, once solved.
    decoded: FxHashMap<NodeId, Type>,
    /// Types of composite values and functions.
    value_types: FxHashMap<NodeId, Option<TyId>>,
    params: IndexVec<ParamId, Option<TyId>>,
    /// Definitions without static information, since their values are wrong.
    aside: FxHashSet<DefId>,
    /// The remaining work for evaluating functions statically.
    work: Work,
}

/// The work allowed for evaluating functions statically; a value that costs more counts as unknown.
const WORK: u64 = 50_000_000;

impl Default for Statics {
    fn default() -> Statics {
        Statics {
            types: IndexVec::default(),
            values: FxHashMap::default(),
            built: FxHashMap::default(),
            is_building: false,
            decoded: FxHashMap::default(),
            value_types: FxHashMap::default(),
            params: IndexVec::default(),
            aside: FxHashSet::default(),
            work: Work::new(WORK),
        }
    }
}

impl Statics {
    pub(super) fn new(linked: &Linked) -> Statics {
        let mut statics = Statics::default();
        statics.types.grow_to(linked.nodes.len(), || None);
        statics.params.grow_to(linked.params.len(), || None);
        statics
    }

    /// Discards all static information about a definition.
    pub(super) fn set_aside(&mut self, def: DefId) {
        self.aside.insert(def);
    }

    /// The type of a parameter or loop variable: declared, or one cached variable.
    pub(super) fn param(&mut self, linked: &Linked, table: &mut Table, id: ParamId) -> TyId {
        if let Some(known) = self.params[id] {
            return known;
        }
        let ty = match &linked.params[id].ty {
            Some(declared) => table.closed(declared),
            None => table.fresh(),
        };
        self.params[id] = Some(ty);
        ty
    }

    /// The static type (9.6).
    pub(super) fn ty(&mut self, linked: &Linked, table: &mut Table, id: NodeId) -> Option<TyId> {
        if let Some(done) = self.types[id] {
            return done;
        }
        let ty = self.compute_ty(linked, table, id).filter(|ty| table.is_small(*ty));
        self.types[id] = Some(ty);
        ty
    }

    fn compute_ty(&mut self, linked: &Linked, table: &mut Table, id: NodeId) -> Option<TyId> {
        let node = &linked.nodes[id];
        let known = node.known.as_ref().map(|ty| table.closed(ty));
        match &node.kind {
            NodeKind::Call(call) => match call.callee {
                // A literal without a static type hides even the type of a typed bind.
                Callee::Literal(func) => {
                    self.ty(linked, table, func)?;
                    let NodeKind::Func(func) = &linked.nodes[func].kind else { return None };
                    known.or_else(|| self.result(linked, table, func))
                }
                Callee::Builtin(_) | Callee::Statement(_) | Callee::Value(_) => known,
            },
            _ if known.is_some() => known,
            NodeKind::Const(value) => value.type_of().map(|ty| table.closed(&ty)),
            NodeKind::List(items) => {
                let element = self.agreed(linked, table, items.iter().copied())?;
                Some(table.list(element))
            }
            NodeKind::Map(pairs) => {
                let key = self.agreed(linked, table, pairs.iter().map(|(key, _)| *key))?;
                let value = self.agreed(linked, table, pairs.iter().map(|(_, value)| *value))?;
                Some(table.add(Ty::Map(key, value)))
            }
            // Like every empty literal it has none.
            NodeKind::Struct(fields) if fields.is_empty() => None,
            NodeKind::Struct(fields) => {
                let fields = fields.iter().map(|(name, value)| Some((name.clone(), self.ty(linked, table, *value)?)));
                let fields = fields.collect::<Option<Vec<_>>>()?;
                Some(table.add(Ty::Struct(fields.into())))
            }
            NodeKind::Def(def) if self.aside.contains(def) => None,
            NodeKind::Def(def) => self.ty(linked, table, linked.defs[*def].value),
            NodeKind::Param(param) => Some(self.param(linked, table, *param)),
            NodeKind::Func(func) => {
                let params = func.params.iter().map(|param| {
                    let param = &linked.params[*param];
                    Some((param.name.clone(), table.closed(param.ty.as_ref()?)))
                });
                let params = params.collect::<Option<Vec<_>>>()?;
                let ret = self.result(linked, table, func)?;
                Some(table.func(params, ret))
            }
            NodeKind::If { then, otherwise, .. } => self.either(linked, table, *then, *otherwise),
            NodeKind::Except { main, fallback } => self.either(linked, table, *main, *fallback),
            NodeKind::Error => None,
        }
    }

    /// The declared or static result type of a function.
    fn result(&mut self, linked: &Linked, table: &mut Table, func: &Func) -> Option<TyId> {
        match &func.ret {
            Some(declared) => Some(table.closed(declared)),
            None => self.ty(linked, table, func.body),
        }
    }

    /// The common type of all parts; an empty literal has none.
    fn agreed(&mut self, linked: &Linked, table: &mut Table, mut parts: impl Iterator<Item = NodeId>) -> Option<TyId> {
        let first = self.ty(linked, table, parts.next()?)?;
        parts.all(|part| self.ty(linked, table, part).is_some_and(|ty| table.is_same(first, ty))).then_some(first)
    }

    fn either(&mut self, linked: &Linked, table: &mut Table, one: NodeId, other: NodeId) -> Option<TyId> {
        match (self.ty(linked, table, one), self.ty(linked, table, other)) {
            (Some(a), Some(b)) => table.is_same(a, b).then_some(a),
            (a, b) => a.or(b),
        }
    }
}
