//! Breaks layers that are too wide into rows: a directory with thirty files would be drawn as a line in which nothing can be read.
//!
//! Only leaves that follow a single vertex move, since nothing is below them: to the layers below theirs, and to new ones.

use super::{GAP_X, GAP_Y};

/// A layer of this width can be read without zooming. Units: pixels at scale 1.
const WIDE: f32 = 1_100.0;
/// The target ratio of width to height of many leaves.
const ASPECT: f32 = 2.0;

/// Moves the leaves that have no room in their layer. Out: for each vertex, whether it was moved.
pub(super) fn break_up(layer_of: &mut [u32], sizes: &[(f32, f32)], edges: &[(u32, u32)]) -> Vec<bool> {
    let mut moved = vec![false; layer_of.len()];
    let is_leaf = leaves(layer_of.len(), edges);
    let n_layers = layer_of.iter().max().map_or(0, |last| *last as usize + 1);
    // What stays in each layer: its width.
    let mut taken = vec![0.0f32; n_layers];
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); n_layers];
    let mut area = 0.0f32;
    for (vertex, (width, height)) in sizes.iter().enumerate() {
        let layer = layer_of[vertex] as usize;
        if is_leaf[vertex] {
            own[layer].push(vertex);
            area += (width + GAP_X) * (height + GAP_Y);
        } else {
            taken[layer] += width + GAP_X;
        }
    }
    let most = taken.iter().copied().fold(WIDE.max((area * ASPECT).sqrt()), f32::max);
    let mut waiting: Vec<usize> = Vec::new();
    let mut layer = 0;
    while layer < n_layers || !waiting.is_empty() {
        if let Some(own) = own.get_mut(layer) {
            waiting.append(own);
        }
        let mut right = taken.get(layer).copied().unwrap_or_default();
        let has_room = |vertex: &&usize| {
            right += sizes[**vertex].0 + GAP_X;
            right <= most
        };
        let n_fitting = waiting.iter().take_while(has_room).count();
        // A leaf that is wider than a row has one to itself.
        let n_here = if layer < n_layers { n_fitting } else { n_fitting.max(1) };
        for vertex in waiting.drain(..n_here) {
            moved[vertex] = layer_of[vertex] as usize != layer;
            layer_of[vertex] = layer as u32;
        }
        layer += 1;
    }
    moved
}

/// Whether each vertex follows exactly one other, and is followed by none.
fn leaves(n: usize, edges: &[(u32, u32)]) -> Vec<bool> {
    let mut source = vec![None; n];
    let mut is_leaf = vec![true; n];
    for (from, to) in edges.iter().filter(|(from, to)| from != to) {
        is_leaf[*from as usize] = false;
        if *source[*to as usize].get_or_insert(*from) != *from {
            is_leaf[*to as usize] = false;
        }
    }
    is_leaf.iter().zip(&source).map(|(is_leaf, source)| *is_leaf && source.is_some()).collect()
}
