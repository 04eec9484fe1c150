//! Resource sets: groups of resources for partial exports; a resource may be in at most one. Spec, 17.2.

use super::Export;
use crate::fault::{Class, Failure, Fault};
use crate::model::View;
use crate::value::{InstId, Value};
use std::collections::{BTreeMap, BTreeSet};

const ENTITY: &str = "std::ResourceSet";

/// A resource set of a model.
struct Set {
    instance: InstId,
    name: String,
    members: Vec<InstId>,
}

/// Their instances, in order of construction.
fn instances(view: View<'_>) -> impl Iterator<Item = InstId> {
    let program = &view.compilation.program;
    let is_set = move |instance: &InstId| {
        program.entities[view.entity(*instance)]
            .lineage
            .iter()
            .any(|entity| *program.entities[*entity].full_name == *ENTITY)
    };
    view.instances().filter(is_set)
}

/// A set whose name is unknown, so it is not certain what is in the others.
pub(crate) fn unnamed_set(view: View<'_>) -> Option<InstId> {
    instances(view).find(|instance| !matches!(view.attribute(*instance, "name"), Some(Value::Str(_))))
}

/// The sets, in order of construction, without those whose name is unknown.
fn all(view: View<'_>) -> impl Iterator<Item = Set> {
    instances(view).filter_map(move |instance| {
        let Some(Value::Str(name)) = view.attribute(instance, "name") else { return None };
        let resources = view.attribute(instance, "resources");
        let member = |member: &Value| {
            let Value::Instance(member) = member else { return None };
            Some(*member)
        };
        let members = resources.iter().filter_map(Value::as_list).flatten().filter_map(member).collect();
        Some(Set { instance, name: name.to_string(), members })
    })
}

/// Refuses a resource in two sets.
pub(super) fn are_apart(view: View<'_>, out: &Export) -> Result<(), Failure> {
    let mut set_of: BTreeMap<InstId, (InstId, String)> = BTreeMap::new();
    for Set { instance: set, name, members } in all(view) {
        for member in members {
            let Some((other, first)) = set_of.insert(member, (set, name.clone())) else { continue };
            let Some(resource) = out.resources.iter().find(|resource| resource.instance == member) else { continue };
            let id = resource.id();
            let message = format!("resource '{id}' can not be part of multiple ResourceSets: {first} and {name}");
            let fault = Fault::new(Class::Compiler, message).also(view.place(other), "this set has it");
            return Err(fault.also(view.place(set), "and this one"));
        }
    }
    Ok(())
}

/// The resource sets of a model.
#[derive(Default)]
pub(crate) struct Sets {
    /// All names, with those of empty sets.
    pub(crate) names: BTreeSet<String>,
    /// The instances of the sets themselves, with their names.
    pub(crate) instances: BTreeMap<InstId, String>,
    of: BTreeMap<InstId, String>,
}

impl Sets {
    /// Those of a finished model.
    pub(crate) fn new(view: View<'_>) -> Sets {
        let mut sets = Sets::default();
        for Set { instance, name, members } in all(view) {
            sets.of.extend(members.into_iter().map(|member| (member, name.clone())));
            sets.names.insert(name.clone());
            sets.instances.insert(instance, name);
        }
        sets
    }

    /// The name of the set that an instance is in.
    pub(crate) fn of(&self, instance: InstId) -> Option<&str> {
        self.of.get(&instance).map(String::as_str)
    }
}
