//! Static values: expressions known before the program runs. Language spec, 10.5.

use super::Statics;
use super::callee::{StaticFunc, uses_no_outer_params};
use crate::corelib::{Args, EVALUATION, FnDef, OUTER_VARS, Run};
use crate::scope::linked::{Callee, Linked, NodeId, NodeKind};
use crate::types::{FuncType, Type};
use crate::unify::table::{Table, TyId};
use crate::value::{self, Value};
use std::sync::Arc;

/// The maximum number of bytes and parts of a static value: they are only hints, and a chain of sums must not be
/// quadratic.
const MAX_SIZE: usize = 8192;

/// The results of function literals with unknown types are variables from this number on.
const OPEN_RESULTS: u32 = 1 << 20;

impl Statics {
    /// The static value (10.5).
    pub(in crate::unify) fn value(&mut self, linked: &Linked, table: &mut Table, id: NodeId) -> Option<Value> {
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
        // A value passed on by another expression is already small.
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

    /// The static value when the function graph is built (10.4). Everything has a type then, so a function without a
    /// static type can be part of a literal like any other value.
    pub(in crate::unify) fn built_value(&mut self, linked: &Linked, table: &mut Table, id: NodeId) -> Option<Value> {
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
            NodeKind::Def(def) if linked.defs[*def].iterated.is_some() || self.aside.contains(def) => None,
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
                if def.path == "_operator"
                    && let Some(result) = self.compared(linked, table, call)
                {
                    return Some(result);
                }
                let Run::Pure(run) = def.run else { return None };
                if !def.shape.spec {
                    return None;
                }
                let values = call.args.iter().map(|arg| self.value(linked, table, *arg)).collect::<Option<Vec<_>>>()?;
                let known = linked.nodes[id].known.clone().or_else(|| self.decoded_type(id, call, &values));
                let params = call.args.iter().zip(&values).enumerate().map(|(at, (arg, value))| {
                    let known = self.ty(linked, table, *arg).map(|ty| table.export(ty, 0));
                    (at.to_string().into(), known.or_else(|| value.type_of()).unwrap_or(Type::Variant))
                });
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

    /// Charges one pass over values; `None` if the remaining work is too little.
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

    /// The type of a static value: a typed literal has its declared type, every other value its own. Other declared
    /// types say nothing about the value.
    pub(in crate::unify) fn value_ty(&mut self, linked: &Linked, table: &mut Table, id: NodeId) -> Option<TyId> {
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
            NodeKind::Def(def) if self.aside.contains(def) => None,
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

    /// The type of a function literal as far as it is known; variables stand for unknown parts.
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

    /// Whether the static value of this node is a list without a known type (9.3): an empty literal reached through a
    /// name, an if-expression or a fallback, and the result of two functions on lists.
    pub(in crate::unify) fn is_untyped_list(&mut self, linked: &Linked, table: &mut Table, mut id: NodeId) -> bool {
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
