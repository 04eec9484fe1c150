//! Prints a resource graph as text and as DOT (engine spec, 3; resource spec, 1.3).

use super::{ResGraph, Resource, VertexId};
use crate::kinds::{Secrecy, lines};
use crate::unicode::visible;
use std::fmt::Write as _;
use std::sync::Arc;

/// `Vertex: kind[name]` and `Edge: FROM -> TO # NAME` lines, sorted.
pub fn text(graph: &ResGraph) -> String {
    sorted(vertices_and_edges(graph))
}

/// The same with every non-zero field, and with group members.
pub fn text_with_fields(graph: &ResGraph) -> String {
    sorted(all_lines(graph))
}

/// The same for display: without the fields that kinds mark as secret, and with line ends and invisible characters of
/// names escaped, so that no name looks like another line.
pub fn text_for_people(graph: &ResGraph) -> String {
    sorted(all_lines(&concealed(graph)).iter().map(|line| visible(line).into_owned()).collect())
}

fn all_lines(graph: &ResGraph) -> Vec<String> {
    let mut out = vertices_and_edges(graph);
    for resource in graph.resources.values() {
        lines::fields(&resource.want(), &mut out);
        lines::groups(&resource.want(), &mut out);
    }
    out
}

fn vertices_and_edges(graph: &ResGraph) -> Vec<String> {
    let mut out: Vec<String> = graph.resources.values().map(|resource| format!("Vertex: {}", resource.id)).collect();
    for edge in &graph.edges {
        let (from, to) = (&graph.resources[edge.from].id, &graph.resources[edge.to].id);
        out.push(format!("Edge: {from} -> {to} # {}", edge.name));
    }
    out
}

fn sorted(mut lines: Vec<String>) -> String {
    lines.sort();
    lines.iter().fold(String::new(), |text, line| text + line + "\n")
}

/// The graph in DOT; notifying edges are bold.
pub fn dot(graph: &ResGraph) -> String {
    let mut text = "digraph resources {\n\tnode [shape=box];\n".to_owned();
    let escape = crate::fgraph::escape;
    for (id, resource) in graph.resources.iter() {
        let _ = writeln!(text, "\t{id:?} [label=\"{}\"];", escape(&resource.id.to_string()));
    }
    for edge in &graph.edges {
        let style = if edge.notify { " [style=bold]" } else { "" };
        let _ = writeln!(text, "\t{:?} -> {:?}{style};", edge.from, edge.to);
    }
    text.push_str("}\n");
    text
}

/// The same graph without the fields that kinds mark as secret.
fn concealed(graph: &ResGraph) -> ResGraph {
    let mut graph = graph.clone();
    let ids: Vec<VertexId> = graph.resources.ids().collect();
    for id in ids {
        graph.resources[id] = without_secrets(&graph.resources[id]);
    }
    graph
}

fn without_secrets(resource: &Arc<Resource>) -> Arc<Resource> {
    let fields = resource.kind.decl().fields;
    let is_open = resource.secret_fields.is_empty() && fields.iter().all(|field| field.secrecy == Secrecy::Open);
    if resource.children.is_empty() && is_open {
        return resource.clone();
    }
    let mut shown = (**resource).clone();
    for (index, value) in resource.params.iter() {
        shown.params.set(index, resource.shown(index, value));
    }
    shown.children = resource.children.iter().map(without_secrets).collect();
    Arc::new(shown)
}
