//! What is known of an expression before the program runs, without solving anything: its static
//! type and its static value. Language spec, 9.6 and 10.5.
//!
//! A static type can hold variables, or be one: what solving finds out about them later is not
//! looked at.

use super::table::{Table, Ty, TyId};
use crate::corelib::{Args, EVALUATION, FnDef, OUTER_VARS, Run, Work};
use crate::index::IndexVec;
use crate::scope::linked::{Callee, Func, Linked, NodeId, NodeKind, ParamId, ParamRole};
use crate::types::{FuncType, Type};
use crate::value::{self, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Static values are looked at only up to this many bytes and parts: they are hints, and a chain of
/// sums must not be quadratic.
const MAX_SIZE: usize = 8192;

/// The results of function literals whose type is not known are variables from here on.
const OPEN_RESULTS: u32 = 1 << 20;

/// The code of a function value that is known before running: the literal that it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StaticFunc {
    pub node: NodeId,
}

/// Static types and values of nodes, computed on demand and remembered.
pub(super) struct Statics {
    types: IndexVec<NodeId, Option<Option<TyId>>>,
    values: FxHashMap<NodeId, Option<Value>>,
    /// The values when the function graph is built: each part of a literal has its type then.
    built: FxHashMap<NodeId, Option<Value>>,
    is_building: bool,
    /// Of values that are made of several parts, or functions.
    value_types: FxHashMap<NodeId, Option<TyId>>,
    params: IndexVec<ParamId, Option<TyId>>,
    /// What functions may still compute before the program runs.
    work: Work,
}

/// How much functions may compute before the program runs; a value that costs more is not known then.
const WORK: u64 = 50_000_000;

