//! Automatic grouping: one resource does the work of several (engine spec, 12).
//!
//! A resource joins a leader if neither reaches the other. `grouping` tries the pairs in order and merges, `segments`
//! skips pairs that are certainly ordered, `near` checks the others, and `paths` finds redundant edges.

mod grouping;
mod near;
mod paths;
mod segments;
#[cfg(test)]
mod tests;

use super::autocycle::acyclic;
use super::{Changed, Edge, ResGraph, Resource, VertexId};
use crate::diag::Diagnostic;
use crate::gather;
use crate::index::IndexVec;
use crate::protocol::ResourceId;
use crate::sort;
use grouping::Grouping;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Merges resources into leaders of their family.
///
/// Errors: `errAutoGroup` if the graph has a cycle, which automatic edges can cause.
///
/// Cost: nearly linear if resources are ordered in chains or not at all; otherwise, for each leader, the size of its
/// segment (`segments`).
pub fn autogroup(graph: &mut ResGraph) -> Result<(), Box<Diagnostic>> {
    group(graph, &BTreeSet::new()).map(|_| ())
}

/// The groups of one running program.
#[derive(Clone, Default)]
pub struct AutoGroups {
    before: Option<Before>,
    /// Resources excluded from groups, so that nothing fails with them.
    apart: BTreeSet<ResourceId>,
}

#[derive(Clone)]
struct Before {
    input: ResGraph,
    output: ResGraph,
    /// By vertex of the output, that of the input.
    sources: IndexVec<VertexId, VertexId>,
    /// The inverse; `None` for resources merged into another one.
    places: IndexVec<VertexId, Option<VertexId>>,
}

impl AutoGroups {
    /// Groups the next graph of the program. If only fields of ungroupable resources changed, the groups stay.
    ///
    /// Errors: as [`autogroup`].
    pub fn update(&mut self, graph: &mut ResGraph) -> Result<(), Box<Diagnostic>> {
        let input = graph.clone();
        if !self.apart.is_empty() {
            let present = graph.resources.values().map(|resource| &resource.id);
            self.apart = gather::set(present.filter(|id| self.apart.contains(*id)).cloned());
        }
        let sources = match self.before.take().filter(|before| is_alike(&before.input, graph)) {
            Some(before) => {
                *graph = ResGraph { left_out: std::mem::take(&mut graph.left_out), ..before.output };
                for (id, source) in before.sources.iter() {
                    let resource = &mut graph.resources[id];
                    if resource.children.is_empty() {
                        resource.clone_from(&input.resources[*source]);
                    }
                }
                before.sources
            }
            None => group(graph, &self.apart)?,
        };
        self.note(input, graph, sources);
        Ok(())
    }

    /// Groups the last graph again, with these resources excluded from now on.
    ///
    /// Errors: as [`autogroup`].
    pub(crate) fn part(&mut self, apart: Vec<ResourceId>) -> Result<Option<ResGraph>, Box<Diagnostic>> {
        self.apart.extend(apart);
        let Some(before) = self.before.take() else { return Ok(None) };
        let mut graph = before.input.clone();
        let sources = group(&mut graph, &self.apart)?;
        self.note(before.input, &graph, sources);
        Ok(Some(graph))
    }

    fn note(&mut self, input: ResGraph, graph: &ResGraph, sources: IndexVec<VertexId, VertexId>) {
        let mut places: IndexVec<VertexId, Option<VertexId>> = input.resources.ids().map(|_| None).collect();
        sources.iter().for_each(|(id, source)| places[*source] = Some(id));
        self.before = Some(Before { input, output: graph.clone(), sources, places });
    }

    /// The same changes for the grouped graph, if a few ungroupable resources were exchanged in an otherwise unchanged
    /// graph.
    pub fn keeps(&mut self, changes: &[Changed]) -> Option<Vec<Changed>> {
        let before = self.before.as_mut()?;
        let mapped = changes.iter().map(|changed| {
            let plain = !may_group(&changed.before) && !may_group(&changed.now);
            let at = before.places.get(changed.at).copied().flatten().filter(|_| plain)?;
            Some(Changed { at, ..changed.clone() })
        });
        let mapped: Vec<Changed> = mapped.collect::<Option<_>>()?;
        for (changed, mapped) in changes.iter().zip(&mapped) {
            before.input.resources[changed.at] = changed.now.clone();
            before.output.resources[mapped.at] = changed.now.clone();
        }
        Some(mapped)
    }
}

/// Whether the order and all groupable resources are the same.
fn is_alike(before: &ResGraph, now: &ResGraph) -> bool {
    let plain = |resource: &Resource| !may_group(resource);
    let mut pairs = before.resources.values().zip(now.resources.values());
    before.resources.len() == now.resources.len()
        && pairs.all(|(a, b)| Arc::ptr_eq(a, b) || a.id == b.id && plain(a) && plain(b))
        && before.edges == now.edges
}

/// The remaining vertices, by their old numbers.
fn group(graph: &mut ResGraph, apart: &BTreeSet<ResourceId>) -> Result<IndexVec<VertexId, VertexId>, Box<Diagnostic>> {
    let mut order = in_order(graph);
    order.retain(|id| !apart.contains(&graph.resources[*id].id));
    if order.is_empty() {
        return acyclic(graph).map(|()| graph.resources.ids().collect());
    }
    let mut grouping = Grouping::new(graph);
    grouping.merge_all(&order);
    let sources = grouping.write(graph);
    acyclic(graph).map(|()| sources)
}

/// The groupable resources, in the order in which leaders and members are tried (engine spec, 12).
fn in_order(graph: &ResGraph) -> Vec<VertexId> {
    let with_key = |id: VertexId| {
        let ResourceId { kind, name } = &graph.resources[id].id;
        let chunks: Vec<&str> = kind.split(':').collect();
        ((chunks.len(), chunks, &**name), id)
    };
    let groupable = graph.resources.ids().filter(|id| may_group(&graph.resources[*id]));
    let mut order: Vec<_> = groupable.map(with_key).collect();
    sort::by(&mut order, |(one, _), (other, _)| other.cmp(one));
    order.into_iter().map(|(_, id)| id).collect()
}

fn may_group(resource: &Resource) -> bool {
    let traits = resource.kind.decl().traits;
    resource.meta.autogroup && (traits.groupable || traits.groups_others)
}
