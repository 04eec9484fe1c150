//! Units of work, and waiting. Spec, 10.3.

use super::store::NONE;
use super::{Done, Evaluator, FrameId, State, VarId};
use crate::ast::{ExprId, StmtId};
use crate::fault::{Failure, Within};
use crate::program::{AttrId, ImplementId};
use crate::value::{InstId, Value};
use smallvec::SmallVec;

/// The inputs of a unit, in the order in which it consumes them.
pub(super) type Needs = SmallVec<[VarId; 2]>;

/// The destination of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum To {
    Nowhere,
    Var(VarId),
    /// An attribute or end.
    Slot(InstId, u32),
    /// A receiver of elements; whether this is all of them, or one of several parts.
    Sink {
        sink: u32,
        is_whole: bool,
    },
}

/// The cause of an assignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    Stmt(StmtId),
    Expr(ExprId),
}

/// The destination of a value, and the cause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) to: To,
    pub(super) origin: Origin,
    /// The expression whose value it is.
    pub(super) value: ExprId,
    /// The end to which a constructor's instance is assigned (spec, 8.8, implicit inverse).
    pub(super) inverse: Option<(InstId, AttrId)>,
}

impl Target {
    /// A variable between two expressions.
    pub(super) fn var(var: VarId, value: ExprId) -> Target {
        Target { to: To::Var(var), origin: Origin::Expr(value), value, inverse: None }
    }
}

/// The work of a unit once its inputs are ready.
#[derive(Debug)]
pub(super) enum Work {
    /// Computes an expression.
    Compute {
        expr: ExprId,
        target: Target,
    },
    /// Finds the attribute of a reference; its temporary becomes an alias.
    Hook {
        expr: ExprId,
        temp: VarId,
    },
    SetAttr {
        stmt: StmtId,
    },
    If {
        stmt: StmtId,
        promises: u32,
    },
    Construct {
        expr: ExprId,
        target: Target,
    },
    Call {
        expr: ExprId,
        target: Target,
        args: Option<Box<super::call::Arguments>>,
    },
    Bool {
        expr: ExprId,
        target: Target,
    },
    /// The right side of `and` or `or`, which must be a boolean.
    BoolRight {
        expr: ExprId,
        target: Target,
    },
    Conditional {
        expr: ExprId,
        target: Target,
    },
    IndexLookup {
        expr: ExprId,
        target: Target,
    },
    IsDefined {
        expr: ExprId,
        target: Target,
    },
    Iterate {
        expr: ExprId,
        clause: u32,
        target: Target,
    },
    Guard {
        expr: ExprId,
        target: Target,
    },
    Collect {
        parts: Box<[super::comprehend::Part]>,
        target: Target,
    },
    Implement {
        implement: ImplementId,
        instance: InstId,
    },
    Promise {
        stmt: StmtId,
        nr: u32,
        promises: u32,
    },
    /// Listens to the end of a reference, or passes its value.
    Listen {
        expr: ExprId,
        target: Target,
    },
    Done,
}

