//! Runs a parsed template. Functions spec, 9.1 and 9.4.
//!
//! Blocks and calls of templates lie on a stack of their own, so that recursion in a template is
//! none here. Steps and output are bounded.

use super::data::{Data, GoType};
use super::library::Nested;
use super::node::{Node, NodeKind, Pipe, Templates};
use super::{MAIN, MAX_CALLS, MAX_OUTPUT, MAX_STEPS, STEP, render};
use crate::corelib::{Args, FnError, Work};
use std::ops::Range;

/// Why an evaluation ended early.
#[derive(Debug)]
pub(super) enum Stop {
    Error(FnError),
    /// The host has not answered yet.
    NotYet,
}

pub(super) type Evaluated<T> = Result<T, Stop>;

pub(super) struct Eval<'t, 'w> {
    pub work: &'t Work,
    text: &'t [u8],
    templates: &'t Templates,
    pub world: Nested<'w>,
    pub module_dir: &'t str,
    /// The variables of the running template begin at `base`.
    pub vars: Vec<Var>,
    /// Whether the dot of the running block has any type. See [`Var::is_boxed`].
    pub is_dot_boxed: bool,
    base: usize,
    template: &'t [u8],
    frames: Vec<Frame<'t>>,
    n_calls: usize,
    n_steps: usize,
    out: Vec<u8>,
}

/// A variable of the template.
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
enum Frame<'t> {
    /// The rest of a block; variables from `mark` on end with it.
    Block {
        nodes: &'t [Node],
        at: usize,
        dot: Data,
        is_boxed: bool,
        mark: usize,
    },
    Range {
        items: Items,
        at: usize,
        pipe: &'t Pipe,
        body: &'t [Node],
        mark: usize,
        first_var: usize,
    },
    /// Where to return after a called template.
    Call {
        base: usize,
        template: &'t [u8],
        mark: usize,
    },
}

/// The items of a range.
enum Items {
    Numbers { end: i64, is_plain: bool },
    List(std::sync::Arc<[Data]>, bool),
    Map(std::sync::Arc<super::data::GoMap>),
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

impl<'t, 'w> Eval<'t, 'w> {
    pub(super) fn new(text: &'t [u8], templates: &'t Templates, world: Nested<'w>, args: &Args<'t>) -> Self {
        Eval {
            work: args.work,
            text,
            templates,
            world,
            module_dir: args.module_dir,
            vars: Vec::new(),
            is_dot_boxed: false,
            base: 0,
            template: MAIN,
            frames: Vec::new(),
            n_calls: 0,
            n_steps: 0,
            out: Vec::new(),
        }
    }

