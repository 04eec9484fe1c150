//! Coordinates: each cell as near to its neighbours as the order of its layer allows.

use super::layers::{Cell, Grid};
use super::{Drawing, GAP_X, GAP_Y, Rect};

/// Sweeps down and up; the last one goes down, so that parents are centred over their children.
const N_SWEEPS: usize = 9;

pub(super) fn place(grid: &Grid) -> Drawing {
    let mut x = vec![0.0f32; grid.cells.len()];
    for layer in &grid.layers {
        let mut right = 0.0;
        for cell in layer {
            let width = grid.sizes[*cell as usize].0;
            x[*cell as usize] = right + width / 2.0;
            right += width + GAP_X;
        }
    }
    let n_layers = grid.layers.len();
    for sweep in 0..N_SWEEPS {
        let upwards = sweep % 2 == 0;
        for step in 0..n_layers {
            let layer = if upwards { n_layers - 1 - step } else { step };
            settle(grid, layer, upwards, &mut x);
        }
    }
    drawing(grid, &x)
}

/// Moves one layer's cells to the mean of their neighbours, keeping order and gaps: the least sum of squared distances,
/// by pooling overlapping neighbours (isotonic regression).
fn settle(grid: &Grid, layer: usize, upwards: bool, x: &mut [f32]) {
    struct Pool {
        sum: f32,
        weight: f32,
        n_cells: usize,
    }
    let cells = &grid.layers[layer];
    // The position of each cell if all cells before it were side by side from 0.
    let mut offset = Vec::with_capacity(cells.len());
    let mut right = 0.0;
    for (index, cell) in cells.iter().enumerate() {
        let half = grid.sizes[*cell as usize].0 / 2.0;
        right += if index == 0 { 0.0 } else { half };
        offset.push(right);
        right += half + GAP_X;
    }
    let mut pools: Vec<Pool> = Vec::with_capacity(cells.len());
    for (index, cell) in cells.iter().enumerate() {
        let cell = *cell as usize;
        let neighbours = if upwards { &grid.below[cell] } else { &grid.above[cell] };
        let (target, weight) = match neighbours.len() {
            0 => (x[cell], 0.05),
            count => {
                let sum: f32 = neighbours.iter().map(|other| x[*other as usize]).sum();
                // Joints have more weight, which keeps long edges straight.
                let both_joints = grid.cells[cell] == Cell::Joint && grid.cells[neighbours[0] as usize] == Cell::Joint;
                (sum / count as f32, if both_joints { 8.0 } else { 1.0 })
            }
        };
        pools.push(Pool { sum: (target - offset[index]) * weight, weight, n_cells: 1 });
        while pools.len() > 1 {
            let (last, before) = (&pools[pools.len() - 1], &pools[pools.len() - 2]);
            if before.sum / before.weight <= last.sum / last.weight {
                break;
            }
            let last = pools.pop().expect("there are two");
            let before = pools.last_mut().expect("there are two");
            before.sum += last.sum;
            before.weight += last.weight;
            before.n_cells += last.n_cells;
        }
    }
    let mut index = 0;
    for pool in pools {
        for _ in 0..pool.n_cells {
            x[cells[index] as usize] = pool.sum / pool.weight + offset[index];
            index += 1;
        }
    }
}

fn drawing(grid: &Grid, x: &[f32]) -> Drawing {
    let mut boxes = vec![Rect::default(); grid.n_vertices];
    let mut middle = vec![0.0f32; grid.cells.len()];
    let mut y = 0.0;
    for layer in &grid.layers {
        let height = layer.iter().map(|cell| grid.sizes[*cell as usize].1).fold(0.0, f32::max);
        for cell in layer {
            let (w, h) = grid.sizes[*cell as usize];
            middle[*cell as usize] = y + height / 2.0;
            if let Cell::Vertex(vertex) = grid.cells[*cell as usize] {
                boxes[vertex as usize] = Rect { x: x[*cell as usize] - w / 2.0, y: y + (height - h) / 2.0, w, h };
            }
        }
        y += height + GAP_Y;
    }
    let left = boxes.iter().map(|rect| rect.x).fold(f32::MAX, f32::min);
    let left = x.iter().copied().fold(left, f32::min);
    boxes.iter_mut().for_each(|rect| rect.x -= left);
    let lines = grid.chains.iter().map(|chain| line(grid, chain, &boxes, x, &middle, left)).collect();
    let right = boxes.iter().map(|rect| rect.x + rect.w).fold(0.0, f32::max);
    let width = x.iter().map(|x| x - left).fold(right, f32::max);
    Drawing { width, height: (y - GAP_Y).max(0.0), boxes, lines }
}

fn line(grid: &Grid, chain: &[u32], boxes: &[Rect], x: &[f32], middle: &[f32], left: f32) -> Vec<(f32, f32)> {
    let n = chain.len();
    let point = |(index, cell): (usize, &u32)| match grid.cells[*cell as usize] {
        Cell::Joint => (x[*cell as usize] - left, middle[*cell as usize]),
        Cell::Vertex(vertex) => {
            let rect = boxes[vertex as usize];
            (rect.center().0, if index == 0 && n > 1 { rect.y + rect.h } else { rect.y })
        }
    };
    chain.iter().enumerate().map(point).collect()
}
