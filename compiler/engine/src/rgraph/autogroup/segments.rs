//! [`Segments`]: parts of the graph that contain all candidates of their vertices.
//!
//! A vertex that reaches or is reached from everything else of a family cannot be grouped, and everything before it
//! comes before everything after it. So such vertices cut the graph into segments, and only two of one segment can be
//! grouped: a chain of ten thousand is ten thousand segments of one. In a topological order, a vertex is such a cut if
//! it is the only sink of everything up to it, and the only source of everything from it on.

use super::VertexId;
use super::grouping::Grouping;
use crate::index::Id;

#[derive(Default)]
pub(super) struct Segments {
    /// By vertex; [`NONE`] for those that are not between two candidates.
    of: Vec<u32>,
    parts: Vec<Segment>,
}

#[derive(Default)]
struct Segment {
    vertices: Vec<VertexId>,
    /// The groupable ones among them, in the order in which they are tried.
    candidates: Vec<VertexId>,
}

const NONE: u32 = u32::MAX;

impl Segments {
    /// The segments between these candidates.
    pub(super) fn new(grouping: &mut Grouping, candidates: &[VertexId]) -> Segments {
        let n_vertices = grouping.gone.len();
        let present: Vec<VertexId> = candidates.iter().copied().filter(|id| !grouping.gone[id.index()]).collect();
        let mut after = vec![false; n_vertices];
        let mut before = vec![false; n_vertices];
        mark(&mut after, &present, &mut grouping.n_visited, |id| grouping.outs[id].keys());
        mark(&mut before, &present, &mut grouping.n_visited, |id| grouping.ins[id].iter());
        let vertices: Vec<VertexId> =
            (0..n_vertices).filter(|id| after[*id] && before[*id]).map(Id::from_index).collect();
        let mut segments = Segments { of: vec![NONE; n_vertices], parts: Vec::new() };
        vertices.iter().for_each(|id| segments.of[id.index()] = 0);
        segments.parts.push(Segment { vertices, candidates: present });
        segments.cut(grouping, 0);
        segments
    }

    pub(super) fn of(&self, id: VertexId) -> u32 {
        self.of[id.index()]
    }

    pub(super) fn take_candidates(&mut self, segment: u32) -> Vec<VertexId> {
        std::mem::take(&mut self.parts[segment as usize].candidates)
    }

    pub(super) fn put_candidates(&mut self, segment: u32, candidates: Vec<VertexId>) {
        self.parts[segment as usize].candidates = candidates;
    }

    /// Splits a segment further, if that is now possible.
    pub(super) fn cut(&mut self, grouping: &mut Grouping, segment: u32) {
        let Segment { mut vertices, mut candidates } = std::mem::take(&mut self.parts[segment as usize]);
        vertices.retain(|id| !grouping.gone[id.index()]);
        candidates.retain(|id| !grouping.gone[id.index()]);
        let order = self.in_order(grouping, segment, &vertices);
        grouping.n_visited += order.len() as u64;
        // With a cycle, which is reported soon, some are missing.
        let cuts = if order.len() == vertices.len() { self.cuts(grouping, segment, &order) } else { Vec::new() };
        if !cuts.contains(&true) {
            self.parts[segment as usize] = Segment { vertices, candidates };
            return;
        }
        let mut open = None;
        for (id, is_cut) in order.into_iter().zip(cuts) {
            let part = match open {
                Some(part) if !is_cut => part,
                _ => {
                    self.parts.push(Segment::default());
                    self.parts.len() - 1
                }
            };
            open = (!is_cut).then_some(part);
            self.of[id.index()] = part as u32;
            self.parts[part].vertices.push(id);
        }
        for id in candidates {
            let part = self.of(id);
            self.parts[part as usize].candidates.push(id);
        }
    }

    /// The vertices of a segment in topological order.
    fn in_order(&self, grouping: &Grouping, segment: u32, vertices: &[VertexId]) -> Vec<VertexId> {
        let inside = |id: &&VertexId| self.of(**id) == segment;
        let mut n_before: rustc_hash::FxHashMap<VertexId, usize> =
            vertices.iter().map(|id| (*id, grouping.ins[*id].iter().filter(inside).count())).collect();
        let mut order: Vec<VertexId> = vertices.iter().copied().filter(|id| n_before[id] == 0).collect();
        let mut at = 0;
        while at < order.len() {
            for next in grouping.outs[order[at]].keys().filter(inside) {
                if let Some(n) = n_before.get_mut(next) {
                    *n -= 1;
                    if *n == 0 {
                        order.push(*next);
                    }
                }
            }
            at += 1;
        }
        order
    }

    /// For each vertex of an order: whether everything else comes before or after it.
    fn cuts(&self, grouping: &Grouping, segment: u32, order: &[VertexId]) -> Vec<bool> {
        let inside = |id: &&VertexId| self.of(**id) == segment;
        let ends = alone(order.iter(), |id| grouping.ins[id].iter().filter(inside));
        let mut starts = alone(order.iter().rev(), |id| grouping.outs[id].keys().filter(inside));
        starts.reverse();
        ends.into_iter().zip(starts).map(|(end, start)| end && start).collect()
    }
}

/// Walking through an order: for each, whether it is then the only one without an edge leading on.
fn alone<'a, I: Iterator<Item = &'a VertexId>>(
    order: impl Iterator<Item = &'a VertexId>,
    before: impl Fn(VertexId) -> I,
) -> Vec<bool> {
    let mut open = rustc_hash::FxHashSet::default();
    let alone = order.map(|id| {
        for before in before(*id) {
            open.remove(before);
        }
        open.insert(*id);
        open.len() == 1
    });
    alone.collect()
}

/// Marks these and everything reachable from them.
fn mark<'a, I: Iterator<Item = &'a VertexId>>(
    marks: &mut [bool],
    from: &[VertexId],
    n_visited: &mut u64,
    next: impl Fn(VertexId) -> I,
) {
    let mut work = from.to_vec();
    while let Some(id) = work.pop() {
        *n_visited += 1;
        if !std::mem::replace(&mut marks[id.index()], true) {
            work.extend(next(id));
        }
    }
}
