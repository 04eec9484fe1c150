//! Assigns a layer to each vertex, and makes the joints of edges that cross layers.

use super::Sketch;
use super::pack::Part;
use super::rows;
use std::collections::BTreeMap;

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
    let sizes: Vec<(f32, f32)> = part.vertices.iter().map(|vertex| sketch.sizes[*vertex as usize]).collect();
    let mut layer_of = ranks(n, &edges);
    let moved = rows::break_up(&mut layer_of, &sizes, &edges);
    let n_layers = layer_of.iter().max().map_or(0, |last| *last as usize + 1);
    let mut grid = Grid {
        cells: (0..n as u32).map(Cell::Vertex).collect(),
        sizes,
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
    let mut trunks = BTreeMap::new();
    for edge in by_length {
        match moved[edges[edge].1 as usize] {
            true => grid.branch(edge, edges[edge], &mut trunks),
            false => grid.thread(edge, edges[edge], &mut room),
        }
    }
    for (from, trunk) in trunks {
        let mut above = from;
        for (row, joint) in trunk.into_iter().enumerate() {
            grid.center(above, joint, row);
            above = joint;
        }
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
                let joint = self.joint(layer);
                self.link(chain[chain.len() - 1], joint);
                chain.push(joint);
            }
            self.link(chain[chain.len() - 1], to);
        }
        chain.push(to);
        self.chains[edge] = chain;
    }

    /// Routes an edge to a leaf in a lower row, along the trunk of all such leaves of its source: the source and its joints, layer
    /// by layer.
    fn branch(&mut self, edge: usize, (from, to): (u32, u32), trunks: &mut BTreeMap<u32, Vec<u32>>) {
        if from == to {
            return;
        }
        let (top, bottom) = (self.layer_of[from as usize], self.layer_of[to as usize]);
        let n_joints = bottom.saturating_sub(top + 1) as usize;
        let trunk = trunks.entry(from).or_default();
        while trunk.len() < n_joints {
            let joint = self.joint(top + 1 + trunk.len() as u32);
            self.link(trunk.last().copied().unwrap_or(from), joint);
            trunk.push(joint);
        }
        let joints = &trunk[..n_joints];
        self.link(joints.last().copied().unwrap_or(from), to);
        let mut chain = vec![from];
        chain.extend_from_slice(joints);
        chain.push(to);
        self.chains[edge] = chain;
    }

    /// Adds a joint to a layer.
    fn joint(&mut self, layer: u32) -> u32 {
        let joint = self.cells.len() as u32;
        self.cells.push(Cell::Joint);
        self.sizes.push((2.0, 0.0));
        self.layer_of.push(layer);
        self.layers[layer as usize].push(joint);
        self.above.push(Vec::new());
        self.below.push(Vec::new());
        joint
    }

    /// Puts a trunk between the leaves beside it, so that the rows are centred below each other: of an odd number, more are on
    /// the one side and on the other in turn.
    fn center(&mut self, upper: u32, joint: u32, row: usize) {
        let below = &mut self.below[upper as usize];
        below.retain(|cell| *cell != joint);
        below.insert((below.len() + row % 2) / 2, joint);
    }

    fn link(&mut self, upper: u32, lower: u32) {
        self.below[upper as usize].push(lower);
        self.above[lower as usize].push(upper);
    }
}
