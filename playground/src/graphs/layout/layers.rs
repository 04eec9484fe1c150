//! Assigns a layer to each vertex, and makes the joints of edges that cross layers.

use super::Sketch;
use super::pack::Part;

/// A cell of a layer: a vertex of the part, or a joint of a long edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// An index into the part's list of vertices.
    Vertex(u32),
    Joint,
}

/// The cells of one connected part, layer by layer.
pub(super) struct Grid {
    pub(super) cells: Vec<Cell>,
    pub(super) sizes: Vec<(f32, f32)>,
    /// Each layer's cells, from left to right.
    pub(super) layers: Vec<Vec<u32>>,
    pub(super) layer_of: Vec<u32>,
    /// Cells one layer up and one layer down.
    pub(super) above: Vec<Vec<u32>>,
    pub(super) below: Vec<Vec<u32>>,
    /// For each edge of the part, the cells it passes through, both ends included; empty for a self-loop. An edge of a
    /// cycle may run upwards.
    pub(super) chains: Vec<Vec<u32>>,
    pub(super) n_vertices: usize,
}

/// The maximum number of joints. Beyond it the longest edges are drawn as one straight line: the graph is unreadable
/// then, and the work stays linear.
const MAX_JOINTS: usize = 20_000;

pub(super) fn assign(sketch: &Sketch, part: &Part) -> Grid {
    let n = part.vertices.len();
    let edges: Vec<(u32, u32)> = part.edges.iter().map(|edge| part.ends(sketch, *edge)).collect();
    let layer_of = ranks(n, &edges);
    let n_layers = layer_of.iter().max().map_or(0, |last| *last as usize + 1);
    let mut grid = Grid {
        cells: (0..n as u32).map(Cell::Vertex).collect(),
        sizes: part.vertices.iter().map(|vertex| sketch.sizes[*vertex as usize]).collect(),
        layers: vec![Vec::new(); n_layers],
        above: vec![Vec::new(); n],
        below: vec![Vec::new(); n],
        layer_of,
        chains: vec![Vec::new(); edges.len()],
        n_vertices: n,
    };
    for cell in 0..n as u32 {
        grid.layers[grid.layer_of[cell as usize] as usize].push(cell);
    }
    // Short edges first, so that only the longest lack joints if they run out.
    let mut by_length: Vec<usize> = (0..edges.len()).collect();
    by_length.sort_by_cached_key(|edge| {
        let (from, to) = edges[*edge];
        grid.layer_of[to as usize].abs_diff(grid.layer_of[from as usize])
    });
    let mut room = MAX_JOINTS;
    for edge in by_length {
        grid.thread(edge, edges[edge], &mut room);
    }
    grid
}

/// Longest path from the sources; then vertices without predecessors are pulled down to their first successor, so that
/// constants are next to their uses.
fn ranks(n: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    let mut next = vec![Vec::new(); n];
    let mut n_before = vec![0u32; n];
    for (from, to) in edges.iter().filter(|(from, to)| from != to) {
        next[*from as usize].push(*to);
        n_before[*to as usize] += 1;
    }
    let is_source: Vec<bool> = n_before.iter().map(|count| *count == 0).collect();
    let mut rank = vec![0u32; n];
    let mut done = vec![false; n];
    let mut ready: Vec<u32> = (0..n as u32).rev().filter(|vertex| is_source[*vertex as usize]).collect();
    let mut order = Vec::with_capacity(n);
    let mut rest = 0..n as u32;
    loop {
        let vertex = match ready.pop() {
            Some(vertex) if done[vertex as usize] => continue,
            Some(vertex) => vertex,
            // Only cycles are left: break one at its first vertex.
            None => match rest.find(|vertex| !done[*vertex as usize]) {
                Some(vertex) => vertex,
                None => break,
            },
        };
        done[vertex as usize] = true;
        order.push(vertex);
        for to in &next[vertex as usize] {
            if !done[*to as usize] {
                rank[*to as usize] = rank[*to as usize].max(rank[vertex as usize] + 1);
                n_before[*to as usize] -= 1;
                if n_before[*to as usize] == 0 {
                    ready.push(*to);
                }
            }
        }
    }
    for vertex in order.into_iter().rev().filter(|vertex| is_source[*vertex as usize]) {
        let first = next[vertex as usize].iter().map(|to| rank[*to as usize]).min();
        rank[vertex as usize] = first.map_or(0, |first| first.saturating_sub(1));
    }
    let lowest = rank.iter().min().copied().unwrap_or(0);
    rank.iter_mut().for_each(|rank| *rank -= lowest);
    rank
}

impl Grid {
    /// Routes an edge through the layers between its ends.
    fn thread(&mut self, edge: usize, (from, to): (u32, u32), room: &mut usize) {
        if from == to {
            return;
        }
        let (top, bottom) = (self.layer_of[from as usize], self.layer_of[to as usize]);
        let mut chain = vec![from];
        // An edge against the direction is part of a cycle; it is a straight line.
        if top < bottom && ((bottom - top - 1) as usize) <= *room {
            *room -= (bottom - top - 1) as usize;
            for layer in top + 1..bottom {
                let joint = self.cells.len() as u32;
                self.cells.push(Cell::Joint);
                self.sizes.push((2.0, 0.0));
                self.layer_of.push(layer);
                self.layers[layer as usize].push(joint);
                self.above.push(Vec::new());
                self.below.push(Vec::new());
                self.link(chain[chain.len() - 1], joint);
                chain.push(joint);
            }
            self.link(chain[chain.len() - 1], to);
        }
        chain.push(to);
        self.chains[edge] = chain;
    }

    fn link(&mut self, upper: u32, lower: u32) {
        self.below[upper as usize].push(lower);
        self.above[lower as usize].push(upper);
    }
}