impl Default for Statics {
    fn default() -> Statics {
        Statics {
            types: IndexVec::default(),
            values: FxHashMap::default(),
            built: FxHashMap::default(),
            is_building: false,
            value_types: FxHashMap::default(),
            params: IndexVec::default(),
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

    /// The type of a parameter or loop variable: declared, or one variable that is kept.
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

    /// A function's declared or static result type.
    fn result(&mut self, linked: &Linked, table: &mut Table, func: &Func) -> Option<TyId> {
        match &func.ret {
            Some(declared) => Some(table.closed(declared)),
            None => self.ty(linked, table, func.body),
        }
    }

    /// The one type that all parts have; an empty literal has none.
    fn agreed(&mut self, linked: &Linked, table: &mut Table, mut parts: impl Iterator<Item = NodeId>) -> Option<TyId> {
        let first = self.ty(linked, table, parts.next()?)?;
        parts.all(|part| self.ty(linked, table, part) == Some(first)).then_some(first)
    }

    fn either(&mut self, linked: &Linked, table: &mut Table, one: NodeId, other: NodeId) -> Option<TyId> {
        match (self.ty(linked, table, one), self.ty(linked, table, other)) {
            (Some(a), Some(b)) => (a == b).then_some(a),
            (a, b) => a.or(b),
        }
    }

    /// The static value (10.5).
    pub(super) fn value(&mut self, linked: &Linked, table: &mut Table, id: NodeId) -> Option<Value> {
        if let NodeKind::Const(value) = &linked.nodes[id].kind {
            return Some(value.clone());
        }
        match self.values.get(&id) {
            Some(None) if self.is_building => {}
            Some(done) => return done.clone(),
            None => {}
        }
        if let Some(done) = self.built.get(&id).filter(|_| self.is_building) {
            return done.clone();
        }
        let value = self.compute_value(linked, table, id);
        // What another expression hands on is small already.
        let is_handed_on = match &linked.nodes[id].kind {
            NodeKind::Def(_) | NodeKind::If { .. } | NodeKind::Except { .. } => true,
            NodeKind::Const(_) | NodeKind::List(_) | NodeKind::Map(_) | NodeKind::Struct(_) => false,
            NodeKind::Func(_) | NodeKind::Call(_) | NodeKind::Param(_) | NodeKind::Error => false,
        };
        let value = value.filter(|value| is_handed_on || is_small(value));
        let values = if self.is_building { &mut self.built } else { &mut self.values };
        values.insert(id, value.clone());
        value
    }

    /// The static value when the function graph is built (10.4). Everything has its type then, so a function
    /// without a static type is a part of a literal like any other.
    pub(super) fn built_value(&mut self, linked: &Linked, table: &mut Table, id: NodeId) -> Option<Value> {
        let before = std::mem::replace(&mut self.is_building, true);
        let value = self.value(linked, table, id);
        self.is_building = before;
        value
    }

    fn compute_value(&mut self, linked: &Linked, table: &mut Table, id: NodeId) -> Option<Value> {
        match &linked.nodes[id].kind {
            NodeKind::Const(value) => Some(value.clone()),
            NodeKind::List(items) if items.len() > MAX_SIZE => None,
            NodeKind::Map(pairs) if pairs.len() > MAX_SIZE => None,
            NodeKind::List(items) => {
                let items = items.iter().map(|item| self.part(linked, table, *item));
                Some(Value::List(items.collect::<Option<_>>()?))
            }
            NodeKind::Map(pairs) => {
                let pairs = pairs
                    .iter()
                    .map(|(key, value)| Some((self.part(linked, table, *key)?, self.part(linked, table, *value)?)));
                Some(Value::Map(Arc::new(pairs.collect::<Option<_>>()?)))
            }
            NodeKind::Struct(fields) => {
                let fields = fields.iter().map(|(name, value)| Some((name.clone(), self.part(linked, table, *value)?)));
                let fields = fields.collect::<Option<_>>()?;
                Some(Value::Struct(Arc::new(value::Struct { fields })))
            }
            NodeKind::Def(def) if linked.defs[*def].iterated.is_some() => None,
            NodeKind::Def(def) => self.value(linked, table, linked.defs[*def].value),
            NodeKind::Param(_) | NodeKind::Error => None,
            NodeKind::Func(_) => {
                let closed = uses_no_outer_params(linked, id);
                let ty = self.func_type(linked, table, id)?;
                closed.then(|| Value::Func(Arc::new(value::Func { ty, code: Box::new(StaticFunc { node: id }) })))
            }
            NodeKind::If { cond, then, otherwise } => {
                let chosen = if self.value(linked, table, *cond)?.as_bool()? { *then } else { *otherwise };
                self.value(linked, table, chosen)
            }
            NodeKind::Except { main, .. } => self.value(linked, table, *main),
            NodeKind::Call(call) => {
                let Callee::Builtin(def) = call.callee else { return None };
                let Run::Pure(run) = def.run else { return None };
                if !def.shape.spec {
                    return None;
                }
                let values = call.args.iter().map(|arg| self.value(linked, table, *arg)).collect::<Option<Vec<_>>>()?;
                let params = call.args.iter().zip(&values).enumerate().map(|(at, (arg, value))| {
                    let known = self.ty(linked, table, *arg).map(|ty| table.export(ty, 0));
                    (at.to_string().into(), known.or_else(|| value.type_of()).unwrap_or(Type::Variant))
                });
                let known = linked.nodes[id].known.clone();
                let ty = FuncType { params: params.collect(), ret: known.unwrap_or(Type::Variant) };
                self.charge(def, &values)?;
                let value =
                    run(&Args { values: &values, ty: &ty, module_dir: &linked.dirs[call.dir], work: &self.work })
                        .ok()?;
                self.charge(def, std::slice::from_ref(&value))?;
                Some(value)
            }
        }
    }

    /// Charges one pass over values; `None` when there is no work left for it.
    fn charge(&self, def: &FnDef, values: &[Value]) -> Option<()> {
        if def.is_lookup() {
            return self.work.spend(EVALUATION).ok();
        }
        for value in values {
            let size = value.written_size_within(2 * self.work.left())?;
            self.work.spend_on_bytes(size).ok()?;
        }
        Some(())
    }

    /// The type of a static value: a typed literal has its declared type, everything else shows its
    /// own. A declared type elsewhere says nothing about the value.
    pub(super) fn value_ty(&mut self, linked: &Linked, table: &mut Table, id: NodeId) -> Option<TyId> {
        match self.value(linked, table, id)? {
            Value::Bool(_) => return Some(Table::BOOL),
            Value::Str(_) => return Some(Table::STR),
            Value::Int(_) => return Some(Table::INT),
            Value::Float(_) => return Some(Table::FLOAT),
            Value::List(_) | Value::Map(_) | Value::Struct(_) | Value::Func(_) => {}
        }
        if let Some(done) = self.value_types.get(&id) {
            return *done;
        }
        let ty = self.compute_value_ty(linked, table, id);
        self.value_types.insert(id, ty);
        ty
    }

    fn compute_value_ty(&mut self, linked: &Linked, table: &mut Table, id: NodeId) -> Option<TyId> {
        let node = &linked.nodes[id];
        match &node.kind {
            NodeKind::List(_) | NodeKind::Map(_) | NodeKind::Struct(_) => self.ty(linked, table, id),
            NodeKind::Def(def) => self.value_ty(linked, table, linked.defs[*def].value),
            NodeKind::If { cond, then, otherwise } => {
                let chosen = if self.value(linked, table, *cond)?.as_bool()? { *then } else { *otherwise };
                self.value_ty(linked, table, chosen)
            }
            NodeKind::Except { main, .. } => self.value_ty(linked, table, *main),
            NodeKind::Const(_) | NodeKind::Call(_) => {
                self.value(linked, table, id)?.type_of().filter(|ty| !ty.has_vars()).map(|ty| table.closed(&ty))
            }
            NodeKind::Func(_) | NodeKind::Param(_) | NodeKind::Error => None,
        }
    }

    /// A part of a literal counts only with both its value and its type.
    fn part(&mut self, linked: &Linked, table: &mut Table, id: NodeId) -> Option<Value> {
        if !self.is_building {
            self.ty(linked, table, id)?;
        }
        self.value(linked, table, id)
    }

    /// A function literal's type as far as it is known; variables stand for what is not.
    fn func_type(&mut self, linked: &Linked, table: &mut Table, id: NodeId) -> Option<Type> {
        let NodeKind::Func(func) = &linked.nodes[id].kind else { return None };
        if let Some(ty) = self.ty(linked, table, id) {
            return Some(table.export(ty, OUTER_VARS));
        }
        let params = func.params.iter().map(|id| {
            let ty = self.param(linked, table, *id);
            (linked.params[*id].name.clone(), table.export(ty, OUTER_VARS))
        });
        let params = params.collect();
        let open = Type::Var(OPEN_RESULTS + id.0);
        Some(Type::func(params, func.ret.clone().unwrap_or(open)))
    }

    /// Is the static value of this node a list that does not know its type (9.3)? An empty literal behind a name, an
    /// if-expression or a fallback, and what two functions make of lists.
    pub(super) fn is_untyped_list(&mut self, linked: &Linked, table: &mut Table, mut id: NodeId) -> bool {
        let mut is_behind = false;
        loop {
            let node = &linked.nodes[id];
            id = match &node.kind {
                NodeKind::Def(def) => linked.defs[*def].value,
                NodeKind::If { cond, then, otherwise } => {
                    match self.value(linked, table, *cond).and_then(|cond| cond.as_bool()) {
                        Some(true) => *then,
                        Some(false) => *otherwise,
                        None => return false,
                    }
                }
                NodeKind::Except { main, .. } => *main,
                NodeKind::List(items) => return is_behind && items.is_empty() && node.known.is_none(),
                NodeKind::Call(call) => {
                    let makes_lists = matches!(call.callee, Callee::Builtin(def)
                        if matches!(def.path, "list.concat" | "iter.flatten"));
                    let value = if makes_lists { self.value(linked, table, id) } else { None };
                    return value.is_some_and(|value| value.as_list().is_some_and(|list| !list.is_empty()));
                }
                NodeKind::Const(_)
                | NodeKind::Map(_)
                | NodeKind::Struct(_)
                | NodeKind::Param(_)
                | NodeKind::Func(_)
                | NodeKind::Error => return false,
            };
            is_behind = true;
        }
    }

    /// Is this static value, reached behind a name, a function whose value has no type of its own?
    /// All parameters typed, no declared result, and a body with a static type (9.3).
    pub(super) fn is_untyped_func(&mut self, linked: &Linked, table: &mut Table, value: &Value) -> bool {
        let Some(func) = value.as_func().and_then(|func| func.code.downcast_ref::<StaticFunc>()) else { return false };
        let NodeKind::Func(func) = &linked.nodes[func.node].kind else { return false };
        func.ret.is_none()
            && func.params.iter().all(|param| linked.params[*param].ty.is_some())
            && self.ty(linked, table, func.body).is_some()
    }
}

fn is_small(value: &Value) -> bool {
    match value {
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Func(_) => return true,
        Value::Str(bytes) => return bytes.len() <= MAX_SIZE,
        Value::List(_) | Value::Map(_) | Value::Struct(_) => {}
    }
    let mut left = MAX_SIZE;
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        let size = match value {
            Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Func(_) => 1,
            Value::Str(bytes) => bytes.len(),
            Value::List(items) => items.len(),
            Value::Map(map) => map.len(),
            Value::Struct(parts) => parts.fields.len(),
        };
        let Some(rest) = left.checked_sub(size) else { return false };
        left = rest;
        match value {
            Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Func(_) | Value::Str(_) => {}
            Value::List(items) => work.extend(items.iter()),
            Value::Map(map) => work.extend(map.iter().flat_map(|(key, value)| [key, value])),
            Value::Struct(parts) => work.extend(parts.fields.iter().map(|(_, value)| value)),
        }
    }
    true
}

/// Does a function's body read only its own parameters, and loop variables, but no parameter of a
/// function around it?
fn uses_no_outer_params(linked: &Linked, func: NodeId) -> bool {
    let mut inside = FxHashSet::default();
    let mut used = Vec::new();
    let mut work = vec![func];
    while let Some(id) = work.pop() {
        match &linked.nodes[id].kind {
            NodeKind::Func(func) => {
                inside.insert(id);
                work.push(func.body);
            }
            NodeKind::Param(param) => {
                if let ParamRole::Func(of) = linked.params[*param].role {
                    used.push(of);
                }
            }
            NodeKind::Const(_) | NodeKind::Error | NodeKind::Def(_) => {}
            NodeKind::List(items) => work.extend(items),
            NodeKind::Map(pairs) => work.extend(pairs.iter().flat_map(|(key, value)| [*key, *value])),
            NodeKind::Struct(fields) => work.extend(fields.iter().map(|(_, value)| *value)),
            NodeKind::Call(call) => {
                work.extend(&call.args);
                match call.callee {
                    // A `func` statement stands in no function.
                    Callee::Builtin(_) | Callee::Statement(_) => {}
                    Callee::Value(node) | Callee::Literal(node) => work.push(node),
                }
            }
            NodeKind::If { cond, then, otherwise } => work.extend([*cond, *then, *otherwise]),
            NodeKind::Except { main, fallback } => work.extend([*main, *fallback]),
        }
    }
    used.iter().all(|of| inside.contains(of))
}
