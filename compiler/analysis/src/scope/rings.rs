//! A final search for rings among the linked definitions.
//!
//! The text of one file shows nearly all recursion ([`check`](super::check)). The rest goes through an alias to a scope
//! that captured more than the file's ordering knows. Later stages rely on there being none.

use super::errors;
use super::linked::{Callee, DefId, Linked, NodeId, NodeKind};
use super::linker::Linker;
use crate::index::IndexVec;
use crate::span::Span;
use rustc_hash::FxHashSet;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

impl Linker<'_, '_> {
    /// Cuts every ring at one use, and reports it.
    pub(super) fn break_rings(&mut self) {
        let cuts = find_rings(self.out.linked());
        for (node, span) in cuts {
            self.out.set(node, NodeKind::Error);
            self.report(errors::recursion(&[span], false));
        }
    }
}

/// One use of each ring.
fn find_rings(linked: &Linked) -> Vec<(NodeId, Span)> {
    let mut marks: IndexVec<DefId, Mark> = linked.defs.ids().map(|_| Mark::New).collect();
    let mut cuts = Vec::new();
    for start in linked.defs.ids() {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        let mut path = vec![(start, uses_of(linked, linked.defs[start].value))];
        while let Some((def, uses)) = path.last_mut() {
            match uses.pop() {
                None => {
                    marks[*def] = Mark::Done;
                    path.pop();
                }
                Some((node, to)) => match marks[to] {
                    Mark::Done => {}
                    Mark::Open => cuts.push((node, linked.nodes[node].span)),
                    Mark::New => {
                        marks[to] = Mark::Open;
                        path.push((to, uses_of(linked, linked.defs[to].value)));
                    }
                },
            }
        }
    }
    cuts
}

/// The definitions used by an expression, with the nodes that use them.
fn uses_of(linked: &Linked, root: NodeId) -> Vec<(NodeId, DefId)> {
    let mut found = Vec::new();
    let mut steps = vec![root];
    // Inside loops all calls share one copy of a function.
    let mut entered: FxHashSet<NodeId> = FxHashSet::default();
    while let Some(node) = steps.pop() {
        match &linked.nodes[node].kind {
            NodeKind::Const(_) | NodeKind::Param(_) | NodeKind::Error => {}
            NodeKind::Def(def) => found.push((node, *def)),
            NodeKind::List(items) => steps.extend(items),
            NodeKind::Map(pairs) => steps.extend(pairs.iter().flat_map(|(key, value)| [*key, *value])),
            NodeKind::Struct(fields) => steps.extend(fields.iter().map(|(_, value)| *value)),
            NodeKind::Call(call) => {
                steps.extend(&call.args);
                match &call.callee {
                    Callee::Builtin(_) => {}
                    Callee::Statement(func) if !entered.insert(*func) => {}
                    Callee::Statement(func) | Callee::Value(func) | Callee::Literal(func) => steps.push(*func),
                }
            }
            NodeKind::Func(func) => steps.push(func.body),
            NodeKind::If { cond, then, otherwise } => steps.extend([*cond, *then, *otherwise]),
            NodeKind::Except { main, fallback } => steps.extend([*main, *fallback]),
        }
    }
    found
}
