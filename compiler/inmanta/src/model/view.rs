//! Reads a finished model.

use crate::compile::Compilation;
use crate::eval::{Read, Store, VarId};
use crate::program::{AttrId, AttrKind, EntityId, Shape};
use crate::value::{InstId, Value};
use mclive_base::index::Id;
use mclive_base::span::{FileId, Span};

/// Read access to a finished model.
#[derive(Clone, Copy)]
pub struct View<'c> {
    /// The compilation.
    pub compilation: &'c Compilation,
}

/// The content of an attribute or end of an instance.
#[derive(Clone, Debug)]
pub enum Member {
    /// The value of an attribute.
    Attribute(Value),
    /// The members of an end.
    End {
        /// The members in order.
        values: Vec<Value>,
        /// Whether there is at most one.
        is_single: bool,
    },
    /// It has no value.
    Unset,
}

impl<'c> View<'c> {
    /// Variables and instances.
    pub fn store(self) -> &'c Store {
        &self.compilation.store
    }

    /// All instances, in order of construction.
    pub fn instances(self) -> impl Iterator<Item = InstId> {
        (0..self.store().instances.len()).map(InstId::from_index)
    }

    /// The entity of an instance.
    pub fn entity(self, instance: InstId) -> EntityId {
        self.store().instances[instance].entity
    }

    /// Its first construction.
    pub fn place(self, instance: InstId) -> Span {
        let construct = self.store().instances[instance].constructs[0];
        self.compilation.program.tree.exprs[construct].span
    }

    /// The full name of an instance's entity.
    pub fn entity_name(self, instance: InstId) -> &'c str {
        &self.compilation.program.entities[self.entity(instance)].full_name
    }

    /// Whether it was constructed by a built-in module.
    pub fn is_builtin(self, instance: InstId) -> bool {
        let constructs = &self.store().instances[instance].constructs;
        constructs.iter().all(|construct| {
            let file = self.compilation.program.tree.exprs[*construct].span.file;
            self.is_of_builtin(file)
        })
    }

    /// Whether a file is one of a built-in module.
    fn is_of_builtin(self, file: FileId) -> bool {
        self.compilation.program.namespaces.values().any(|ns| ns.file == file && ns.is_builtin && ns.is_loaded)
    }

    /// The expression that gave an attribute its value; `None` if it has none, or a default of a built-in module.
    pub fn value_place(self, instance: InstId, name: &str) -> Option<Span> {
        let (slot, _) = self.compilation.program.slot(self.entity(instance), name)?;
        let var = self.store().deref(self.store().slot_var(instance, slot));
        let by = self.store().vars[var].set_by?;
        Some(self.compilation.program.tree.exprs[by].span).filter(|span| !self.is_of_builtin(span.file))
    }

    /// The value of a variable, if it has one.
    pub fn value(self, var: VarId) -> Option<Value> {
        match self.store().read(var) {
            Read::Value(value) => Some(value),
            Read::Empty(_) | Read::NotYet => None,
        }
    }

    /// Every attribute and end of an instance, in the order of its entity.
    pub fn members(self, instance: InstId) -> impl Iterator<Item = (&'c str, AttrId, Member)> {
        let program = &self.compilation.program;
        let slots = &program.entities[self.entity(instance)].slots;
        slots.iter().enumerate().map(move |(slot, (name, attr))| {
            let read = self.store().read(self.store().slot_var(instance, slot));
            let member = match (&program.attrs[*attr].kind, read) {
                (AttrKind::Plain(_), Read::Value(value)) => Member::Attribute(value),
                (AttrKind::Plain(_), Read::Empty(_) | Read::NotYet) => Member::Unset,
                (AttrKind::End(end), Read::Value(Value::List(list))) => {
                    Member::End { values: list.items.clone(), is_single: end.shape() != Shape::List }
                }
                (AttrKind::End(_), Read::Value(value)) => Member::End { values: vec![value], is_single: true },
                (AttrKind::End(end), Read::Empty(_)) => {
                    Member::End { values: Vec::new(), is_single: end.shape() != Shape::List }
                }
                (AttrKind::End(_), Read::NotYet) => Member::Unset,
            };
            (&**name, *attr, member)
        })
    }

    /// An attribute by its name.
    pub fn attribute(self, instance: InstId, name: &str) -> Option<Value> {
        let (slot, _) = self.compilation.program.slot(self.entity(instance), name)?;
        self.value(self.store().slot_var(instance, slot))
    }

    /// The places of construction, `FILE:LINE`, sorted, without duplicates.
    pub fn places(self, instance: InstId) -> Vec<String> {
        let program = &self.compilation.program;
        let mut places: Vec<String> = Vec::new();
        for construct in &self.store().instances[instance].constructs {
            let span = program.tree.exprs[*construct].at;
            let sources = &self.compilation.sources;
            places.push(format!("{}:{}", sources.short_path(span.file), sources.get(span.file).line_of(span.start)));
        }
        places.sort();
        places.dedup();
        places
    }
}
