//! The type that an expression has whatever else is found out: that of a literal, of an operator, of a call whose result
//! is of one type.

use super::collect::Collector;
use crate::corelib::{CallSite, FnDef, KnownArg, Sig};
use crate::scope::linked::{Call, Callee, NodeId, NodeKind};
use crate::types::Type;

/// The maximum number of parts within each other that are looked at: each operator has two.
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
                Callee::Builtin(def) if def.path == "_operator" => self.of_operator(def, call, depth),
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

    /// The result of an operator by its signature: a type, or that of the operands which share its variable.
    fn of_operator(&self, def: &'static FnDef, call: &Call, depth: usize) -> Option<Type> {
        let Sig::Inferred { infer, .. } = &def.sig else { return None };
        let value = |arg: &NodeId| match &self.linked.nodes[*arg].kind {
            NodeKind::Const(value) => Some(value.clone()),
            _ => None,
        };
        let args: Vec<KnownArg> = call.args.iter().map(|arg| KnownArg { ty: None, value: value(arg) }).collect();
        let Ok(Type::Func(func)) = infer(&CallSite { args: &args, name: &call.name }) else { return None };
        if is_basic(&func.ret) {
            return Some(func.ret.clone());
        }
        let alike = call.args.iter().zip(&func.params).filter(|(_, (_, ty))| *ty == func.ret);
        let mut types = alike.map(|(arg, _)| self.certain_within(*arg, depth));
        let first = types.next()?.filter(is_basic)?;
        types.all(|ty| ty.as_ref() == Some(&first)).then_some(first)
    }
}

fn is_basic(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Str | Type::Int | Type::Float)
}
