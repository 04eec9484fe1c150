//! Resources of one host that contradict each other: they have the same name, or different names for one thing, such as
//! two spellings of a path. The kinds determine what counts as one thing, as for programs.

use super::MAX_FAULTS;
use crate::fault::{Class, Failure, Fault};
use mclive_engine::rgraph::{self, ResGraph, Resource};

/// An error for each resource of a whole graph that contradicts an earlier one of another name.
pub(crate) fn contradictions(graph: &ResGraph) -> Vec<Failure> {
    let found = rgraph::contradicting(graph.resources.values().as_slice());
    found.into_iter().take(MAX_FAULTS).map(|found| between(found.message, found.first, found.later)).collect()
}

/// The error for a resource that differs from an earlier one of its name.
pub(crate) fn inequivalent(first: &Resource, later: &Resource) -> Failure {
    between(format!("inequivalent duplicate resource `{}` found", later.id), first, later)
}

fn between(message: String, first: &Resource, later: &Resource) -> Failure {
    let places = [(later.span, "it is constructed here"), (first.span, "and here")];
    let places = places.into_iter().filter_map(|(span, text)| Some((span?, text)));
    places.fold(Fault::new(Class::Lowering, message), |fault, (span, text)| fault.also(span, text))
}
