//! Imitates the incidental compile order of the reference implementation, on which only the places of run-time errors
//! depend. `compiler/ACCIDENTS.md` lists these with the others.
//!
//! A failure of a shared value is reported at the last compiled call whose output it is (language spec, 10.4). The
//! language compiles both branches of an if-expression and the fallback of `<|>`, whether they run or not; here a
//! branch is built when it is taken. So a branch that is not taken is only walked, to record which calls have shared
//! values as output.
//!
//! Cost: at most [`MAX_STEPS`] for a whole graph; beyond that, only branches that were built count.

use super::build::Builder;
use super::graph::VertexId;
use super::ir::{IrCall, IrFunc, IrKind, OutputOf, Target};
use crate::scope::linked::{DefId, NodeId};
use crate::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};

const MAX_STEPS: usize = 50_000;

/// The maximum number of names for one value.
const MAX_NAMES: usize = 100;

/// The records of branches that were walked.
#[derive(Clone, Default, Debug)]
pub(crate) struct Passed {
    places: FxHashMap<DefId, Span>,
    walked: FxHashSet<DefId>,
    n_steps: usize,
}

/// The vertices whose place a builder may still change.
#[derive(Default)]
pub(super) struct Movable {
    /// For a branch that was walked before: the vertices made now. Otherwise `None`: all.
    made: Option<FxHashSet<VertexId>>,
}

impl Movable {
    /// For a branch that is built when it is taken.
    pub(super) fn of_branch() -> Movable {
        Movable { made: Some(FxHashSet::default()) }
    }

    pub(super) fn made(&mut self, vertex: VertexId) {
        if let Some(made) = &mut self.made {
            made.insert(vertex);
        }
    }
}

enum Step {
    Look(NodeId),
    Tell(DefId, Span),
}

impl Builder<'_> {
    /// A call was built in place: a failure of its output is reported there.
    pub(super) fn tell_at_call(&mut self, output: VertexId, call: Span) {
        if self.movable.made.as_ref().is_none_or(|made| made.contains(&output)) {
            self.graph.set_span(output, call);
        }
    }

    /// Walks a branch that may be built later, or never.
    pub(super) fn pass_by(&mut self, branch: NodeId) {
        if self.movable.made.is_some() {
            // It is part of a branch that was walked before.
            return;
        }
        let ir = self.ir;
        let mut work = vec![Step::Look(branch)];
        while let Some(step) = work.pop() {
            if self.graph.passed.n_steps == MAX_STEPS {
                return;
            }
            self.graph.passed.n_steps += 1;
            let node = match step {
                Step::Look(node) => node,
                Step::Tell(def, span) => {
                    self.graph.passed.places.insert(def, span);
                    if let Some(vertex) = self.graph.memo(def, None) {
                        self.graph.set_span(vertex, span);
                    }
                    continue;
                }
            };
            let mut look = |nodes: &[NodeId]| work.extend(nodes.iter().rev().map(|node| Step::Look(*node)));
            match &ir.nodes[node].kind {
                IrKind::Const { .. } | IrKind::Param(_) | IrKind::Func(_) | IrKind::Error => {}
                IrKind::Composite(_, parts) => look(parts),
                IrKind::Def(def) => {
                    let is_new = ir.defs[*def].iterated.is_none() && self.graph.memo(*def, None).is_none();
                    if is_new && self.graph.passed.walked.insert(*def) {
                        look(&[ir.defs[*def].value]);
                    }
                }
                IrKind::If { cond, then, otherwise } => look(&[*cond, *then, *otherwise]),
                IrKind::Except { main, fallback } => look(&[*main, *fallback]),
                IrKind::Call(call) => {
                    match (&call.target, self.in_place(call)) {
                        (Target::Builtin(_), _) => {}
                        (Target::Known { .. }, Some(func)) => {
                            work.extend(self.shared(node).map(|def| Step::Tell(def, call.span)));
                            work.push(Step::Look(func.body));
                        }
                        (Target::Known { value, .. } | Target::Dynamic(value), _) => work.push(Step::Look(*value)),
                    }
                    work.extend(call.args.iter().rev().map(|arg| Step::Look(*arg)));
                }
            }
        }
    }

    /// A shared definition is built: applies the place recorded for it.
    pub(super) fn tell_as_passed(&mut self, def: DefId, vertex: VertexId) {
        let Some(&span) = self.graph.passed.places.get(&def) else { return };
        self.graph.set_span(vertex, span);
        if let Some(made) = &mut self.movable.made {
            made.remove(&vertex);
        }
    }

    /// The function of a call that may be built in place.
    fn in_place(&self, call: &IrCall) -> Option<&IrFunc> {
        let Target::Known { func, .. } = &call.target else { return None };
        let IrKind::Func(func) = &self.ir.nodes[*func].kind else { return None };
        (self.ir.nodes[func.body].output != OutputOf::Apart).then_some(func)
    }

    /// The shared definition whose own vertex is an expression's output.
    fn shared(&self, node: NodeId) -> Option<DefId> {
        let ir = self.ir;
        let (mut node, mut found) = (node, None);
        let mut calls: Vec<(&IrFunc, &IrCall)> = Vec::new();
        for _ in 0..MAX_NAMES {
            node = match &ir.nodes[node].kind {
                IrKind::Def(def) if ir.defs[*def].iterated.is_none() => {
                    found = Some(*def);
                    calls.clear();
                    ir.defs[*def].value
                }
                IrKind::Call(call) => {
                    let Some(func) = self.in_place(call) else { return found };
                    calls.push((func, call));
                    func.body
                }
                IrKind::Param(param) => {
                    let at = |(func, _): &(&IrFunc, &IrCall)| func.params.iter().rposition(|own| own == param);
                    let Some(level) = calls.iter().rposition(|call| at(call).is_some()) else { return found };
                    let arg = at(&calls[level]).and_then(|at| calls[level].1.args.get(at).copied());
                    calls.truncate(level);
                    let Some(arg) = arg else { return found };
                    arg
                }
                IrKind::Def(_)
                | IrKind::Const { .. }
                | IrKind::Composite(..)
                | IrKind::Func(_)
                | IrKind::If { .. }
                | IrKind::Except { .. }
                | IrKind::Error => return found,
            };
        }
        None
    }
}
