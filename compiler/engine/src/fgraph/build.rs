//! Builds expressions into vertices (language spec, 10.3 to 10.6).
//!
//! In: a node of the [`Ir`] with its environment. Out: its output vertex. The same builder makes the first graph and,
//! while the program runs, the bodies attached to it. It uses explicit stacks: a chain of ten thousand binds needs no
//! deep recursion.
//!
//! The language *tries* each call of a known function in place and discards the trial if its output is of the wrong
//! kind. Here the kind is known in advance ([`OutputOf`]), so nothing is discarded.

use super::accidents::Movable;
use super::env::{Code, Env, EnvRef, Frame, IterationId, iteration, lookup};
use super::graph::{FuncGraph, VertexId};
use super::ir::{Home, Ir, IrCall, IrFunc, IrKind, OutputOf, Target};
use super::op::{Op, OutputKind};
use crate::corelib::{FnDef, Run};
use crate::scope::linked::{DefId, LoopId, NodeId};
use crate::span::Span;
use crate::types::Type;
use crate::value::{Func, Value};
use smallvec::SmallVec;
use std::sync::Arc;

pub(crate) struct Builder<'a> {
    pub(crate) ir: &'a Ir,
    pub(crate) graph: &'a mut FuncGraph,
    /// New vertices are above this level, the level of the construct they are built for.
    pub(crate) floor: u32,
    /// Arguments of calls in place: they stay in the graph whether or not the body reads them.
    pub(crate) holds: Vec<VertexId>,
    tasks: Vec<Task>,
    /// Output vertices that are built and not used yet.
    done: Vec<VertexId>,
    /// The environment of the last body: unless something refers to it, the next one takes its place.
    spare: EnvRef,
    pub(super) movable: Movable,
}

/// A pending task; the next one is last.
enum Task {
    Node(NodeId, EnvRef),
    /// The parts are built: combine them.
    Composite(NodeId),
    /// The condition or main expression is built.
    Construct(NodeId, EnvRef),
    /// The arguments are built. A builtin needs no environment.
    Call(NodeId, EnvRef),
    /// The body is built in place.
    InPlace(Span),
    /// The arguments and the function are built.
    Dynamic(NodeId),
    Remember(DefId, Option<IterationId>),
}

