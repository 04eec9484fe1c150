//! Determines the kind of each expression's output vertex, which decides whether a call is built in place (language
//! spec, 10.4), without building anything.

use super::plan::{OutputOf, Plan, PlanKind, Target};
use crate::index::IndexVec;
use crate::scope::linked::NodeId;
use rustc_hash::FxHashMap;

/// Sets [`super::plan::PlanNode::output`] of every node. `known` has the function of each call of a known function.
///
/// Cost: nearly linear; an explicit stack instead of recursion.
pub(crate) fn settle(plan: &mut Plan, known: &FxHashMap<NodeId, NodeId>) {
    let mut done = Done::new();
    done.grow_to(plan.nodes.len(), || None);
    let mut open = rustc_hash::FxHashSet::default();
    let mut work = Vec::new();
    for root in plan.nodes.ids() {
        work.push(root);
        while let Some(node) = work.last().copied() {
            if done[node].is_some() {
                work.pop();
                continue;
            }
            match step(plan, known, &done, node) {
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
        plan.nodes[node].output = output.expect("each node had its turn");
    }
}

/// The results so far, by node.
type Done = IndexVec<NodeId, Option<OutputOf>>;

enum Step {
    Done(OutputOf),
    /// The other node must be done first.
    First(NodeId),
}

fn step(plan: &Plan, known: &FxHashMap<NodeId, NodeId>, done: &Done, node: NodeId) -> Step {
    let of = |other: NodeId| done[other].map_or(Step::First(other), Step::Done);
    match &plan.nodes[node].kind {
        PlanKind::Const { .. }
        | PlanKind::Composite(..)
        | PlanKind::Func(_)
        | PlanKind::If { .. }
        | PlanKind::Except { .. }
        | PlanKind::Error => Step::Done(OutputOf::Apart),
        PlanKind::Param(param) => Step::Done(OutputOf::Param(*param)),
        PlanKind::Def(def) => of(plan.defs[*def].value),
        PlanKind::Call(call) => match &call.target {
            Target::Builtin(def) if def.shape.inline => Step::Done(OutputOf::InPlace),
            Target::Builtin(_) | Target::Dynamic(_) => Step::Done(OutputOf::Apart),
            Target::Known { .. } => {
                let Some(PlanKind::Func(func)) = known.get(&node).map(|func| &plan.nodes[*func].kind) else {
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
