//! Graphs are laid out for the page, in bounds.

use super::classes::Classes;
use crate::graphs::faces;
use crate::graphs::layout::{Drawing, Memory, Sketch, layout};
use crate::worker::protocol::Picture;
use mclive_base::shapes::{FunctionGraph, ResourceGraph, ResourceVertex};

/// The most vertices that are drawn: larger graphs are too slow and unreadable.
const MAX_DRAWN: usize = 3_000;

/// The most edges passed to the page: more are indistinguishable, and each costs time on its only thread.
pub(super) const MAX_EDGES: usize = 5_000;

fn draw(sizes: Vec<(f32, f32)>, edges: Vec<(u32, u32)>, names: Vec<String>, memory: &mut Memory) -> Option<Drawing> {
    if sizes.len() > MAX_DRAWN {
        return None;
    }
    // Equal vertices are distinguished by their order.
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    let keys = names.into_iter().map(|name| {
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        format!("{name}#{count}")
    });
    let sketch = Sketch { sizes, edges, keys: keys.collect() };
    Some(layout(&sketch, memory))
}

/// Removes the edges beyond the limit; returns how many.
fn bound<T>(edges: &mut Vec<T>) -> usize {
    let n_left_out = edges.len().saturating_sub(MAX_EDGES);
    edges.truncate(MAX_EDGES);
    n_left_out
}

pub(super) fn functions(mut graph: FunctionGraph, memory: &mut Memory) -> Picture<FunctionGraph> {
    let n_left_out = bound(&mut graph.edges);
    let drawing = draw(
        graph.vertices.iter().map(faces::function_size).collect(),
        graph.edges.iter().map(|edge| (edge.from, edge.to)).collect(),
        graph.vertices.iter().map(|vertex| vertex.label.clone()).collect(),
        memory,
    );
    Picture { graph, drawing, n_left_out, classes: Vec::new() }
}

/// Whether it is too large to draw, and becomes a list.
pub(super) fn is_listed(graph: &ResourceGraph) -> bool {
    graph.vertices.len() > MAX_DRAWN
}

/// The classes are needed for a list only.
pub(super) fn resources(mut graph: ResourceGraph, classes: &Classes, memory: &mut Memory) -> Picture<ResourceGraph> {
    let n_left_out = bound(&mut graph.edges);
    let drawing = draw(
        graph.vertices.iter().map(faces::resource_size).collect(),
        graph.edges.iter().map(|edge| (edge.from, edge.to)).collect(),
        graph.vertices.iter().map(|vertex| vertex.id()).collect(),
        memory,
    );
    let classes = match &drawing {
        Some(_) => Vec::new(),
        None => {
            let class = |vertex: &ResourceVertex| classes.around(vertex.place.as_ref()).unwrap_or_default().to_owned();
            graph.vertices.iter().map(class).collect()
        }
    };
    Picture { graph, drawing, n_left_out, classes }
}
