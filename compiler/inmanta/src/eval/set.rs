//! Sets variables, attributes and ends of relations. Spec, 10.2 and 11.3.

use super::rounds::MEMBER;
use super::unit::{Needs, Origin, Target, To};
use super::{Done, Evaluator, FrameId, State, VarId};
use crate::ast::{ExprId, StmtId, StmtKind};
use crate::fault::{Class, Failure, Fault, Within};
use crate::program::{AttrKind, End, Shape};
use crate::value::{InstId, Namer, Value, message, same, written};

impl Evaluator<'_> {
    /// Sets a plain variable. Spec, 10.2.
    pub(super) fn set_plain(&mut self, var: VarId, value: Value, by: ExprId) -> Done {
        let holder = &mut self.store.vars[var];
        match &holder.state {
            State::Unset => {
                holder.state = State::Set(value);
                holder.set_by = Some(by);
                self.wake(var);
                Ok(())
            }
            State::Set(old) => {
                let (old, old_by) = (old.clone(), holder.set_by);
                self.look_at(&old)?;
                if same(&old, &value) { Ok(()) } else { Err(self.double_set(&old, old_by, &value, by)) }
            }
            State::Untouched | State::End(_) | State::ClosedEmpty | State::Alias(_) => {
                Err(Fault::new(Class::Internal, "a relation's end was set like a variable"))
            }
        }
    }

    fn double_set(&self, old: &Value, old_by: Option<ExprId>, new: &Value, new_by: ExprId) -> Failure {
        let texts = self.texts();
        let place = |by: ExprId| texts.place(self.place(by));
        let message = format!(
            "value set twice:\n\told value: {}\n\t\tset at {}\n\tnew value: {}\n\t\tset at {}\n",
            message(old, self),
            old_by.map(place).unwrap_or_default(),
            message(new, self),
            place(new_by)
        );
        let mut fault = Fault::new(Class::DoubleSet, message).about(written(old, self)).about(written(new, self));
        if let Some(by) = old_by {
            fault = fault.also(self.program.tree.exprs[by].span, "the first value comes from here");
        }
        fault.also(self.program.tree.exprs[new_by].span, "this one is different")
    }

    /// `p.a = e`, once `p` is ready.
    pub(super) fn set_attr(&mut self, stmt: StmtId, frame: FrameId, base_var: VarId) -> Done {
        let program = self.program;
        let StmtKind::Set { base, name, adds, value, .. } = &program.tree.stmts[stmt].kind else { return Ok(()) };
        let object = self.value_of(base_var)?;
        let Value::Instance(instance) = object else {
            let kind = match object.kind() {
                "NoneValue" => "inmanta.execute.util.NoneValue",
                "Unknown" => "inmanta.execute.util.Unknown",
                kind => kind,
            };
            let message = format!(
                "The object at {} is not an Entity but a <class '{kind}'> with value {}",
                self.path_text(*base),
                message(&object, self)
            );
            return Err(Fault::new(Class::Typing, message));
        };
        let var = self.slot_by_name(instance, name)?;
        let slot = var.0 - self.store.instances[instance].first.0;
        let is_list = self.end_at(instance, slot).is_some_and(|end| end.shape() == Shape::List);
        if *adds && !is_list {
            return Err(Fault::new(Class::Typing, "Can not use += on relations with multiplicity 1"));
        }
        self.emit_argument(instance, slot, *value, frame, Origin::Stmt(stmt))
    }

    pub(super) fn end_at(&self, instance: InstId, slot: u32) -> Option<&'_ End> {
        let entity = self.store.instances[instance].entity;
        let (_, attr) = self.program.entities[entity].slots.get_index(slot as usize)?;
        self.program.end(*attr)
    }

    /// Emits the value of an attribute or end.
    pub(super) fn emit_argument(
        &mut self,
        instance: InstId,
        slot: u32,
        value: ExprId,
        frame: FrameId,
        origin: Origin,
    ) -> Done {
        let entity = self.store.instances[instance].entity;
        let Some((_, attr)) = self.program.entities[entity].slots.get_index(slot as usize) else { return Ok(()) };
        let attr = *attr;
        let shape = self.program.end(attr).map(End::shape);
        let inverse = shape.map(|_| (instance, attr));
        if shape == Some(Shape::List) {
            self.provide(instance, slot);
            let sink = self.end_sink(instance, slot, origin, inverse, value);
            self.feed(value, frame, sink, true)?;
            return Ok(());
        }
        if shape == Some(Shape::Optional) {
            self.provide(instance, slot);
        }
        let target = Target { to: To::Slot(instance, slot), origin, value, inverse };
        if let (Origin::Expr(_), Some(constant)) = (origin, &self.program.tree.exprs[value].constant) {
            return self.assign(&target, constant.clone());
        }
        self.emit(value, frame, target)
    }

    /// Sets an attribute or end; errors name the attribute and the instance.
    pub(super) fn set_slot(&mut self, instance: InstId, slot: u32, value: Value, target: &Target) -> Done {
        let program = self.program;
        let entity = self.store.instances[instance].entity;
        let Some((_, attr)) = program.entities[entity].slots.get_index(slot as usize) else { return Ok(()) };
        let var = VarId(self.store.instances[instance].first.0 + slot);
        match &program.attrs[*attr].kind {
            AttrKind::Plain(ty) => {
                let unset = matches!(self.store.vars[var].state, State::Unset);
                let checked = if unset { self.check(&value, ty) } else { Ok(()) };
                let result = checked.and_then(|()| self.set_plain(var, value, target.value));
                result.map_err(|fault| self.wrap(fault, instance, slot, target))
            }
            AttrKind::End(end) => match end.shape() {
                Shape::One => self.set_one(instance, slot, end, value, target),
                Shape::Optional => self.set_optional(instance, slot, end, value, target),
                Shape::List => self
                    .add_values(instance, slot, value, target)
                    .map_err(|fault| self.wrap(fault, instance, slot, target)),
            },
        }
    }

    /// ``Could not set attribute `a` on instance `i` `` with the cause.
    pub(super) fn wrap(&self, fault: Failure, instance: InstId, slot: u32, target: &Target) -> Failure {
        let entity = &self.program.entities[self.store.instances[instance].entity];
        let name = entity.slots.get_index(slot as usize).map_or("", |(name, _)| &**name);
        let message = format!("Could not set attribute `{name}` on instance `{}`", self.instance(instance));
        let mut cause = self.in_origin(fault, target);
        if cause.related.is_empty() {
            // The place is the whole constructor.
            cause = cause.also(self.program.tree.exprs[target.value].span, "this value");
        }
        self.in_origin(Fault::new(Class::Attribute, message).cause(cause), target)
    }

    fn set_one(&mut self, instance: InstId, slot: u32, end: &End, value: Value, target: &Target) -> Done {
        let var = VarId(self.store.instances[instance].first.0 + slot);
        let is_new = matches!(self.store.vars[var].state, State::Unset);
        let checked = if is_new { self.check_member(&value, end) } else { Ok(()) };
        let member = if let Value::Instance(member) = value { Some(member) } else { None };
        checked
            .and_then(|()| self.set_plain(var, value, target.value))
            .map_err(|fault| self.wrap(fault, instance, slot, target))?;
        match member {
            Some(member) if is_new => {
                self.set_inverse(member, end, instance, target).map_err(|fault| match target.origin {
                    Origin::Stmt(_) => self.wrap(fault, instance, slot, target),
                    Origin::Expr(_) => fault,
                })
            }
            _ => Ok(()),
        }
    }

    fn set_optional(&mut self, instance: InstId, slot: u32, end: &End, value: Value, target: &Target) -> Done {
        let var = VarId(self.store.instances[instance].first.0 + slot);
        let wrap = |this: &Self, fault: Failure| this.wrap(fault, instance, slot, target);
        match &self.store.vars[var].state {
            State::Set(old) if same(old, &value) => return Ok(()),
            State::Set(old) => {
                let (old, by) = (old.clone(), self.store.vars[var].set_by);
                let fault = self.double_set(&old, by, &value, target.value);
                return Err(wrap(self, fault));
            }
            State::ClosedEmpty if matches!(value, Value::Null) => return Ok(()),
            State::ClosedEmpty => {
                let fault = self.late(instance, slot, target);
                return Err(wrap(self, fault));
            }
            State::Unset | State::Untouched | State::End(_) | State::Alias(_) => {}
        }
        if matches!(value, Value::Null) {
            self.store.vars[var].set_by.get_or_insert(target.value);
            self.close_empty(var);
            return Ok(());
        }
        self.check_member(&value, end).map_err(|fault| wrap(self, fault))?;
        let member = if let Value::Instance(member) = value { Some(member) } else { None };
        self.close_with(var, value, target.value);
        match member {
            Some(member) => self.set_inverse(member, end, instance, target).map_err(|fault| match target.origin {
                Origin::Stmt(_) => self.wrap(fault, instance, slot, target),
                Origin::Expr(_) => fault,
            }),
            None => Ok(()),
        }
    }

    /// A value for an end that was considered complete. Spec, 10.6.
    pub(super) fn late(&self, instance: InstId, slot: u32, target: &Target) -> Failure {
        let entity = &self.program.entities[self.store.instances[instance].entity];
        let name = entity.slots.get_index(slot as usize).map_or("", |(name, _)| &**name);
        let fault = Fault::new(Class::ModifiedAfterFreeze, "List modified after freeze").at(self.place(target.value));
        if let Some(null) = self.emptied_by(VarId(self.store.instances[instance].first.0 + slot)) {
            return fault
                .also(self.program.tree.exprs[target.value].span, "this value")
                .also(self.program.tree.exprs[null].span, "null means that it has no values")
                .help(format!("`{name}` is either null or has values: remove one of the two assignments"));
        }
        fault
            .also(self.program.tree.exprs[target.value].span, "this value was assigned too late")
            .note(format!(
                "`{name}` of `{}` was already considered complete, because something waited for all its values",
                self.instance(instance)
            ))
            .help(
                "either this assignment depends on the absence of its own result, or the compiler chose an \
                   unsuitable order: check the conditions around it, assign from the other side of the relation, add a \
                   rule to `relation_precedence_policy`, or avoid `is defined` and list arguments in conditions",
            )
    }

    /// The null that closed an end, if it has no values for this reason.
    fn emptied_by(&self, var: VarId) -> Option<ExprId> {
        let is_empty = match &self.store.vars[var].state {
            State::ClosedEmpty => true,
            State::End(end) => self.store.ends[*end].members.is_empty(),
            State::Set(Value::List(list)) => list.items.is_empty(),
            State::Set(_) | State::Unset | State::Untouched | State::Alias(_) => false,
        };
        self.store.vars[var].set_by.filter(|_| is_empty)
    }

    /// A value for a list end: null, an instance, or several.
    pub(super) fn add_values(&mut self, instance: InstId, slot: u32, value: Value, target: &Target) -> Done {
        match value {
            Value::Null => self.close_by_null(instance, slot, target),
            Value::List(list) => {
                list.items.iter().try_for_each(|item| self.add_member(instance, slot, item.clone(), target))
            }
            value => self.add_member(instance, slot, value, target),
        }
    }

    fn close_by_null(&mut self, instance: InstId, slot: u32, target: &Target) -> Done {
        let var = VarId(self.store.instances[instance].first.0 + slot);
        let members = match &self.store.vars[var].state {
            State::End(end) => self.store.ends[*end].members.clone(),
            State::Set(Value::List(list)) => list.items.clone(),
            _ => Vec::new(),
        };
        if members.is_empty() {
            self.store.vars[var].set_by.get_or_insert(target.value);
            self.close(var);
            return Ok(());
        }
        let entity = &self.program.entities[self.store.instances[instance].entity];
        let name = entity.slots.get_index(slot as usize).map_or("", |(name, _)| &**name);
        let values: Vec<String> = members.iter().map(|member| format!("`{}`", message(member, self))).collect();
        let message = format!(
            "Trying to set relation attribute `{name}` of instance `{}` to null but it has values {} assigned already",
            self.instance(instance),
            values.join(", ")
        );
        let mut fault = Fault::new(Class::Runtime, message)
            .also(self.program.tree.exprs[target.value].span, "null means that it has no values")
            .help(format!("`{name}` is either null or has values: remove one of the two assignments"));
        if let Some(by) = self.store.vars[var].set_by {
            fault = fault.also(self.program.tree.exprs[by].span, "a value comes from here");
        }
        Err(fault)
    }

    /// Adds an instance to a list end, and this one to the inverse end.
    pub(super) fn add_member(&mut self, instance: InstId, slot: u32, value: Value, target: &Target) -> Done {
        let program = self.program;
        let entity = self.store.instances[instance].entity;
        let Some((_, attr)) = program.entities[entity].slots.get_index(slot as usize) else { return Ok(()) };
        let Some(end) = program.end(*attr) else { return Ok(()) };
        if !self.insert_member(instance, slot, value.clone(), end, target)? {
            return Ok(());
        }
        match value {
            Value::Instance(member) => self.set_inverse(member, end, instance, target),
            _ => Ok(()),
        }
    }

    /// Adds to one side; returns whether it was new.
    fn insert_member(&mut self, instance: InstId, slot: u32, value: Value, end: &End, target: &Target) -> Done<bool> {
        let var = VarId(self.store.instances[instance].first.0 + slot);
        if let State::Set(Value::List(_)) = &self.store.vars[var].state {
            // Closed before its first use, so it has no members.
            return Err(self.too_late(instance, slot, 0, end, target));
        }
        let Some(id) = self.record(var, instance, slot) else { return Ok(false) };
        if self.store.ends[id].has(&value) {
            return Ok(false);
        }
        if self.store.ends[id].is_closed {
            let n_members = self.store.ends[id].members.len();
            return Err(self.too_late(instance, slot, n_members, end, target));
        }
        self.check_member(&value, end)?;
        self.step()?;
        // Charged as a member of both the list and the set.
        self.spend(3 * MEMBER)?;
        let is_known = !value.is_unknown();
        self.store.ends[id].push(value.clone());
        self.store.vars[var].set_by.get_or_insert(target.value);
        self.tell_listeners(id, &value);
        if is_known {
            self.first_member(var, id);
        }
        let n_members = self.store.ends[id].members.len() as i64;
        if end.high.is_some_and(|high| n_members == high) {
            self.close(var);
        } else {
            self.candidate(var);
        }
        Ok(true)
    }

    fn too_late(&self, instance: InstId, slot: u32, n_members: usize, end: &End, target: &Target) -> Failure {
        if end.high.is_some_and(|high| n_members as i64 >= high) {
            let entity = &self.program.entities[self.store.instances[instance].entity];
            let name = entity.slots.get_index(slot as usize).map_or("", |(name, _)| &**name);
            let message =
                format!("Exceeded relation arity on attribute '{name}' of instance '{}'", self.instance(instance));
            return Fault::new(Class::Runtime, message).at(self.place(target.value));
        }
        self.late(instance, slot, target)
    }

    /// Updates the other end of a relation.
    fn set_inverse(&mut self, member: InstId, end: &End, instance: InstId, target: &Target) -> Done {
        let program = self.program;
        let Some(inverse) = end.inverse else { return Ok(()) };
        let name = &program.attrs[inverse].name;
        let Some((slot, attr)) = program.slot(self.store.instances[member].entity, name) else { return Ok(()) };
        let slot = slot as u32;
        let Some(other) = program.end(attr) else { return Ok(()) };
        let var = VarId(self.store.instances[member].first.0 + slot);
        let value = Value::Instance(instance);
        let result = match other.shape() {
            Shape::One => self.set_plain(var, value, target.value),
            Shape::List => self.insert_member(member, slot, value, other, target).map(|_| ()),
            Shape::Optional => match &self.store.vars[var].state {
                State::Set(old) if same(old, &value) => Ok(()),
                State::Set(old) => {
                    let (old, by) = (old.clone(), self.store.vars[var].set_by);
                    Err(self.double_set(&old, by, &value, target.value))
                }
                State::ClosedEmpty => Err(self.late(member, slot, target)),
                State::Unset | State::Untouched | State::End(_) | State::Alias(_) => {
                    self.close_with(var, value, target.value);
                    Ok(())
                }
            },
        };
        result.map_err(|fault| {
            let text = self.instance(member);
            let message = format!("Could not set attribute `{name}` on instance `{text}`");
            let cause = self.in_origin(fault, target);
            let outer = Fault::new(Class::Attribute, message).cause(cause).within(Within::Text(text));
            match self.instance_place(member) {
                Some(place) => outer.at(place),
                None => outer,
            }
        })
    }

    pub(super) fn needs_nothing() -> Needs {
        Needs::new()
    }
}
