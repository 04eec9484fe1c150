//! Cycles caused by automatic edges.

use super::autoedge::{autoedge, takes_part};
use super::{ResGraph, Resource, VertexId};
use crate::diag::{Diagnostic, Stage, codes};
use mclive_base::discard::discard;
use rustc_hash::FxHashSet;

/// The cycle that automatic edges cause in a graph, before any host has answered.
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

/// `false` if automatic edges cannot cause a cycle. Directories before their content never do, and looking at each
/// resource is cheaper than computing its edges.
fn may_make_cycle(graph: &ResGraph) -> bool {
    let mut parts = graph.resources.values().filter(|resource| takes_part(resource));
    if graph.edges.is_empty() {
        let others = |resource: &Resource| {
            let kind = resource.kind;
            let want = &resource.want();
            let wants_claims = kind.wants(want).iter().any(|batch| !batch.claims.is_empty());
            wants_claims || !kind.asks_for_edges(want).is_empty()
        };
        parts.any(|resource| others(resource))
    } else {
        parts.next().is_some()
    }
}

/// Errors: there is a cycle; explicit edges alone have none at this point.
pub(super) fn acyclic(graph: &ResGraph) -> Result<(), Box<Diagnostic>> {
    match graph.cycle() {
        None => Ok(()),
        Some(cycle) => {
            let names: Vec<String> = cycle.iter().map(|id| format!("`{}`", graph.resources[*id].id)).collect();
            let message = format!("automatic edges form a cycle: {}", names.join(" -> "));
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

/// Removes the edges from this index on that close a cycle: explicit order takes precedence.
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
