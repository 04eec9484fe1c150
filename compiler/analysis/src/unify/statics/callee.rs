//! Functions that are statically known, and the calls to them. Language spec, 10.4 and 10.5.

use super::Statics;
use crate::scope::linked::{Callee, Linked, NodeId, NodeKind, ParamRole};
use crate::unify::Types;
use crate::unify::table::Table;
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// The code of a statically known function value: the literal it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StaticFunc {
    pub(super) node: NodeId,
}

impl Statics {
    /// The function literal of each call whose function is known when the function graph is built.
    pub(in crate::unify) fn callees(
        &mut self,
        linked: &Linked,
        table: &mut Table,
        types: &Types,
    ) -> FxHashMap<NodeId, NodeId> {
        self.learn_decoded(linked, types);
        let mut callees = FxHashMap::default();
        for (id, node) in linked.nodes.iter() {
            let NodeKind::Call(call) = &node.kind else { continue };
            let value = match call.callee {
                Callee::Builtin(_) => continue,
                Callee::Statement(value) | Callee::Value(value) | Callee::Literal(value) => value,
            };
            let value = self.built_value(linked, table, value);
            if let Some(func) = value.as_ref().and_then(static_func) {
                callees.insert(id, func);
            }
        }
        callees
    }

    /// Whether this static value, reached through a name, is a function whose value has no type: all parameters typed,
    /// no declared result, and a body with a static type (9.3).
    pub(in crate::unify) fn is_untyped_func(&mut self, linked: &Linked, table: &mut Table, value: &Value) -> bool {
        let Some(func) = static_func(value) else { return false };
        let NodeKind::Func(func) = &linked.nodes[func].kind else { return false };
        func.ret.is_none()
            && func.params.iter().all(|param| linked.params[*param].ty.is_some())
            && self.ty(linked, table, func.body).is_some()
    }
}

/// The literal that a static value comes from, if it is a function.
fn static_func(value: &Value) -> Option<NodeId> {
    value.as_func()?.code.downcast_ref::<StaticFunc>().map(|code| code.node)
}

/// Whether a function's body reads only its own parameters and loop variables, not those of an enclosing function.
pub(super) fn uses_no_outer_params(linked: &Linked, func: NodeId) -> bool {
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
                    // A `func` statement is never inside a function.
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