impl<'a> Builder<'a> {
    pub(crate) fn new(ir: &'a Ir, graph: &'a mut FuncGraph, floor: u32) -> Builder<'a> {
        Builder {
            ir,
            graph,
            floor,
            holds: Vec::new(),
            tasks: Vec::new(),
            done: Vec::new(),
            spare: None,
            movable: Movable::default(),
        }
    }

    /// Builds a branch of an if-expression or a fallback, when it is taken.
    pub(crate) fn of_branch(ir: &'a Ir, graph: &'a mut FuncGraph, floor: u32) -> Builder<'a> {
        Builder { movable: Movable::of_branch(), ..Builder::new(ir, graph, floor) }
    }

    /// Builds an expression.
    pub(crate) fn expr(&mut self, node: NodeId, env: &EnvRef) -> VertexId {
        let output = self.build(node, env);
        if self.graph.overflow && self.graph.overflow_at.is_none() {
            self.graph.overflow_at = Some(self.ir.nodes[node].span);
        }
        output
    }

    fn build(&mut self, node: NodeId, env: &EnvRef) -> VertexId {
        if !self.graph.overflow
            && let Some(output) = self.leaf(node, env)
        {
            return output;
        }
        let bottom = self.tasks.len();
        self.tasks.push(Task::Node(node, env.clone()));
        while self.tasks.len() > bottom {
            let Some(task) = self.tasks.pop() else { break };
            if self.graph.overflow {
                // The caller reports it; finish as cheaply as possible.
                self.tasks.truncate(bottom);
                self.done.clear();
                return self.add(Op::Gone, self.ir.nodes[node].span, &[]);
            }
            self.task(task);
        }
        self.pop()
    }

    fn pop(&mut self) -> VertexId {
        self.done.pop().expect("each node leaves its output")
    }

    fn pop_many(&mut self, n: usize) -> SmallVec<[VertexId; 4]> {
        let at = self.done.len() - n;
        self.done.drain(at..).collect()
    }

    pub(crate) fn add(&mut self, op: Op, span: Span, inputs: &[VertexId]) -> VertexId {
        let id = self.graph.add(op, span, inputs, self.floor);
        self.movable.made(id);
        id
    }

    fn push(&mut self, op: Op, span: Span, inputs: &[VertexId]) {
        let id = self.add(op, span, inputs);
        self.done.push(id);
    }

    fn task(&mut self, task: Task) {
        match task {
            Task::Node(node, env) => self.node(node, env),
            Task::Composite(node) => {
                let IrKind::Composite(composite, parts) = &self.ir.nodes[node].kind else { return };
                let inputs = self.pop_many(parts.len());
                self.push(Op::Composite(composite.clone()), self.ir.nodes[node].span, &inputs);
            }
            Task::Construct(node, env) => self.construct(node, env),
            Task::Call(node, env) => self.call(node, env),
            Task::InPlace(span) => {
                let output = *self.done.last().expect("the body leaves its output");
                self.tell_at_call(output, span);
            }
            Task::Dynamic(node) => {
                let IrKind::Call(call) = &self.ir.nodes[node].kind else { return };
                let func = self.pop();
                let args = self.pop_many(call.args.len());
                self.dynamic(func, args.into_vec(), call.span);
            }
            Task::Remember(def, iteration) => {
                let output = *self.done.last().expect("the definition leaves its output");
                self.graph.remember(def, iteration, output);
                if iteration.is_none() {
                    self.tell_as_passed(def, output);
                }
            }
        }
    }

    fn node(&mut self, node: NodeId, env: EnvRef) {
        if let Some(output) = self.leaf(node, &env) {
            self.done.push(output);
            return;
        }
        let ir = self.ir;
        let span = ir.nodes[node].span;
        match &ir.nodes[node].kind {
            IrKind::Composite(_, parts) => {
                self.tasks.push(Task::Composite(node));
                self.parts(parts, &env);
            }
            IrKind::Def(def) => self.def(*def, &env, span),
            IrKind::Call(call) => {
                let of_callee = match &call.target {
                    Target::Builtin(_) => None,
                    Target::Known { .. } | Target::Dynamic(_) => env.clone(),
                };
                self.tasks.push(Task::Call(node, of_callee));
                self.parts(&call.args, &env);
            }
            IrKind::If { cond, .. } => {
                let cond = *cond;
                self.tasks.push(Task::Construct(node, env.clone()));
                self.tasks.push(Task::Node(cond, env));
            }
            IrKind::Except { main, .. } => {
                let main = *main;
                self.tasks.push(Task::Construct(node, env.clone()));
                self.tasks.push(Task::Node(main, env));
            }
            IrKind::Const { .. } | IrKind::Param(_) | IrKind::Func(_) | IrKind::Error => {}
        }
    }

    /// The output of a node without parts; others are not built.
    fn leaf(&mut self, node: NodeId, env: &EnvRef) -> Option<VertexId> {
        let ir = self.ir;
        let op = match &ir.nodes[node].kind {
            IrKind::Const { value, ty } => Op::Const { value: value.clone(), ty: ty.clone() },
            IrKind::Param(param) => match lookup(env, *param).and_then(|bound| self.graph.alive(bound)) {
                Some(vertex) => return Some(vertex),
                None => Op::Gone,
            },
            IrKind::Func(func) => {
                let env = self.home(func, env);
                func_value(func.ty.clone(), Code::Closure { func: func.clone(), env })
            }
            IrKind::Error => Op::Gone,
            IrKind::Composite(..) | IrKind::Def(_) | IrKind::Call(_) | IrKind::If { .. } | IrKind::Except { .. } => {
                return None;
            }
        };
        Some(self.add(op, ir.nodes[node].span, &[]))
    }

    /// Builds the parts of a node in order: the leaves at the front at once, the rest as tasks.
    fn parts(&mut self, parts: &[NodeId], env: &EnvRef) {
        let mut rest = parts;
        while let [part, after @ ..] = rest
            && !self.graph.overflow
            && let Some(output) = self.leaf(*part, env)
        {
            self.done.push(output);
            rest = after;
        }
        self.tasks.extend(rest.iter().rev().map(|part| Task::Node(*part, env.clone())));
    }

    /// A shared definition: once in the program, or once per iteration.
    fn def(&mut self, def: DefId, env: &EnvRef, span: Span) {
        let place = match self.ir.defs[def].iterated {
            None => Some((None, None)),
            Some(of) => iteration(env, of).map(|(env, id)| (env, Some(id))),
        };
        let Some((env, iteration)) = place else { return self.push(Op::Gone, span, &[]) };
        if let Some(known) = self.graph.memo(def, iteration) {
            self.done.push(known);
            return;
        }
        self.tasks.push(Task::Remember(def, iteration));
        self.tasks.push(Task::Node(self.ir.defs[def].value, env));
    }

    /// The environment of a function's body.
    fn home(&self, func: &IrFunc, here: &EnvRef) -> EnvRef {
        match func.home {
            Home::Here => here.clone(),
            Home::Statement(None) => None,
            Home::Statement(Some(of)) => surroundings(here, of),
        }
    }

    fn construct(&mut self, node: NodeId, env: EnvRef) {
        let ir = self.ir;
        let input = self.pop();
        let (op, kind) = match &ir.nodes[node].kind {
            IrKind::If { then, otherwise, .. } => {
                self.pass_by(*then);
                self.pass_by(*otherwise);
                (Op::IfExpr { then: *then, otherwise: *otherwise, env }, OutputKind::If)
            }
            IrKind::Except { fallback, .. } => {
                self.pass_by(*fallback);
                (Op::Except { fallback: *fallback, env }, OutputKind::Except)
            }
            IrKind::Const { .. }
            | IrKind::Composite(..)
            | IrKind::Def(_)
            | IrKind::Param(_)
            | IrKind::Call(_)
            | IrKind::Func(_)
            | IrKind::Error => return,
        };
        let span = ir.nodes[node].span;
        let construct = self.add(op, span, &[input]);
        self.push(Op::Output(kind), span, &[construct]);
    }

    /// Continues a call whose arguments are built.
    fn call(&mut self, node: NodeId, env: EnvRef) {
        let IrKind::Call(call) = &self.ir.nodes[node].kind else { return };
        match &call.target {
            Target::Builtin(def) if def.shape.inline => {
                let args = self.pop_many(call.args.len());
                let output = self.builtin(def, call, &args);
                self.done.push(output);
            }
            Target::Builtin(def) => {
                let args = self.pop_many(call.args.len());
                let code = Code::Builtin { def, call: call.clone() };
                let func = self.add(func_value(Type::Func(call.ty.clone()), code), call.span, &[]);
                self.dynamic(func, args.into_vec(), call.span);
            }
            Target::Known { func, value } => self.known(node, *func, *value, call, env),
            Target::Dynamic(value) => {
                self.tasks.push(Task::Dynamic(node));
                self.tasks.push(Task::Node(*value, env));
            }
        }
    }

    /// A call of a statically known function: in place if its output allows it.
    fn known(&mut self, node: NodeId, func: NodeId, value: NodeId, call: &IrCall, env: EnvRef) {
        let ir = self.ir;
        let IrKind::Func(code) = &ir.nodes[func].kind else { return };
        // A function behind a name is in a shared definition: outside of everything.
        let outer = if func == value { self.home(code, &env) } else { None };
        let args = &self.done[self.done.len() - call.args.len()..];
        let in_place = match ir.nodes[code.body].output {
            OutputOf::InPlace => true,
            OutputOf::Apart => false,
            OutputOf::Param(param) => {
                let own = code.params.iter().position(|own| *own == param).and_then(|at| args.get(at).copied());
                let vertex = own.or_else(|| lookup(&outer, param).and_then(|bound| self.graph.alive(bound)));
                vertex.is_some_and(|vertex| self.graph.at(vertex).op.is_in_place())
            }
        };
        if !in_place {
            self.tasks.push(Task::Dynamic(node));
            self.tasks.push(Task::Node(value, env));
            return;
        }
        let args = self.pop_many(call.args.len());
        for arg in &args {
            self.graph.hold(*arg);
        }
        let inner = self.bind(code, &args, outer);
        self.holds.extend(args);
        self.tasks.push(Task::InPlace(call.span));
        self.tasks.push(Task::Node(code.body, inner));
    }

    /// The environment with a function's parameters bound.
    fn bind(&mut self, func: &IrFunc, args: &[VertexId], outer: EnvRef) -> EnvRef {
        let params = func.params.iter().zip(args).map(|(param, arg)| (*param, self.graph.bound(*arg)));
        let env = Env { outer, frame: Frame::Params(params.collect()) };
        if let Some(mut spare) = self.spare.take()
            && let Some(place) = Arc::get_mut(&mut spare)
        {
            *place = env;
            return Some(spare);
        }
        Some(Arc::new(env))
    }

    /// The vertices of a dynamic call.
    fn dynamic(&mut self, func: VertexId, args: Vec<VertexId>, span: Span) {
        let call = self.add(Op::Call { args }, span, &[func]);
        self.push(Op::Output(OutputKind::Call), span, &[call]);
    }

    /// The vertex of a builtin, and its output vertex if that is separate.
    fn builtin(&mut self, def: &'static FnDef, call: &Arc<IrCall>, args: &[VertexId]) -> VertexId {
        match def.run {
            Run::Pure(_) | Run::World(_) | Run::Long(_) => {
                self.add(Op::Builtin { def, call: call.clone() }, call.span, args)
            }
            Run::Iter(shape) => {
                let iter = self.add(Op::Iter { shape, call: call.clone() }, call.span, args);
                self.add(Op::Output(OutputKind::Func), call.span, &[iter])
            }
        }
    }

    /// Builds a function value's body for these arguments.
    pub(crate) fn apply(&mut self, code: &Code, args: &[VertexId], span: Span) -> VertexId {
        match code {
            Code::Builtin { def, call } => self.builtin(def, call, args),
            Code::Closure { func, env } if func.params.len() == args.len() => {
                let env = self.bind(func, args, env.clone());
                let output = self.expr(func.body, &env);
                self.spare = env;
                output
            }
            Code::Closure { .. } => self.add(Op::Gone, span, &[]),
        }
    }
}

fn surroundings(here: &EnvRef, of: LoopId) -> EnvRef {
    iteration(here, of).and_then(|(env, _)| env)
}

fn func_value(ty: Type, code: Code) -> Op {
    Op::FuncValue(Value::Func(Arc::new(Func { ty, code: Box::new(code) })))
}
