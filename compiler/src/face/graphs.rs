//! Both graphs in transfer form.

use crate::fgraph::{self, FuncGraph};
use crate::index::Id;
use crate::kinds::{Meta, lines};
use crate::rgraph::{Edge, ResGraph, Resource};
use crate::scope::Linked;
use crate::source::Sources;
use crate::span::Span;
use mclive_base::shapes::{
    Field, FunctionEdge, FunctionGraph, FunctionVertex, Place, Reads, ResourceEdge, ResourceGraph, ResourceVertex,
    VERSION,
};
use mclive_base::{gather, sort};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A graph of a program in its own words.
pub struct InWords {
    /// The graph.
    pub graph: FunctionGraph,
    /// The number of each vertex in the complete graph, which the values of a running program refer to; empty if they are
    /// the same.
    pub number_of: Vec<u32>,
    /// What the statements read.
    pub reads: Vec<Reads>,
}

/// A function graph in transfer form.
pub fn functions(graph: &FuncGraph, sources: &Sources) -> FunctionGraph {
    let place_of = numbers(graph);
    let vertex = |id| FunctionVertex {
        label: graph.label(id),
        ty: graph.ty(id).map(|ty| ty.to_string()),
        place: Some(Place::of(sources, graph.span(id))),
    };
    let mut edges: Vec<FunctionEdge> = fgraph::edges(graph)
        .into_iter()
        .map(|(from, to, label)| FunctionEdge { from: place_of[&from], to: place_of[&to], label })
        .collect();
    edges.sort_by_cached_key(|edge| by_ends(edge.from, edge.to));
    FunctionGraph { version: VERSION, vertices: graph.ids().map(vertex).collect(), edges }
}

/// The number of each vertex in transfer form.
fn numbers(graph: &FuncGraph) -> BTreeMap<fgraph::VertexId, u32> {
    gather::map(graph.ids().zip(0..))
}

/// A key that sorts edges by their ends. Both graphs use one type, so that they share the code of the sort.
fn by_ends(from: u32, to: u32) -> u64 {
    (u64::from(from) << 32) | u64::from(to)
}

/// What the statements of a program read, for [`functions`].
pub fn reads(graph: &FuncGraph, sources: &Sources) -> Vec<Reads> {
    let number_of = numbers(graph);
    let read = |(span, vertices): (Span, Vec<fgraph::VertexId>)| {
        let mut vertices: Vec<u32> = vertices.iter().map(|id| number_of[id]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        Reads { place: Place::of(sources, span), vertices }
    };
    fgraph::reads(graph).map(read).collect()
}

/// The function graph of a program in its own words.
pub fn functions_in_words(graph: &FuncGraph, linked: &Linked, sources: &Sources) -> InWords {
    let number_of = numbers(graph);
    let words = fgraph::words(graph, &fgraph::Phrases::of(linked, sources));
    let vertex = |(id, label): &(fgraph::VertexId, String)| FunctionVertex {
        label: label.clone(),
        ty: graph.ty(*id).map(|ty| ty.to_string()),
        place: Some(Place::of(sources, graph.span(*id))),
    };
    let edge = |(from, to, label): (usize, usize, String)| FunctionEdge { from: from as u32, to: to as u32, label };
    let vertices = words.vertices.iter().map(vertex).collect();
    let of = words.vertices.iter().map(|(id, _)| number_of[id]).collect();
    let read = |(span, vertices): (Span, Vec<usize>)| Reads {
        place: Place::of(sources, span),
        vertices: vertices.into_iter().map(|at| at as u32).collect(),
    };
    InWords {
        graph: FunctionGraph { version: VERSION, vertices, edges: words.edges.into_iter().map(edge).collect() },
        number_of: of,
        reads: words.reads.into_iter().map(read).collect(),
    }
}

/// A function graph in words as text: each vertex with its type, and below it the vertices that feed it.
pub fn words_text(graph: &FunctionGraph) -> String {
    let mut feeds: Vec<Vec<&FunctionEdge>> = vec![Vec::new(); graph.vertices.len()];
    graph.edges.iter().for_each(|edge| feeds[edge.to as usize].push(edge));
    let mut text = String::new();
    for (vertex, feeds) in graph.vertices.iter().zip(feeds) {
        let ty = vertex.ty.as_deref().map(|ty| format!(": {ty}")).unwrap_or_default();
        let _ = writeln!(text, "{}{ty}", vertex.label);
        for edge in feeds {
            let label = if edge.label.is_empty() { String::new() } else { format!(" ({})", edge.label) };
            let _ = writeln!(text, "    <- {}{label}", graph.vertices[edge.from as usize].label);
        }
    }
    text
}

/// A function graph in words in DOT.
pub fn words_dot(graph: &FunctionGraph) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let mut text = "digraph functions {\n\trankdir=LR;\n\tnode [shape=box];\n".to_owned();
    for (at, vertex) in graph.vertices.iter().enumerate() {
        let _ = writeln!(text, "\tv{at} [label=\"{}\"];", quoted(&vertex.label));
    }
    for edge in &graph.edges {
        let _ = writeln!(text, "\tv{} -> v{} [label=\"{}\"];", edge.from, edge.to, quoted(&edge.label));
    }
    text.push_str("}\n");
    text
}

