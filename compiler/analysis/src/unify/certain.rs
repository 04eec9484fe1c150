//! The type that an expression has whatever else is found out: that of a literal, of an operator, of a call whose result
//! is of one type.

use super::collect::Collector;
use crate::scope::linked::{Call, Callee, NodeId, NodeKind};
use crate::types::Type;

/// The most parts within each other that are looked at: each operator has two.
const MAX_DEPTH: usize = 6;

impl Collector<'_, '_> {
    /// The type, if it can be read off without solving.
    pub(super) fn certain_type(&self, node: NodeId) -> Option<Type> {
        self.certain_within(node, MAX_DEPTH)
    }

    fn certain_within(&self, node: NodeId, depth: usize) -> Option<Type> {
        let depth = depth.checked_sub(1)?;
        match &self.linked.nodes[node].kind {
            NodeKind::Const(value) => value.type_of(),
            NodeKind::Def(def) => self.certain_within(self.linked.defs[*def].value, depth),
            NodeKind::Call(call) => match call.callee {
                Callee::Builtin(def) if def.path == "_operator" => self.of_operator(call, depth),
                Callee::Builtin(def) => {
                    let Some(Type::Func(func)) = def.signature() else { return None };
                    is_basic(&func.ret).then(|| func.ret.clone())
                }
                Callee::Statement(_) | Callee::Value(_) | Callee::Literal(_) => None,
            },
            NodeKind::List(_) | NodeKind::Map(_) | NodeKind::Struct(_) | NodeKind::Func(_) => None,
            NodeKind::If { .. } | NodeKind::Except { .. } | NodeKind::Param(_) | NodeKind::Error => None,
        }
    }

    fn of_operator(&self, call: &Call, depth: usize) -> Option<Type> {
        let [operator, first, second] = call.args[..] else { return None };
        let NodeKind::Const(operator) = &self.linked.nodes[operator].kind else { return None };
        match &*operator.as_text()? {
            "==" | "!=" | "<" | ">" | "<=" | ">=" => Some(Type::Bool),
            "+" | "-" | "*" => {
                let ty = self.certain_within(first, depth).filter(is_basic)?;
                (self.certain_within(second, depth)? == ty).then_some(ty)
            }
            _ => None,
        }
    }
}

fn is_basic(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Str | Type::Int | Type::Float)
}
