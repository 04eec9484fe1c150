//! [`Near`]: the part of a segment that a leader reaches or is reached from.

use super::VertexId;
use super::grouping::Grouping;
use super::segments::Segments;
use crate::index::Id;

/// It only grows as members join, so each edge is walked once per leader and direction.
pub(super) struct Near {
    /// The last round in which a vertex was visited, by direction.
    after: Vec<u32>,
    before: Vec<u32>,
    round: u32,
    work: Vec<VertexId>,
}

impl Near {
    pub(super) fn new(n_vertices: usize) -> Near {
        Near { after: vec![0; n_vertices], before: vec![0; n_vertices], round: 0, work: Vec::new() }
    }

    /// Starts with the next leader.
    pub(super) fn start(&mut self) {
        self.round += 1;
    }

    pub(super) fn has(&self, id: VertexId) -> bool {
        self.after[id.index()] == self.round || self.before[id.index()] == self.round
    }

    /// Adds everything in its segment that a vertex reaches or is reached from, without the vertex itself.
    pub(super) fn add(&mut self, grouping: &mut Grouping, segments: &Segments, id: VertexId) {
        let segment = segments.of(id);
        let inside = |id: &&VertexId| segments.of(**id) == segment;
        let mut n_visited = 0;
        self.work.extend(grouping.outs[id].keys().filter(inside));
        while let Some(at) = self.work.pop() {
            n_visited += 1;
            if std::mem::replace(&mut self.after[at.index()], self.round) != self.round {
                self.work.extend(grouping.outs[at].keys().filter(inside));
            }
        }
        self.work.extend(grouping.ins[id].iter().filter(inside));
        while let Some(at) = self.work.pop() {
            n_visited += 1;
            if std::mem::replace(&mut self.before[at.index()], self.round) != self.round {
                self.work.extend(grouping.ins[at].iter().filter(inside));
            }
        }
        grouping.n_visited += n_visited;
    }
}
