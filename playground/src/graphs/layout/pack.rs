//! Connected parts, and how their drawings are packed into rows.

use super::{Drawing, Rect, Sketch};

/// One connected part of a sketch: indices into its lists, ascending.
pub(super) struct Part {
    pub(super) vertices: Vec<u32>,
    pub(super) edges: Vec<u32>,
}

impl Part {
    /// The ends of an edge as indices into this part's list of vertices.
    pub(super) fn ends(&self, sketch: &Sketch, edge: u32) -> (u32, u32) {
        let (from, to) = sketch.edges[edge as usize];
        let local = |vertex: u32| self.vertices.binary_search(&vertex).expect("both ends are in the part") as u32;
        (local(from), local(to))
    }
}

/// The connected parts, by their first vertex.
pub(super) fn components(n: usize, edges: &[(u32, u32)]) -> Vec<Part> {
    let mut root: Vec<u32> = (0..n as u32).collect();
    fn find(root: &mut [u32], mut vertex: u32) -> u32 {
        while root[vertex as usize] != vertex {
            root[vertex as usize] = root[root[vertex as usize] as usize];
            vertex = root[vertex as usize];
        }
        vertex
    }
    for (from, to) in edges {
        let (a, b) = (find(&mut root, *from), find(&mut root, *to));
        root[a.max(b) as usize] = a.min(b);
    }
    let mut part_of = vec![usize::MAX; n];
    let mut parts: Vec<Part> = Vec::new();
    for vertex in 0..n as u32 {
        let top = find(&mut root, vertex) as usize;
        if part_of[top] == usize::MAX {
            part_of[top] = parts.len();
            parts.push(Part { vertices: Vec::new(), edges: Vec::new() });
        }
        let part = part_of[top];
        part_of[vertex as usize] = part;
        parts[part].vertices.push(vertex);
    }
    for (edge, (from, _)) in edges.iter().enumerate() {
        parts[part_of[*from as usize]].edges.push(edge as u32);
    }
    parts
}

const GAP: f32 = 34.0;
/// The target ratio of width to height.
const ASPECT: f32 = 1.25;

/// Places the parts' drawings side by side, in rows, in order.
pub(super) fn pack(sketch: &Sketch, parts: &[Part], drawn: Vec<Drawing>) -> Drawing {
    let area: f32 = drawn.iter().map(|one| (one.width + GAP) * (one.height + GAP)).sum();
    let widest = drawn.iter().map(|one| one.width).fold(0.0, f32::max);
    let row_width = widest.max((area * ASPECT).sqrt());
    let mut whole = Drawing {
        boxes: vec![Rect::default(); sketch.sizes.len()],
        lines: vec![Vec::new(); sketch.edges.len()],
        ..Drawing::default()
    };
    let (mut x, mut y, mut row_height) = (0.0f32, 0.0f32, 0.0f32);
    for (part, one) in parts.iter().zip(drawn) {
        if x > 0.0 && x + one.width > row_width {
            y += row_height + GAP;
            (x, row_height) = (0.0, 0.0);
        }
        for (vertex, rect) in part.vertices.iter().zip(&one.boxes) {
            whole.boxes[*vertex as usize] = Rect { x: rect.x + x, y: rect.y + y, ..*rect };
        }
        for (edge, line) in part.edges.iter().zip(one.lines) {
            whole.lines[*edge as usize] = line.into_iter().map(|(px, py)| (px + x, py + y)).collect();
        }
        whole.width = whole.width.max(x + one.width);
        whole.height = whole.height.max(y + one.height);
        row_height = row_height.max(one.height);
        x += one.width + GAP;
    }
    whole
}
