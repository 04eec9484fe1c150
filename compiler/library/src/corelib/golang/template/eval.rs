//! Runs a parsed template. Functions spec, 9.1 and 9.4.
//!
//! Blocks and calls of templates lie on their own stack, so that recursion in a template is
//! none here. Steps and output are bounded. Between two nodes it can stop, and continue later.

use super::data::{Data, GoType};
use super::library::Nested;
use super::node::{Node, NodeKind, Nodes, Pipe, Templates};
use super::{MAIN, MAX_CALLS, MAX_OUTPUT, MAX_STEPS, STEP, render};
use crate::corelib::{FnError, Work};
use std::ops::Range;
use std::sync::Arc;

/// Why an evaluation ended early.
#[derive(Debug)]
pub(super) enum Stop {
    Error(FnError),
    /// The host has not answered yet.
    NotYet,
}

pub(super) type Evaluated<T> = Result<T, Stop>;

/// The evaluation of a template from its current state.
pub(super) struct Eval<'w> {
    pub work: &'w Work,
    pub world: Nested<'w>,
    pub state: &'w mut EvalState,
}

/// How far a template came.
#[derive(Clone)]
pub(super) struct EvalState {
    text: Arc<[u8]>,
    templates: Templates,
    pub module_dir: String,
    /// The variables of the running template begin at `base`.
    pub vars: Vec<Var>,
    /// Whether the dot of the running block has any type. See [`Var::is_boxed`].
    pub is_dot_boxed: bool,
    base: usize,
    template: Arc<[u8]>,
    frames: Vec<Frame>,
    n_calls: usize,
    n_steps: usize,
    out: Vec<u8>,
}

/// A variable of the template.
#[derive(Clone)]
pub(super) struct Var {
    /// The name, with its dollar sign.
    pub name: String,
    /// The value.
    pub value: Data,
    /// An element of a list or map of any type, as returned by a range. Matters only to `slice`.
    pub is_boxed: bool,
}

impl Var {
    pub(super) fn new(name: impl Into<String>, value: Data) -> Var {
        Var { name: name.into(), value, is_boxed: false }
    }
}

/// What is still to be done.
#[derive(Clone)]
enum Frame {
    /// The rest of a block; variables from `mark` on end with it.
    Block {
        nodes: Nodes,
        at: usize,
        dot: Data,
        is_boxed: bool,
        mark: usize,
    },
    Range {
        items: Items,
        at: usize,
        pipe: Arc<Pipe>,
        body: Nodes,
        mark: usize,
        first_var: usize,
    },
    /// Where to return after a called template.
    Call {
        base: usize,
        template: Arc<[u8]>,
        mark: usize,
    },
}

/// The items of a range.
#[derive(Clone)]
enum Items {
    Numbers { end: i64, is_plain: bool },
    List(Arc<[Data]>, bool),
    Map(Arc<super::data::GoMap>),
}

impl Items {
    /// Index or key, and element.
    fn get(&self, at: usize) -> Option<(Data, Data)> {
        match self {
            Items::Numbers { end, is_plain } => {
                let number = i64::try_from(at).ok().filter(|number| number < end)?;
                let data = if *is_plain { Data::Int(number) } else { Data::Int64(number) };
                Some((data.clone(), data))
            }
            Items::List(items, _) => Some((Data::Int(at as i64), items.get(at)?.clone())),
            Items::Map(map) => map.entries.get(at).cloned(),
        }
    }

    /// Whether the elements have any type.
    fn are_boxed(&self) -> bool {
        match self {
            Items::Numbers { .. } => false,
            Items::List(_, are_boxed) => *are_boxed,
            Items::Map(map) => map.value == GoType::Any,
        }
    }
}

impl EvalState {
    /// At the start of the main template.
    pub(super) fn new(text: Arc<[u8]>, templates: Templates, module_dir: &str, dot: Data) -> EvalState {
        let nodes = templates.get(MAIN).cloned().unwrap_or_default();
        let start = Frame::Block { nodes, at: 0, dot: dot.clone(), is_boxed: false, mark: 1 };
        EvalState {
            text,
            templates,
            module_dir: module_dir.to_owned(),
            vars: vec![Var::new("$", dot)],
            is_dot_boxed: false,
            base: 0,
            template: MAIN.into(),
            frames: vec![start],
            n_calls: 0,
            n_steps: 0,
            out: Vec::new(),
        }
    }
}

