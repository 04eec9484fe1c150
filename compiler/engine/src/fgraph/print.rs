//! Prints a function graph as text and as DOT (language spec, 10.1 and 10.2).

use super::graph::{FuncGraph, VertexId};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// `Edge: FROM -> TO # NAMES` and `Vertex: LABEL` lines, sorted.
pub fn text(graph: &FuncGraph) -> String {
    let mut lines: Vec<String> = graph.ids().map(|id| format!("Vertex: {}", graph.at(id).op.label())).collect();
    for (from, to, names) in edges(graph) {
        lines.push(format!("Edge: {} -> {} # {names}", graph.at(from).op.label(), graph.at(to).op.label()));
    }
    lines.sort();
    lines.iter().fold(String::new(), |mut text, line| {
        text.push_str(line);
        text.push('\n');
        text
    })
}

/// The same, unless it has more bytes than `most`: labels contain types, so it can grow with the square of the program.
pub fn text_within(graph: &FuncGraph, most: u64) -> Option<String> {
    let lengths: BTreeMap<VertexId, u64> = graph.ids().map(|id| (id, graph.at(id).op.label().len() as u64)).collect();
    let vertices: u64 = lengths.values().sum();
    let of_edge = |(from, to, names): &(VertexId, VertexId, String)| lengths[from] + lengths[to] + names.len() as u64;
    let edges: u64 = edges(graph).iter().map(of_edge).sum();
    (vertices + edges <= most).then(|| text(graph))
}

/// One edge per pair of vertices, with the names of all arguments it feeds.
pub fn edges(graph: &FuncGraph) -> Vec<(VertexId, VertexId, String)> {
    let mut edges = Vec::new();
    for to in graph.ids() {
        let vertex = graph.at(to);
        let mut names: BTreeMap<VertexId, Vec<String>> = BTreeMap::new();
        for (index, input) in vertex.inputs.iter().enumerate() {
            let known = names.entry(input.from).or_default();
            if !vertex.op.prints_all_args() {
                known.clear();
            }
            known.push(vertex.op.arg(index).into_owned());
        }
        for (from, mut names) in names {
            names.sort();
            edges.push((from, to, names.join(", ")));
        }
    }
    edges
}

/// The graph in DOT.
pub fn dot(graph: &FuncGraph) -> String {
    let mut text = "digraph functions {\n\trankdir=LR;\n\tnode [shape=box];\n".to_owned();
    for id in graph.ids() {
        let _ = writeln!(text, "\t{id:?} [label=\"{}\"];", escape(&graph.at(id).op.label()));
    }
    for (from, to, names) in edges(graph) {
        let _ = writeln!(text, "\t{from:?} -> {to:?} [label=\"{}\"];", escape(&names));
    }
    text.push_str("}\n");
    text
}

/// Text inside a quoted DOT string.
pub(crate) fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