/// A resource graph in transfer form.
pub fn resources(graph: &ResGraph, sources: &Sources) -> ResourceGraph {
    let vertices = graph.resources.values().map(|resource| vertex(resource, sources)).collect();
    let mut edges: Vec<ResourceEdge> = graph.edges.iter().map(|one| edge(graph, one)).collect();
    edges.sort_by_cached_key(|edge| by_ends(edge.from, edge.to));
    ResourceGraph { version: VERSION, vertices, edges }
}

fn vertex(resource: &Resource, sources: &Sources) -> ResourceVertex {
    let want = resource.want();
    let shown = lines::shown(&want).into_iter();
    ResourceVertex {
        kind: resource.id.kind.to_string(),
        name: resource.id.name.to_string(),
        fields: shown
            .map(|(field, value)| {
                let index = want.decl.fields.iter().position(|one| one.name == field.name);
                let value = index.map(|index| resource.shown(index, &value)).unwrap_or(value);
                Field { name: field.name.to_owned(), value: value.to_string() }
            })
            .collect(),
        meta: meta(&resource.meta),
        grouped: resource.children.iter().map(|child| child.id.to_string()).collect(),
        // A resource kept unchanged by a new program has the span of the old one.
        place: resource
            .span
            .filter(|span| sources.iter().any(|(file, _)| file == span.file))
            .map(|span| Place::of(sources, span)),
    }
}

/// The differences from the defaults, by name.
fn meta(meta: &Meta) -> Vec<Field> {
    let fields = |meta: &Meta| match serde_json::to_value(meta) {
        Ok(serde_json::Value::Object(fields)) => fields,
        Ok(_) | Err(_) => serde_json::Map::new(),
    };
    let usual = fields(&Meta::default());
    let differs = fields(meta).into_iter().filter(|(name, value)| usual.get(name) != Some(value));
    let mut out: Vec<Field> =
        differs.map(|(name, value)| Field { name: format!("Meta:{name}"), value: value.to_string() }).collect();
    sort::by(&mut out, |a, b| a.name.cmp(&b.name));
    out
}

fn edge(graph: &ResGraph, edge: &Edge) -> ResourceEdge {
    let (from, to) = (&graph.resources[edge.from], &graph.resources[edge.to]);
    let received = to.receives.iter().filter(|receive| receive.from == from.id);
    let field = |index: usize| to.kind.decl().fields.get(index).map_or(String::new(), |field| field.name.to_owned());
    let mut sends: Vec<(String, String)> =
        received.map(|receive| (receive.key.to_string(), field(receive.field))).collect();
    sort::items(&mut sends);
    sends.dedup();
    ResourceEdge {
        from: edge.from.index() as u32,
        to: edge.to.index() as u32,
        label: edge.name.to_string(),
        notify: edge.notify,
        sends,
    }
}
