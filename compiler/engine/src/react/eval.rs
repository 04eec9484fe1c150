//! Evaluates one vertex: from the states of its inputs to its own state.

use super::React;
use super::facts::{FactId, View};
use super::round::{element, entry};
use super::state::{Failure, VertexState, Why};
use crate::corelib::{Args, FnDef, FnError, Long, Progress, Run, Task, Work};
use crate::fgraph::VertexId;
use crate::fgraph::graph::Vertex;
use crate::fgraph::ir::{Composite, Form, IrCall};
use crate::fgraph::op::Op;
use crate::value::{Struct, Value};
use mclive_base::excerpt::{LONGEST_TOLD, excerpt};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The values of a vertex's inputs, mostly few.
type Values = SmallVec<[Value; 4]>;

/// A call of a function that was interrupted.
#[derive(Clone)]
pub(super) struct Call {
    vertex: VertexId,
    birth: u32,
    task: Box<dyn Task>,
    asked: Asked,
}

impl Call {
    pub(super) fn vertex(&self) -> VertexId {
        self.vertex
    }

    pub(super) fn is_of(&self, vertex: &Vertex) -> bool {
        self.birth == vertex.birth
    }
}

/// What one evaluation asked of the world: facts, and a moment to be evaluated again.
#[derive(Clone, Default)]
struct Asked {
    facts: BTreeSet<FactId>,
    wake: Option<u64>,
}

impl React {
    pub(super) fn evaluate(&mut self, id: VertexId) -> VertexState {
        let vertex = self.graph.at(id);
        match &vertex.op {
            Op::Const { value, .. } if !self.has_host && self.ir.is_hostname(value) => VertexState::Pending,
            Op::Const { value, .. } | Op::Key { value, .. } | Op::FuncValue(value) => VertexState::Value(value.clone()),
            Op::Composite(composite) => {
                let composite = composite.clone();
                self.with_inputs(id, |react, values| {
                    if matches!(composite.form, Form::Map) {
                        react.charge_keys(id, &values);
                    }
                    VertexState::Value(compose(&composite, values.into_vec()))
                })
            }
            Op::Builtin { def, call } => {
                let (def, call) = (*def, call.clone());
                self.with_inputs(id, |react, values| react.call_builtin(id, def, &call, &values))
            }
            Op::Output(_) => self.output(id),
            Op::Except { .. } => self.except(id),
            Op::Call { .. } => self.with_inputs(id, |react, values| react.dynamic_call(id, &values[0])),
            Op::IfExpr { .. } | Op::IfStmt { .. } => self.with_inputs(id, |react, values| react.branch(id, &values[0])),
            Op::Loop { .. } => self.with_inputs(id, |react, values| react.bodies(id, &values[0])),
            Op::Iter { .. } => self.with_inputs(id, |react, values| react.iterate(id, &values)),
            Op::Element { index, .. } => self.part(vertex, |list| element(list, *index)),
            Op::Entry { key } => self.part(vertex, |map| entry(map, key)),
            Op::Collect { .. } => self.with_inputs(id, |_, values| VertexState::Value(Value::list(values.into_vec()))),
            Op::Sift => self.with_inputs(id, |_, values| {
                let pairs = values.chunks_exact(2).filter(|pair| pair[1].as_bool() == Some(true));
                VertexState::Value(Value::list(pairs.map(|pair| pair[0].clone())))
            }),
            Op::Gone => self.fail(id, FnError::fatal("the scope of this function no longer exists")),
        }
    }

    /// Continues with the inputs' values; a failed input fails the vertex, a pending one keeps it pending.
    fn with_inputs(&mut self, id: VertexId, go_on: impl FnOnce(&mut React, Values) -> VertexState) -> VertexState {
        let inputs = &self.graph.at(id).inputs;
        let mut values = Values::with_capacity(inputs.len());
        let mut failed: Option<&Arc<Failure>> = None;
        let mut pending = false;
        for input in inputs {
            match &self.slots[input.from.0 as usize].state {
                VertexState::Value(value) => values.push(value.clone()),
                VertexState::Pending => pending = true,
                // Uncatchable failures take precedence.
                VertexState::Failed(failure) => {
                    if failed.is_none_or(|known| known.catchable && !failure.catchable) {
                        failed = Some(failure);
                    }
                }
            }
        }
        match failed {
            Some(failure) => VertexState::Failed(failure.clone()),
            None if pending => VertexState::Pending,
            None => go_on(self, values),
        }
    }