impl Eval<'_> {
    /// The text, or `None`: the work is due, and the evaluation continues later.
    pub(super) fn run(mut self) -> Evaluated<Option<Vec<u8>>> {
        while let Some(frame) = self.state.frames.last_mut() {
            match frame {
                Frame::Block { nodes, at, dot, is_boxed, mark } => {
                    let (nodes, dot, mark, index) = (nodes.clone(), dot.clone(), *mark, *at);
                    *at += 1;
                    self.state.is_dot_boxed = *is_boxed;
                    match nodes.get(index) {
                        Some(node) => self.node(node, dot)?,
                        None => self.leave(mark),
                    }
                }
                Frame::Range { items, at, pipe, body, mark, first_var } => {
                    let (pipe, body, mark, first_var) = (pipe.clone(), body.clone(), *mark, *first_var);
                    let (item, are_boxed) = (items.get(*at), items.are_boxed());
                    *at += 1;
                    match item {
                        Some(item) => self.iterate(&pipe, body, first_var, item, are_boxed)?,
                        None => self.leave(mark),
                    }
                }
                Frame::Call { base, template, mark } => {
                    let mark = *mark;
                    (self.state.base, self.state.template) = (*base, template.clone());
                    self.state.n_calls -= 1;
                    self.leave(mark);
                }
            }
            if self.work.is_due() {
                return Ok(None);
            }
        }
        Ok(Some(std::mem::take(&mut self.state.out)))
    }

    fn leave(&mut self, mark: usize) {
        self.state.frames.pop();
        self.state.vars.truncate(mark);
    }

    fn block(&mut self, nodes: Nodes, dot: Data, is_boxed: bool, mark: usize) {
        self.state.frames.push(Frame::Block { nodes, at: 0, dot, is_boxed, mark });
    }

    fn node(&mut self, node: &Node, dot: Data) -> Evaluated<()> {
        self.step(&node.span)?;
        let mark = self.state.vars.len();
        match &node.what {
            NodeKind::Text(text) => self.write(text, &node.span),
            NodeKind::Action(pipe) => {
                let value = self.pipe(pipe, &dot)?;
                match (&value, pipe.vars.is_empty()) {
                    (_, false) => Ok(()),
                    (Data::Nil, true) => self.write(b"<no value>", &node.span),
                    (Data::Str(text), true) => self.write(text, &node.span),
                    (value, true) => self.write(&render::text(value), &node.span),
                }
            }
            NodeKind::If(branches, otherwise) | NodeKind::With(branches, otherwise) => {
                let is_with = matches!(node.what, NodeKind::With(..));
                for (pipe, nodes) in branches {
                    let value = self.pipe(pipe, &dot)?;
                    if value.truth() {
                        let (dot, is_boxed) = if is_with { (value, false) } else { (dot, self.state.is_dot_boxed) };
                        self.block(nodes.clone(), dot, is_boxed, mark);
                        return Ok(());
                    }
                }
                self.block(otherwise.clone(), dot, self.state.is_dot_boxed, mark);
                Ok(())
            }
            NodeKind::Range { pipe, body, otherwise } => self.range(pipe, body, otherwise, dot),
            NodeKind::Template { name, pipe } => self.call(node, name, pipe.as_ref(), dot),
            NodeKind::Break => {
                self.unwind();
                if let Some(Frame::Range { mark, .. }) = self.state.frames.last() {
                    let mark = *mark;
                    self.leave(mark);
                }
                Ok(())
            }
            NodeKind::Continue => {
                self.unwind();
                Ok(())
            }
        }
    }

    /// Unwinds to the innermost range.
    fn unwind(&mut self) {
        while self.state.frames.last().is_some_and(|frame| !matches!(frame, Frame::Range { .. })) {
            self.state.frames.pop();
        }
    }

    fn range(&mut self, pipe: &Arc<Pipe>, body: &Nodes, otherwise: &Nodes, dot: Data) -> Evaluated<()> {
        let mark = self.state.vars.len();
        let value = self.pipe(pipe, &dot)?;
        let first_var = mark;
        let span = &pipe.commands[0].span;
        let items = match &value {
            Data::Nil => Items::List(Arc::from([]), false),
            Data::Int(_) | Data::Int64(_) | Data::Byte(_) if pipe.vars.len() > 1 => {
                let shown = String::from_utf8_lossy(&render::text(&value)).into_owned();
                return self.fail(span, format!("can't use {shown} to iterate over more than one variable"));
            }
            Data::Int(end) => Items::Numbers { end: *end, is_plain: true },
            Data::Int64(end) => Items::Numbers { end: *end, is_plain: false },
            Data::Byte(end) => Items::Numbers { end: i64::from(*end), is_plain: true },
            Data::List(element, items) => Items::List(items.clone(), *element == GoType::Any),
            Data::Map(map) => Items::Map(map.clone()),
            Data::Bool(_) | Data::Str(_) | Data::Float(_) | Data::Complex(..) | Data::Struct(_) => {
                let shown = String::from_utf8_lossy(&render::text(&value)).into_owned();
                return self.fail(span, format!("range can't iterate over {shown}"));
            }
        };
        if items.get(0).is_none() {
            self.block(otherwise.clone(), dot, self.state.is_dot_boxed, mark);
        } else {
            let (pipe, body) = (pipe.clone(), body.clone());
            self.state.frames.push(Frame::Range { items, at: 0, pipe, body, mark, first_var });
        }
        Ok(())
    }

    fn iterate(
        &mut self,
        pipe: &Pipe,
        body: Nodes,
        first: usize,
        (key, item): (Data, Data),
        is_boxed: bool,
    ) -> Evaluated<()> {
        self.step(&pipe.commands[0].span)?;
        let element = (item.clone(), is_boxed);
        let values = if pipe.vars.len() > 1 { vec![(key, false), element] } else { vec![element] };
        let n_own = if pipe.assigns { 0 } else { pipe.vars.len() };
        self.state.vars.truncate(first + n_own);
        for (index, (name, (value, is_boxed))) in pipe.vars.iter().zip(values).enumerate() {
            if pipe.assigns {
                self.assign(name, value, is_boxed, pipe.commands[0].span.clone())?;
            } else {
                let var = &mut self.state.vars[first + index];
                (var.value, var.is_boxed) = (value, is_boxed);
            }
        }
        self.block(body, item, is_boxed, first + n_own);
        Ok(())
    }

    fn call(&mut self, node: &Node, name: &[u8], pipe: Option<&Pipe>, dot: Data) -> Evaluated<()> {
        let known = self.state.templates.get_key_value(name).map(|(name, nodes)| (name.clone(), nodes.clone()));
        let Some((name, nodes)) = known else {
            let name = crate::value::quote(name);
            return self.fail(&node.span, format!("template {name} not defined"));
        };
        if self.state.n_calls == MAX_CALLS {
            return self.fail(&node.span, format!("exceeded maximum template depth ({MAX_CALLS})"));
        }
        let mark = self.state.vars.len();
        let dot = pipe.map_or(Ok(Data::Nil), |pipe| self.pipe(pipe, &dot))?;
        self.state.n_calls += 1;
        let (base, template) = (self.state.vars.len(), name);
        let base = std::mem::replace(&mut self.state.base, base);
        let template = std::mem::replace(&mut self.state.template, template);
        self.state.frames.push(Frame::Call { base, template, mark });
        self.state.vars.push(Var::new("$", dot.clone()));
        self.block(nodes, dot, false, self.state.base + 1);
        Ok(())
    }

    pub(super) fn variable(&self, name: &str) -> Evaluated<Option<&Var>> {
        self.spend((self.state.vars.len() - self.state.base) as u64)?;
        Ok(self.state.vars[self.state.base..].iter().rev().find(|var| var.name == name))
    }

    pub(super) fn assign(&mut self, name: &str, value: Data, is_boxed: bool, span: Range<usize>) -> Evaluated<()> {
        self.spend((self.state.vars.len() - self.state.base) as u64)?;
        match self.state.vars[self.state.base..].iter_mut().rev().find(|var| var.name == name) {
            Some(var) => {
                (var.value, var.is_boxed) = (value, is_boxed);
                Ok(())
            }
            None => self.fail(&span, format!("undefined variable: {name}")),
        }
    }

    pub(super) fn step(&mut self, span: &Range<usize>) -> Evaluated<()> {
        self.state.n_steps += 1;
        if self.state.n_steps > MAX_STEPS {
            return self.fail(span, format!("more than {MAX_STEPS} steps"));
        }
        self.spend(STEP)
    }

    /// Uses up work of the round.
    pub(super) fn spend(&self, units: u64) -> Evaluated<()> {
        self.work.spend(units).map_err(Stop::Error)
    }

    fn write(&mut self, text: &[u8], span: &Range<usize>) -> Evaluated<()> {
        self.work.spend_on_bytes(text.len() as u64).map_err(Stop::Error)?;
        if self.state.out.len() + text.len() > MAX_OUTPUT {
            return self.fail(span, format!("output longer than {MAX_OUTPUT} bytes"));
        }
        self.state.out.extend_from_slice(text);
        Ok(())
    }

    pub(super) fn shown(&self, span: &Range<usize>) -> String {
        String::from_utf8_lossy(&self.state.text[span.clone()]).into_owned()
    }

    pub(super) fn fail<T>(&self, span: &Range<usize>, message: impl AsRef<str>) -> Evaluated<T> {
        self.fail_as(span, message, false)
    }

    pub(super) fn fail_as<T>(&self, span: &Range<usize>, why: impl AsRef<str>, catchable: bool) -> Evaluated<T> {
        Err(Stop::Error(self.failure(span, why.as_ref(), catchable)))
    }

    /// An entry that a map lacks.
    pub(super) fn no_entry<T>(&self, span: &Range<usize>, name: &str, help: Option<String>) -> Evaluated<T> {
        let error = self.failure(span, &format!("map has no entry for key {name:?}"), false);
        Err(Stop::Error(match help {
            Some(help) => error.help(help),
            None => error,
        }))
    }

    fn failure(&self, span: &Range<usize>, why: &str, catchable: bool) -> FnError {
        let line = super::line(&self.state.text, span.start);
        let from = self.state.text[..span.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let column = span.start - from;
        let name = crate::value::quote(&self.state.template);
        let message = format!(
            "template: execution error: template: template:{line}:{column}: executing {name} at <{}>: {why}",
            self.shown(span)
        );
        let said = format!("the template fails at line {line}, in `{}`: {why}", self.shown(span));
        FnError { catchable, message, said: Some(said), help: None }
    }
}
