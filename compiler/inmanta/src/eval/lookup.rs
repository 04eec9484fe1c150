//! Indexes and lookups in them. Spec, 6.4 and 8.9.

use super::unit::{Needs, Target};
use super::{Done, Evaluator, FrameId};
use crate::ast::{Arg, ExprId, ExprKind};
use crate::fault::{Class, Failure, Fault};
use crate::program::{AttrKind, Base, EntityId, IndexId, Primitive};
use crate::value::{InstId, Value, python_float, quoted, quoted_text, written};
use mclive_base::ident::Name;

/// The values of an index's attributes, by kind and text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key(Box<str>);

impl Key {
    /// The key of these values; those flagged are floats, for which whole numbers count as floats.
    pub(super) fn of<'v>(values: impl Iterator<Item = (&'v Value, bool)>) -> Key {
        let mut out = String::new();
        for (value, is_float) in values {
            write_key(&mut out, value, is_float);
        }
        Key(out.into())
    }
}

fn write_key(out: &mut String, value: &Value, is_float: bool) {
    use std::fmt::Write;
    let _ = match value {
        Value::Null => write!(out, "n;"),
        Value::Bool(value) => write!(out, "b{value};"),
        Value::Int(int) => match int.to_f64().filter(|_| is_float) {
            Some(float) => write!(out, "f{};", python_float(float)),
            None => write!(out, "i{int};"),
        },
        Value::Float(float) => write!(out, "f{};", python_float(*float)),
        Value::Str(text) => write!(out, "s{}:{text};", text.len()),
        Value::Instance(instance) => write!(out, "o{};", instance.0),
        Value::Unknown(unknown) => write!(out, "u{};", unknown.0),
        Value::List(list) => {
            let _ = write!(out, "l{}:", list.items.len());
            list.items.iter().for_each(|item| write_key(out, item, false));
            Ok(())
        }
        Value::Dict(dict) => {
            let _ = write!(out, "d{}:", dict.entries.len());
            for (key, item) in &dict.entries {
                let _ = write!(out, "{}:{key}=", key.len());
                write_key(out, item, false);
            }
            Ok(())
        }
    };
}

/// A lookup whose instance does not exist yet.
pub(super) struct Pending {
    pub(super) expr: ExprId,
    pub(super) entity: EntityId,
    /// The key in messages of the original.
    key_text: String,
    /// The key as models write it.
    key_written: String,
    target: Target,
}