    /// A part of the vertex's only input. A failed input fails the vertex, a pending one keeps it pending.
    fn part(&self, vertex: &Vertex, take: impl FnOnce(&Value) -> Option<&Value>) -> VertexState {
        match &self.slots[vertex.inputs[0].from.0 as usize].state {
            VertexState::Value(whole) => take(whole).cloned().map_or(VertexState::Pending, VertexState::Value),
            none @ (VertexState::Pending | VertexState::Failed(_)) => none.clone(),
        }
    }

    /// A function may repeat its arguments in its message, and thousands of calls may fail: only the start is kept.
    pub(super) fn fail(&self, id: VertexId, error: FnError) -> VertexState {
        let told = |text: String| excerpt(text, LONGEST_TOLD);
        VertexState::Failed(Arc::new(Failure {
            message: told(error.message),
            catchable: error.catchable,
            why: Why::Function {
                said: error.said.map(told),
                help: error.help.map(|help| match help {
                    Cow::Owned(help) => told(help).into(),
                    Cow::Borrowed(help) => help.into(),
                }),
            },
            span: self.graph.at(id).span,
            origin: id,
        }))
    }

    fn call_builtin(&mut self, id: VertexId, def: &'static FnDef, call: &IrCall, values: &[Value]) -> VertexState {
        let begun = if self.is_calling(id) { self.call.take() } else { None };
        if begun.is_none() {
            if self.has_big_args(id, values) {
                return self.too_big(id, "the arguments of this call are too large in total".into());
            }
            match def.is_lookup() {
                true => self.charge_key(id, values),
                false => self.charge_arguments(id, values),
            }
        }
        if self.effort.work.is_exhausted() {
            return VertexState::Pending;
        }
        let before = self.effort.work.left();
        // Moved out, since access to facts needs the rest of `self`.
        let work = std::mem::replace(&mut self.effort.work, Work::new(0));
        let args = Args { values, ty: &call.ty, module_dir: &call.dir, work: &work };
        let result = match def.run {
            Run::Pure(run) => run(&args).map(Some),
            Run::World(run) => {
                let result = self.sense(id, |view| run(view, &args));
                if self.has_host { result } else { self.timeless(id, result) }
            }
            Run::Long(long) => {
                let result = self.go_on(id, long, begun, &args);
                if self.has_host { result } else { self.timeless(id, result) }
            }
            Run::Iter(_) => Err(FnError::fatal("a function over lists was called as a plain one")),
        };
        self.effort.work = work;
        match &result {
            Ok(Some(value)) if !def.is_lookup() => self.charge_result(value),
            Ok(_) => {}
            Err(error) => self.charge_error(error),
        }
        self.effort.note(def, before - self.effort.work.left());
        match result {
            Ok(Some(value)) => VertexState::Value(value),
            Ok(None) => VertexState::Pending,
            Err(error) => self.fail(id, error),
        }
    }

    /// Whether the call of this vertex was interrupted.
    pub(super) fn is_calling(&self, id: VertexId) -> bool {
        self.call.as_ref().is_some_and(|call| call.vertex == id)
    }

    /// A call that was interrupted begins again, or never again.
    pub(super) fn forget(&mut self, call: Call) {
        let senses = self.slots[call.vertex.0 as usize].senses.as_ref();
        let kept = |fact: &FactId| senses.is_some_and(|senses| senses.facts.contains(fact));
        for fact in call.asked.facts.iter().filter(|fact| !kept(fact)) {
            self.facts.leave(*fact, call.vertex);
        }
    }

