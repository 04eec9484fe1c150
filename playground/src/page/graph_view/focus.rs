//! The focus of a graph: the selected vertex with what feeds and follows it.

use super::Shape;
use crate::graphs::layout::Rect;
use crate::graphs::reach;

pub(super) fn around(shape: &Shape, at: u32) -> Vec<u32> {
    reach::around(shape.drawing.boxes.len(), &shape.edges, at)
}

/// The smallest rectangle with all these boxes.
pub(super) fn bounds(shape: &Shape, vertices: &[u32]) -> Rect {
    let boxes = vertices.iter().filter_map(|index| shape.drawing.boxes.get(*index as usize));
    let join = |a: Rect, b: Rect| {
        let (x, y) = (a.x.min(b.x), a.y.min(b.y));
        Rect { x, y, w: (a.x + a.w).max(b.x + b.w) - x, h: (a.y + a.h).max(b.y + b.h) - y }
    };
    boxes.copied().reduce(join).unwrap_or_default()
}
