//! Comprehensions as a whole: order and duplicates are kept. Spec, 8.11.

use super::rounds::MEMBER;
use super::unit::{Needs, Target, Work};
use super::{Done, Evaluator, FrameId, VarId};
use crate::ast::{ExprId, ExprKind};
use crate::fault::{Class, Fault};
use crate::value::Value;

/// A part of a list under construction.
#[derive(Debug)]
pub(super) enum Part {
    Value(Value),
    Var(VarId),
}

impl Evaluator<'_> {
    /// Emits the clauses of a comprehension from this one on.
    pub(super) fn emit_comprehension(&mut self, expr: ExprId, clause: usize, frame: FrameId, target: Target) -> Done {
        let program = self.program;
        let ExprKind::Comprehension { clauses, .. } = &program.tree.exprs[expr].kind else { return Ok(()) };
        let mut needs = Needs::new();
        self.require(clauses[clause].iterable, frame, &mut needs)?;
        self.unit(Work::Iterate { expr, clause: clause as u32, target }, frame, needs);
        Ok(())
    }

    /// The iterable of a clause is ready.
    pub(super) fn iterate(
        &mut self,
        expr: ExprId,
        clause: usize,
        frame: FrameId,
        needs: &Needs,
        target: Target,
    ) -> Done {
        let program = self.program;
        let ExprKind::Comprehension { clauses, .. } = &program.tree.exprs[expr].kind else { return Ok(()) };
        let iterable = clauses[clause].iterable;
        let values = match self.compute_all(iterable, frame, needs)? {
            Value::List(list) => list.items.clone(),
            value @ Value::Unknown(_) => vec![value],
            other => {
                let message =
                    format!("A list comprehension can only be applied to lists and relations, got {}", other.kind());
                return Err(Fault::new(Class::Typing, message).about(crate::value::written(&other, self)));
            }
        };
        let mut parts = Vec::with_capacity(values.len());
        for value in values {
            self.step()?;
            // A part of the list under construction.
            self.spend(2 * MEMBER)?;
            if value.is_unknown() && clause + 1 < clauses.len() {
                // The result of further clauses is nested in its value.
                parts.push(Part::Value(value));
                continue;
            }
            let inner = self.inner_frame(frame, 1);
            let var = self.frames[inner].first;
            self.set_plain(var, value, iterable)?;
            if clause + 1 < clauses.len() {
                let temp = self.store.new_var();
                self.emit_comprehension(
                    expr,
                    clause + 1,
                    inner,
                    Target { inverse: target.inverse, ..Target::var(temp, expr) },
                )?;
                parts.push(Part::Var(temp));
            } else {
                parts.push(self.value_part(expr, inner, clauses.len(), &target)?);
            }
        }
        self.collect_later(parts, frame, target)
    }

    /// The value for one element: immediately, if everything is ready.
    fn value_part(&mut self, expr: ExprId, frame: FrameId, n_clauses: usize, target: &Target) -> Done<Part> {
        let program = self.program;
        let ExprKind::Comprehension { value, guard, .. } = &program.tree.exprs[expr].kind else {
            return Ok(Part::Value(Value::Null));
        };
        let value = *value;
        if guard.is_none() && is_simple(&program.tree.exprs[value].kind) && !self.has_unknown_element(frame, n_clauses)
        {
            let mut needs = Needs::new();
            self.require(value, frame, &mut needs)?;
            if needs.iter().all(|var| self.store.is_ready(*var)) {
                return Ok(Part::Value(self.compute_all(value, frame, &needs)?));
            }
            let temp = self.store.new_var();
            self.unit(Work::Compute { expr: value, target: Target::var(temp, value) }, frame, needs);
            return Ok(Part::Var(temp));
        }
        let temp = self.store.new_var();
        let inner = Target { inverse: target.inverse, ..Target::var(temp, value) };
        self.emit_value(expr, frame, n_clauses, inner)?;
        Ok(Part::Var(temp))
    }

    /// Whether one of the innermost loop variables is unknown.
    fn has_unknown_element(&self, frame: FrameId, n_clauses: usize) -> bool {
        let mut frame = Some(frame);
        (0..n_clauses).any(|_| {
            let Some(here) = frame else { return false };
            frame = self.frames[here].parent;
            matches!(self.store.vars[self.frames[here].first].state, super::State::Set(Value::Unknown(_)))
        })
    }

    /// Emits guard and value for one element.
    pub(super) fn emit_value(&mut self, expr: ExprId, frame: FrameId, n_clauses: usize, target: Target) -> Done {
        let program = self.program;
        let ExprKind::Comprehension { value, guard, .. } = &program.tree.exprs[expr].kind else { return Ok(()) };
        match guard {
            Some(guard) => {
                let mut needs = Needs::new();
                self.require(*guard, frame, &mut needs)?;
                self.unit(Work::Guard { expr, target }, frame, needs);
                Ok(())
            }
            None if self.has_unknown_element(frame, n_clauses) => {
                let unknown = self.unknown();
                self.assign(&target, unknown)
            }
            None => self.emit_part(*value, frame, target),
        }
    }

    fn emit_part(&mut self, value: ExprId, frame: FrameId, target: Target) -> Done {
        match target.to {
            // The part counted by the sink for the element is that of its value.
            super::unit::To::Sink { sink, .. } => self.feed_part(value, frame, sink, false),
            _ => self.emit(value, frame, target),
        }
    }

    pub(super) fn run_guard(&mut self, expr: ExprId, frame: FrameId, needs: &Needs, target: Target) -> Done {
        let program = self.program;
        let ExprKind::Comprehension { value, guard: Some(guard), clauses } = &program.tree.exprs[expr].kind else {
            return Ok(());
        };
        match self.compute_all(*guard, frame, needs)? {
            Value::Bool(true) if self.has_unknown_element(frame, clauses.len()) => {
                let unknown = self.unknown();
                self.assign(&target, unknown)
            }
            Value::Bool(true) => self.emit_part(*value, frame, target),
            Value::Bool(false) => self.assign(&target, Value::raw_list(Vec::new())),
            Value::Unknown(_) => {
                let unknown = self.unknown();
                self.assign(&target, unknown)
            }
            other => {
                let text = format!("{} ? {} : <object object at 0x0>", self.path_text(*guard), self.path_text(*value));
                let place = crate::fault::Location::Line(program.tree.exprs[expr].at);
                Err(self.no_condition(&other).within(crate::fault::Within::Text(text)).at(place))
            }
        }
    }

    fn collect_later(&mut self, parts: Vec<Part>, frame: FrameId, target: Target) -> Done {
        let needs: Needs =
            parts.iter().filter_map(|part| if let Part::Var(var) = part { Some(*var) } else { None }).collect();
        if needs.is_empty() {
            return self.collect(&parts, &target);
        }
        self.unit(Work::Collect { parts: parts.into(), target }, frame, needs);
        Ok(())
    }

    pub(super) fn collect(&mut self, parts: &[Part], target: &Target) -> Done {
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            values.push(match part {
                Part::Value(value) => value.clone(),
                Part::Var(var) => self.value_of(*var)?,
            });
        }
        let list = Value::list(values);
        self.spend(list.as_list().map_or(0, |items| items.len() as u64 * MEMBER))?;
        self.assign(target, list)
    }
}

/// Whether it needs no separate unit.
fn is_simple(kind: &ExprKind) -> bool {
    !matches!(
        kind,
        ExprKind::Construct { .. }
            | ExprKind::Call { .. }
            | ExprKind::Bool(..)
            | ExprKind::Conditional { .. }
            | ExprKind::IndexLookup { .. }
            | ExprKind::ShortLookup { .. }
            | ExprKind::IsDefined(_)
            | ExprKind::Comprehension { .. }
    )
}
