//! Collects the dependencies of an expression before the expression itself: shared definitions, and the function copies
//! of its calls, innermost first. Uses an explicit stack, so that ten thousand definitions may depend on each other.

use super::collect::{Chunk, Collector};
use crate::ident::Name;
use crate::scope::linked::{Callee, DefId, NodeId, NodeKind};
use crate::types::{Type, compare};

/// Above this depth static answers are prepared too.
const PRIMED_DEPTH: usize = 50;

/// How deep a literal is compared with its declared type.
const MAX_DECLARED_DEPTH: usize = 50;

/// Something that is collected into a separate chunk.
#[derive(Clone, Copy)]
enum Part {
    Def(DefId),
    /// The function of a `func` statement: one call's own copy. Those in loops are not included: all calls share one,
    /// and each call collects it again.
    Func(NodeId),
}

impl Collector<'_, '_> {
    /// Collects every part that the expressions depend on and that is not collected yet.
    pub(super) fn prepare<const N: usize>(&mut self, roots: [NodeId; N]) {
        let mut stack: Vec<(Part, Vec<Part>)> = Vec::new();
        let mut next = Vec::new();
        roots.iter().for_each(|root| self.missing(*root, &mut next));
        loop {
            match next.pop() {
                Some(part) if self.is_collected(part) => {}
                Some(part) => {
                    let mut inner = Vec::new();
                    match part {
                        Part::Def(def) => self.missing(self.linked.defs[def].value, &mut inner),
                        Part::Func(func) => self.missing(func, &mut inner),
                    }
                    stack.push((part, std::mem::replace(&mut next, inner)));
                }
                None => {
                    let Some((part, outer)) = stack.pop() else { return };
                    next = outer;
                    if !self.is_collected(part) {
                        self.collect(part, stack.len());
                    }
                }
            }
        }
    }

    fn is_collected(&self, part: Part) -> bool {
        match part {
            Part::Def(def) => self.defs[def].is_some(),
            Part::Func(func) => self.funcs.contains_key(&func),
        }
    }

    fn collect(&mut self, part: Part, depth: usize) {
        let node = match part {
            Part::Def(def) => self.linked.defs[def].value,
            Part::Func(func) => func,
        };
        let outside = std::mem::take(&mut self.entries);
        let mut ty = self.expr(node);
        let entries = std::mem::replace(&mut self.entries, outside);
        // What a wrong literal was meant to be: uses of the definition would only report it again.
        let linked = self.linked;
        if let (Part::Def(_), Some(declared)) = (part, &linked.nodes[node].known)
            && self.contradicts(node, declared, MAX_DECLARED_DEPTH)
        {
            ty = self.table.closed(declared);
        }
        let chunk = Chunk { ty, entries };
        match part {
            Part::Def(def) => self.defs[def] = Some(chunk),
            Part::Func(func) => {
                self.funcs.insert(func, chunk);
            }
        }
        if depth > PRIMED_DEPTH {
            // Static information is requested later, from the outside in: without the answers for its parts that would
            // recurse along the whole chain.
            self.statics.ty(self.linked, &mut self.table, node);
            self.statics.value(self.linked, &mut self.table, node);
            self.statics.built_value(self.linked, &mut self.table, node);
            self.statics.value_ty(self.linked, &mut self.table, node);
        }
    }

    /// Whether a literal certainly does not have its declared type.
    fn contradicts(&self, node: NodeId, declared: &Type, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match (&self.linked.nodes[node].kind, declared) {
            (_, Type::Variant | Type::Var(_)) => false,
            (NodeKind::Const(value), _) => value.type_of().is_some_and(|ty| compare(declared, &ty).is_err()),
            (NodeKind::List(items), Type::List(of)) => items.iter().any(|item| self.contradicts(*item, of, depth)),
            (NodeKind::Map(pairs), Type::Map(of)) => pairs
                .iter()
                .any(|(key, value)| self.contradicts(*key, &of.0, depth) || self.contradicts(*value, &of.1, depth)),
            (NodeKind::Struct(fields), Type::Struct(of)) => {
                let mut pairs = fields.iter().zip(of.iter());
                let differs = |((name, value), (wanted, ty)): (&(Name, NodeId), &(Name, Type))| {
                    name != wanted || self.contradicts(*value, ty, depth)
                };
                fields.len() != of.len() || pairs.any(differs)
            }
            (NodeKind::List(_) | NodeKind::Map(_) | NodeKind::Struct(_), _) => true,
            _ => false,
        }
    }

    /// The uncollected parts that an expression directly depends on.
    fn missing(&self, root: NodeId, found: &mut Vec<Part>) {
        if let NodeKind::Const(_) = &self.linked.nodes[root].kind {
            return;
        }
        let mut work = vec![root];
        while let Some(id) = work.pop() {
            match &self.linked.nodes[id].kind {
                NodeKind::Def(def) if self.defs[*def].is_none() => found.push(Part::Def(*def)),
                NodeKind::Def(_) | NodeKind::Const(_) | NodeKind::Param(_) | NodeKind::Error => {}
                NodeKind::List(items) => work.extend(items),
                NodeKind::Map(pairs) => work.extend(pairs.iter().flat_map(|(key, value)| [*key, *value])),
                NodeKind::Struct(fields) => work.extend(fields.iter().map(|(_, value)| *value)),
                NodeKind::Func(func) => work.push(func.body),
                NodeKind::Call(call) => {
                    work.extend(&call.args);
                    match call.callee {
                        Callee::Builtin(_) => {}
                        Callee::Statement(node) if self.is_shared(node) => work.push(node),
                        Callee::Statement(node) => {
                            if !self.funcs.contains_key(&node) {
                                found.push(Part::Func(node));
                            }
                        }
                        Callee::Value(node) | Callee::Literal(node) => work.push(node),
                    }
                }
                NodeKind::If { cond, then, otherwise } => work.extend([*cond, *then, *otherwise]),
                NodeKind::Except { main, fallback } => work.extend([*main, *fallback]),
            }
        }
    }

    fn is_shared(&self, func: NodeId) -> bool {
        matches!(&self.linked.nodes[func].kind, NodeKind::Func(func) if func.iterated.is_some())
    }
}
