//! Joins the graphs that the exports of one host were lowered to.

use crate::fault::{Failure, Fault};
use crate::lower::{Between, Lowered, contradictions, inequivalent};
use mclive_base::index::IndexVec;
use mclive_base::protocol::ResourceId;
use mclive_engine::rgraph::{Edge, LeftOut, ResGraph, VertexId};
use std::collections::{BTreeMap, BTreeSet};

/// One graph of all exports: what several of them have is one vertex.
///
/// Errors: resources that two exports describe differently, and those that contradict each other.
pub(super) fn joined(layers: Vec<Lowered>) -> Result<(ResGraph, Between), Failure> {
    let (mut graph, mut between) = (ResGraph::default(), Between::default());
    let mut vertices: BTreeMap<ResourceId, VertexId> = BTreeMap::new();
    let mut edges: BTreeMap<(ResourceId, ResourceId), Edge> = BTreeMap::new();
    let (mut named, mut unnamed) = (BTreeSet::new(), BTreeSet::new());
    let (mut awaited, mut told) = (BTreeSet::new(), BTreeSet::new());
    let mut faults: Vec<Failure> = Vec::new();
    for Lowered { graph: own, between: beside, .. } in layers {
        let mut places: IndexVec<VertexId, VertexId> = IndexVec::new();
        for resource in own.resources.values() {
            let vertex = match vertices.get(&resource.id).copied() {
                Some(first) => {
                    if graph.resources[first].params != resource.params {
                        faults.push(inequivalent(&graph.resources[first], resource));
                    }
                    first
                }
                None => {
                    let vertex = graph.resources.push(resource.clone());
                    vertices.insert(resource.id.clone(), vertex);
                    vertex
                }
            };
            places.push(vertex);
        }
        for edge in own.edges {
            let (from, to) = (places[edge.from], places[edge.to]);
            let ids = (graph.resources[from].id.clone(), graph.resources[to].id.clone());
            let notify = edge.notify;
            edges.entry(ids).or_insert(Edge { from, to, ..edge }).notify |= notify;
        }
        for left_out in own.left_out {
            let is_new = match &left_out {
                LeftOut::Named { id, is_spared } => named.insert((id.clone(), *is_spared)),
                LeftOut::Unnamed { kind } => unnamed.insert(*kind),
            };
            if is_new {
                graph.left_out.push(left_out);
            }
        }
        for mut one in beside.awaited {
            one.waits = places[one.waits];
            if awaited.insert((one.waiting.clone(), one.required.clone())) {
                between.awaited.push(one);
            }
        }
        for mut one in beside.told {
            one.vertex = places[one.vertex];
            if told.insert(one.name.clone()) {
                between.told.push(one);
            }
        }
    }
    graph.left_out.retain(|left_out| left_out.id().is_none_or(|id| !vertices.contains_key(id)));
    graph.edges = edges.into_values().collect();
    faults.extend(contradictions(&graph));
    match Fault::all(faults) {
        Some(fault) => Err(fault),
        None => Ok((graph, between)),
    }
}
