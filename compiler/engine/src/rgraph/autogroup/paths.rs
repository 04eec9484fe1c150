//! The shortest path between two vertices, searched from both ends.

use super::VertexId;
use super::grouping::Grouping;
use rustc_hash::FxHashMap;

/// The result from one end: the distance by vertex, and the farthest vertices in order of discovery.
struct Search {
    distances: FxHashMap<VertexId, usize>,
    frontier: Vec<VertexId>,
    radius: usize,
}

impl Search {
    fn new(from: VertexId) -> Search {
        Search { distances: FxHashMap::from_iter([(from, 0)]), frontier: vec![from], radius: 0 }
    }

    /// One step further.
    fn grow<'a, I: Iterator<Item = &'a VertexId>>(
        &mut self,
        next: impl Fn(VertexId) -> I,
        came: &mut impl FnMut(VertexId, VertexId),
    ) {
        self.radius += 1;
        for at in std::mem::take(&mut self.frontier) {
            for &next in next(at) {
                if !self.distances.contains_key(&next) {
                    self.distances.insert(next, self.radius);
                    self.frontier.push(next);
                    came(next, at);
                }
            }
        }
    }
}

impl Grouping {
    /// The shortest path, as its edges from last to first; of several, the one that a search from the start, in the
    /// order of vertices, finds first.
    pub(super) fn path(&mut self, from: VertexId, to: VertexId) -> Option<Vec<(VertexId, VertexId)>> {
        if self.outs[from].contains_key(&to) {
            return Some(vec![(from, to)]);
        }
        let mut came: FxHashMap<VertexId, VertexId> = FxHashMap::default();
        let mut note = |next, at| {
            came.insert(next, at);
        };
        let (mut ahead, mut back) = (Search::new(from), Search::new(to));
        let (outs, ins) = (&self.outs, &self.ins);
        // The smaller side grows, so that a vertex without successors ends the search at once.
        loop {
            self.n_visited += (ahead.frontier.len() + back.frontier.len()) as u64;
            let met = if ahead.frontier.len() <= back.frontier.len() {
                ahead.grow(|at| outs[at].keys(), &mut note);
                ahead.frontier.iter().any(|at| back.distances.contains_key(at))
            } else {
                back.grow(|at| ins[at].iter(), &mut |_, _| {});
                back.frontier.iter().any(|at| ahead.distances.contains_key(at))
            };
            if met {
                break;
            }
            if ahead.frontier.is_empty() || back.frontier.is_empty() {
                return None;
            }
        }
        // From here on everything on a shortest path is known from the other end.
        let length = ahead.radius + back.radius;
        while ahead.radius < length {
            let left = length - ahead.radius - 1;
            let nearer = |at: &&VertexId| back.distances.get(*at) == Some(&left);
            ahead.grow(|at| outs[at].keys().filter(nearer), &mut note);
        }
        let mut edges = Vec::with_capacity(length);
        let mut at = to;
        while at != from {
            let before = *came.get(&at)?;
            edges.push((before, at));
            at = before;
        }
        Some(edges)
    }
}
