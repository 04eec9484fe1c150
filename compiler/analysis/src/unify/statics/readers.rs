//! What a function reads is not known beforehand, but the least number that it can be is: a comparison that every such
//! number decides alike has a static value. Language spec, 10.5. The reference reads it while it compiles, and keeps
//! that choice (`compiler/DIFFERENCES.md`).

use super::Statics;
use crate::scope::linked::{Call, Callee, Linked, NodeId, NodeKind};
use crate::unify::table::Table;
use crate::value::Value;

impl Statics {
    /// The result of comparing a number that is read with a known one.
    pub(super) fn compared(&mut self, linked: &Linked, table: &mut Table, call: &Call) -> Option<Value> {
        let [op, a, b] = call.args[..] else { return None };
        let op = self.value(linked, table, op)?;
        let op = op.as_text()?;
        if !matches!(&*op, "<" | ">" | "<=" | ">=") {
            return None;
        }
        let holds = |a: i64, b: i64| match &*op {
            "<" => a < b,
            ">" => a > b,
            "<=" => a <= b,
            _ => a >= b,
        };
        let (first, last) = match (self.least(linked, a), self.least(linked, b)) {
            (Some(least), None) => {
                let known = self.value(linked, table, b)?.as_int()?;
                (holds(least, known), holds(i64::MAX, known))
            }
            (None, Some(least)) => {
                let known = self.value(linked, table, a)?.as_int()?;
                (holds(known, least), holds(known, i64::MAX))
            }
            (Some(_), Some(_)) | (None, None) => return None,
        };
        (first == last).then_some(Value::Bool(first))
    }

    /// The least number that this node can be, if a function reads it.
    fn least(&self, linked: &Linked, mut id: NodeId) -> Option<i64> {
        loop {
            match &linked.nodes[id].kind {
                NodeKind::Def(def) if linked.defs[*def].iterated.is_some() || self.aside.contains(def) => return None,
                NodeKind::Def(def) => id = linked.defs[*def].value,
                NodeKind::Call(call) => {
                    let Callee::Builtin(def) = call.callee else { return None };
                    return match def.path {
                        "datetime.now" | "sys.cpu_count" => Some(1),
                        "sys.uptime" => Some(0),
                        _ => None,
                    };
                }
                NodeKind::Const(_)
                | NodeKind::List(_)
                | NodeKind::Map(_)
                | NodeKind::Struct(_)
                | NodeKind::Param(_)
                | NodeKind::If { .. }
                | NodeKind::Except { .. }
                | NodeKind::Func(_)
                | NodeKind::Error => return None,
            }
        }
    }
}