impl Evaluator<'_> {
    /// Makes a unit, which runs once its inputs are ready.
    pub(super) fn unit(&mut self, work: Work, frame: FrameId, needs: Needs) -> u32 {
        let missing = needs.iter().filter(|var| !self.store.is_ready(**var)).count() as u32;
        let id = self.units.add(work, frame, needs, missing);
        if missing == 0 {
            return id;
        }
        for nr in 0..self.units.needs(id).len() {
            let var = self.units.needs(id)[nr];
            if !self.store.is_ready(var) {
                self.wait(id, var);
            }
        }
        id
    }

    /// Makes a unit wait for a variable.
    pub(super) fn wait(&mut self, unit: u32, var: VarId) {
        let var = self.store.deref(var);
        let node = self.units.node(unit);
        self.append_waiter(var, node);
    }

    fn append_waiter(&mut self, var: VarId, node: u32) {
        let holder = &mut self.store.vars[var];
        let last = std::mem::replace(&mut holder.last_waiter, node);
        if last == NONE {
            holder.first_waiter = node;
        } else {
            self.units.link(last, node);
        }
        if matches!(holder.state, State::End(_) | State::Untouched) {
            self.somebody_waits(var);
            if let Some((unit, generation)) = self.units.wants_first_member(node) {
                self.wait_for_first(var, unit, generation);
            }
        }
    }

    /// A variable is ready: notifies the units that wait for it.
    pub(super) fn wake(&mut self, var: VarId) {
        let holder = &mut self.store.vars[var];
        let first = std::mem::replace(&mut holder.first_waiter, NONE);
        holder.last_waiter = NONE;
        self.units.wake(first);
    }

    /// A temporary turns out to be another variable: its waiting units wait for that.
    pub(super) fn alias(&mut self, temp: VarId, var: VarId) {
        let var = self.store.deref(var);
        self.store.vars[temp].state = State::Alias(var);
        if self.store.is_ready(var) {
            self.wake(temp);
            return;
        }
        let mut node = std::mem::replace(&mut self.store.vars[temp].first_waiter, NONE);
        self.store.vars[temp].last_waiter = NONE;
        while node != NONE {
            let next = self.units.unlink(node);
            self.append_waiter(var, node);
            node = next;
        }
    }

    pub(super) fn run_unit(&mut self, id: u32) -> Done {
        self.step()?;
        let (work, frame, needs) = self.units.take(id);
        self.perform(work, frame, needs)
    }

    fn perform(&mut self, work: Work, frame: FrameId, needs: Needs) -> Done {
        match work {
            Work::Compute { expr, target } => {
                let value = self.compute_all(expr, frame, &needs).map_err(|fault| self.in_origin(fault, &target))?;
                self.assign(&target, value)
            }
            Work::Hook { expr, temp } => {
                let var = self.attribute_of(expr, needs[0]).map_err(|fault| self.in_expr(fault, expr))?;
                self.alias(temp, var);
                Ok(())
            }
            Work::SetAttr { stmt } => self.set_attr(stmt, frame, needs[0]).map_err(|fault| self.in_stmt(fault, stmt)),
            Work::If { stmt, promises } => self.run_if(stmt, frame, &needs, promises),
            Work::Construct { expr, target } => {
                self.construct(expr, frame, &needs, &target).map_err(|fault| self.in_origin(fault, &target))
            }
            Work::Call { expr, target, args } => {
                self.call(expr, frame, needs, target, args).map_err(|fault| self.in_expr(fault, expr))
            }
            Work::Bool { expr, target } => {
                self.run_bool(expr, frame, &needs, target).map_err(|fault| self.in_expr(fault, expr))
            }
            Work::BoolRight { expr, target } => {
                self.run_bool_right(expr, &needs, target).map_err(|fault| self.in_expr(fault, expr))
            }
            Work::Conditional { expr, target } => {
                self.run_conditional(expr, frame, &needs, target).map_err(|fault| self.in_expr(fault, expr))
            }
            Work::IndexLookup { expr, target } => {
                self.run_lookup(expr, frame, &needs, target).map_err(|fault| self.in_expr(fault, expr))
            }
            Work::IsDefined { expr, target } => {
                self.run_is_defined(expr, frame, &needs, target).map_err(|fault| self.in_expr(fault, expr))
            }
            Work::Iterate { expr, clause, target } => {
                self.iterate(expr, clause as usize, frame, &needs, target).map_err(|fault| self.in_expr(fault, expr))
            }
            Work::Guard { expr, target } => {
                self.run_guard(expr, frame, &needs, target).map_err(|fault| self.in_expr(fault, expr))
            }
            Work::Collect { parts, target } => self.collect(&parts, &target),
            Work::Implement { implement, instance } => self.run_implement(implement, instance, frame, &needs),
            Work::Promise { stmt, nr, promises } => self.run_promise(stmt, nr, promises, &needs),
            Work::Listen { expr, target } => self.listen(expr, frame, needs[0], target),
            Work::Done => Ok(()),
        }
    }

    /// An error without a statement is reported in the statement that caused the work.
    pub(super) fn in_origin(&self, fault: Failure, target: &Target) -> Failure {
        self.at_origin(fault, target.origin)
    }

    pub(super) fn at_origin(&self, fault: Failure, origin: Origin) -> Failure {
        match origin {
            Origin::Stmt(stmt) => self.in_stmt(fault, stmt),
            Origin::Expr(expr) => self.in_expr(fault, expr),
        }
    }

    pub(super) fn in_stmt(&self, fault: Failure, stmt: StmtId) -> Failure {
        fault.within(Within::Stmt(stmt)).at(self.stmt_place(stmt))
    }

    /// Delivers a value to its destination.
    pub(super) fn assign(&mut self, target: &Target, value: Value) -> Done {
        match target.to {
            To::Nowhere => Ok(()),
            To::Var(var) => self.set_plain(var, value, target.value).map_err(|fault| self.in_origin(fault, target)),
            To::Slot(instance, slot) => self.set_slot(instance, slot, value, target),
            To::Sink { sink, is_whole } => self.feed_value(sink, is_whole, value, target.value),
        }
    }
}
