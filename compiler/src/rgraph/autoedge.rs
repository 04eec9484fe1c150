//! Automatic edges: a resource wants identities that others claim (engine spec, 11).

use super::claims::Claims;
use super::{Edge, ResGraph, VertexId};
use crate::kinds::Direction;
use rustc_hash::FxHashSet;

/// Adds the edges that kinds ask for. An explicit edge stays as it is.
///
/// Cost: near linear in the number of claims and wants.
pub fn autoedge(graph: &mut ResGraph) {
    let mut order: Vec<(String, VertexId)> = Vec::new();
    for (id, resource) in graph.resources.iter() {
        if resource.meta.autoedge && resource.kind.decl().traits.edgeable {
            order.push((resource.id.to_string(), id));
        }
    }
    order.sort();
    let mut claims = Claims::default();
    for (at, (_, id)) in order.iter().enumerate() {
        let resource = &graph.resources[*id];
        resource.kind.claims(&resource.want()).into_iter().for_each(|claim| claims.add(claim, at));
    }
    let mut known: FxHashSet<(VertexId, VertexId)> = graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    for (at, (name, id)) in order.iter().enumerate() {
        let resource = graph.resources[*id].clone();
        for batch in resource.kind.wants(&resource.want()) {
            for (claim, direction) in &batch.claims {
                let Some(found) = claims.find(claim, at) else { continue };
                let (other_name, other) = &order[found];
                let (from, to, edge) = match direction {
                    Direction::Before => (*other, *id, format!("{other_name} -> {name}")),
                    Direction::After => (*id, *other, format!("{name} -> {other_name}")),
                };
                if known.insert((from, to)) {
                    graph.edges.push(Edge { from, to, name: edge.into(), notify: false });
                }
                if batch.first_only {
                    break;
                }
            }
        }
    }
}