    /// Begins or continues a call that may take long. If there is no value, it may have to be continued later.
    fn go_on(
        &mut self,
        id: VertexId,
        long: Long,
        begun: Option<Call>,
        args: &Args<'_>,
    ) -> Result<Option<Value>, FnError> {
        let birth = self.graph.at(id).birth;
        let Call { mut task, asked, .. } = match begun {
            Some(call) => call,
            None => match (long.begin)(args) {
                Ok(task) => Call { vertex: id, birth, task, asked: Asked::default() },
                Err(error) => {
                    self.keep_asked(id, Asked::default());
                    return Err(error);
                }
            },
        };
        let (came, asked) = self.look(id, asked, |view| task.resume(view, args.work));
        if matches!(came, Ok(Progress::Underway)) {
            let call = Call { vertex: id, birth, task, asked };
            if let Some(other) = self.call.replace(call) {
                self.forget(other);
            }
            return Ok(None);
        }
        self.keep_asked(id, asked);
        match came? {
            Progress::Done(value) => Ok(Some(value)),
            Progress::NotYet | Progress::Underway => Ok(None),
        }
    }

    /// Without a host, what will be another value by itself is unknown.
    fn timeless(&self, id: VertexId, result: Result<Option<Value>, FnError>) -> Result<Option<Value>, FnError> {
        let senses = self.slots[id.0 as usize].senses.as_ref();
        if senses.is_some_and(|senses| senses.wake.is_some() || !senses.facts.is_empty()) { Ok(None) } else { result }
    }

    /// Gives a vertex access to facts, and updates its subscriptions accordingly.
    fn sense<T>(&mut self, id: VertexId, look: impl FnOnce(&mut View<'_>) -> T) -> T {
        let (result, asked) = self.look(id, Asked::default(), look);
        self.keep_asked(id, asked);
        result
    }

    /// Lets a vertex look at the world; what it asks for is added to what it asked before in this evaluation.
    fn look<T>(&mut self, id: VertexId, asked: Asked, look: impl FnOnce(&mut View<'_>) -> T) -> (T, Asked) {
        let mut senses = self.slots[id.0 as usize].senses.take();
        let mut state = senses.as_mut().and_then(|senses| senses.state.take());
        let mut view = View {
            vertex: id,
            facts: &mut self.facts,
            files: &self.files,
            now: self.now,
            n_nonces: &mut self.n_nonces,
            state: &mut state,
            asked: asked.facts,
            wake: asked.wake,
        };
        let result = look(&mut view);
        let asked = Asked { facts: view.asked, wake: view.wake };
        if state.is_some() {
            senses.get_or_insert_default().state = state;
        }
        self.slots[id.0 as usize].senses = senses;
        (result, asked)
    }

    /// Takes note of what an evaluation asked for, in the place of what the one before did.
    fn keep_asked(&mut self, id: VertexId, asked: Asked) {
        let slot = &mut self.slots[id.0 as usize];
        if slot.senses.is_none() && asked.facts.is_empty() && asked.wake.is_none() {
            return;
        }
        let senses = slot.senses.get_or_insert_default();
        if let Some(aside) = &self.aside {
            // It may read newer facts than the call that was set aside.
            let mut came = asked.facts.iter().filter(|fact| !senses.facts.contains(*fact));
            self.is_rebuilt |= came.any(|fact| self.facts.readers(*fact).any(|reader| aside.has(reader)));
        }
        for fact in senses.facts.iter().filter(|fact| !asked.facts.contains(*fact)) {
            self.facts.leave(*fact, id);
        }
        senses.facts = asked.facts;
        if let Some(at) = senses.wake.take() {
            self.wakes.remove(&(at, id));
        }
        if let Some(at) = asked.wake {
            // A moment that has passed would turn the engine in place.
            let at = at.max(self.now + 1);
            self.wakes.insert((at, id));
            senses.wake = Some(at);
        }
    }

    /// A construct's output: the value of the attached vertex, unless the construct has failed.
    fn output(&self, id: VertexId) -> VertexState {
        let inputs = &self.graph.at(id).inputs;
        match &self.slots[inputs[0].from.0 as usize].state {
            VertexState::Value(_) => {
                inputs.get(1).map_or(VertexState::Pending, |out| self.slots[out.from.0 as usize].state.clone())
            }
            other => other.clone(),
        }
    }
}

fn compose(composite: &Composite, values: Vec<Value>) -> Value {
    match &composite.form {
        Form::List => Value::list(values),
        Form::Map => {
            let mut values = values.into_iter();
            Value::map(std::iter::from_fn(|| Some((values.next()?, values.next()?))))
        }
        Form::Struct(names) => Value::Struct(Arc::new(Struct { fields: names.iter().cloned().zip(values).collect() })),
    }
}
