//! Partial exports: models that replace only some resource sets of another one. Spec, 17.2.
//!
//! A deploy is always a whole program: the whole model with the models of its partial exports beside it
//! ([`mclive_base::parts`]). So a host keeps no earlier exports, and what remains of them is determined again from the
//! files, with the same result everywhere.
//!
//! ```text
//! each model > compile > export > merge, one after the other > lower what each still has > join
//! ```

mod join;
pub mod merge;
mod replaced;

pub use replaced::replaced;

use crate::compile::{Compilation, Setup, compile};
use crate::environment::Environment;
use crate::export::{Export, Resource, Sets, Unnamed, export_to_lower, unnamed_set};
use crate::fault::{Class, Failure, Fault, Warning};
use crate::lower::{self, Between, Lowering};
use crate::model::View;
use crate::understand::Hosts;
use crate::value::InstId;
use mclive_base::parts::{FOLDER, LIST, Parts};
use mclive_base::source::ProgramFiles;
use mclive_engine::rgraph::ResGraph;
use merge::{Conflict, Exported, MOST_NAMED, Member, Merged};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of errors of a partial export that are reported.
const MAX_FAULTS: usize = 50;

/// The maximum number of warnings about the resource sets that a partial export deletes.
const MAX_WARNINGS: usize = 50;

/// A partial export.
pub(crate) struct Part {
    /// Its main file.
    pub(crate) main: String,
    deleted: BTreeSet<String>,
}

/// The partial exports of the model with this main file, in order.
pub(crate) fn parts(world: &dyn ProgramFiles, main: &str) -> Result<Vec<Part>, Failure> {
    let Some(bytes) = world.read(&list_of(main)) else { return Ok(Vec::new()) };
    let wrong = |why: String| Fault::new(Class::Compiler, format!("cannot read `{FOLDER}{LIST}`: {why}"));
    let parts = Parts::read(&bytes).map_err(wrong)?;
    let mut found = Vec::new();
    for part in parts.parts {
        let path = format!("{}{FOLDER}{}", folder(main), part.main);
        if world.read(&list_of(&path)).is_some() {
            return Err(wrong(format!("the part `{}` has parts itself", part.main)));
        }
        found.push(Part { main: path, deleted: part.delete_resource_sets.into_iter().collect() });
    }
    Ok(found)
}

/// The folder of a file, with a trailing slash.
fn folder(path: &str) -> &str {
    &path[..path.rfind('/').map_or(0, |slash| slash + 1)]
}

fn list_of(main: &str) -> String {
    format!("{}{FOLDER}{LIST}", folder(main))
}

/// Compiles the parts of a model. The sources of each are those of all before, and its own. All models share the limits, and
/// nothing is compiled after one that exceeds them.
pub(crate) fn compiled(
    world: &dyn ProgramFiles,
    parts: &[Part],
    first: &Compilation,
    environment: &Environment,
) -> Vec<Compilation> {
    let mut found: Vec<Compilation> = Vec::with_capacity(parts.len());
    for part in parts {
        let last = found.last().unwrap_or(first);
        if last.faults.iter().any(|fault| fault.class == Class::Limit) {
            break;
        }
        found.push(compiled_after(world, part, last, environment));
    }
    found
}

/// Compiles a part with the limits that another model of the program left.
pub(crate) fn compiled_after(
    world: &dyn ProgramFiles,
    part: &Part,
    last: &Compilation,
    environment: &Environment,
) -> Compilation {
    let (before, limits) = (last.sources.clone(), last.left);
    let setup = Setup { environment: environment.clone(), before, limits, ..Setup::default() };
    compile(world, &part.main, &setup)
}

/// An exported model.
struct Layer<'a> {
    compilation: &'a Compilation,
    export: Export,
    sets: Sets,
}

/// What partial exports make of a model.
#[derive(Default)]
pub(crate) struct Outcome {
    /// By host; empty if there are faults.
    pub(crate) graphs: Vec<(String, ResGraph, Between)>,
    /// By export: the instances that later exports replace or delete. Empty if the exports cannot be merged.
    pub(crate) gone: Vec<BTreeSet<InstId>>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) faults: Vec<Failure>,
}

