//! Graphs are laid out for the page, in bounds.

use super::blocks::Blocks;
use crate::graphs::faces;
use crate::graphs::layout::{Drawing, Memory, Sketch, layout};
use crate::worker::protocol::{Around, Picture};
use mclive_base::excerpt::excerpt_with_checksum;
use mclive_base::shapes::{FunctionGraph, ResourceGraph};

/// The maximum number of vertices that are drawn: larger graphs are too slow and unreadable.
const MAX_DRAWN: usize = 3_000;

/// The maximum number of edges passed to the page: more are indistinguishable, and each costs time on its only thread.
pub(super) const MAX_EDGES: usize = 5_000;

/// The maximum number of bytes of a field passed to the page, which displays no more.
const MAX_FIELD: usize = 16 << 10;

/// What is kept of the last drawing of a graph.
#[derive(Default)]
pub(super) struct Canvas {
    /// The next one is similar.
    memory: Memory,
    /// A graph is usually predicted first, and then in effect as predicted: it is laid out once.
    last: Option<(Sketch, Drawing)>,
}

impl Canvas {
    fn draw(&mut self, sketch: Sketch) -> Drawing {
        if let Some((_, drawing)) = self.last.as_ref().filter(|(last, _)| *last == sketch) {
            return drawing.clone();
        }
        let drawing = layout(&sketch, &mut self.memory);
        self.last = Some((sketch, drawing.clone()));
        drawing
    }
}

fn draw(sizes: Vec<(f32, f32)>, edges: Vec<(u32, u32)>, names: Vec<String>, canvas: &mut Canvas) -> Option<Drawing> {
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
    Some(canvas.draw(sketch))
}

/// Removes the edges beyond the limit; returns how many.
fn bound<T>(edges: &mut Vec<T>) -> usize {
    let n_left_out = edges.len().saturating_sub(MAX_EDGES);
    edges.truncate(MAX_EDGES);
    n_left_out
}

pub(super) fn functions(mut graph: FunctionGraph, canvas: &mut Canvas) -> Picture<FunctionGraph> {
    let n_left_out = bound(&mut graph.edges);
    let drawing = draw(
        graph.vertices.iter().map(faces::function_size).collect(),
        graph.edges.iter().map(|edge| (edge.from, edge.to)).collect(),
        graph.vertices.iter().map(|vertex| vertex.label.clone()).collect(),
        canvas,
    );
    Picture { graph, drawing, n_left_out, around: Around::default() }
}

/// Whether it is too large to draw, and becomes a list.
pub(super) fn is_listed(graph: &ResourceGraph) -> bool {
    graph.vertices.len() > MAX_DRAWN
}

/// The blocks are needed for a list only.
pub(super) fn resources(mut graph: ResourceGraph, blocks: &Blocks, canvas: &mut Canvas) -> Picture<ResourceGraph> {
    let n_left_out = bound(&mut graph.edges);
    for field in graph.vertices.iter_mut().flat_map(|vertex| vertex.fields.iter_mut().chain(&mut vertex.meta)) {
        field.value = excerpt_with_checksum(std::mem::take(&mut field.value), MAX_FIELD);
    }
    let drawing = draw(
        graph.vertices.iter().map(faces::resource_size).collect(),
        graph.edges.iter().map(|edge| (edge.from, edge.to)).collect(),
        graph.vertices.iter().map(|vertex| vertex.id()).collect(),
        canvas,
    );
    let around = match &drawing {
        Some(_) => Around::default(),
        None => blocks.around(&graph.vertices),
    };
    Picture { graph, drawing, n_left_out, around }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_is_drawn_anew_if_anything_of_it_has_changed() {
        let sketch = |width, edges: &[(u32, u32)]| Sketch {
            sizes: vec![(width, 30.0), (100.0, 30.0)],
            edges: edges.to_vec(),
            keys: vec!["a".into(), "b".into()],
        };
        let mut canvas = Canvas::default();
        let first = canvas.draw(sketch(100.0, &[(0, 1)]));
        assert_eq!(canvas.draw(sketch(100.0, &[(0, 1)])), first);
        assert!(canvas.draw(sketch(200.0, &[(0, 1)])).boxes[0].w > 150.0);
        let turned = canvas.draw(sketch(200.0, &[(1, 0)]));
        assert!(turned.boxes[1].y < turned.boxes[0].y, "{turned:?}");
    }
}
