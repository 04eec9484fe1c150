//! Warnings that apply on every host: what the lowering leaves out, and what has no effect.

use super::{AGENT_CONFIG, UNSUPPORTED, place, warning};
use crate::export::Export;
use crate::fault::Warning;
use crate::library::{Fact, foreign::ANSWERS, instead_of};
use crate::model::View;
use crate::program::EntityId;
use crate::value::InstId;
use mclive_base::span::Span;
use std::collections::{BTreeMap, BTreeSet};

/// What to do about a resource of an unknown module.
const UNKNOWN: &str = "its module implements it in Python, which mclive does not run; use `fs::File`, `exec::Run` or \
                       another built-in resource for what it does";

/// Resources whose name or host is unknown: the original drops them silently, which may look like a mistake.
pub(super) fn unnamed(export: &Export, view: View<'_>, warnings: &mut Vec<Warning>) {
    let Some((first, others)) = export.unnamed.split_first() else { return };
    let rest = match others.len() {
        0 => String::new(),
        1 => "; one other resource was left out for the same reason".to_owned(),
        n_others => format!("; {n_others} other resources were left out for the same reason"),
    };
    let entity = first.registration.entity;
    let message = format!("this `{entity}` was left out, because its name or its host is unknown{rest}");
    warnings.push(warning(message, Some(view.place(first.instance))));
}

/// Why values are unknown, and what to do.
pub(super) fn unknown(view: View<'_>, warnings: &mut Vec<Warning>) {
    for (name, span) in &view.compilation.unset {
        let message = format!(
            "the environment variable `{name}` is not set, so its value is unknown: set it and pass `--env {name}`, \
             or add a default: `std::get_env(\"{name}\", \"...\")`"
        );
        warnings.push(warning(message, Some(*span)));
    }
    for (name, span) in &view.compilation.unanswered {
        // Only facts of resources are in the shared store.
        let default = if name == "std::getfact" { ", or pass a `default_value`" } else { "" };
        let message = format!(
            "the result of `{name}` is unknown, because it needs a server: declare it in `{ANSWERS}`, as in \
             `{{\"{name}\": [{{\"result\": ...}}]}}`{default}"
        );
        warnings.push(warning(message, Some(*span)));
    }
    facts(view, warnings);
}

/// Facts without a value; one call may ask for those of many resources.
fn facts(view: View<'_>, warnings: &mut Vec<Warning>) {
    let mut by_call: BTreeMap<(Span, &str), (&Fact, usize)> = BTreeMap::new();
    for (fact, span) in &view.compilation.awaited_facts {
        by_call.entry((*span, fact.name.as_str())).or_insert((fact, 0)).1 += 1;
    }
    for ((span, name), (first, n_resources)) in by_call {
        let rest = match n_resources - 1 {
            0 => String::new(),
            1 => " and of one other resource".to_owned(),
            n_others => format!(" and of {n_others} other resources"),
        };
        let known = match &first.host {
            Some(host) => {
                format!("until `{host}` has the resource: run the model there (with `--world` if other hosts need it)")
            }
            None => {
                let key = first.name_in_store().replace('\'', "'\\''");
                format!("unless the shared store has it: set it with `mclive world set '{key}' VALUE`")
            }
        };
        let resource = &first.resource;
        let message = format!(
            "the fact `{name}` of `{resource}`{rest} is unknown {known}, declare it in `{ANSWERS}`, or pass a \
             `default_value`"
        );
        warnings.push(warning(message, Some(span)));
    }
}

/// Instances that are not resources do not pass on their own requirements, so requiring them has no effect. Reported
/// once, with the first resource.
pub(super) fn without_order(view: View<'_>, export: &Export, warnings: &mut Vec<Warning>) {
    let Some((first, others)) = export.without_order.split_first() else { return };
    let first = &export.resources[*first];
    let rest = match others.len() {
        0 => String::new(),
        1 => " and of one other resource".to_owned(),
        n_others => format!(" and of {n_others} other resources"),
    };
    let message = format!(
        "the requirements of `{}`{rest} have no effect, because no required instance is a resource: require what \
         their implementations construct, or pass it on there with `provides = self.provides`",
        first.id()
    );
    warnings.push(warning(message, Some(place(view, first))));
}

/// Entities whose instances are resources, but have no corresponding kind. Each is reported once, with its first instance.
pub(super) fn without_counterpart(view: View<'_>, export: &Export, warnings: &mut Vec<Warning>) {
    let program = &view.compilation.program;
    let lowered: BTreeSet<InstId> = export.resources.iter().map(|resource| resource.instance).collect();
    let foreign = &view.compilation.foreign_resources;
    let mut told: BTreeMap<&str, (InstId, usize)> = BTreeMap::new();
    let mut known: BTreeMap<EntityId, Option<&str>> = BTreeMap::new();
    for instance in view.instances().filter(|instance| !lowered.contains(instance)) {
        let unsupported = *known.entry(view.entity(instance)).or_insert_with_key(|entity| {
            let lineage = &program.entities[*entity].lineage;
            let mut names = lineage.iter().map(|entity| &*program.entities[*entity].full_name);
            names.find(|name| UNSUPPORTED.contains(name) || foreign.contains(*name))
        });
        // What a module registers is not managed on purpose if its instance says so.
        let is_managed = view.attribute(instance, "managed").and_then(|managed| managed.as_bool()) != Some(false);
        let Some(registered) = unsupported.filter(|_| is_managed) else { continue };
        // A host with an agent brings one along, which says nothing that the model does not.
        if registered == AGENT_CONFIG && view.is_builtin(instance) {
            continue;
        }
        let name = if registered == "std::DiscoveryResource" { view.entity_name(instance) } else { registered };
        told.entry(name).or_insert((instance, 0)).1 += 1;
    }
    let mut told: Vec<(&str, (InstId, usize))> = told.into_iter().collect();
    told.sort_by_key(|(_, (first, _))| *first);
    for (name, (first, n_instances)) in told {
        let construct = view.store().instances[first].constructs[0];
        let span = program.tree.exprs[construct].span;
        let rest = match n_instances - 1 {
            0 => String::new(),
            1 => ", along with one other instance".to_owned(),
            n_others => format!(", along with {n_others} other instances"),
        };
        let instead = match instead_of(name) {
            Some(text) => format!(": {text}"),
            None if foreign.contains(name) => format!(": {UNKNOWN}"),
            None => String::new(),
        };
        warnings.push(warning(format!("`{name}` is not supported and was left out{rest}{instead}"), Some(span)));
    }
}