/// Merges the parts into the first model, and lowers the resources of the hosts.
pub(crate) fn merged(models: &[&Compilation], parts: &[Part], hosts: Hosts<'_>) -> Outcome {
    let mut out = Outcome::default();
    let mut layers = Vec::with_capacity(models.len());
    for compilation in models.iter().copied() {
        match Layer::new(compilation) {
            Ok(layer) => layers.push(layer),
            Err(fault) => out.faults.push(fault),
        }
    }
    if !out.faults.is_empty() {
        return out;
    }
    match merge_all(&layers, parts, &mut out.warnings) {
        Ok(merged) => {
            out.gone = gone(&layers, parts, &merged);
            lower_all(kept(layers, parts, &merged), hosts, &mut out);
        }
        Err(faults) => out.faults = faults,
    }
    out
}

fn merge_all(layers: &[Layer<'_>], parts: &[Part], warnings: &mut Vec<Warning>) -> Result<Merged, Vec<Failure>> {
    let mut merged = Merged::whole(&layers[0].exported());
    for (nr, part) in parts.iter().enumerate() {
        let known = merged.sets();
        for set in part.deleted.iter().filter(|set| !known.contains(set.as_str())).take(MAX_WARNINGS) {
            let message = format!("resource set `{set}` has no resources, so deleting it has no effect");
            warnings.push(lower::warning(message, None));
        }
        let next = merged.with(&layers[nr + 1].exported(), &part.deleted);
        merged = next.map_err(|conflicts| {
            let found = conflicts.iter().take(MAX_FAULTS);
            found.map(|conflict| fault(conflict, &layers[..nr + 2])).collect::<Vec<_>>()
        })?;
    }
    Ok(merged)
}

/// The error of the last of these exports.
fn fault(conflict: &Conflict, layers: &[Layer<'_>]) -> Failure {
    let class = if let Conflict::Circular { .. } = conflict { Class::DependencyCycle } else { Class::Compiler };
    let fault = Fault::new(class, conflict.text()).help(conflict.help());
    match conflict {
        Conflict::Deleted { .. } => fault,
        Conflict::Moved { id, .. } | Conflict::Changed { id } => twice(fault, id, layers),
        Conflict::Required { id, layer, .. } => layers[*layer].tells(fault, id, "this resource remains".to_owned()),
        Conflict::Circular { members } => members.iter().take(MOST_NAMED).fold(fault, |fault, (id, layer)| {
            layers[*layer].tells(fault, id, format!("`{id}` requires one of the others"))
        }),
    }
}

/// Tells where the last export has a resource, where an earlier one has it, and how they differ.
fn twice(fault: Failure, id: &str, layers: &[Layer<'_>]) -> Failure {
    let mut found = layers.iter().rev().filter_map(|layer| Some((layer, layer.resource(id)?)));
    let (Some((last, now)), Some((earlier, before))) = (found.next(), found.next()) else { return fault };
    let fault = last.tells(fault, id, "exported here".to_owned());
    let fault = earlier.tells(fault, id, "it was exported here before".to_owned());
    let names = lower::differing(before, now).into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    match names.is_empty() {
        true => fault,
        false => fault.note(format!("these attributes differ: {}", names.join(", "))),
    }
}

impl<'a> Layer<'a> {
    fn new(compilation: &'a Compilation) -> Result<Layer<'a>, Failure> {
        let view = View { compilation };
        let export = export_to_lower(compilation)?;
        if let Some(set) = unnamed_set(view) {
            let message = "the name of a resource set is unknown, but partial exports need it";
            let fault = Fault::new(Class::Compiler, message).also(view.place(set), "this set");
            return Err(fault.help("give it a name that does not depend on an unknown value"));
        }
        Ok(Layer { compilation, export, sets: Sets::new(view) })
    }

    fn exported(&self) -> Exported {
        let ids: Vec<String> = self.export.resources.iter().map(Resource::id).collect();
        let member = |(resource, id): (&Resource, &String)| Member {
            id: id.clone(),
            set: self.sets.of(resource.instance).map(str::to_owned),
            state: lower::state(resource),
            requires: Vec::new(),
        };
        let mut members: Vec<Member> = self.export.resources.iter().zip(&ids).map(member).collect();
        for (from, to) in &self.export.requires {
            members[*from].requires.push(ids[*to].clone());
        }
        Exported { members, sets: self.sets.names.clone() }
    }

    fn resource(&self, id: &str) -> Option<&Resource> {
        self.export.resources.iter().find(|resource| resource.id() == id)
    }

    /// Adds the place of a resource.
    fn tells(&self, fault: Failure, id: &str, text: String) -> Failure {
        let view = View { compilation: self.compilation };
        match self.resource(id) {
            Some(found) => fault.also(view.place(found.instance), text),
            None => fault,
        }
    }
}

/// The instances of each export that later ones replace or delete: resources, and the sets that they were in.
fn gone(layers: &[Layer<'_>], parts: &[Part], merged: &Merged) -> Vec<BTreeSet<InstId>> {
    // The sets that later exports have or delete.
    let mut replaced: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::with_capacity(layers.len());
    for (nr, Layer { export, sets, .. }) in layers.iter().enumerate().rev() {
        let named = export.resources.iter().filter(|resource| !merged.has(nr, &resource.id()));
        let unnamed = export.unnamed.iter().map(|one| one.instance);
        let unnamed = unnamed.filter(|one| sets.of(*one).is_some_and(|set| replaced.contains(set)));
        let own_sets = sets.instances.iter().filter(|(_, set)| replaced.contains(set.as_str()));
        let own_sets = own_sets.map(|(instance, _)| *instance);
        found.push(named.map(|resource| resource.instance).chain(unnamed).chain(own_sets).collect());
        replaced.extend(sets.names.iter().map(String::as_str));
        let deleted = nr.checked_sub(1).map(|at| &parts[at].deleted);
        replaced.extend(deleted.into_iter().flatten().map(String::as_str));
    }
    found.reverse();
    found
}

/// What is left of each export.
fn kept<'a>(layers: Vec<Layer<'a>>, parts: &[Part], merged: &Merged) -> Vec<(&'a Compilation, Export)> {
    let mut gone: BTreeSet<String> = BTreeSet::new();
    let mut found = Vec::with_capacity(layers.len());
    for (nr, Layer { compilation, export, sets }) in layers.into_iter().enumerate().rev() {
        let is_gone = |one: &Unnamed| sets.of(one.instance).is_some_and(|set| gone.contains(set));
        let Export { resources, requires, without_order, unnamed } = export;
        let mut places = Vec::with_capacity(resources.len());
        let mut left = Vec::new();
        for resource in resources {
            let is_kept = merged.has(nr, &resource.id());
            places.push(is_kept.then_some(left.len()));
            if is_kept {
                left.push(resource);
            }
        }
        let both = |(from, to): &(usize, usize)| Some((places[*from]?, places[*to]?));
        let export = Export {
            requires: requires.iter().filter_map(both).collect(),
            without_order: without_order.iter().filter_map(|at| places[*at]).collect(),
            unnamed: unnamed.into_iter().filter(|one| !is_gone(one)).collect(),
            resources: left,
        };
        found.push((compilation, export));
        // Seen from the exports before it. The first one is whole.
        gone.extend(sets.names);
        gone.extend(nr.checked_sub(1).into_iter().flat_map(|at| parts[at].deleted.iter().cloned()));
    }
    found.reverse();
    found
}

/// The names of resources with unknown values, and of all that require them in any export: one that is shared may require
/// more in another export.
fn undefined(layers: &[(&Compilation, Export)]) -> BTreeSet<String> {
    let resources = layers.iter().flat_map(|(_, export)| &export.resources);
    let mut found: BTreeSet<String> = resources.filter(|one| one.is_undefined).map(Resource::id).collect();
    if found.is_empty() {
        return found;
    }
    let mut required_by: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (_, export) in layers {
        for (from, to) in &export.requires {
            required_by.entry(export.resources[*to].id()).or_default().push(export.resources[*from].id());
        }
    }
    let mut queue: Vec<String> = found.iter().cloned().collect();
    while let Some(id) = queue.pop() {
        for other in required_by.get(&id).into_iter().flatten() {
            if found.insert(other.clone()) {
                queue.push(other.clone());
            }
        }
    }
    found
}

fn lower_all(layers: Vec<(&Compilation, Export)>, hosts: Hosts<'_>, out: &mut Outcome) {
    let agents = layers.iter().flat_map(|(_, export)| &export.resources).map(|resource| resource.agent.as_str());
    let known: BTreeSet<&str> = agents.filter(|agent| *agent != lower::INTERNAL).collect();
    let unknown = undefined(&layers);
    let several = known.len() > 1;
    let lowerings: Vec<Lowering<'_>> =
        layers.iter().map(|(compilation, export)| Lowering::of_part(compilation, export, several, &unknown)).collect();
    let has_resources = layers.iter().any(|(_, export)| !export.resources.is_empty());
    let known: Vec<&str> = known.into_iter().collect();
    let wanted = match hosts {
        Hosts::One(host) => vec![host],
        // Resources of any host need no particular one.
        Hosts::All if known.is_empty() && has_resources => vec![lower::INTERNAL],
        Hosts::All => known.clone(),
        Hosts::None => Vec::new(),
    };
    for lowering in &lowerings {
        out.warnings.extend(lowering.warnings.iter().cloned());
    }
    for host in wanted {
        if !known.is_empty() && !known.contains(&host) {
            out.warnings.push(lower::warning(lower::nothing_for(host, &known), None));
        }
        let mut found = Vec::with_capacity(lowerings.len());
        for lowering in &lowerings {
            match lowering.part(host) {
                Ok(lowered) => {
                    out.warnings.extend(lowered.warnings.iter().cloned());
                    found.push(lowered);
                }
                Err(fault) => out.faults.push(fault),
            }
        }
        match join::joined(found) {
            Ok((graph, between)) => out.graphs.push((host.to_owned(), graph, between)),
            Err(fault) => out.faults.push(fault),
        }
    }
    if !out.faults.is_empty() {
        out.graphs.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Limits;
    use mclive_base::source::MemoryWorld;

    /// Otherwise many models would need more than the sandbox has.
    #[test]
    fn all_models_share_the_limits() {
        let busy = "for i in std::sequence(1000):\n    x = i\nend\n";
        let list = r#"{"parts": [{"main": "1/main.cf"}, {"main": "2/main.cf"}, {"main": "3/main.cf"}]}"#;
        let models = ["/main.cf", "/partial/1/main.cf", "/partial/2/main.cf", "/partial/3/main.cf"];
        let mut world = MemoryWorld::of(models.map(|path| (path, busy.as_bytes())));
        world.insert("/partial/parts.json", list.as_bytes());
        let parts = parts(&world, "/main.cf").unwrap_or_default();
        assert_eq!(parts.len(), 3);
        let limits = Limits::default();
        let first = |work: u64| {
            let setup = Setup { limits: Limits { work, ..limits }, ..Setup::default() };
            compile(&world, "/main.cf", &setup)
        };
        let used = limits.work - first(limits.work).left.work;
        assert!(used > 1_000, "{used}");
        let are_valid = |n_models: u64| {
            let others = compiled(&world, &parts, &first(n_models * used), &Environment::default());
            others.iter().map(|other| other.faults.is_empty()).collect::<Vec<_>>()
        };
        assert_eq!(are_valid(4), [true, true, true]);
        assert_eq!(are_valid(3), [true, true, false]);
        assert_eq!(are_valid(2), [true, false]);
        // It is the limit that is told, and not what was left of it.
        let others = compiled(&world, &parts, &first(2 * used), &Environment::default());
        let fault = others.last().and_then(|last| last.faults.first());
        let mut fault = fault.map(|fault| &**fault).expect("it is refused");
        while let Some(cause) = fault.causes.first() {
            fault = cause;
        }
        let steps = 2 * used;
        let message = format!(
            "the evaluation of the model did not finish within {steps} steps, including those of the models before it"
        );
        assert_eq!(fault.message, message);
    }
}
