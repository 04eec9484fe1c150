//! Positions of vertices and edges: a layered layout, as a pure function of the graph.
//!
//! In: a [`Sketch`] (sizes, edges, and a stable key per vertex) and the [`Memory`] of the last drawing. Out: a
//! [`Drawing`] with a box for each vertex and a line for each edge, in which every edge points down. Sugiyama's steps:
//! layers, order within layers, coordinates; each connected part is laid out alone and the parts are packed into rows.
//!
//! Invariants: the same sketch and memory give the same drawing; a vertex that was drawn before starts at its old
//! position, so a small edit moves little. Nearly linear in vertices and edges.

mod layers;
mod order;
mod pack;
mod place;
mod rows;

use mclive_base::gather;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The input of the layout. `sizes` and `keys` have one entry per vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sketch {
    /// Width and height. Units: pixels at scale 1.
    pub sizes: Vec<(f32, f32)>,
    /// Source and target, as indices into `sizes`. Self-loops are not drawn.
    pub edges: Vec<(u32, u32)>,
    /// The identity of a vertex across drawings, unique in the sketch.
    pub keys: Vec<String>,
}

/// The last position of each vertex, from left to right.
pub type Memory = BTreeMap<String, f32>;

/// Positions of boxes and lines. The upper left corner is (0, 0).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drawing {
    /// Width in pixels at scale 1.
    pub width: f32,
    /// Height in pixels at scale 1.
    pub height: f32,
    /// One per vertex of the sketch, in order.
    pub boxes: Vec<Rect>,
    /// One per edge of the sketch, in order: the points from the lower side of one box to the upper side of the other;
    /// empty for a self-loop.
    pub lines: Vec<Vec<(f32, f32)>>,
}

/// A rectangle. Units: pixels at scale 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rect {
    /// The left edge.
    pub x: f32,
    /// The upper edge.
    pub y: f32,
    /// The width.
    pub w: f32,
    /// The height.
    pub h: f32,
}

impl Rect {
    /// The centre.
    pub fn center(&self) -> (f32, f32) {
        (self.x + self.w / 2.0, self.y + self.h / 2.0)
    }
}

/// The gap between two boxes of one layer.
const GAP_X: f32 = 22.0;
/// The gap between two layers.
const GAP_Y: f32 = 42.0;

/// Lays out the sketch, and updates the memory.
pub fn layout(sketch: &Sketch, memory: &mut Memory) -> Drawing {
    let parts = pack::components(sketch.sizes.len(), &sketch.edges);
    let drawn = parts.iter().map(|part| draw_part(sketch, part, memory)).collect::<Vec<_>>();
    let drawing = pack::pack(sketch, &parts, drawn);
    *memory = gather::map(sketch.keys.iter().cloned().zip(drawing.boxes.iter().map(|rect| rect.center().0)));
    drawing
}

