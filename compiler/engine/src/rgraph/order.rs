//! Graph algorithms by petgraph: the order of a resource graph, or its cycle.

use super::{ResGraph, VertexId};
use crate::index::Id;
use petgraph::algo::{astar, toposort};
use petgraph::graph::{DiGraph, NodeIndex};

impl ResGraph {
    /// The bare graph: its node numbers are those of the vertices.
    fn bare(&self) -> DiGraph<(), ()> {
        let mut graph = DiGraph::with_capacity(self.resources.len(), self.edges.len());
        for _ in self.resources.ids() {
            graph.add_node(());
        }
        for edge in &self.edges {
            graph.add_edge(node(edge.from), node(edge.to), ());
        }
        graph
    }

    /// The vertices of a cycle in the order of its edges, if there is one; the first of them comes
    /// first.
    ///
    /// Cost: linear, without recursion.
    pub fn cycle(&self) -> Option<Vec<VertexId>> {
        let graph = self.bare();
        let on_it = toposort(&graph, None).err()?.node_id();
        // The shortest way back.
        let ways = graph.neighbors(on_it).filter_map(|next| astar(&graph, next, |at| at == on_it, |_| 1, |_| 0));
        let (_, way) = ways.min()?;
        let mut cycle: Vec<VertexId> = way.into_iter().map(|node| VertexId::from_index(node.index())).collect();
        let first = (0..cycle.len()).min_by_key(|&at| cycle[at])?;
        cycle.rotate_left(first);
        Some(cycle)
    }
}

fn node(vertex: VertexId) -> NodeIndex {
    NodeIndex::new(vertex.index())
}
