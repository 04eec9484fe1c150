//! Constructs that change the graph: calls, branches, fallbacks and loops (language spec, 11.2).
//!
//! The new subgraph is built before the old one is released, so that shared parts keep running.

use super::React;
use super::state::{Failure, VertexState, Why};
use crate::corelib::FnError;
use crate::diag::Diagnostic;
use crate::fgraph::VertexId;
use crate::fgraph::build::Builder;
use crate::fgraph::env::{Code, EnvRef};
use crate::fgraph::graph::{Part, Scope};
use crate::fgraph::ir::{BlockId, Ir};
use crate::fgraph::op::Op;
use crate::fgraph::stmts;
use crate::ident::Name;
use crate::scope::linked::LoopId;
use crate::span::Span;
use crate::value::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// The state of a construct that is ready: its output only checks whether there is one.
pub(super) const READY: VertexState = VertexState::Value(Value::Bool(true));

/// What all bodies of a loop have in common.
struct Plan {
    ir: Arc<Ir>,
    of: LoopId,
    block: BlockId,
    env: EnvRef,
    /// The list or map.
    subject: VertexId,
    /// The name of the first variable.
    name: Name,
    span: Span,
    floor: u32,
}

impl React {
    /// Whether the current subgraph was made for this value. If not, records it for the next one.
    pub(super) fn is_seen(&mut self, id: VertexId, value: &Value) -> bool {
        let seen = &mut self.slots[id.0 as usize].seen;
        if seen.as_ref().is_some_and(|seen| seen.is_same(value)) {
            return true;
        }
        *seen = Some(Box::new(value.clone()));
        false
    }

    /// Replaces a construct's subgraph and the input of its output.
    pub(super) fn replace(&mut self, id: VertexId, output: Option<VertexId>, holds: Vec<VertexId>) {
        let target = self.graph.at(id).outs[0].to;
        let part = Part { key: None, scope: Scope { holds, stmts: Vec::new() } };
        let old = self.graph.replace_parts(id, vec![part]);
        self.graph.attach(target, output);
        self.graph.release_parts(old);
        self.take_changes();
        self.enqueue(target);
    }

    pub(super) fn dynamic_call(&mut self, id: VertexId, func: &Value) -> VertexState {
        if self.is_seen(id, func) {
            return READY;
        }
        let Some(code) = func.as_func().and_then(|func| func.code.downcast_ref::<Code>()) else {
            return self.fail(id, FnError::fatal("the called value is not a function"));
        };
        let vertex = self.graph.at(id);
        let Op::Call { args } = &vertex.op else { return READY };
        let (args, span, floor) = (args.clone(), vertex.span, vertex.level);
        let ir = self.ir.clone();
        let mut builder = Builder::new(&ir, &mut self.graph, floor);
        let output = builder.apply(code, &args, span);
        let holds = builder.holds;
        self.replace(id, Some(output), holds);
        READY
    }

    /// The condition of an if-expression or if statement.
    pub(super) fn branch(&mut self, id: VertexId, cond: &Value) -> VertexState {
        if self.is_seen(id, cond) {
            return READY;
        }
        let taken = cond.as_bool() == Some(true);
        let vertex = self.graph.at(id);
        let floor = vertex.level;
        let ir = self.ir.clone();
        match &vertex.op {
            Op::IfExpr { then, otherwise, env } => {
                let (node, env) = (if taken { *then } else { *otherwise }, env.clone());
                let mut builder = Builder::of_branch(&ir, &mut self.graph, floor);
                let output = builder.expr(node, &env);
                let holds = builder.holds;
                self.replace(id, Some(output), holds);
            }
            Op::IfStmt { then, otherwise, env } => {
                let (block, env) = (if taken { Some(*then) } else { *otherwise }, env.clone());
                if let Some(refused) = block.and_then(|block| ir.refused.get(&block)) {
                    return self.refuse_block(id, refused);
                }
                let scope = block.map(|block| stmts::block(&ir, &mut self.graph, block, &env, floor));
                let parts = scope.map(|scope| Part { key: None, scope }).into_iter().collect();
                self.replace_bodies(id, parts);
            }
            _ => {}
        }
        READY
    }

    /// `main <|> fallback`: uses a value of main; a catchable failure starts the fallback.
    pub(super) fn except(&mut self, id: VertexId) -> VertexState {
        let main = self.graph.at(id).inputs[0].from;
        let good = match &self.slots[main.0 as usize].state {
            VertexState::Pending => return VertexState::Pending,
            VertexState::Failed(failure) if !failure.catchable => return VertexState::Failed(failure.clone()),
            VertexState::Failed(_) => false,
            VertexState::Value(_) => true,
        };
        if self.is_seen(id, &Value::Bool(good)) {
            return READY;
        }
        if good {
            self.replace(id, Some(main), Vec::new());
            return READY;
        }
        let vertex = self.graph.at(id);
        let Op::Except { fallback, env } = &vertex.op else { return READY };
        let (fallback, env, floor) = (*fallback, env.clone(), vertex.level);
        let ir = self.ir.clone();
        let mut builder = Builder::of_branch(&ir, &mut self.graph, floor);
        let output = builder.expr(fallback, &env);
        let holds = builder.holds;
        self.replace(id, Some(output), holds);
        READY
    }