/// Lays out one connected part; its boxes and lines are in the order of the part's lists.
fn draw_part(sketch: &Sketch, part: &pack::Part, memory: &Memory) -> Drawing {
    let mut grid = layers::assign(sketch, part);
    let hints: Vec<Option<f32>> =
        part.vertices.iter().map(|vertex| memory.get(&sketch.keys[*vertex as usize]).copied()).collect();
    order::order(&mut grid, &hints);
    place::place(&grid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(n: usize, edges: &[(u32, u32)]) -> Sketch {
        Sketch {
            sizes: vec![(100.0, 30.0); n],
            edges: edges.to_vec(),
            keys: (0..n).map(|index| format!("v{index}")).collect(),
        }
    }

    fn overlap(a: &Rect, b: &Rect) -> bool {
        a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
    }

    fn check_sound(sketch: &Sketch, drawing: &Drawing) {
        for (index, a) in drawing.boxes.iter().enumerate() {
            assert!(a.x >= -0.01 && a.y >= -0.01, "{a:?}");
            assert!(a.x + a.w <= drawing.width + 0.01 && a.y + a.h <= drawing.height + 0.01, "{a:?} in {drawing:?}");
            for b in &drawing.boxes[index + 1..] {
                assert!(!overlap(a, b), "{a:?} {b:?}");
            }
        }
        for ((from, to), line) in sketch.edges.iter().zip(&drawing.lines) {
            if from != to {
                let (a, b) = (&drawing.boxes[*from as usize], &drawing.boxes[*to as usize]);
                assert!(a.y + a.h <= b.y, "every edge points down");
                assert_eq!(line.first().copied(), Some((a.center().0, a.y + a.h)));
                assert_eq!(line.last().copied(), Some((b.center().0, b.y)));
            }
        }
    }

    #[test]
    fn a_diamond_has_three_layers() {
        let sketch = sketch(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        let drawing = layout(&sketch, &mut Memory::new());
        check_sound(&sketch, &drawing);
        assert_eq!(drawing.boxes[1].y, drawing.boxes[2].y);
        assert!((drawing.boxes[0].center().0 - drawing.boxes[3].center().0).abs() < 1.0, "{drawing:?}");
    }

    #[test]
    fn lone_vertices_are_packed_into_rows() {
        let sketch = sketch(100, &[]);
        let drawing = layout(&sketch, &mut Memory::new());
        check_sound(&sketch, &drawing);
        assert!(drawing.width < 2000.0 && drawing.height < 2000.0, "{} x {}", drawing.width, drawing.height);
    }

    #[test]
    fn a_new_vertex_leaves_the_others_in_order() {
        let mut memory = Memory::new();
        let before = layout(&sketch(5, &[(0, 1), (0, 2), (0, 3), (0, 4)]), &mut memory);
        let mut wider = sketch(6, &[(0, 5), (0, 4), (0, 3), (0, 2), (0, 1)]);
        wider.keys = (0..6).map(|index| format!("v{index}")).collect();
        let after = layout(&wider, &mut memory);
        let order = |drawing: &Drawing| {
            let mut order = [1usize, 2, 3, 4];
            order.sort_by(|a, b| drawing.boxes[*a].x.total_cmp(&drawing.boxes[*b].x));
            order
        };
        assert_eq!(order(&before), order(&after));
    }

    #[test]
    fn the_files_of_a_directory_are_drawn_in_rows() {
        let edges: Vec<(u32, u32)> = (1..30).map(|file| (0, file)).collect();
        let sketch = sketch(30, &edges);
        let drawing = layout(&sketch, &mut Memory::new());
        check_sound(&sketch, &drawing);
        assert!(drawing.width < 1_300.0 && drawing.height < 400.0, "{} x {}", drawing.width, drawing.height);
        let (directory, last) = (&drawing.boxes[0], &drawing.boxes[29]);
        assert!(
            (directory.center().0 - drawing.width / 2.0).abs() < 200.0,
            "the directory is above the middle: {drawing:?}"
        );
        assert!(last.y > drawing.boxes[1].y, "the last file is in a lower row");
        assert_eq!(drawing, layout(&sketch, &mut Memory::new()));
    }

    #[test]
    fn self_loops_doubles_and_cycles_do_no_harm() {
        let sketch = sketch(3, &[(0, 0), (0, 1), (0, 1), (1, 2), (2, 0)]);
        let drawing = layout(&sketch, &mut Memory::new());
        assert_eq!(drawing.lines.len(), 5);
        assert!(drawing.lines[0].is_empty());
    }

    #[test]
    fn a_thousand_vertices_are_drawn_soundly() {
        let n = 1000u32;
        let mut state = 7u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        let edges: Vec<(u32, u32)> = (0..1500)
            .map(|_| {
                let (a, b) = (next() % n, next() % n);
                (a.min(b), a.max(b))
            })
            .collect();
        let sketch = sketch(n as usize, &edges);
        let drawing = layout(&sketch, &mut Memory::new());
        check_sound(&sketch, &drawing);
        assert_eq!(drawing, layout(&sketch, &mut Memory::new()));
    }
}
