//! Element-wise flow and loops. Spec, 10.4.

use super::read::Root;
use super::state::Job;
use super::unit::{Needs, Origin, Target, To, Work};
use super::{Done, Evaluator, FrameId, State, VarId};
use crate::ast::{ExprId, ExprKind, StmtId, StmtKind};
use crate::fault::{Class, Fault};
use crate::program::{AttrId, End, Shape, StmtMeaning};
use crate::value::{InstId, Value, inner, message, written};

/// A receiver of elements.
#[derive(Debug)]
pub(super) enum SinkKind {
    /// A list end.
    End {
        instance: InstId,
        slot: u32,
    },
    For {
        stmt: StmtId,
        frame: FrameId,
        promises: u32,
    },
    /// A clause of a comprehension that passes its values to another sink.
    Clause {
        expr: ExprId,
        clause: u32,
        frame: FrameId,
        outer: u32,
    },
}

/// One element in transit.
#[derive(Debug)]
pub(super) struct Element {
    sink: u32,
    value: Value,
    by: ExprId,
}

impl Evaluator<'_> {
    /// A sink that adds to a list end; it counts as a provider until all elements have arrived.
    pub(super) fn end_sink(
        &mut self,
        instance: InstId,
        slot: u32,
        origin: Origin,
        inverse: Option<(InstId, AttrId)>,
        _value: ExprId,
    ) -> u32 {
        self.sinks.add(SinkKind::End { instance, slot }, origin, inverse)
    }

    fn sink_target(&self, sink: u32, is_whole: bool, value: ExprId) -> Target {
        let (origin, inverse) = self.sinks.origin(sink);
        Target { to: To::Sink { sink, is_whole }, origin, value, inverse }
    }

    /// Makes the elements of an expression flow into a sink.
    pub(super) fn feed(&mut self, expr: ExprId, frame: FrameId, sink: u32, is_whole: bool) -> Done {
        self.sinks.begin_part(sink);
        self.feed_part(expr, frame, sink, is_whole)
    }

    /// The same for a part that the sink already counts.
    pub(super) fn feed_part(&mut self, expr: ExprId, frame: FrameId, sink: u32, is_whole: bool) -> Done {
        let program = self.program;
        let node = &program.tree.exprs[expr];
        let target = self.sink_target(sink, is_whole, expr);
        if let Some(constant) = &node.constant {
            if matches!((self.sinks.kind(sink), target.origin), (SinkKind::End { .. }, Origin::Expr(_))) {
                return self.feed_value(sink, is_whole, constant.clone(), expr);
            }
            self.unit(Work::Compute { expr, target }, frame, Self::needs_nothing());
            return Ok(());
        }
        match &node.kind {
            ExprKind::List(items) => {
                for item in items {
                    self.feed(*item, frame, sink, false)?;
                }
                self.units.queue(Job::PartDone(sink));
                Ok(())
            }
            ExprKind::Comprehension { .. } => self.feed_clause(expr, 0, frame, sink),
            ExprKind::Var(_) => match self.root(expr, frame)? {
                Root::Var(var) => self.attach(expr, frame, var, target),
                Root::Instance(instance) => self.assign(&target, Value::Instance(instance)),
            },
            ExprKind::Attr { base, .. } => {
                if let ExprKind::Var(_) = program.tree.exprs[*base].kind
                    && let Root::Instance(instance) = self.root(*base, frame)?
                {
                    let var = self.attribute_in(expr, &Value::Instance(instance));
                    let var = var.map_err(|fault| self.in_expr(fault, expr))?;
                    return self.attach(expr, frame, var, target);
                }
                let mut needs = Needs::new();
                self.require(*base, frame, &mut needs)?;
                if self.store.is_ready(needs[0]) {
                    return self.listen(expr, frame, needs[0], target);
                }
                self.unit(Work::Listen { expr, target }, frame, needs);
                Ok(())
            }
            _ => self.emit(expr, frame, target),
        }
    }

    /// The base of a reference is ready: listens to the end, or waits for the value.
    pub(super) fn listen(&mut self, expr: ExprId, frame: FrameId, base: VarId, target: Target) -> Done {
        let var = self.attribute_of(expr, base).map_err(|fault| self.in_expr(fault, expr))?;
        self.attach(expr, frame, var, target)
    }

    fn attach(&mut self, expr: ExprId, frame: FrameId, var: VarId, target: Target) -> Done {
        let var = self.store.deref(var);
        let To::Sink { sink, .. } = target.to else { return Ok(()) };
        let is_open = match &self.store.vars[var].state {
            State::Untouched => true,
            State::End(end) => !self.store.ends[*end].is_closed,
            _ => false,
        };
        if is_open
            && let Some((owner, slot)) = self.store.owner(var, self.program)
            && self.end_at(owner, slot).map(End::shape) == Some(Shape::List)
            && let Some(end) = self.record(var, owner, slot)
        {
            for nr in 0..self.store.ends[end].members.len() {
                let value = self.store.ends[end].members[nr].clone();
                self.units.queue(Job::Element(Element { sink, value, by: expr }));
            }
            self.store.ends[end].listeners.push(sink);
            return Ok(());
        }
        self.unit(Work::Compute { expr, target }, frame, smallvec::smallvec![var]);
        Ok(())
    }

    /// Passes a new member to the listeners.
    pub(super) fn tell_listeners(&mut self, end: super::store::EndId, value: &Value) {
        for nr in 0..self.store.ends[end].listeners.len() {
            let sink = self.store.ends[end].listeners[nr];
            let by = match self.sinks.origin(sink) {
                (Origin::Expr(expr), _) => expr,
                (Origin::Stmt(stmt), _) => stmt_value(self, stmt),
            };
            self.units.queue(Job::Element(Element { sink, value: value.clone(), by }));
        }
    }

    /// Passes a part of a sink's input, all at once.
    pub(super) fn feed_value(&mut self, sink: u32, is_whole: bool, value: Value, by: ExprId) -> Done {
        match self.sinks.kind(sink) {
            SinkKind::End { instance, slot } => {
                let (instance, slot) = (*instance, *slot);
                let target = self.slot_target(sink, instance, slot, by);
                let added = if is_whole {
                    self.add_values(instance, slot, value, &target)
                } else if let Value::List(_) = value {
                    self.add_values(instance, slot, value, &target)
                } else {
                    self.add_member(instance, slot, value, &target)
                };
                added.map_err(|fault| self.wrap(fault, instance, slot, &target))?;
            }
            SinkKind::For { .. } | SinkKind::Clause { .. } => match value {
                Value::List(list) => {
                    for item in &list.items {
                        self.units.queue(Job::Element(Element { sink, value: item.clone(), by }));
                    }
                }
                value if is_whole && !value.is_unknown() => return Err(self.not_iterable(sink, &value, by)),
                value => self.units.queue(Job::Element(Element { sink, value, by })),
            },
        }
        self.units.queue(Job::PartDone(sink));
        Ok(())
    }

    fn slot_target(&self, sink: u32, instance: InstId, slot: u32, by: ExprId) -> Target {
        let (origin, inverse) = self.sinks.origin(sink);
        Target { to: To::Slot(instance, slot), origin, value: by, inverse }
    }

    fn not_iterable(&self, sink: u32, value: &Value, by: ExprId) -> crate::fault::Failure {
        let text = message(value, self);
        match self.sinks.kind(sink) {
            SinkKind::Clause { expr, .. } => {
                let message =
                    format!("A list comprehension can only be applied to lists and relations, got {}", value.kind());
                self.in_expr(Fault::new(Class::Typing, message).about(written(value, self)), *expr)
            }
            SinkKind::For { stmt, .. } => {
                let is_reference = matches!(self.program.tree.exprs[by].kind, ExprKind::Var(_) | ExprKind::Attr { .. });
                let hint = if is_reference {
                    format!("'{}' resolves to '{text}'.", self.path_text(by))
                } else {
                    format!("'{text}' is not a list.")
                };
                let message = format!("A for loop can only be applied to lists and relations. Hint: {hint}");
                let fault = Fault::new(Class::Typing, message).about(written(value, self));
                self.in_stmt(fault.help("to loop over a single value, put it in a list: `[x]`"), *stmt)
            }
            SinkKind::End { .. } => Fault::new(Class::Typing, inner(value, self)),
        }
    }

    pub(super) fn run_element(&mut self, element: Element) -> Done {
        self.step()?;
        let Element { sink, value, by } = element;
        match self.sinks.kind(sink) {
            SinkKind::End { instance, slot } => {
                let (instance, slot) = (*instance, *slot);
                let target = self.slot_target(sink, instance, slot, by);
                let added = self.add_member(instance, slot, value, &target);
                added.map_err(|fault| self.wrap(fault, instance, slot, &target))
            }
            SinkKind::For { .. } if value.is_unknown() => Ok(()),
            SinkKind::For { stmt, frame, .. } => {
                let (stmt, frame) = (*stmt, *frame);
                let size = match &self.program.names.stmts[stmt] {
                    StmtMeaning::Blocks(blocks) => blocks.sizes[0],
                    StmtMeaning::None | StmtMeaning::Target(_) | StmtMeaning::Broken => 1,
                };
                let inner = self.inner_frame(frame, size);
                let var = self.frames[inner].first;
                self.set_plain(var, value, by)?;
                let program = self.program;
                let StmtKind::For { body, .. } = &program.tree.stmts[stmt].kind else { return Ok(()) };
                self.emit_body(body, inner)
            }
            SinkKind::Clause { expr, clause, frame, outer } => {
                let (expr, clause, frame, outer) = (*expr, *clause as usize, *frame, *outer);
                let result = self.clause_element(expr, clause, frame, outer, value, by);
                result.map_err(|fault| self.in_expr(fault, expr))
            }
        }
    }

    /// A part is complete; after the last one the sink is complete.
    pub(super) fn part_done(&mut self, sink: u32) {
        if !self.sinks.end_part(sink) {
            return;
        }
        match *self.sinks.kind(sink) {
            SinkKind::End { instance, slot } => {
                let var = VarId(self.store.instances[instance].first.0 + slot);
                self.release(var);
            }
            SinkKind::For { promises, .. } => self.end_promises(promises),
            SinkKind::Clause { outer, .. } => self.units.queue(Job::PartDone(outer)),
        }
    }

    pub(super) fn emit_for(&mut self, stmt: StmtId, iterable: ExprId, frame: FrameId) -> Done {
        let promises = self.promise_set(stmt, frame)?;
        let sink = self.sinks.add(SinkKind::For { stmt, frame, promises }, Origin::Stmt(stmt), None);
        self.feed(iterable, frame, sink, true)
    }

    /// Passes the elements of an iterable to a clause of a comprehension.
    fn feed_clause(&mut self, expr: ExprId, clause: usize, frame: FrameId, outer: u32) -> Done {
        let program = self.program;
        let ExprKind::Comprehension { clauses, .. } = &program.tree.exprs[expr].kind else { return Ok(()) };
        let (origin, inverse) = self.sinks.origin(outer);
        let kind = SinkKind::Clause { expr, clause: clause as u32, frame, outer };
        let sink = self.sinks.add(kind, origin, inverse);
        self.feed(clauses[clause].iterable, frame, sink, true)
    }

    fn clause_element(
        &mut self,
        expr: ExprId,
        clause: usize,
        frame: FrameId,
        outer: u32,
        value: Value,
        by: ExprId,
    ) -> Done {
        let program = self.program;
        let ExprKind::Comprehension { clauses, .. } = &program.tree.exprs[expr].kind else { return Ok(()) };
        if value.is_unknown() && clause + 1 < clauses.len() {
            self.sinks.begin_part(outer);
            let target = self.sink_target(outer, false, expr);
            return self.assign(&target, value);
        }
        let inner = self.inner_frame(frame, 1);
        let var = self.frames[inner].first;
        self.set_plain(var, value, by)?;
        if clause + 1 < clauses.len() {
            self.sinks.begin_part(outer);
            return self.feed_clause(expr, clause + 1, inner, outer);
        }
        self.sinks.begin_part(outer);
        let target = self.sink_target(outer, false, expr);
        self.emit_value(expr, inner, clauses.len(), target)
    }
}

/// The value of an assignment.
fn stmt_value(evaluator: &Evaluator<'_>, stmt: StmtId) -> ExprId {
    match &evaluator.program.tree.stmts[stmt].kind {
        StmtKind::Assign { value, .. } | StmtKind::Set { value, .. } => *value,
        StmtKind::For { iterable, .. } => *iterable,
        StmtKind::If { condition, .. } => *condition,
        StmtKind::Expr(expr) => *expr,
    }
}