    /// One body per element or key. Bodies that stay keep their state.
    pub(super) fn bodies(&mut self, id: VertexId, subject: &Value) -> VertexState {
        let (keys, map) = match subject {
            Value::List(list) => (Vec::new(), list.len()),
            Value::Map(map) => (map.iter().map(|(key, _)| key.clone()).collect(), map.len()),
            _ => return self.fail(id, FnError::fatal("a loop goes over a list or a map")),
        };
        let n_bodies = map;
        let present = self.graph.parts(id);
        let same = present.len() == n_bodies
            && keys.iter().zip(present).all(|(key, part)| part.key.as_ref().is_some_and(|known| known.is_same(key)));
        if same {
            return READY;
        }
        let Some(plan) = self.plan(id) else { return READY };
        if n_bodies > 0
            && let Some(refused) = plan.ir.refused.get(&plan.block)
        {
            return self.refuse_block(id, refused);
        }
        let mut present: VecDeque<Part> = self.graph.replace_parts(id, Vec::new()).into();
        let mut parts = Vec::with_capacity(n_bodies);
        let mut old = Vec::new();
        for index in 0..n_bodies {
            let key = keys.get(index);
            // Keys are sorted, in the old bodies too.
            while let Some(part) = present.pop_front() {
                let order = match (key, &part.key) {
                    (Some(key), Some(known)) if known.is_same(key) => std::cmp::Ordering::Equal,
                    (Some(key), Some(known)) => known.total_cmp(key),
                    (None, _) | (_, None) => std::cmp::Ordering::Equal,
                };
                match order {
                    std::cmp::Ordering::Less => old.push(part),
                    std::cmp::Ordering::Equal => {
                        parts.push(part);
                        break;
                    }
                    std::cmp::Ordering::Greater => {
                        present.push_front(part);
                        break;
                    }
                }
            }
            if parts.len() == index {
                parts.push(self.body(&plan, index, key));
            }
            if self.graph.overflow {
                break;
            }
        }
        old.extend(present);
        let none = self.graph.replace_parts(id, parts);
        debug_assert!(none.is_empty(), "the parts were taken out");
        self.graph.release_parts(old);
        self.take_changes();
        self.restructured();
        READY
    }

    fn plan(&self, id: VertexId) -> Option<Plan> {
        let vertex = self.graph.at(id);
        let Op::Loop { id: of, body, env, .. } = &vertex.op else { return None };
        Some(Plan {
            ir: self.ir.clone(),
            of: *of,
            block: *body,
            env: env.clone(),
            subject: vertex.inputs[0].from,
            name: self.ir.params[self.ir.loops[*of].first].clone(),
            span: vertex.span,
            floor: vertex.level,
        })
    }

    /// Builds the body of one element or key.
    fn body(&mut self, plan: &Plan, index: usize, key: Option<&Value>) -> Part {
        let (span, floor) = (plan.span, plan.floor);
        let value = key.cloned().unwrap_or(Value::Int(index as i64));
        let first = self.graph.add(Op::Key { value, name: plan.name.clone() }, span, &[], floor);
        let element = match key {
            Some(key) => Op::Entry { key: key.clone() },
            None => Op::Element { index, label: "forInputElem" },
        };
        let second = self.graph.add(element, span, &[plan.subject], floor);
        let construct = (plan.of, plan.block, &plan.env);
        let scope = stmts::iteration(&plan.ir, &mut self.graph, construct, (first, second), floor);
        Part { key: key.cloned(), scope }
    }

    /// A block that cannot be built. The next value starts from scratch.
    fn refuse_block(&mut self, id: VertexId, refused: &Diagnostic) -> VertexState {
        self.slots[id.0 as usize].seen = None;
        let span = self.graph.at(id).span;
        let why = Why::Block(Box::new(refused.clone()));
        VertexState::Failed(Arc::new(Failure {
            message: refused.message.clone(),
            catchable: false,
            why,
            span,
            origin: id,
        }))
    }

    fn replace_bodies(&mut self, id: VertexId, parts: Vec<Part>) {
        let old = self.graph.replace_parts(id, parts);
        self.graph.release_parts(old);
        self.take_changes();
        self.restructured();
    }
}
