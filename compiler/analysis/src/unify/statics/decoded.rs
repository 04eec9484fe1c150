//! The type of decoded JSON: without it, its static value is unknown. Language spec, 10.5.

use super::Statics;
use crate::corelib::{CallSite, FnDef, KnownArg, Sig};
use crate::scope::linked::{Call, Callee, Linked, NodeId, NodeKind};
use crate::types::Type;
use crate::unify::Types;
use crate::value::Value;

impl Statics {
    /// Takes the types of decoded JSON from the finished types. No other static value depends on its type.
    pub(super) fn learn_decoded(&mut self, linked: &Linked, types: &Types) {
        for (id, node) in linked.nodes.iter() {
            let NodeKind::Call(call) = &node.kind else { continue };
            if decoder(call).is_some()
                && let Some(ty) = types.of(id)
            {
                self.decoded.insert(id, ty.clone());
            }
        }
    }

    /// The type of the JSON that a call with these arguments decodes: solved, or given by the second argument.
    pub(super) fn decoded_type(&self, id: NodeId, call: &Call, values: &[Value]) -> Option<Type> {
        let def = decoder(call)?;
        if let Some(ty) = self.decoded.get(&id) {
            return Some(ty.clone());
        }
        let Sig::Inferred { infer, .. } = &def.sig else { return None };
        let args: Vec<KnownArg> =
            values.iter().map(|value| KnownArg { ty: None, value: Some(value.clone()) }).collect();
        match infer(&CallSite { args: &args, name: &call.name }).ok()? {
            Type::Func(func) if !func.ret.has_vars() => Some(func.ret.clone()),
            _ => None,
        }
    }
}

/// The function, if the call decodes JSON and has a static value.
fn decoder(call: &Call) -> Option<&'static FnDef> {
    match call.callee {
        Callee::Builtin(def) if def.path == "encoding.decode_json" => Some(def),
        _ => None,
    }
}