    pub(super) fn run(&mut self, dot: Data) -> Evaluated<Vec<u8>> {
        self.vars.push(Var::new("$", dot.clone()));
        let nodes: &[Node] = self.templates.get(MAIN).map_or(&[], |nodes| nodes);
        self.block(nodes, dot, false, 1);
        while let Some(frame) = self.frames.last_mut() {
            match frame {
                Frame::Block { nodes, at, dot, is_boxed, mark } => {
                    let (nodes, dot, mark): (&'t [Node], _, _) = (nodes, dot.clone(), *mark);
                    self.is_dot_boxed = *is_boxed;
                    match nodes.get(*at) {
                        Some(node) => {
                            *at += 1;
                            self.node(node, dot)?;
                        }
                        None => self.leave(mark),
                    }
                }
                Frame::Range { items, at, pipe, body, mark, first_var } => {
                    let (pipe, body, mark, first_var): (&'t Pipe, &'t [Node], _, _) = (pipe, body, *mark, *first_var);
                    let (item, are_boxed) = (items.get(*at), items.are_boxed());
                    *at += 1;
                    match item {
                        Some(item) => self.iterate(pipe, body, first_var, item, are_boxed)?,
                        None => self.leave(mark),
                    }
                }
                Frame::Call { base, template, mark } => {
                    let mark = *mark;
                    (self.base, self.template) = (*base, *template);
                    self.n_calls -= 1;
                    self.leave(mark);
                }
            }
        }
        Ok(std::mem::take(&mut self.out))
    }

    fn leave(&mut self, mark: usize) {
        self.frames.pop();
        self.vars.truncate(mark);
    }

    fn block(&mut self, nodes: &'t [Node], dot: Data, is_boxed: bool, mark: usize) {
        self.frames.push(Frame::Block { nodes, at: 0, dot, is_boxed, mark });
    }

    fn node(&mut self, node: &'t Node, dot: Data) -> Evaluated<()> {
        self.step(&node.span)?;
        let mark = self.vars.len();
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
                        let (dot, is_boxed) = if is_with { (value, false) } else { (dot, self.is_dot_boxed) };
                        self.block(nodes, dot, is_boxed, mark);
                        return Ok(());
                    }
                }
                self.block(otherwise, dot, self.is_dot_boxed, mark);
                Ok(())
            }
            NodeKind::Range { pipe, body, otherwise } => self.range(pipe, body, otherwise, dot),
            NodeKind::Template { name, pipe } => self.call(node, name, pipe.as_ref(), dot),
            NodeKind::Break => {
                self.unwind();
                if let Some(Frame::Range { mark, .. }) = self.frames.last() {
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
        while self.frames.last().is_some_and(|frame| !matches!(frame, Frame::Range { .. })) {
            self.frames.pop();
        }
    }

    fn range(&mut self, pipe: &'t Pipe, body: &'t [Node], otherwise: &'t [Node], dot: Data) -> Evaluated<()> {
        let mark = self.vars.len();
        let value = self.pipe(pipe, &dot)?;
        let first_var = mark;
        let span = &pipe.commands[0].span;
        let items = match &value {
            Data::Nil => Items::List(std::sync::Arc::from([]), false),
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
            self.block(otherwise, dot, self.is_dot_boxed, mark);
        } else {
            self.frames.push(Frame::Range { items, at: 0, pipe, body, mark, first_var });
        }
        Ok(())
    }

    fn iterate(
        &mut self,
        pipe: &'t Pipe,
        body: &'t [Node],
        first: usize,
        (key, item): (Data, Data),
        is_boxed: bool,
    ) -> Evaluated<()> {
        self.step(&pipe.commands[0].span)?;
        let element = (item.clone(), is_boxed);
        let values = if pipe.vars.len() > 1 { vec![(key, false), element] } else { vec![element] };
        let n_own = if pipe.assigns { 0 } else { pipe.vars.len() };
        self.vars.truncate(first + n_own);
        for (index, (name, (value, is_boxed))) in pipe.vars.iter().zip(values).enumerate() {
            if pipe.assigns {
                self.assign(name, value, is_boxed, pipe.commands[0].span.clone())?;
            } else {
                let var = &mut self.vars[first + index];
                (var.value, var.is_boxed) = (value, is_boxed);
            }
        }
        self.block(body, item, is_boxed, first + n_own);
        Ok(())
    }

    fn call(&mut self, node: &'t Node, name: &'t [u8], pipe: Option<&'t Pipe>, dot: Data) -> Evaluated<()> {
        let Some((name, nodes)) = self.templates.get_key_value(name) else {
            let name = crate::value::quote(name);
            return self.fail(&node.span, format!("template {name} not defined"));
        };
        if self.n_calls == MAX_CALLS {
            return self.fail(&node.span, format!("exceeded maximum template depth ({MAX_CALLS})"));
        }
        let mark = self.vars.len();
        let dot = pipe.map_or(Ok(Data::Nil), |pipe| self.pipe(pipe, &dot))?;
        self.n_calls += 1;
        self.frames.push(Frame::Call { base: self.base, template: self.template, mark });
        (self.base, self.template) = (self.vars.len(), name);
        self.vars.push(Var::new("$", dot.clone()));
        self.block(nodes, dot, false, self.base + 1);
        Ok(())
    }

    pub(super) fn variable(&self, name: &str) -> Evaluated<Option<&Var>> {
        self.spend((self.vars.len() - self.base) as u64)?;
        Ok(self.vars[self.base..].iter().rev().find(|var| var.name == name))
    }

    pub(super) fn assign(&mut self, name: &str, value: Data, is_boxed: bool, span: Range<usize>) -> Evaluated<()> {
        self.spend((self.vars.len() - self.base) as u64)?;
        match self.vars[self.base..].iter_mut().rev().find(|var| var.name == name) {
            Some(var) => {
                (var.value, var.is_boxed) = (value, is_boxed);
                Ok(())
            }
            None => self.fail(&span, format!("undefined variable: {name}")),
        }
    }

    pub(super) fn step(&mut self, span: &Range<usize>) -> Evaluated<()> {
        self.n_steps += 1;
        if self.n_steps > MAX_STEPS {
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
        if self.out.len() + text.len() > MAX_OUTPUT {
            return self.fail(span, format!("output longer than {MAX_OUTPUT} bytes"));
        }
        self.out.extend_from_slice(text);
        Ok(())
    }

    pub(super) fn shown(&self, span: &Range<usize>) -> String {
        String::from_utf8_lossy(&self.text[span.clone()]).into_owned()
    }

    pub(super) fn fail<T>(&self, span: &Range<usize>, message: impl AsRef<str>) -> Evaluated<T> {
        self.fail_as(span, message, false)
    }

    pub(super) fn fail_as<T>(&self, span: &Range<usize>, message: impl AsRef<str>, catchable: bool) -> Evaluated<T> {
        let line = super::line(self.text, span.start);
        let from = self.text[..span.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let column = span.start - from;
        let name = crate::value::quote(self.template);
        let message = format!(
            "template: execution error: template: template:{line}:{column}: executing {name} at <{}>: {}",
            self.shown(span),
            message.as_ref()
        );
        Err(Stop::Error(FnError { catchable, message }))
    }
}
