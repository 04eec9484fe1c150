//! Emits statements and expressions: makes the units that wait for their inputs. Spec, 10.3.

use super::compute::NO_CONDITION;
use super::read::Root;
use super::unit::{Needs, Origin, Target, To, Work};
use super::{Done, Evaluator, Frame, FrameId, VarId};
use crate::ast::{Arg, ExprId, ExprKind, StmtId, StmtKind, Style, expr_text};
use crate::fault::{Class, Fault};
use crate::program::{StmtMeaning, VarRef};
use crate::value::{Value, message, written};

impl Evaluator<'_> {
    pub(super) fn emit_stmt(&mut self, stmt: StmtId, frame: FrameId) -> Done {
        self.emit_stmt_inside(stmt, frame).map_err(|fault| self.in_stmt(fault, stmt))
    }

    fn emit_stmt_inside(&mut self, stmt: StmtId, frame: FrameId) -> Done {
        let program = self.program;
        if matches!(program.names.stmts[stmt], StmtMeaning::Broken) {
            return Ok(());
        }
        match &program.tree.stmts[stmt].kind {
            StmtKind::Expr(expr) => {
                let target = Target { to: To::Nowhere, origin: Origin::Stmt(stmt), value: *expr, inverse: None };
                self.emit(*expr, frame, target)
            }
            StmtKind::Assign { value, .. } => {
                let StmtMeaning::Target(meaning) = &program.names.stmts[stmt] else { return Ok(()) };
                let var = match self.variable(meaning, frame)? {
                    Root::Var(var) => var,
                    Root::Instance(_) => return Err(super::read::missing("self")),
                };
                let target = Target { to: To::Var(var), origin: Origin::Stmt(stmt), value: *value, inverse: None };
                self.emit(*value, frame, target)
            }
            StmtKind::Set { base, .. } => {
                let mut needs = Needs::new();
                self.require_base(*base, frame, &mut needs)?;
                self.unit(Work::SetAttr { stmt }, frame, needs);
                Ok(())
            }
            StmtKind::For { iterable, .. } => self.emit_for(stmt, *iterable, frame),
            StmtKind::If { condition, .. } => {
                let promises = self.promise_set(stmt, frame)?;
                let mut needs = Needs::new();
                self.require(*condition, frame, &mut needs)?;
                self.unit(Work::If { stmt, promises }, frame, needs);
                Ok(())
            }
        }
    }

    /// The statements of a block, last one first, as in the original.
    pub(super) fn emit_body(&mut self, body: &[StmtId], frame: FrameId) -> Done {
        let mut kept = Ok(());
        for stmt in body.iter().rev() {
            let done = self.emit_stmt(*stmt, frame);
            self.keep(done, &mut kept)?;
        }
        kept
    }

    /// A frame inside another one.
    pub(super) fn inner_frame(&mut self, parent: FrameId, n_vars: u32) -> FrameId {
        let Frame { instance, ns, .. } = self.frames[parent];
        let first = self.new_vars(n_vars);
        self.frames.push(Frame { parent: Some(parent), first, instance, ns })
    }

    pub(super) fn new_vars(&mut self, n: u32) -> VarId {
        let first = self.store.vars.next_id();
        for _ in 0..n {
            self.store.new_var();
        }
        first
    }

    /// Emits an expression whose value is assigned to a target.
    pub(super) fn emit(&mut self, expr: ExprId, frame: FrameId, target: Target) -> Done {
        let program = self.program;
        let node = &program.tree.exprs[expr];
        if node.constant.is_some() {
            self.unit(Work::Compute { expr, target }, frame, Needs::new());
            return Ok(());
        }
        let mut needs = Needs::new();
        let work = match &node.kind {
            ExprKind::Construct { args, .. } => {
                self.require_keys(expr, args, frame, &mut needs)?;
                Work::Construct { expr, target }
            }
            ExprKind::Call { args, .. } => {
                self.require_args(args, frame, &mut needs)?;
                Work::Call { expr, target, args: None }
            }
            ExprKind::Bool(_, left, _) => {
                self.require(*left, frame, &mut needs)?;
                Work::Bool { expr, target }
            }
            ExprKind::Conditional { condition, .. } => {
                self.require(*condition, frame, &mut needs)?;
                Work::Conditional { expr, target }
            }
            ExprKind::IndexLookup { args, .. } => {
                self.require_args(args, frame, &mut needs)?;
                Work::IndexLookup { expr, target }
            }
            ExprKind::ShortLookup { base, args, .. } => {
                self.require(*base, frame, &mut needs)?;
                self.require_args(args, frame, &mut needs)?;
                Work::IndexLookup { expr, target }
            }
            ExprKind::IsDefined(subject) => return self.emit_is_defined(expr, *subject, frame, target),
            ExprKind::Comprehension { .. } => return self.emit_comprehension(expr, 0, frame, target),
            _ => {
                self.require(expr, frame, &mut needs)?;
                Work::Compute { expr, target }
            }
        };
        self.unit(work, frame, needs);
        Ok(())
    }

    pub(super) fn require_args(&mut self, args: &[Arg], frame: FrameId, needs: &mut Needs) -> Done {
        args.iter().try_for_each(|arg| self.require(arg.value(), frame, needs))
    }

    /// Adds the variables that an expression needs, in the order in which [`Self::compute`] consumes them.
    pub(super) fn require(&mut self, expr: ExprId, frame: FrameId, needs: &mut Needs) -> Done {
        let program = self.program;
        let node = &program.tree.exprs[expr];
        if node.constant.is_some() {
            return Ok(());
        }
        match &node.kind {
            ExprKind::Literal(_) => Ok(()),
            // Outside a typedef there is no value to match.
            ExprKind::Regex(_) => Err(super::read::missing("self")),
            ExprKind::Var(_) => {
                if let Root::Var(var) = self.root(expr, frame)? {
                    needs.push(var);
                }
                Ok(())
            }
            ExprKind::Attr { base, .. } => {
                let var = self.require_attribute(expr, *base, frame)?;
                needs.push(var);
                Ok(())
            }
            ExprKind::FString(format) => {
                let mut parts = Vec::new();
                format.fields.iter().for_each(|field| field.for_each_expr(&mut |part| parts.push(part)));
                let result = parts.into_iter().try_for_each(|part| self.require(part, frame, needs));
                result.map_err(|fault| self.in_expr(fault, expr))
            }
            ExprKind::Interpolated { parts, .. } => {
                let result = parts.iter().try_for_each(|(_, part)| self.require(*part, frame, needs));
                result.map_err(|fault| self.in_expr(fault, expr))
            }
            ExprKind::List(_)
            | ExprKind::Dict(_)
            | ExprKind::Arithmetic(..)
            | ExprKind::Compare(..)
            | ExprKind::In(..)
            | ExprKind::Not(_)
            | ExprKind::Lookup { .. } => {
                let mut result = Ok(());
                node.kind.for_each_child(|child| {
                    if result.is_ok() {
                        result = self.require(child, frame, needs);
                    }
                });
                result
            }
            ExprKind::Construct { .. }
            | ExprKind::Call { .. }
            | ExprKind::Bool(..)
            | ExprKind::Conditional { .. }
            | ExprKind::IndexLookup { .. }
            | ExprKind::ShortLookup { .. }
            | ExprKind::IsDefined(_)
            | ExprKind::Comprehension { .. } => {
                let temp = self.store.new_var();
                needs.push(temp);
                self.emit(expr, frame, Target::var(temp, expr))
            }
        }
    }

    /// The inputs of an attribute's object: none for `self`.
    fn require_base(&mut self, base: ExprId, frame: FrameId, needs: &mut Needs) -> Done {
        let before = needs.len();
        self.require(base, frame, needs)?;
        if needs.len() == before {
            // `self`: a variable that is ready.
            let var = self.store.new_var();
            if let Root::Instance(instance) = self.root(base, frame)? {
                self.store.vars[var].state = super::State::Set(Value::Instance(instance));
            }
            needs.push(var);
        }
        Ok(())
    }

    /// The variable of `base.name`; a temporary if the base is not ready yet.
    pub(super) fn require_attribute(&mut self, expr: ExprId, base: ExprId, frame: FrameId) -> Done<VarId> {
        let mut needs = Needs::new();
        if matches!(self.program.tree.exprs[base].kind, ExprKind::Var(_))
            && let Root::Instance(instance) = self.root(base, frame)?
        {
            return self.attribute_in(expr, &Value::Instance(instance)).map_err(|fault| self.in_expr(fault, expr));
        }
        self.require(base, frame, &mut needs)?;
        let base_var = needs[0];
        if self.store.is_ready(base_var) {
            return self.attribute_of(expr, base_var).map_err(|fault| self.in_expr(fault, expr));
        }
        let temp = self.store.new_var();
        self.unit(Work::Hook { expr, temp }, frame, needs);
        Ok(temp)
    }

    pub(super) fn run_if(&mut self, stmt: StmtId, frame: FrameId, needs: &Needs, promises: u32) -> Done {
        let program = self.program;
        let StmtKind::If { condition, then, otherwise } = &program.tree.stmts[stmt].kind else { return Ok(()) };
        let value = self.compute_all(*condition, frame, needs).map_err(|fault| self.in_stmt(fault, stmt))?;
        let branch = match &value {
            Value::Bool(true) => Some((then, 0)),
            Value::Bool(false) => Some((otherwise, 1)),
            Value::Unknown(_) => None,
            other => {
                let text = message(other, self);
                let message = format!(
                    "Invalid value `{text}`: the condition for an if statement can only be a boolean expression"
                );
                let fault = Fault::new(Class::Runtime, message).about(written(other, self)).help(NO_CONDITION);
                return Err(self.in_stmt(fault, stmt));
            }
        };
        if let Some((body, nr)) = branch {
            let size = match &program.names.stmts[stmt] {
                StmtMeaning::Blocks(blocks) => blocks.sizes[nr],
                StmtMeaning::None | StmtMeaning::Target(_) | StmtMeaning::Broken => 0,
            };
            let frame = if size > 0 { self.inner_frame(frame, size) } else { frame };
            self.emit_body(body, frame)?;
        }
        self.end_promises(promises);
        Ok(())
    }

    pub(super) fn run_bool(&mut self, expr: ExprId, frame: FrameId, needs: &Needs, target: Target) -> Done {
        let ExprKind::Bool(operator, left, right) = &self.program.tree.exprs[expr].kind else { return Ok(()) };
        let (operator, left, right) = (*operator, *left, *right);
        let value = self.compute_all(left, frame, needs)?;
        let is_and = operator == crate::ast::BoolOperator::And;
        match value {
            Value::Bool(value) if value != is_and => self.assign(&target, Value::Bool(value)),
            Value::Bool(_) => {
                let temp = self.store.new_var();
                self.emit(right, frame, Target::var(temp, right))?;
                self.unit(Work::BoolRight { expr, target }, frame, smallvec::smallvec![temp]);
                Ok(())
            }
            Value::Unknown(_) => {
                let unknown = self.unknown();
                self.assign(&target, unknown)
            }
            other => {
                let word = if is_and { "and" } else { "or" };
                let text = message(&other, self);
                let message = format!("Invalid left hand value `{text}`: `{word}` expects a boolean");
                Err(Fault::new(Class::Runtime, message).about(written(&other, self)).help(NO_CONDITION))
            }
        }
    }

    pub(super) fn run_bool_right(&mut self, _expr: ExprId, needs: &Needs, target: Target) -> Done {
        match self.value_of(needs[0])? {
            value @ (Value::Bool(_) | Value::Unknown(_)) => self.assign(&target, value),
            other => {
                let message = format!("Invalid value '{}', expected bool", message(&other, self));
                Err(Fault::new(Class::Runtime, message).about(written(&other, self)).help(NO_CONDITION))
            }
        }
    }

    pub(super) fn run_conditional(&mut self, expr: ExprId, frame: FrameId, needs: &Needs, target: Target) -> Done {
        let ExprKind::Conditional { condition, then, otherwise } = &self.program.tree.exprs[expr].kind else {
            return Ok(());
        };
        let (condition, then, otherwise) = (*condition, *then, *otherwise);
        let value = self.compute_all(condition, frame, needs)?;
        let branch = match &value {
            Value::Bool(true) => then,
            Value::Bool(false) => otherwise,
            Value::Unknown(_) => {
                let unknown = self.unknown();
                return self.assign(&target, unknown);
            }
            other => return Err(self.no_condition(other)),
        };
        self.emit_into(branch, frame, target)
    }

    pub(super) fn no_condition(&self, value: &Value) -> crate::fault::Failure {
        let text = message(value, self);
        let message =
            format!("Invalid value `{text}`: the condition for a conditional expression must be a boolean expression");
        Fault::new(Class::Runtime, message).about(written(value, self)).help(NO_CONDITION)
    }

    /// Emits a part of an expression whose value has the same target as the whole.
    pub(super) fn emit_into(&mut self, expr: ExprId, frame: FrameId, target: Target) -> Done {
        match target.to {
            To::Sink { sink, is_whole } => self.feed(expr, frame, sink, is_whole),
            To::Nowhere | To::Var(_) | To::Slot(..) => self.emit(expr, frame, target),
        }
    }

    pub(super) fn emit_is_defined(&mut self, expr: ExprId, subject: ExprId, frame: FrameId, target: Target) -> Done {
        let mut needs = Needs::new();
        if let ExprKind::Lookup { dict, key } = &self.program.tree.exprs[subject].kind {
            let (dict, key) = (*dict, *key);
            self.require(dict, frame, &mut needs)?;
            self.require(key, frame, &mut needs)?;
        } else {
            self.require(subject, frame, &mut needs)?;
        }
        self.unit(Work::IsDefined { expr, target }, frame, needs);
        Ok(())
    }

    /// The object of an assignment, as written.
    pub(super) fn path_text(&self, expr: ExprId) -> String {
        expr_text(&self.program.tree, expr, Style::Alone)
    }

    /// The variable of a promise's root.
    pub(super) fn promise_root(&self, root: &VarRef, frame: FrameId) -> Done<Root> {
        self.variable(root, frame)
    }
}
