//! The order of each layer's cells from left to right: few crossings, close to the previous drawing.

use super::layers::{Cell, Grid};

/// Sweeps down and up; more make little difference.
const N_SWEEPS: usize = 10;

/// Orders every layer. `hints` are the previous positions of the part's vertices.
pub(super) fn order(grid: &mut Grid, hints: &[Option<f32>]) {
    start(grid, hints);
    let mut best = grid.layers.clone();
    let mut fewest = crossings(grid);
    for sweep in 0..N_SWEEPS {
        if fewest == 0 {
            break;
        }
        sweep_once(grid, sweep % 2 == 0);
        let now = crossings(grid);
        // Only an improvement moves anything: otherwise the old positions stay.
        if now < fewest {
            fewest = now;
            best = grid.layers.clone();
        }
    }
    grid.layers = best;
}

/// The initial order: known vertices at their old positions, new ones beside their neighbours.
fn start(grid: &mut Grid, hints: &[Option<f32>]) {
    let mut wish: Vec<Option<f32>> = grid
        .cells
        .iter()
        .map(|cell| match cell {
            Cell::Vertex(vertex) => hints[*vertex as usize],
            Cell::Joint => None,
        })
        .collect();
    let known = wish.iter().any(Option::is_some);
    if !known {
        first_visit(grid);
        return;
    }
    for layer in 0..grid.layers.len() {
        for at in 0..grid.layers[layer].len() {
            let cell = grid.layers[layer][at] as usize;
            wish[cell] = wish[cell].or_else(|| mean(&grid.above[cell], &wish));
        }
    }
    for layer in (0..grid.layers.len()).rev() {
        for at in 0..grid.layers[layer].len() {
            let cell = grid.layers[layer][at] as usize;
            wish[cell] = wish[cell].or_else(|| mean(&grid.below[cell], &wish));
        }
    }
    for layer in &mut grid.layers {
        layer.sort_by_cached_key(|cell| {
            let wish = wish[*cell as usize].unwrap_or(f32::MAX);
            (u64::from(ordered(wish)) << 32) | u64::from(*cell)
        });
    }
}

/// A whole number with the order of [`f32::total_cmp`]: sorts by whole numbers share their code.
fn ordered(x: f32) -> u32 {
    let bits = x.to_bits();
    if x.is_sign_negative() { !bits } else { bits | (1 << 31) }
}

/// Without memory: the order in which a walk down from each top cell reaches the cells, so that related cells start
/// together.
fn first_visit(grid: &mut Grid) {
    let mut number = vec![u32::MAX; grid.cells.len()];
    let mut count = 0;
    let mut stack: Vec<u32> = Vec::new();
    for layer in &grid.layers {
        for top in layer {
            stack.push(*top);
            while let Some(cell) = stack.pop() {
                if number[cell as usize] != u32::MAX {
                    continue;
                }
                number[cell as usize] = count;
                count += 1;
                stack.extend(grid.below[cell as usize].iter().rev());
            }
        }
    }
    for layer in &mut grid.layers {
        layer.sort_by_cached_key(|cell| number[*cell as usize]);
    }
}

fn mean(cells: &[u32], wish: &[Option<f32>]) -> Option<f32> {
    let known = cells.iter().filter_map(|cell| wish[*cell as usize]);
    let (sum, count) = known.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f32)
}

/// Sorts each layer by the mean position of its neighbours on the previous layer.
fn sweep_once(grid: &mut Grid, downwards: bool) {
    let n_layers = grid.layers.len();
    let mut place = vec![0.0f32; grid.cells.len()];
    for step in 0..n_layers {
        let layer = if downwards { step } else { n_layers - 1 - step };
        let mut keyed: Vec<(u32, usize)> = Vec::with_capacity(grid.layers[layer].len());
        for (at, cell) in grid.layers[layer].iter().enumerate() {
            let neighbours = if downwards { &grid.above[*cell as usize] } else { &grid.below[*cell as usize] };
            let key = match neighbours.len() {
                // A cell without neighbours keeps its relative position.
                0 => at as f32 / grid.layers[layer].len() as f32,
                count => neighbours.iter().map(|other| place[*other as usize]).sum::<f32>() / count as f32,
            };
            keyed.push((ordered(key), at));
        }
        keyed.sort_unstable();
        let width = keyed.len() as f32;
        grid.layers[layer] = keyed.iter().map(|(_, at)| grid.layers[layer][*at]).collect();
        for (at, cell) in grid.layers[layer].iter().enumerate() {
            place[*cell as usize] = at as f32 / width;
        }
    }
}

/// The number of crossing pairs of lines. Cost: n log n, by a Fenwick tree.
fn crossings(grid: &Grid) -> u64 {
    let mut at = vec![0u32; grid.cells.len()];
    for layer in &grid.layers {
        for (index, cell) in layer.iter().enumerate() {
            at[*cell as usize] = index as u32;
        }
    }
    let mut total = 0;
    for pair in grid.layers.windows(2) {
        let mut tree = vec![0u32; pair[1].len() + 1];
        let mut seen = 0u32;
        for upper in &pair[0] {
            let mut targets: Vec<u32> = grid.below[*upper as usize].iter().map(|lower| at[*lower as usize]).collect();
            targets.sort_unstable();
            for target in &targets {
                let mut not_right = 0;
                let mut index = *target as usize + 1;
                while index > 0 {
                    not_right += tree[index];
                    index &= index - 1;
                }
                total += u64::from(seen - not_right);
            }
            for target in targets {
                seen += 1;
                let mut index = target as usize + 1;
                while index < tree.len() {
                    tree[index] += 1;
                    index += index & index.wrapping_neg();
                }
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_the_order_of_the_floats() {
        let floats = [f32::MIN, -1.5, -f32::MIN_POSITIVE, -0.0, 0.0, f32::MIN_POSITIVE, 0.25, 1.0, f32::MAX, f32::NAN];
        for one in floats {
            for other in floats {
                assert_eq!(ordered(one).cmp(&ordered(other)), one.total_cmp(&other), "{one} {other}");
            }
        }
    }
}