impl Evaluator<'_> {
    pub(super) fn run_lookup(&mut self, expr: ExprId, frame: FrameId, needs: &Needs, target: Target) -> Done {
        let program = self.program;
        let mut cursor = super::compute::Cursor::new(needs);
        let (entity, args, owner) = match &program.tree.exprs[expr].kind {
            ExprKind::IndexLookup { args, .. } => (self.class(expr), args, None),
            ExprKind::ShortLookup { base, relation, args, .. } => {
                let object = self.compute(*base, frame, &mut cursor)?;
                let (entity, inverse, object) = self.short_lookup(&object, relation)?;
                (Some(entity), args, Some((inverse, Value::Instance(object))))
            }
            _ => return Ok(()),
        };
        let Some(entity) = entity else { return Ok(()) };
        let mut query: Vec<(Name, Value)> = owner.into_iter().collect();
        for arg in args {
            let value = self.compute(arg.value(), frame, &mut cursor)?;
            match (arg, value) {
                (Arg::Named { name, .. }, value) => self.add_key(&mut query, name, value)?,
                (_, Value::Dict(dict)) => {
                    for (name, value) in &dict.entries {
                        self.add_key(&mut query, name, value.clone())?;
                    }
                }
                _ => return Err(Fault::new(Class::Typing, "The ** operator can only be applied to dictionaries")),
            }
        }
        for (_, value) in &query {
            self.look_at(value)?;
            self.spend(value.size())?;
        }
        let Some(index) = self.index_for(entity, &query) else { return Err(self.no_index(entity, &query)) };
        let key = self.key(entity, index, &query);
        let hit = self.indexes.get(index.0 as usize, &key);
        if let Some(hit) = hit.filter(|hit| program.is_a(self.store.instances[*hit].entity, entity)) {
            return self.assign(&target, Value::Instance(hit));
        }
        // Only now, as the text of an instance has all places that construct it. In the order of the index, however
        // they are written.
        let mut sorted: Vec<(&Name, &Value)> = query.iter().map(|(name, value)| (name, value)).collect();
        sorted.sort_by_key(|(name, _)| *name);
        let joined = |text: &dyn Fn(&Value) -> String| {
            let parts: Vec<String> = sorted.iter().map(|(name, value)| format!("{name}={}", text(value))).collect();
            parts.join(", ")
        };
        let (key_text, key_written) = (joined(&|value| quoted(value, self)), joined(&|value| written(value, self)));
        let pending = Pending { expr, entity, key_text, key_written, target };
        if query.iter().any(|(_, value)| value.is_unknown()) {
            return Err(self.no_match(&pending));
        }
        self.indexes.wait(index.0, key, pending);
        Ok(())
    }

    fn add_key(&self, query: &mut Vec<(Name, Value)>, name: &str, value: Value) -> Done {
        if query.iter().any(|(known, _)| **known == *name) {
            return Err(Fault::new(Class::Runtime, format!("Attribute {name} provided twice in index lookup")));
        }
        query.push((name.into(), value));
        Ok(())
    }

    fn short_lookup(&self, object: &Value, relation: &Name) -> Done<(EntityId, Name, InstId)> {
        let Value::Instance(instance) = object else {
            let text = crate::value::message(object, self);
            let message = format!("short index lookup is only possible one objects, {text} is not an object");
            return Err(Fault::new(Class::Typing, message).about(written(object, self)));
        };
        let var = self.slot_by_name(*instance, relation)?;
        let slot = var.0 - self.store.instances[*instance].first.0;
        let entity = self.store.instances[*instance].entity;
        let Some(end) = self.end_at(*instance, slot) else {
            let message = format!("short index lookup is only possible on relations, {relation} is an attribute");
            return Err(Fault::new(Class::Typing, message));
        };
        let Some(inverse) = end.inverse else {
            let full = &self.program.entities[entity].full_name;
            let message = format!(
                "short index lookup is only possible on bi-drectional relations, {full}.{relation} is unidirectional"
            );
            return Err(Fault::new(Class::Typing, message));
        };
        Ok((end.target, self.program.attrs[inverse].name.clone(), *instance))
    }

    /// The index of exactly these attributes.
    fn index_for(&self, entity: EntityId, query: &[(Name, Value)]) -> Option<IndexId> {
        let mut names: Vec<&Name> = query.iter().map(|(name, _)| name).collect();
        names.sort();
        let indexes = &self.program.entities[entity].indexes;
        indexes.iter().copied().find(|index| self.program.indexes[*index].attrs.iter().eq(names.iter().copied()))
    }

    fn key(&self, entity: EntityId, index: IndexId, query: &[(Name, Value)]) -> Key {
        Key::of(self.program.indexes[index].attrs.iter().map(|name| {
            let value = query.iter().find(|(known, _)| known == name).map_or(&Value::Null, |(_, value)| value);
            let is_float = self.program.slot(entity, name).is_some_and(|(_, attr)| {
                matches!(&self.program.attrs[attr].kind, AttrKind::Plain(ty) if ty.base == Base::Primitive(Primitive::Float))
            });
            (value, is_float)
        }))
    }

    fn no_index(&self, entity: EntityId, query: &[(Name, Value)]) -> Failure {
        let parts: Vec<String> =
            query.iter().map(|(name, value)| format!("({}, {})", quoted_text(name), quoted(value, self))).collect();
        let full = &self.program.entities[entity].full_name;
        let known: Vec<String> = self.program.entities[entity]
            .indexes
            .iter()
            .map(|index| format!("`({})`", self.program.indexes[*index].attrs.join(", ")))
            .collect();
        let fault =
            Fault::new(Class::NotFound, format!("No index defined on {full} for this lookup: [{}]", parts.join(", ")));
        if !known.is_empty() {
            return fault.help(format!("its indexes are {}", known.join(", ")));
        }
        let are_attributes = query.iter().all(|(name, _)| self.program.slot(entity, name).is_some());
        let names: Vec<&str> = query.iter().map(|(name, _)| &**name).collect();
        let names = if are_attributes && !names.is_empty() { names.join(", ") } else { "...".to_owned() };
        fault.help(format!("define one: `index {}({names})`", self.program.entities[entity].name))
    }

    pub(super) fn no_match(&self, pending: &Pending) -> Failure {
        let full = &self.program.entities[pending.entity].full_name;
        let message = format!("No match in index on type {full} with key {}", pending.key_text);
        self.in_expr(Fault::new(Class::NotFound, message).about(pending.key_written.as_str()), pending.expr)
    }

    /// A new instance is in an index: answers the lookups that wait for it.
    pub(super) fn answer_lookups(&mut self, index: u32, key: &Key, instance: InstId) -> Done {
        let (program, entity) = (self.program, self.store.instances[instance].entity);
        for lookup in self.indexes.answer(index, key, |lookup| program.is_a(entity, lookup.entity)) {
            self.assign(&lookup.target, Value::Instance(instance))?;
        }
        Ok(())
    }
}
