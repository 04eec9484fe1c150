//! Resource sets: groups of resources for partial exports; a resource may be in at most one. Spec, 17.2.

use super::Export;
use crate::fault::{Class, Failure, Fault};
use crate::model::View;
use crate::value::{InstId, Value};
use std::collections::BTreeMap;

const ENTITY: &str = "std::ResourceSet";

/// Refuses a resource in two sets.
pub(super) fn are_apart(view: View<'_>, out: &Export) -> Result<(), Failure> {
    let program = &view.compilation.program;
    let is_set = |instance: InstId| {
        program.entities[view.entity(instance)]
            .lineage
            .iter()
            .any(|entity| *program.entities[*entity].full_name == *ENTITY)
    };
    let mut set_of: BTreeMap<InstId, (InstId, String)> = BTreeMap::new();
    for set in view.instances().filter(|instance| is_set(*instance)) {
        let Some(Value::Str(name)) = view.attribute(set, "name") else { continue };
        let Some(Value::List(members)) = view.attribute(set, "resources") else { continue };
        for member in &members.items {
            let Value::Instance(member) = member else { continue };
            let Some((other, first)) = set_of.insert(*member, (set, name.to_string())) else { continue };
            let Some(resource) = out.resources.iter().find(|resource| resource.instance == *member) else { continue };
            let id = resource.id();
            let message = format!("resource '{id}' can not be part of multiple ResourceSets: {first} and {name}");
            let fault = Fault::new(Class::Compiler, message).also(view.place(other), "this set has it");
            return Err(fault.also(view.place(set), "and this one"));
        }
    }
    Ok(())
}
