//! Determines the kind of each expression's output vertex, which decides whether a call is built in place (language
//! spec, 10.4), without building anything.

use super::ir::{Ir, IrKind, OutputOf, Target};
use crate::index::IndexVec;
use crate::scope::linked::NodeId;
use rustc_hash::FxHashMap;

/// Sets [`super::ir::IrNode::output`] of every node. `known` has the function of each call of a known function.
///
/// Cost: nearly linear; an explicit stack instead of recursion.
pub(crate) fn settle(ir: &mut Ir, known: &FxHashMap<NodeId, NodeId>) {
    let mut done = Done::new();
    done.grow_to(ir.nodes.len(), || None);
    let mut open = rustc_hash::FxHashSet::default();
    let mut work = Vec::new();
    for root in ir.nodes.ids() {
        work.push(root);
        while let Some(node) = work.last().copied() {
            if done[node].is_some() {
                work.pop();
                continue;
            }
            match step(ir, known, &done, node) {
                Step::Done(output) => {
                    done[node] = Some(output);
                    work.pop();
                }
                // A cycle has been reported long before; this only avoids an endless loop.
                Step::First(other) if !open.insert((node, other)) => {
                    done[node] = Some(OutputOf::Apart);
                }
                Step::First(other) => work.push(other),
            }
        }
    }
    for (node, output) in done.iter() {
        ir.nodes[node].output = output.expect("each node had its turn");
    }
}

/// The results so far, by node.
type Done = IndexVec<NodeId, Option<OutputOf>>;

enum Step {
    Done(OutputOf),
    /// The other node must be done first.
    First(NodeId),
}

fn step(ir: &Ir, known: &FxHashMap<NodeId, NodeId>, done: &Done, node: NodeId) -> Step {
    let of = |other: NodeId| done[other].map_or(Step::First(other), Step::Done);
    match &ir.nodes[node].kind {
        IrKind::Const { .. }
        | IrKind::Composite(..)
        | IrKind::Func(_)
        | IrKind::If { .. }
        | IrKind::Except { .. }
        | IrKind::Error => Step::Done(OutputOf::Apart),
        IrKind::Param(param) => Step::Done(OutputOf::Param(*param)),
        IrKind::Def(def) => of(ir.defs[*def].value),
        IrKind::Call(call) => match &call.target {
            Target::Builtin(def) if def.shape.inline => Step::Done(OutputOf::InPlace),
            Target::Builtin(_) | Target::Dynamic(_) => Step::Done(OutputOf::Apart),
            Target::Known { .. } => {
                let Some(IrKind::Func(func)) = known.get(&node).map(|func| &ir.nodes[*func].kind) else {
                    return Step::Done(OutputOf::Apart);
                };
                match of(func.body) {
                    Step::Done(OutputOf::Param(param)) => {
                        let own = func.params.iter().position(|own| *own == param);
                        match own.and_then(|at| call.args.get(at)) {
                            Some(arg) => of(*arg),
                            None => Step::Done(OutputOf::Param(param)),
                        }
                    }
                    other => other,
                }
            }
        },
    }
}
