//! Constructors. Spec, 8.8.

use super::lookup::Key;
use super::store::Instance;
use super::unit::{Needs, Origin, Target, To};
use super::{Done, Evaluator, FrameId, State, VarId};
use crate::ast::{Arg, ExprId, ExprKind};
use crate::fault::{Class, Fault, Location, Missing, Within};
use crate::program::{AttrKind, EntityId, Meaning, Shape};
use crate::scope::{missing_keys, missing_keys_fault};
use crate::value::{InstId, Namer, Value, quoted, written};
use mclive_base::ident::Name;
use smallvec::smallvec;

/// A value for an attribute, before the instance exists.
struct Given {
    slot: u32,
    value: Value,
    by: ExprId,
}

impl Evaluator<'_> {
    pub(super) fn class(&self, expr: ExprId) -> Option<EntityId> {
        match &self.program.names.exprs[expr] {
            Meaning::Class(entity) => Some(*entity),
            Meaning::None | Meaning::Var(_) | Meaning::Callee(_) => None,
        }
    }

    fn is_key(&self, entity: EntityId, name: &Name) -> bool {
        self.program.entities[entity].indexes.iter().any(|index| self.program.indexes[*index].attrs.contains(name))
    }

    /// The inputs of a constructor before there is an instance: index attributes and unpacked dicts.
    pub(super) fn require_keys(&mut self, expr: ExprId, args: &[Arg], frame: FrameId, needs: &mut Needs) -> Done {
        let Some(entity) = self.class(expr) else { return Ok(()) };
        for arg in args {
            let is_early = match arg {
                Arg::Named { name, .. } => self.is_key(entity, name),
                Arg::Unpacked { .. } | Arg::Positional(_) => true,
            };
            if is_early {
                self.require(arg.value(), frame, needs)?;
            }
        }
        Ok(())
    }

    pub(super) fn construct(&mut self, expr: ExprId, frame: FrameId, needs: &Needs, target: &Target) -> Done {
        let program = self.program;
        let ExprKind::Construct { args, class } = &program.tree.exprs[expr].kind else { return Ok(()) };
        let Some(entity) = self.class(expr) else { return Ok(()) };
        let mut cursor = super::compute::Cursor::new(needs);
        let mut keys: Vec<Given> = Vec::new();
        let mut unpacked: Vec<Given> = Vec::new();
        let mut later: Vec<(u32, ExprId)> = Vec::new();
        // An argument by name counts for every dict, also for one before it.
        let mut taken: rustc_hash::FxHashSet<u32> = args
            .iter()
            .filter_map(|arg| match arg {
                Arg::Named { name, .. } => program.slot(entity, name).map(|(slot, _)| slot as u32),
                Arg::Unpacked { .. } | Arg::Positional(_) => None,
            })
            .collect();
        for arg in args {
            if let Arg::Named { name, value, .. } = arg {
                let Some((slot, _)) = program.slot(entity, name) else { continue };
                if self.is_key(entity, name) {
                    let by = *value;
                    let value = self.compute(by, frame, &mut cursor)?;
                    keys.push(Given { slot: slot as u32, value, by });
                } else {
                    later.push((slot as u32, *value));
                }
                continue;
            }
            let by = arg.value();
            let dict = self.compute(by, frame, &mut cursor)?;
            let Value::Dict(dict) = dict else {
                let text = format!("**{}", self.path_text(by));
                let place = match arg {
                    Arg::Unpacked { at, .. } => Location::Line(*at),
                    Arg::Positional(_) | Arg::Named { .. } => self.place(by),
                };
                let fault = Fault::new(Class::Typing, "The ** operator can only be applied to dictionaries");
                return Err(fault.within(Within::Text(text)).at(place));
            };
            for (name, value) in &dict.entries {
                let Some((slot, _)) = program.slot(entity, name) else {
                    let full = &program.entities[entity].full_name;
                    let fault = Fault::new(Class::Typing, format!("no attribute {name} on type {full}"));
                    let missing = Missing::Attribute(entity, (&**name).into());
                    return Err(self.in_expr(fault.missing(missing), expr));
                };
                let slot = slot as u32;
                if !taken.insert(slot) {
                    let message =
                        format!("The attribute {name} is set twice in the constructor call of {}.", class.text());
                    return Err(self.in_expr(Fault::new(Class::Runtime, message), expr));
                }
                let given = Given { slot, value: value.clone(), by };
                if self.is_key(entity, name) { keys.push(given) } else { unpacked.push(given) }
            }
        }
        self.fill_keys(expr, entity, &mut keys, &mut taken, target)?;
        let (instance, is_new) = self.find_or_make(expr, entity, &keys, self.frames[frame].instance)?;
        // A wrong argument hides neither the others nor what uses the instance.
        let mut kept = Ok(());
        for Given { slot, value, by } in keys {
            let set = self.set_key(instance, slot, value, by, expr, target);
            self.keep(set, &mut kept)?;
        }
        for Given { slot, value, by } in unpacked {
            let target = Target { to: To::Slot(instance, slot), origin: Origin::Expr(expr), value: by, inverse: None };
            let set = self.assign(&target, value);
            self.keep(set, &mut kept)?;
        }
        for (slot, value) in later {
            let set = self.emit_argument(instance, slot, value, frame, Origin::Expr(expr));
            self.keep(set, &mut kept)?;
        }
        for (slot, default) in program.entities[entity].defaults.iter().enumerate() {
            let is_bad = !self.bad_defaults.is_empty()
                && program.entities[entity]
                    .slots
                    .get_index(slot)
                    .is_some_and(|(_, attr)| self.bad_defaults.contains(attr));
            let slot = slot as u32;
            if let Some(default) = default
                && !taken.contains(&slot)
                && !is_bad
            {
                let target = Target {
                    to: To::Slot(instance, slot),
                    origin: Origin::Expr(expr),
                    value: default.expr,
                    inverse: None,
                };
                let set = self.assign(&target, default.value.clone());
                self.keep(set, &mut kept)?;
            }
        }
        if is_new {
            let emitted = self.emit_implements(instance, entity);
            self.keep(emitted, &mut kept)?;
        }
        let assigned = self.assign(target, Value::Instance(instance));
        self.keep(assigned, &mut kept)?;
        kept
    }

    /// Index attributes without an argument: their defaults, or the outer instance.
    fn fill_keys(
        &mut self,
        expr: ExprId,
        entity: EntityId,
        keys: &mut Vec<Given>,
        taken: &mut rustc_hash::FxHashSet<u32>,
        target: &Target,
    ) -> Done {
        let program = self.program;
        if program.entities[entity].indexes.is_empty() {
            return Ok(());
        }
        let slot_of = |name: &Name| program.slot(entity, name).map(|(slot, _)| slot as u32);
        let missing = missing_keys(program, entity, |name| slot_of(name).is_some_and(|slot| taken.contains(&slot)));
        if let [only] = &missing[..]
            && let Some((outer, attr)) = target.inverse
            && let Some(inverse) = program.end(attr).and_then(|end| end.inverse)
            && let Some((slot, own)) = program.slot(entity, only)
            && own == inverse
        {
            keys.push(Given { slot: slot as u32, value: Value::Instance(outer), by: expr });
            taken.insert(slot as u32);
        } else if !missing.is_empty() {
            return Err(missing_keys_fault(program, &program.tree, expr, entity, &missing));
        }
        for index in &program.entities[entity].indexes {
            for name in &program.indexes[*index].attrs {
                let Some(slot) = slot_of(name).filter(|slot| !taken.contains(slot)) else { continue };
                if let Some(default) = &program.entities[entity].defaults[slot as usize] {
                    keys.push(Given { slot, value: default.value.clone(), by: default.expr });
                    taken.insert(slot);
                }
            }
        }
        Ok(())
    }

    /// The existing instance of an index, or a new one.
    fn find_or_make(
        &mut self,
        expr: ExprId,
        entity: EntityId,
        keys: &[Given],
        by: Option<InstId>,
    ) -> Done<(InstId, bool)> {
        let program = self.program;
        let indexes = &program.entities[entity].indexes;
        for given in keys {
            self.look_at(&given.value)?;
            self.spend(given.value.size())?;
        }
        let mut found: Option<(InstId, usize)> = None;
        let mut entries: Vec<(usize, Key)> = Vec::with_capacity(indexes.len());
        for index in indexes {
            let nr = index.0 as usize;
            let values = program.indexes[*index].attrs.iter().map(|name| {
                let slot = program.slot(entity, name).map_or(u32::MAX, |(slot, _)| slot as u32);
                let value = keys.iter().find(|given| given.slot == slot).map_or(&Value::Null, |given| &given.value);
                (value, false)
            });
            let key = Key::of(values);
            let hit = self.indexes.get(nr, &key);
            if let Some(hit) = hit.filter(|hit| program.is_a(self.store.instances[*hit].entity, entity)) {
                match found {
                    Some((other, first)) if other != hit => {
                        return Err(self.collision(expr, (first, other), (nr, hit)));
                    }
                    _ => found = Some((hit, nr)),
                }
            }
            entries.push((nr, key));
        }
        if let Some((instance, _)) = found {
            if self.store.instances[instance].entity != entity {
                let place = self.place(expr);
                let mut fault = Fault::new(Class::Duplicate, "Type found in index is not an exact match").at(place);
                fault.duplicate = Some((place, self.instance_place(instance).unwrap_or(place)));
                return Err(fault);
            }
            self.store.instances[instance].constructs.push(expr);
            return Ok((instance, false));
        }
        let instance = self.new_instance(expr, entity, by)?;
        for (nr, key) in entries {
            if let Some(other) = self.indexes.get(nr, &key) {
                let names = &program.indexes
                    [indexes.iter().copied().find(|index| index.0 as usize == nr).unwrap_or(indexes[0])]
                .attrs;
                let joined = |text: &dyn Fn(&Value) -> String| {
                    let parts = names.iter().map(|name| {
                        let slot = program.slot(entity, name).map_or(u32::MAX, |(slot, _)| slot as u32);
                        let given = keys.iter().find(|given| given.slot == slot);
                        format!("{name}={}", text(given.map_or(&Value::Null, |given| &given.value)))
                    });
                    parts.collect::<Vec<String>>().join(", ")
                };
                let place = self.place(expr);
                let message = format!("Duplicate key in index. {}", joined(&|value| quoted(value, self)));
                let mut fault = Fault::new(Class::Duplicate, message).at(place);
                fault = fault.about(joined(&|value| written(value, self)));
                fault.duplicate = Some((place, self.instance_place(other).unwrap_or(place)));
                return Err(fault);
            }
            self.indexes.insert(nr, key.clone(), instance);
            self.answer_lookups(nr as u32, &key, instance)?;
        }
        Ok((instance, true))
    }

    fn collision(&self, expr: ExprId, first: (usize, InstId), second: (usize, InstId)) -> crate::fault::Failure {
        let mut fault = Fault::new(Class::IndexCollision, "Inconsistent indexes detected!\n");
        for (index, instance) in [first, second] {
            let names =
                self.program.indexes.values().nth(index).map(|index| index.attrs.join(", ")).unwrap_or_default();
            fault = fault.note(format!("the index ({names}) contains `{}`", self.instance(instance)));
        }
        self.in_expr(fault, expr)
    }

    fn new_instance(&mut self, expr: ExprId, entity: EntityId, by: Option<InstId>) -> Done<InstId> {
        let program = self.program;
        let limits = &self.around.limits;
        if self.store.instances.len() >= limits.instances {
            let whole = limits.instances.saturating_add(limits.used.instances);
            let message = limits.shared(format!("the model has more than {whole} instances"), "those");
            return Err(self.in_expr(
                Fault::new(Class::Limit, message)
                    .help("look for implementations that create instances of their own entity endlessly"),
                expr,
            ));
        }
        let slots = &program.entities[entity].slots;
        let first = self.new_vars(slots.len() as u32);
        let instance = self.store.instances.push(Instance {
            entity,
            first,
            constructs: smallvec![expr],
            by,
            implementations: smallvec![],
            is_selected: false,
        });
        self.frames.add_instance(instance, first, program.entities[entity].ns);
        for (slot, attr) in slots.values().enumerate() {
            let AttrKind::End(end) = &program.attrs[*attr].kind else { continue };
            if end.shape() != Shape::One {
                let var = VarId(first.0 + slot as u32);
                self.store.vars[var].state = State::Untouched;
                if end.low <= 0 {
                    self.new_candidate(var, *attr);
                }
            }
        }
        Ok(instance)
    }

    /// Sets an index attribute. Errors are reported in the instance.
    fn set_key(
        &mut self,
        instance: InstId,
        slot: u32,
        value: Value,
        by: ExprId,
        expr: ExprId,
        target: &Target,
    ) -> Done {
        let entity = self.store.instances[instance].entity;
        let own = Target { to: To::Slot(instance, slot), origin: Origin::Expr(expr), value: by, inverse: None };
        self.set_slot(instance, slot, value, &own).map_err(|mut fault| {
            let text = self.instance(instance);
            let name = self.program.entities[entity].slots.get_index(slot as usize).map_or("", |(name, _)| &**name);
            let is_own = fault.class == Class::Attribute
                && fault.message.starts_with(&format!("Could not set attribute `{name}` on"));
            let is_double = fault.causes.first().is_some_and(|cause| cause.class == Class::DoubleSet);
            if is_own && is_double && fault.within == Some(Within::Expr(expr)) {
                fault.within = Some(Within::Text(text));
                fault.place = self.instance_place(instance);
                if let Some(cause) = fault.causes.first_mut() {
                    (cause.within, cause.place) = (None, None);
                    *cause = *self.in_origin(Box::new(cause.clone()), target);
                }
            }
            fault
        })
    }
}
