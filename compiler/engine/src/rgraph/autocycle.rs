//! Cycles that automatic edges make.

use super::autoedge::{autoedge, takes_part};
use super::{ResGraph, Resource, VertexId};
use crate::diag::{Diagnostic, Stage, codes};
use mclive_base::discard::discard;
use rustc_hash::FxHashSet;

/// The cycle that automatic edges make in a graph, before a host has said anything.
pub(super) fn automatic_cycle(mut graph: ResGraph) -> Option<Box<Diagnostic>> {
    if !may_make_cycle(&graph) {
        discard(graph);
        return None;
    }
    autoedge(&mut graph, &|_| None);
    let cycle = acyclic(&graph).err();
    discard(graph);
    cycle
}

/// `false`: automatic edges make no cycle of what is none. Directories before what lies in them never do by themselves, and
/// looking at each resource is cheaper than looking for its edges.
fn may_make_cycle(graph: &ResGraph) -> bool {
    let mut parts = graph.resources.values().filter(|resource| takes_part(resource));
    if graph.edges.is_empty() {
        let others = |resource: &Resource| {
            let kind = resource.kind;
            let want = &resource.want();
            let wants_claims = kind.wants(want).iter().any(|batch| !batch.claims.is_empty());
            wants_claims || !kind.wants_in(want).is_empty() || !kind.asks_for_edges(want).is_empty()
        };
        parts.any(|resource| others(resource))
    } else {
        parts.next().is_some()
    }
}

/// Errors: there is a cycle, which explicit edges alone do not make by now.
pub(super) fn acyclic(graph: &ResGraph) -> Result<(), Box<Diagnostic>> {
    match graph.cycle() {
        None => Ok(()),
        Some(cycle) => {
            let names: Vec<String> = cycle.iter().map(|id| format!("`{}`", graph.resources[*id].id)).collect();
            let message = format!("automatic edges make a cycle: {}", names.join(" -> "));
            let diag = Diagnostic::error(codes::GROUP_CYCLE, Stage::AutoGroup, message)
                .help("turn off automatic edges for one of them: `Meta:autoedge => false`");
            let span = cycle.iter().find_map(|id| graph.resources[*id].span);
            Err(Box::new(match span {
                Some(span) => diag.at(span, "this resource"),
                None => diag,
            }))
        }
    }
}

/// Takes away those edges from this place on that close a cycle: what somebody ordered otherwise stays so.
pub(super) fn yield_to_cycles(graph: &mut ResGraph, n_firm: usize) {
    while graph.edges.len() > n_firm
        && let Some(cycle) = graph.cycle()
    {
        let cycle: FxHashSet<VertexId> = cycle.into_iter().collect();
        let n_before = graph.edges.len();
        let mut index = 0;
        graph.edges.retain(|edge| {
            index += 1;
            index <= n_firm || !(cycle.contains(&edge.from) && cycle.contains(&edge.to))
        });
        if graph.edges.len() == n_before {
            return; // it is made of others, which is told elsewhere
        }
    }
}
